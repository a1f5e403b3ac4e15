"""Recombine partitions: move cells, which are sets of nodes that several partitions keep together.

`mend` moves nodes one by one and cannot move a tight knot of nodes whose members hold each other in place. Where good
partitions differ, they differ by such knots: the cells of their intersection. Moving cells by the exact change of
information chooses the best of each. This is done only while the cells are few: where the partitions agree on little, their
many cells would be fitted to noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice

import numpy as np
import numpy.typing as npt

from orthonet.evidence.local_mending import MANY_NODES
from orthonet.evidence.mending import SHAKEN_UP_TO, Partition
from orthonet.evidence.merging import coarse_parts
from orthonet.evidence.racing import race
from orthonet.evidence.sameness import SMALLEST_GAIN, distinct, relabelled
from orthonet.evidence.sources import Labels, Source

CELLS_PER_CLUSTER = 4
"""Cells per cluster at most; beyond, the partitions do not agree enough for their cells to mean anything."""
PARTITIONS = 12
"""Partitions whose intersection is looked at."""
STARTS = 6
"""Partitions that cells are moved from."""
MAX_ROUNDS = 3
"""Times that cells are made anew from the best partitions."""
SMALLEST_MOVED = 1e-3
"""Share of the nodes that a cell has at least to be moved: a node or two of thousands are for mending, which has moved them. Of
few nodes, up to so many as are shaken, all cells are moved."""
MAX_PASSES = 20
"""Over all cells, at most; few are needed."""


def recombine(
    sources: Sequence[Source],
    partitions: Sequence[Partition],
    n_clusters: int,
    rng: np.random.Generator,
    weights: npt.ArrayLike | None = None,
    *,
    tried: list[Partition] | None = None,
) -> list[Partition]:
    """Return the partitions and what came of moving their common cells, most supported first, each once.

    Parameters
    ----------
    sources : sequence of Source
    partitions : sequence of Partition
    n_clusters : int
    rng : numpy.random.Generator
    weights : array of shape (sources,), optional
    tried : list of Partition, optional
        From which cells have been moved before: of many nodes not again, and those from which they now were are added.
    """
    ranked = distinct(partitions)
    if len(ranked) == 1 and len(ranked[0].labels) > MANY_NODES:
        return ranked  # one partition has no cells but its clusters
    tried = [] if tried is None else tried
    for _ in range(MAX_ROUNDS):
        before = ranked[0].support
        cells = _common_cells(ranked[:PARTITIONS], n_clusters)
        found = []
        starts = [one for one in ranked[:STARTS] if not any(one is other for other in tried)]
        tried += starts if len(cells) > SHAKEN_UP_TO else []
        for start in starts:
            own_cells = intersection(cells, start.labels)
            if own_cells.max() < CELLS_PER_CLUSTER * n_clusters:
                moved = move_cells(sources, own_cells, start.labels, n_clusters, rng, weights)
                if not np.array_equal(moved, start.labels):
                    found.append((start.origin, moved))
        ranked = distinct([*ranked, *race(sources, found, n_clusters, rng, weights, to_beat=before)])
        if ranked[0].support <= before + SMALLEST_GAIN:
            break
    return ranked


def move_cells(
    sources: Sequence[Source],
    cells: Labels,
    labels: Labels,
    n_clusters: int,
    rng: np.random.Generator,
    weights: npt.ArrayLike | None = None,
) -> Labels:
    """Move cells, each within one cluster of ``labels``, one after another to where information rises most, until none does."""
    n_cells = int(cells.max()) + 1
    clusters = np.zeros(n_cells, dtype=np.int64)
    clusters[cells] = labels
    parts = coarse_parts(sources, cells, n_cells, weights)
    for _, part in parts:
        part.place(clusters, n_clusters)
    sizes = np.bincount(clusters, minlength=n_clusters)
    least = SMALLEST_MOVED * len(labels) if len(labels) > SHAKEN_UP_TO else 0
    movable = rng.permutation(np.flatnonzero(np.bincount(cells) >= least))
    at_rest = 0
    for cell in islice(cycle(movable), MAX_PASSES * len(movable)):
        old = int(clusters[cell])
        at_rest += 1
        if sizes[old] > 1:
            gains = sum((worth * part.moving_gains(cell, old) for worth, part in parts), np.zeros(n_clusters))
            new = int(gains.argmax())
            if gains[new] > SMALLEST_GAIN:
                for _, part in parts:
                    part.move(cell, old, new)
                clusters[cell] = new
                sizes[old] -= 1
                sizes[new] += 1
                at_rest = 0
        if at_rest == len(movable):
            break
    return clusters[cells]


def intersection(first: Labels, second: Labels) -> Labels:
    """Return the cells of nodes that both partitions keep together."""
    return relabelled(first * (int(second.max()) + 1) + second)


def _common_cells(partitions: Sequence[Partition], n_clusters: int) -> Labels:
    """Intersect the partitions, the most supported first, leaving out those that would make too many cells."""
    cells = partitions[0].labels
    for one in partitions[1:]:
        finer = intersection(cells, one.labels)
        if finer.max() < CELLS_PER_CLUSTER * n_clusters:
            cells = finer
    return relabelled(cells)
