"""Anneal a partition: draw the clusters of nodes from what the sources say of them, ever less at random, then mend.

Mending takes each node to the cluster that scores highest, and so ends at the first partition from which no single node wants
to move. Annealing [1]_ draws the cluster of a node instead,

    P(z_i = c) ∝ exp( score_ic / T ),       T from 1 down to 0,

so that groups of nodes can leave a cluster one by one. It begins at T = 1, where the scores, in nats, are log-probabilities:
warmer, what the proposals found would be lost. Draws are made by adding Gumbel noise to the scores and taking the largest. The
slower T falls the more is found; but where nothing is found quickly, nothing is found slowly either, and only that is tried.

References
----------
.. [1] S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated annealing", Science 220, 1983.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from orthonet.evidence.mending import MOVING_SHARE, SHAKEN_UP_TO, Partition, mend
from orthonet.evidence.sameness import is_gain
from orthonet.evidence.sources import Labels, Source
from orthonet.evidence.steady_scores import SteadyScores

QUICK_ROUNDS = 25
"""In which T falls at first,"""
SLOW_ROUNDS = 100
"""and if that found more than other places for a few nodes: of 25, 50 and 100 each found more support."""
NODES_IN_ALL_ROUNDS = 400_000
"""Slow rounds are fewer where they would look at more nodes together than these, for the time that takes; and where even the
quick ones would, nothing is annealed."""


def annealed(
    sources: Sequence[Source],
    start: Partition,
    n_clusters: int,
    rng: np.random.Generator,
    weights: npt.ArrayLike | None = None,
    *,
    slowly: bool = True,
) -> Partition:
    """Return the start, or what came of annealing it if that has more support; the start of few nodes, and of too many.

    Parameters
    ----------
    sources : sequence of Source
    start : Partition
        Of few nodes it is shaken instead, see `orthonet.evidence.mending.shaken`.
    n_clusters : int
    rng : numpy.random.Generator
    weights : array of shape (sources,), optional
        How much each source counts.
    slowly : bool, default=True
        Whether T falls a second time, more slowly, where that may pay.
    """
    n_nodes = len(start.labels)
    most_rounds = NODES_IN_ALL_ROUNDS // n_nodes
    if n_nodes <= SHAKEN_UP_TO or most_rounds < QUICK_ROUNDS:
        return start
    scores = SteadyScores(sources, n_clusters, weights)
    best = start
    for rounds in (QUICK_ROUNDS, min(SLOW_ROUNDS, most_rounds)) if slowly else (QUICK_ROUNDS,):
        drawn = _drawn(scores, start.labels, n_clusters, rng, rounds)
        found = mend(sources, drawn, n_clusters, rng, weights, origin=start.origin)
        pays, best = is_gain(found, best), max(best, found, key=lambda one: one.support)
        if not pays:
            break
    return best


def _drawn(scores_of: SteadyScores, labels: Labels, n_clusters: int, rng: np.random.Generator, rounds: int) -> Labels:
    """Draw the clusters of nodes again and again while T falls from 1 to 0."""
    labels = labels.astype(np.int64)
    for temperature in np.linspace(1.0, 0.0, rounds, endpoint=False):
        scores = scores_of.look(labels) + temperature * rng.gumbel(size=(len(labels), n_clusters))
        scores[:, np.bincount(labels, minlength=n_clusters) == 0] = -np.inf  # nothing is known of an empty cluster
        # As in mending, not all move at once: each was drawn by where its neighbours are.
        labels = np.where(rng.random(len(labels)) < MOVING_SHARE, scores.argmax(axis=1), labels)
    return labels
