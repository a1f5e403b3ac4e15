"""Checks of single parameters: functions of a value and its name that return the value, or raise an error with that name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.embedding.devices import choose_device
from orthonet.support.checks import check_integer, check_number, check_weights


def either(plain: tuple[Any, ...], check: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    """Let some plain values, such as None or "auto", pass a check that is for the others."""

    def checked(value: Any, name: str) -> Any:
        is_plain = value is None or isinstance(value, str) or (isinstance(value, Integral) and value == -1)
        return value if is_plain and value in plain else check(value, name)

    return checked


def check_layer_weights(value: Any, name: str) -> npt.NDArray[np.float64] | None:
    """Check the form; that there is one weight for each layer is seen when the layers are."""
    if value is None:
        return None
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = None
    if array is None or isinstance(value, str):
        raise TypeError(f"{name} must be 'auto', None or numbers >= 0, one for each of the layers, got {value!r}")
    if array.ndim != 1:
        raise ValueError(f"{name} must be one number for each of the layers, got shape {array.shape}")
    check_weights(array, len(array), name=name)
    return array


def check_feature_layer(value: Any, name: str) -> float:
    """Check that the weight of the features' own layer leaves something for the others."""
    if not 0 <= check_number(value, name) < 1:
        raise ValueError(f"{name} must be 'auto', or at least 0 and below 1, got {value!r}")
    return float(value)


def check_hidden_layers(value: Any, name: str) -> tuple[int, ...]:
    """Check the units of each hidden layer."""
    try:
        sizes = list(value)
    except TypeError:
        raise TypeError(f"{name} must be a sequence of integers, got {value!r}") from None
    return tuple(check_integer(units, f"{name}[{index}]", minimum=1) for index, units in enumerate(sizes))


def check_device(value: Any, name: str) -> Any:
    """Check that there is such a device."""
    choose_device(value, name)
    return value


def check_path(value: Any, name: str) -> Any:
    """Check that a value can be a path."""
    if not isinstance(value, str | PathLike):
        raise TypeError(f"{name} must be None or a path, got {value!r} of type {type(value).__name__}")
    return value


def check_boolean(value: Any, name: str) -> bool:
    """Check that a value is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r} of type {type(value).__name__}")
    return bool(value)


def check_random_state(value: Any, name: str) -> Any:
    """Check that a value can seed random draws."""
    if isinstance(value, np.random.Generator | np.random.RandomState):
        return value  # nothing is drawn from it here
    return check_integer(value, name, minimum=0)


def check_number_of_clusters(value: Any, name: str) -> int | ClusterRange:
    """Check a number of clusters, "auto", or the smallest and the largest of the numbers to choose from."""
    if isinstance(value, str):
        if value != "auto":
            raise ValueError(f"{name} must be a whole number >= 2, 'auto', or a pair such as (2, 12), got {value!r}")
        return ClusterRange(2, None)
    if not isinstance(value, tuple | list | range):
        return check_integer(value, name, minimum=2)
    if len(value) < 2 or (not isinstance(value, range) and len(value) != 2):
        raise ValueError(f"{name} must be a pair, the smallest and the largest number to choose from, got {value!r}")
    smallest = check_integer(value[0], f"{name}[0]", minimum=2)
    return ClusterRange(smallest, check_integer(value[-1], f"{name}[1]", minimum=smallest))


@dataclass(frozen=True)
class ClusterRange:
    """The numbers of clusters to choose from; without a largest, as far as the data goes."""

    smallest: int
    largest: int | None
