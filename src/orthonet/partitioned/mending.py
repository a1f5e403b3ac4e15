"""Mend a partition of which each process holds the labels of its own nodes, see `orthonet.evidence.mending`.

Nodes are scored and moved at home; what is added up is the support, the sizes of the clusters, and how many nodes want to move.
Which of these do is drawn for all nodes from one seed, so that it does not matter who holds a node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from orthonet.evidence.mending import MAX_ROUNDS, MOVING_SHARE, RESTLESS_SHARE, Partition
from orthonet.evidence.sources import Labels, Source, node_scores
from orthonet.partitioned.rows import Rows


@dataclass(frozen=True)
class RowMending:
    """`mend` and `support` of `orthonet.evidence`, for labels of own nodes.

    Parameters
    ----------
    rows : Rows
    """

    rows: Rows

    def support(
        self, sources: Sequence[Source], labels: Labels, n_clusters: int, weights: npt.ArrayLike | None = None
    ) -> float:
        """Return the mean over all nodes of their scores for their own clusters."""
        scores = node_scores(sources, labels, n_clusters, weights)
        return self.rows.total(float(_own(scores, labels).sum())) / self.rows.n_nodes

    def support_by(self, source: Source, labels: Labels, n_clusters: int) -> float:
        """Return the support by one source alone."""
        return self.support([source], labels, n_clusters)

    def mend(
        self,
        sources: Sequence[Source],
        labels: Labels,
        n_clusters: int,
        rng: np.random.Generator,
        weights: npt.ArrayLike | None = None,
        *,
        origin: str = "",
        max_rounds: int = MAX_ROUNDS,
    ) -> Partition:
        """Move nodes to where the sources want them; return the best partition seen, with the labels of own nodes."""
        labels = labels.astype(np.int64)
        best = Partition(labels, -np.inf, origin)
        (sizes,) = self.rows.sum(np.bincount(labels, minlength=n_clusters))
        for _ in range(max_rounds):
            scores = node_scores(sources, labels, n_clusters, weights)
            own = _own(scores, labels)
            scores[:, sizes == 0] = -np.inf  # nothing is known of an empty cluster
            wanted = scores.argmax(axis=1)
            restless = wanted != labels
            moving = restless & (self.rows.uniform(rng)[:, 0] < MOVING_SHARE)
            moved = np.where(moving, wanted, labels)
            # The sizes after the move come with the same message as what is known before it.
            support, n_restless, moved_sizes = self.rows.sum(
                own.sum(), np.count_nonzero(restless), np.bincount(moved, minlength=n_clusters)
            )
            value = float(support[0]) / self.rows.n_nodes
            if value > best.support:
                best = Partition(labels, value, origin)
            if n_restless[0] <= RESTLESS_SHARE * self.rows.n_nodes:
                break
            labels, sizes = moved, moved_sizes
        return best


def _own(scores: npt.NDArray[np.float64], labels: Labels) -> npt.NDArray[np.float64]:
    return scores[np.arange(len(labels)), labels]
