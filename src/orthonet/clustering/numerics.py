"""Numbers that are too large or too small to compute with, said in a sentence that names what they came from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

from orthonet.support.sentences import Argument, Sentence

FACTORISATION_ERRORS: tuple[type[Exception], ...] = (
    np.linalg.LinAlgError,
    getattr(torch.linalg, "LinAlgError", RuntimeError),
)
"""What numpy and torch raise where a matrix cannot be factorised."""
LARGEST_EPSILON = 1e6
"""Epsilon is added to eigenvalues of about 1; so much of it leaves nothing of the layers in double precision's 16 digits."""


def check_epsilon(epsilon: float) -> None:
    """Refuse an epsilon beside which the layers vanish."""
    if epsilon > LARGEST_EPSILON:
        raise ValueError(
            Sentence(
                Argument("epsilon"),
                f" must be at most {LARGEST_EPSILON:g}, got {epsilon:g}: the layers vanish beside it",
            )
        )


@contextmanager
def factorising() -> Iterator[None]:
    """Turn the failure of a factorisation into an error that says what to look at."""
    try:
        yield
    except FACTORISATION_ERRORS as error:
        raise ValueError(
            f"a matrix could not be factorised ({error}): edge weights or features differ by too many orders of magnitude; "
            "divide them, or take logarithms first"
        ) from error
