"""Agreement of a clustering with a reference partition; all are 1 for perfect agreement, whatever the labels' names.

Plain and adjusted Rand index are two functions with two names: the paper's "RI" column mixes them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score, rand_score
from sklearn.metrics.cluster import contingency_matrix


def purity(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> float:
    """Share of nodes that belong to the commonest class of their cluster.

    Examples
    --------
    >>> from orthonet.metrics import purity
    >>> purity(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.75
    """
    counts = _contingency(labels_true, labels_pred)
    return float(counts.max(axis=0).sum() / counts.sum())


def nmi(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> float:
    """Mutual information divided by the arithmetic mean of the two entropies."""
    _contingency(labels_true, labels_pred)
    return float(normalized_mutual_info_score(labels_true, labels_pred))


def adjusted_rand(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> float:
    """Rand index adjusted for chance: 0 on average for independent partitions, possibly negative."""
    _contingency(labels_true, labels_pred)
    return float(adjusted_rand_score(labels_true, labels_pred))


def rand(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> float:
    """Plain Rand index: share of node pairs on which the partitions agree (together or apart)."""
    _contingency(labels_true, labels_pred)
    return float(rand_score(labels_true, labels_pred))


def clustering_accuracy(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> float:
    """Share of nodes labelled right under the best one-to-one matching of clusters to classes (Hungarian method).

    Examples
    --------
    >>> from orthonet.metrics import clustering_accuracy
    >>> clustering_accuracy([0, 0, 1, 1], [1, 1, 0, 2])
    0.75
    """
    counts = _contingency(labels_true, labels_pred)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    return float(counts[rows, columns].sum() / counts.sum())


def _contingency(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> npt.NDArray[np.int64]:
    first, second = np.asarray(labels_true), np.asarray(labels_pred)
    if first.ndim != 1 or second.ndim != 1 or len(first) != len(second):
        raise ValueError(
            f"labels_true and labels_pred must be equally long rows of labels, got shapes {first.shape} and {second.shape}"
        )
    if len(first) == 0:
        raise ValueError("labels_true and labels_pred are empty")
    counts: npt.NDArray[np.int64] = contingency_matrix(first, second)
    return counts
