"""Words and counts among the features.

A word that few nodes have says more than one that all have:

idf_f = 1 + ln( (1 + N) / (1 + number of nodes with word f) ).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.graph.features import Features


def as_counts(features: Features) -> csr_array:
    """Return words as a sparse array without stored zeros."""
    counts = csr_array(features, dtype=np.float64, copy=True)  # a graph's own features cannot be written to
    counts.eliminate_zeros()
    return counts


def inverse_document_frequencies(counts: csr_array) -> npt.NDArray[np.float64]:
    """Return idf of each word."""
    return rarity_of(np.bincount(counts.indices, minlength=counts.shape[1]), counts.shape[0])


def rarity_of(with_word: npt.NDArray[Any], n_nodes: int) -> npt.NDArray[np.float64]:
    """Return idf of words that so many of ``n_nodes`` nodes have."""
    return 1.0 + np.log((1.0 + n_nodes) / (1.0 + with_word))
