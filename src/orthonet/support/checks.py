"""Argument checks whose errors name the argument, what came and what was wanted."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

Choice = TypeVar("Choice")


def check_integer(value: Any, name: str, *, minimum: int, maximum: int | None = None) -> int:
    """Return ``value`` as an int if it is a whole number of the range, else raise."""
    wanted = f"an integer >= {minimum}" + (f" and <= {maximum}" if maximum is not None else "")
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be {wanted}, got {value!r} of type {type(value).__name__}")
    number = int(value)
    if number < minimum or (maximum is not None and number > maximum):
        raise ValueError(f"{name} must be {wanted}, got {number}")
    return number


def check_number(value: Any, name: str, *, above: float = -math.inf, at_least: float = -math.inf) -> float:
    """Return ``value`` as a finite float beyond the given bound, else raise."""
    wanted = "a finite number"
    wanted += f" > {above:g}" if above > -math.inf else f" >= {at_least:g}" if at_least > -math.inf else ""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be {wanted}, got {value!r} of type {type(value).__name__}")
    if not math.isfinite(value) or value <= above or value < at_least:
        raise ValueError(f"{name} must be {wanted}, got {value!r}")
    return float(value)


def check_choice(value: Choice, name: str, choices: Iterable[Choice]) -> Choice:
    """Return ``value`` if it is one of ``choices``, else raise with the list of them."""
    known = list(choices)
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in known):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")
    return value


def random_generator(random_state: Any) -> np.random.Generator:
    """Return a generator for None (fresh entropy), an int, a `Generator` or a `RandomState`, never the global one."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    if random_state is None:
        return np.random.default_rng()
    return np.random.default_rng(check_integer(random_state, "random_state", minimum=0))


def check_weights(
    weights: Any, count: int, *, name: str = "layer_weights", of: str = "layers"
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return non-negative weights scaled to sum 1; None gives equal weights."""
    if weights is None:
        return np.full(count, 1.0 / count)
    try:
        array = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be {count} numbers, one for each of the {of}, got {weights!r}") from None
    if array.shape != (count,):
        raise ValueError(f"{name} must hold one number for each of the {count} {of}, got shape {array.shape}")
    if not np.isfinite(array).all() or (array < 0).any():
        raise ValueError(f"{name} must be finite and >= 0, got {array.tolist()}")
    if array.sum() == 0:
        raise ValueError(f"{name} are all 0: at least one of the {of} must count")
    return array / array.sum()
