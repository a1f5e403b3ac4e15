"""When two partitions are the same: of few nodes by their support, of many by support and labels on some of the nodes.

Of few nodes, partitions that were mended to the end meet again exactly. Of many they differ by the last few nodes at the edges
of clusters, where some always want to move: partitions that agree but for those are one, and are neither mended nor recombined
again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import entr

from orthonet.evidence.local_mending import MANY_NODES, judges
from orthonet.evidence.mending import Partition
from orthonet.evidence.sources import Labels

SMALLEST_GAIN = 1e-9
"""In nats per node: less is rounding."""
SAME_SUPPORT = 5e-4
"""Difference in support, relative to the larger, of two partitions of many nodes that are one,"""
SAME_LABELS = 0.97
"""and their normalised mutual information at least."""


def agreement(first: Labels, second: Labels) -> float:
    """Return the normalised mutual information of two partitions, on 50,000 nodes at most."""
    some = judges(len(first)) if len(first) > MANY_NODES else slice(None)
    # As scikit-learn's, which looks at its arguments for longer than it counts.
    one, other = relabelled(first[some]), relabelled(second[some])
    n_others = int(other.max(initial=0)) + 1
    counts = np.bincount(one * n_others + other, minlength=(int(one.max(initial=0)) + 1) * n_others)
    shares = counts.reshape(-1, n_others) / max(len(one), 1)
    both, apart = entr(shares).sum(), entr(shares.sum(axis=0)).sum() + entr(shares.sum(axis=1)).sum()
    return float(np.clip(2 * (apart - both) / apart, 0.0, 1.0)) if apart > 0 else 1.0


def is_same(better: Partition, other: Partition, *, by_labels: bool = True) -> bool:
    """Tell whether two partitions are the same under other numbers, but for nodes that could be in either of two clusters."""
    lost = better.support - other.support
    if not by_labels or len(better.labels) <= MANY_NODES or lost <= SMALLEST_GAIN:
        return lost <= SMALLEST_GAIN
    near = lost <= SAME_SUPPORT * abs(better.support)
    return near and agreement(better.labels, other.labels) >= SAME_LABELS


def is_gain(found: Partition, known: Partition) -> bool:
    """Tell whether a partition has so much more support than another that they are not one but for a few nodes."""
    return found.support - known.support > SAME_SUPPORT * abs(found.support)


def distinct(partitions: Sequence[Partition], *, by_labels: bool = True) -> list[Partition]:
    """Return the partitions, most supported first, and of those that are the same the one that was found first.

    Where support is equal they are the same one under other numbers, but for nodes of which no source says anything. Without
    ``by_labels`` only support is looked at: labels of own nodes would tell each process something else.
    """
    kept: list[Partition] = []
    for one in sorted(partitions, key=lambda partition: -round(partition.support / SMALLEST_GAIN)):
        compared = kept if by_labels and len(one.labels) > MANY_NODES else kept[-1:]
        if not any(is_same(other, one, by_labels=by_labels) for other in compared):
            kept.append(one)
    return kept


def without_copies(starts: Sequence[Labels], alike: float) -> list[Labels]:
    """Return those that agree with none before them by more than ``alike``; all where there are few nodes."""
    kept: list[Labels] = []
    for labels in starts:
        if len(labels) <= MANY_NODES or all(agreement(labels, other) < alike for other in kept):
            kept.append(labels)
    return kept


def relabelled(values: Labels) -> Labels:
    """Return numbers from 0 on for different values, in their order: `numpy.unique`'s inverse, without sorting small ones."""
    largest = int(values.max(initial=0))
    if largest > 4 * len(values):
        return np.unique(values, return_inverse=True)[1].astype(np.int64)
    present = np.bincount(values, minlength=largest + 1) > 0
    numbers: Labels = (np.cumsum(present) - 1).astype(np.int64)
    return numbers[values]
