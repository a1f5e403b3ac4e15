"""Dense features as one source with two parts: who is near whom, and the values themselves.

    node i for cluster c:   ( what its nearest neighbours say  +  what its values say ) · n / (n + m)

with n the independent observations of the neighbours (a layer) and m those of the values (Gaussian clusters, and categories).
Neighbours see clusters of any shape, but take any piece of a cloud for one; Gaussians see where a cloud ends, but only of round
or long ones. They are two looks at the same features, not independent: together they are one source, which others corroborate
or do not, and count for as many observations as neighbours alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from orthonet.evidence.coarse import CoarseSource
from orthonet.evidence.feature_values import ValueSource
from orthonet.evidence.sources import Labels, LayerSource

Array = npt.NDArray[np.float64]


class FeatureSource:
    """Neighbours by features, and their values, as evidence.

    Parameters
    ----------
    neighbours : LayerSource
        Its name and its place among the other sources are those of the whole.
    values : sequence of GaussianSource and WordSource
    averages : str
        Name of the source whose features these are, averaged over the relations; empty for features as they are.
    """

    ends = 1

    def __init__(self, neighbours: LayerSource, values: Sequence[ValueSource], averages: str = "") -> None:
        self.neighbours, self.values, self.averages = neighbours, tuple(values), averages
        self.name, self.joint = neighbours.name, neighbours.joint
        self.observations = neighbours.observations

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.neighbours.n_nodes

    @property
    def n_observed(self) -> npt.NDArray[np.integer]:
        """Neighbours of each node."""
        return self.neighbours.n_observed

    def information(self, labels: Labels, n_clusters: int) -> float:
        """Return I of the partition, in nats per observation."""
        parts = zip(self._shares, self._parts, strict=True)
        return float(sum(share * part.information(labels, n_clusters) for share, part in parts))

    def node_scores(self, labels: Labels, n_clusters: int, *, leave_out: bool = True) -> Array:
        """Return what both say for each node and cluster, in nats, N x K."""
        scores = self.neighbours.node_scores(labels, n_clusters, leave_out=leave_out)
        for part in self.values:
            scores += part.node_scores(labels, n_clusters, leave_out=leave_out)
        return scores * self._scale

    def own_scores(self, labels: Labels, n_clusters: int) -> Array:
        """Return what both say for each node's own cluster, in nats: a part of `node_scores`."""
        return self._scale * np.sum([part.own_scores(labels, n_clusters) for part in self._parts], axis=0)

    def coarse(self, cells: Labels, n_cells: int) -> CoarseSum:
        """Return both over cells of nodes."""
        parts = [part.coarse(cells, n_cells) for part in self._parts]
        return CoarseSum(list(zip(self._shares, parts, strict=True)))

    def reweighted(self, rng: np.random.Generator, node_weights: Array) -> Self:
        """Return both with nodes counted by random weights."""
        neighbours = self.neighbours.reweighted(rng, node_weights)
        return type(self)(neighbours, [part.reweighted(rng, node_weights) for part in self.values], self.averages)

    @property
    def _parts(self) -> tuple[LayerSource | ValueSource, ...]:
        return (self.neighbours, *self.values)

    @property
    def _scale(self) -> float:
        """What an observation of a part counts for."""
        return self.neighbours.observations / sum(part.observations for part in self._parts)

    @property
    def _shares(self) -> list[float]:
        """What a nat per observation of each part is worth in nats per observation of the whole."""
        total = sum(part.observations for part in self._parts)
        return [part.observations / part.ends / total for part in self._parts]


class CoarseSum:
    """A weighted sum of sources over cells."""

    def __init__(self, parts: Sequence[tuple[float, CoarseSource]]) -> None:
        self.parts = parts

    def place(self, clusters: npt.NDArray[np.int64], n_clusters: int) -> None:
        """Put each cell into a cluster."""
        self._each(lambda part: part.place(clusters, n_clusters))

    def information(self) -> float:
        """Return I of the clusters, in nats per observation."""
        return float(sum(share * part.information() for share, part in self.parts))

    def joining_losses(self, cluster: int, others: Any = slice(None)) -> Array:
        """Return how much I falls when ``cluster`` is joined with each of the others, all by default."""
        return np.sum([share * part.joining_losses(cluster, others) for share, part in self.parts], axis=0)

    def all_joining_losses(self) -> Array:
        """Return how much I falls when each two clusters are joined, clusters x clusters."""
        return np.sum([share * part.all_joining_losses() for share, part in self.parts], axis=0)

    def join(self, kept: int, emptied: int) -> None:
        """Put all cells of the second cluster into the first."""
        self._each(lambda part: part.join(kept, emptied))

    def moving_gains(self, cell: int, cluster: int) -> Array:
        """Return how much I rises when ``cell`` moves from ``cluster``, where it is, to each cluster."""
        return np.sum([share * part.moving_gains(cell, cluster) for share, part in self.parts], axis=0)

    def move(self, cell: int, cluster: int, new_cluster: int) -> None:
        """Move a cell."""
        self._each(lambda part: part.move(cell, cluster, new_cluster))

    def _each(self, do: Callable[[Any], None]) -> None:
        for _, part in self.parts:
            do(part)
