"""Columns of categories as features: a column of zeros and ones for each category."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.files.errors import FileError

MOST = 1000
"""How many categories a column may have; one with more is rather a column of ids."""


def category_name(column: str, category: str) -> str:
    """Return the name of the feature that tells whether a node is in a category: ``town=Bonn``."""
    return f"{column}={category}"


def one_hot(texts: npt.NDArray[Any], column: str, path: Path) -> tuple[tuple[str, ...], npt.NDArray[np.float64]]:
    """Return the names and the columns of zeros and ones of the categories, in alphabetical order; "" is in none.

    >>> names, columns = one_hot(np.array(["Ulm", "Bonn", "", "Ulm"]), "town", Path("people.csv"))
    >>> names, columns.tolist()
    (('town=Bonn', 'town=Ulm'), [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    """
    categories, codes = np.unique(texts, return_inverse=True)
    if len(categories) > MOST:
        raise FileError(path, f"column {column!r} has {len(categories):,} different values, too many for categories")
    columns = np.zeros((len(texts), len(categories)))
    columns[np.arange(len(texts)), codes] = 1.0
    named = categories != ""
    return tuple(category_name(column, one) for one in categories[named].tolist()), columns[:, named]
