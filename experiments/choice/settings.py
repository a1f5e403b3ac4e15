"""Constants that were chosen with a look at scores, and their other values: set for a moment, in this process only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array

from orthonet.evidence import recombination
from orthonet.evidence.sources import WordSource
from orthonet.graph.words import inverse_document_frequencies

CELLS = "cells per cluster"
ROWS = "rows of words"


@dataclass(frozen=True)
class Setting:
    """What may be set otherwise.

    ``default`` is the value in use, measured by the runs of `choice.measure.measure`.
    """

    title: str
    default: str
    others: tuple[str, ...]

    @property
    def values(self) -> tuple[str, ...]:
        """All values, the default first."""
        return (self.default, *self.others)


def _cells() -> Setting:
    default = str(recombination.CELLS_PER_CLUSTER)
    others = tuple(value for value in ("none", "3", "4", "6") if value != default)
    return Setting("cells per cluster in recombination, at most", default, others)


SETTINGS: dict[str, Setting] = {
    CELLS: _cells(),
    ROWS: Setting("rows of words", "as they are", ("of equal sum",)),
}


@contextmanager
def changed(setting: str, value: str) -> Iterator[None]:
    """Set a constant to another value, and back."""
    if setting == CELLS:
        owner: Any = recombination
        name, new = "CELLS_PER_CLUSTER", 0 if value == "none" else int(value)
    elif setting == ROWS:
        owner, name, new = WordSource, "from_counts", classmethod(_from_equal_rows)
    else:
        raise ValueError(f"setting must be {CELLS!r} or {ROWS!r}, got {setting!r}")
    before = vars(owner)[name]
    setattr(owner, name, new)
    try:
        yield
    finally:
        setattr(owner, name, before)


_from_counts = WordSource.from_counts.__func__  # type: ignore[attr-defined]


def _from_equal_rows(
    cls: type[WordSource], counts: csr_array, name: str, rng: np.random.Generator, *, joint: bool = False
) -> WordSource:
    """Return words as a source, each node's scaled to the same sum."""
    observations = _from_counts(cls, counts, name, rng).observations
    words = csr_array(counts @ diags_array(inverse_document_frequencies(counts)))
    sums = np.asarray(words.sum(axis=1)).ravel()
    scaled = csr_array(diags_array(1.0 / np.where(sums > 0, sums, 1.0)) @ words)
    return cls(scaled, name, observations, joint=joint)
