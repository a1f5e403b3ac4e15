"""Merge clusters: join, again and again, the two whose union loses the least information, down to the number wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from orthonet.evidence.coarse import CoarseLayers, CoarseSource
from orthonet.evidence.feature_source import CoarseSum
from orthonet.evidence.sameness import relabelled
from orthonet.evidence.sources import Labels, Source


def merge(sources: Sequence[Source], labels: Labels, n_clusters: int, weights: npt.ArrayLike | None = None) -> Labels:
    """Return the partition with ``n_clusters`` clusters that greedy merging leads to.

    Parameters
    ----------
    sources : sequence of Source
    labels : array of shape (N,)
        A finer partition; one with no more clusters than wanted is returned as it is.
    n_clusters : int
    weights : array of shape (sources,), optional
        How much each source counts.
    """
    _, labels = np.unique(labels, return_inverse=True)
    for _, merged in merge_path(sources, labels, n_clusters, weights):
        labels = merged
    return labels.astype(np.int64)


def merge_path(
    sources: Sequence[Source], labels: Labels, n_clusters: int, weights: npt.ArrayLike | None = None
) -> Iterator[tuple[int, Labels]]:
    """Yield the number of clusters and the partition after each merge, down to ``n_clusters``."""
    _, labels = np.unique(labels, return_inverse=True)
    n_cells = int(labels.max()) + 1
    if n_cells <= n_clusters:
        return
    clusters = np.arange(n_cells)
    parts = coarse_parts(sources, labels, n_cells, weights)
    for _, part in parts:
        part.place(clusters, n_cells)
    alive = np.ones(n_cells, dtype=bool)
    losses = sum((worth * part.all_joining_losses() for worth, part in parts), np.zeros((n_cells, n_cells)))
    np.fill_diagonal(losses, np.inf)
    for remaining in range(n_cells - 1, n_clusters - 1, -1):
        kept, emptied = divmod(int(losses.argmin()), n_cells)
        for _, part in parts:
            part.join(kept, emptied)
        clusters[clusters == emptied] = kept
        alive[emptied] = False
        losses[emptied] = losses[:, emptied] = np.inf
        others = np.flatnonzero(alive)
        others = others[others != kept]
        lost = sum((worth * part.joining_losses(kept, others) for worth, part in parts), np.zeros(len(others)))
        losses[kept, others] = losses[others, kept] = lost
        yield remaining, relabelled(clusters)[labels]


def coarse_parts(
    sources: Sequence[Source], cells: Labels, n_cells: int, weights: npt.ArrayLike | None
) -> list[tuple[float, CoarseSource]]:
    """Return the sources that count, over cells, with what one nat per observation is worth per node: all layers as one."""
    given = np.ones(len(sources)) if weights is None else np.asarray(weights, dtype=np.float64)
    layers: list[tuple[float, CoarseLayers]] = []
    others: list[tuple[float, CoarseSource]] = []
    for weight, source in zip(given.tolist(), sources, strict=True):
        if weight > 0:
            worth, known = weight * source.observations / source.ends, source.coarse(cells, n_cells)
            parts = known.parts if isinstance(known, CoarseSum) else [(1.0, known)]
            for share, part in parts:
                if isinstance(part, CoarseLayers):
                    layers.append((worth * share, part))
                else:
                    others.append((worth * share, part))
    return [(1.0, CoarseLayers.together(layers)), *others] if layers else others
