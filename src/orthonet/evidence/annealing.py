"""Anneal a partition: draw the clusters of nodes from what the sources say of them, ever less at random, then mend.

Mending takes each node to the cluster that scores highest, and so ends at the first partition from which no single node wants
to move. Annealing [1]_ draws the cluster of a node instead,

    P(z_i = c) ∝ exp( score_ic / T ),       T from 1 down to 0,

so that groups of nodes can leave a cluster one by one. It begins at T = 1, where the scores, in nats, are log-probabilities:
warmer, what the proposals found would be lost. Draws are made by adding Gumbel noise to the scores and taking the largest.

References
----------
.. [1] S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated annealing", Science 220, 1983.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from orthonet.evidence.mending import MOVING_SHARE, SHAKEN_UP_TO, Partition, mend
from orthonet.evidence.sources import Source
from orthonet.evidence.steady_scores import SteadyScores

ROUNDS = 100
"""In which T falls: of 25, 50 and 100 each found more support."""
NODES_IN_ALL_ROUNDS = 400_000
"""Rounds are fewer where they would look at more nodes together than these, for the time that takes,"""
FEWEST_ROUNDS = 25
"""and where they would be fewer than these, nothing is annealed."""


def annealed(
    sources: Sequence[Source],
    start: Partition,
    n_clusters: int,
    rng: np.random.Generator,
    weights: npt.ArrayLike | None = None,
    *,
    rounds: int = ROUNDS,
) -> list[Partition]:
    """Return what comes of annealing a partition; nothing where nodes are so few that it was shaken, or too many.

    Parameters
    ----------
    sources : sequence of Source
    start : Partition
    n_clusters : int
    rng : numpy.random.Generator
    weights : array of shape (sources,), optional
        How much each source counts.
    rounds : int, default=100
        At most.
    """
    n_nodes = len(start.labels)
    rounds = min(rounds, NODES_IN_ALL_ROUNDS // n_nodes)
    if n_nodes <= SHAKEN_UP_TO or rounds < FEWEST_ROUNDS:
        return []
    scores_of, labels = SteadyScores(sources, n_clusters, weights), start.labels.astype(np.int64)
    for temperature in np.linspace(1.0, 0.0, rounds, endpoint=False):
        scores = scores_of.look(labels) + temperature * rng.gumbel(size=(n_nodes, n_clusters))
        scores[:, np.bincount(labels, minlength=n_clusters) == 0] = -np.inf  # nothing is known of an empty cluster
        # As in mending, not all move at once: each was drawn by where its neighbours are.
        labels = np.where(rng.random(n_nodes) < MOVING_SHARE, scores.argmax(axis=1), labels)
    return [mend(sources, labels, n_clusters, rng, weights, origin=start.origin)]
