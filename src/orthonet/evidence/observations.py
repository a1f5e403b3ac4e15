"""How many independent observations a source makes of each node.

Edges of a node are not independent where its neighbours are neighbours of each other: of a hundred colleagues of one office one
edge says it all. With c the chance that two neighbours of a node are joined, a node of degree d has

    n = d / (1 + (d − 1) c)

independent edges, the effective sample size of d observations with correlation c (the design effect of survey sampling [1]_).
A union of cliques has n = 1, a tree n = d. The words of a document follow the same law, with c the chance that another
document with the one word has the other word too.

References
----------
.. [1] L. Kish, "Survey Sampling", Wiley, 1965.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array, csr_array

PAIRS = 20_000
"""Pairs of neighbours (or of words) that a chance is estimated from: its standard error is then at most 0.004."""


def effective_observations(degrees: npt.NDArray[Any], closure: float) -> npt.NDArray[np.float64]:
    """Return n = d / (1 + (d − 1) c) of each degree; 0 where there is no observation."""
    return np.where(degrees > 0, degrees / (1.0 + np.maximum(degrees - 1.0, 0.0) * closure), 0.0)


def layer_closure(adjacency: csr_array, rng: np.random.Generator) -> float:
    """Estimate the chance that two neighbours of a node are joined, as a mean over nodes with at least two neighbours."""
    drawn = _two_entries_of_rows(adjacency, rng)
    if drawn is None:
        return 0.0
    _, one, other = drawn
    return float(np.mean(_pattern(adjacency)[one, other]))


def word_closure(words: csr_array, rng: np.random.Generator) -> float:
    """Estimate the chance that a document which shares one word with another shares a second one of its words too."""
    drawn = _two_entries_of_rows(words, rng)
    if drawn is None:
        return 0.0
    document, one, other = drawn
    by_word = csc_array(words)
    starts, lengths = by_word.indptr[one], np.diff(by_word.indptr)[one]
    second_document = by_word.indices[starts + (rng.random(len(one)) * lengths).astype(np.intp)]
    differ = second_document != document
    if not differ.any():
        return 0.0
    return float(np.mean(_pattern(words)[second_document[differ], other[differ]]))


def _two_entries_of_rows(
    matrix: csr_array, rng: np.random.Generator
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]] | None:
    """Draw rows with at least two entries, and the columns of two different entries of each."""
    lengths = np.diff(matrix.indptr)
    candidates = np.flatnonzero(lengths >= 2)
    if not candidates.size:
        return None
    rows = rng.choice(candidates, PAIRS)
    first = (rng.random(PAIRS) * lengths[rows]).astype(np.intp)
    second = (rng.random(PAIRS) * (lengths[rows] - 1)).astype(np.intp)
    second += second >= first
    return rows, matrix.indices[matrix.indptr[rows] + first], matrix.indices[matrix.indptr[rows] + second]


def _pattern(matrix: csr_array) -> csr_array:
    return csr_array((np.ones(matrix.nnz, dtype=bool), matrix.indices, matrix.indptr), shape=matrix.shape)
