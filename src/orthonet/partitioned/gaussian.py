"""Values of dense features of own nodes as evidence: Gaussian clusters, whose moments are summed over all processes.

See `orthonet.evidence.gaussian`. With Σ w, Σ w x and Σ w x xᵀ of each cluster over all nodes, K d² numbers, each process scores
its own nodes. Nearest neighbours by features, which a fit in one memory looks at too, are in other shards and are not sought.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from orthonet.evidence.gaussian import (
    CONTINUOUS_COLUMNS,
    MOST_DIMENSIONS,
    NODES_PER_DIMENSION,
    OBSERVATIONS,
    SAMPLE,
    GaussianSource,
    are_continuous,
)
from orthonet.evidence.sources import Labels
from orthonet.graph.features import FeatureScaler
from orthonet.partitioned.features import leading_directions
from orthonet.partitioned.rows import Rows

Array = npt.NDArray[np.float64]


class RowGaussianSource(GaussianSource):
    """Dense features of own nodes as evidence.

    Parameters
    ----------
    rows : Rows
    values : array of shape (n, d)
        Centred and scaled over all nodes.
    name : str
    observations : float, default=4
    node_weights : array of shape (n,), optional
    joint : bool, default=False
    """

    def __init__(
        self,
        rows: Rows,
        values: Array,
        name: str,
        observations: float = OBSERVATIONS,
        *,
        node_weights: Array | None = None,
        joint: bool = False,
    ) -> None:
        self._rows = rows
        super().__init__(values, name, observations, node_weights=node_weights, joint=joint)

    @classmethod
    def of(
        cls,
        rows: Rows,
        features: npt.NDArray[Any],
        scaler: FeatureScaler,
        n_clusters: int,
        rng: np.random.Generator,
        name: str,
    ) -> Self | None:
        """Return the continuous columns as a source; None if they are too few to speak for the features."""
        continuous = are_continuous(rows.at(np.asarray(features, dtype=np.float64), rows.sample(SAMPLE, rng)))
        columns = np.asarray(scaler.transform(features), dtype=np.float64)
        means = rows.sum(columns.sum(axis=0))[0] / rows.n_nodes
        deviations = np.sqrt(rows.sum(((columns - means) ** 2).sum(axis=0))[0] / rows.n_nodes)
        continuous &= deviations > 0
        if continuous.mean() < CONTINUOUS_COLUMNS:
            return None
        columns = (columns[:, continuous] - means[continuous]) / deviations[continuous]
        size = int(min(MOST_DIMENSIONS, max(1, rows.n_nodes // (NODES_PER_DIMENSION * n_clusters))))
        kept = 1.0
        if columns.shape[1] > size:
            n_columns = columns.shape[1]
            columns = columns @ leading_directions(rows, columns, size, rng)
            kept = rows.total(float((columns**2).sum())) / (rows.n_nodes * n_columns)
        return cls(rows, columns, name, OBSERVATIONS * kept)

    def reweighted(self, rng: np.random.Generator, node_weights: Array) -> Self:
        """Return the values with nodes counted by their weights."""
        return type(self)(
            self._rows, self._values, self.name, self.observations, node_weights=node_weights, joint=self.joint
        )

    def _n_counted(self) -> int:
        return self._rows.n_nodes

    def _moments(self, labels: Labels, n_clusters: int) -> tuple[Array, Array, Array]:
        """Return for each cluster the sum of weights, the mean, and the scatter about it, over all processes."""
        sizes, means, scatters = super()._moments(labels, n_clusters)
        squares = scatters + sizes[:, None, None] * means[:, :, None] * means[:, None, :]
        sizes, sums, squares = self._rows.sum(sizes, sizes[:, None] * means, squares)
        means = sums / np.maximum(sizes, np.finfo(np.float64).tiny)[:, None]
        return sizes, means, squares - sizes[:, None, None] * means[:, :, None] * means[:, None, :]
