"""Merge and recombine partitions of which each process holds the labels of its own nodes.

Both work on cells, sets of nodes that stay together. What all sources say of cells is counted over all processes; which cells
are joined or moved the first process then decides for all, as `orthonet.evidence.merging` and `orthonet.evidence.recombination`
do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.evidence.coarse import CoarseSource
from orthonet.evidence.mending import Partition
from orthonet.evidence.merging import merge
from orthonet.evidence.recombination import (
    CELLS_PER_CLUSTER,
    MAX_ROUNDS,
    PARTITIONS,
    STARTS,
    move_cells,
)
from orthonet.evidence.sameness import SMALLEST_GAIN, distinct
from orthonet.evidence.sources import Labels, Source
from orthonet.partitioned.mending import RowMending
from orthonet.partitioned.rows import Rows


@dataclass(frozen=True)
class _Cells:
    """A source that knows cells only, and is asked about these."""

    observations: float
    ends: int
    known: CoarseSource

    def coarse(self, cells: Labels, n_cells: int) -> CoarseSource:
        return self.known


def merged(
    rows: Rows, sources: Sequence[Source], cells: Labels, n_cells: int, n_clusters: int, weights: npt.ArrayLike | None
) -> Labels:
    """Join cells, the two that lose least again and again, down to ``n_clusters``; return labels of own nodes."""
    known = _over_cells(sources, cells, n_cells)
    return rows.by_first(lambda: merge(known, np.arange(n_cells), n_clusters, weights))[cells]


def recombined(
    mending: RowMending,
    sources: Sequence[Source],
    partitions: Sequence[Partition],
    n_clusters: int,
    rng: np.random.Generator,
    weights: npt.ArrayLike | None = None,
) -> list[Partition]:
    """Return the partitions and what came of moving their common cells, most supported first, each once."""
    rows, ranked = mending.rows, distinct(partitions, by_labels=False)
    for _ in range(MAX_ROUNDS):
        before = ranked[0].support
        cells, n_cells = _common_cells(rows, ranked[:PARTITIONS], n_clusters)
        found = []
        for start in ranked[:STARTS]:
            own_cells, n_own, pairs = _intersection(rows, cells, n_cells, start.labels, n_clusters)
            if n_own > CELLS_PER_CLUSTER * n_clusters:
                continue
            known, clusters = _over_cells(sources, own_cells, n_own), pairs % n_clusters
            chance = np.random.default_rng(int(rng.integers(2**63 - 1)))
            moved = rows.by_first(
                lambda known=known, n_own=n_own, clusters=clusters, chance=chance: move_cells(  # type: ignore[misc]
                    known, np.arange(n_own), clusters, n_clusters, chance, weights
                )
            )
            if not np.array_equal(moved, clusters):
                found.append(mending.mend(sources, moved[own_cells], n_clusters, rng, weights, origin=start.origin))
        ranked = distinct([*ranked, *found], by_labels=False)
        if ranked[0].support <= before + SMALLEST_GAIN:
            break
    return ranked


def _over_cells(sources: Sequence[Source], cells: Labels, n_cells: int) -> list[Any]:
    return [_Cells(one.observations, one.ends, one.coarse(cells, n_cells)) for one in sources]


def _intersection(
    rows: Rows, cells: Labels, n_cells: int, labels: Labels, n_clusters: int
) -> tuple[Labels, int, npt.NDArray[np.int64]]:
    """Return cells that lie in one cluster each, how many there are, and which cell and cluster each comes from, as a code."""
    codes = cells * n_clusters + labels
    (counted,) = rows.sum(np.bincount(codes, minlength=n_cells * n_clusters))
    pairs = np.flatnonzero(counted)
    return np.searchsorted(pairs, codes).astype(np.int64), len(pairs), pairs


def _common_cells(rows: Rows, partitions: Sequence[Partition], n_clusters: int) -> tuple[Labels, int]:
    """Intersect the partitions, the most supported first, leaving out those that would make too many cells."""
    cells, n_cells, _ = _intersection(rows, np.zeros_like(partitions[0].labels), 1, partitions[0].labels, n_clusters)
    for one in partitions[1:]:
        finer, n_finer, _ = _intersection(rows, cells, n_cells, one.labels, n_clusters)
        if n_finer <= CELLS_PER_CLUSTER * n_clusters:
            cells, n_cells = finer, n_finer
    return cells, n_cells
