"""Mend a partition: move nodes to the cluster that their edges and words speak for, until none wants to move.

Each round scores nodes against the clusters as they are (naive Bayes over neighbours' clusters and words) and moves a random
part of those that score higher elsewhere: if all moved at once, pairs of neighbours would swap places for ever. A look at all
nodes is followed by rounds over those whose neighbours moved, until few of them want to move or many have moved; the best
partition that was looked at is kept. Of more than 50,000 nodes the rounds are those of `orthonet.evidence.local_mending`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from orthonet.evidence.local_mending import MANY_NODES, MOST_AT_ONCE, mend_locally
from orthonet.evidence.sources import Labels, Source, own_support
from orthonet.evidence.steady_scores import SteadyScores

MOVING_SHARE = 0.6
"""Share of the nodes that want to move which do so in a round: enough to settle in a dozen rounds, too few to swap for ever."""
RESTLESS_SHARE = 5e-4
"""Share of nodes that may still want to move at the end, less than one of 2,000: the last few swap places for many rounds."""
MAX_ROUNDS = 25
"""Of moves: most partitions settle in a dozen."""
LOOK_AGAIN = 0.02
"""Share of the nodes that must have moved for all nodes to be looked at again, though few of them have new neighbours."""
RETURNS = 2
"""Times that a node goes back to the cluster that it came from: one that wants to for the third time could be in either."""
SHAKEN_UP_TO = 1000
"""Nodes up to which a partition is shaken and nothing is cut short: it costs little there, and most is missed there."""
SHAKES = 8
"""Times that this is done,"""
SHAKEN_SHARE = 0.3
"""with so many of the nodes."""


@dataclass(frozen=True)
class Partition:
    """Labels, and the support they have."""

    labels: Labels
    support: float
    origin: str
    """Which proposal it came from."""


class Mending:
    """The state of one mending, which can be left and taken up again.

    Parameters
    ----------
    scores : SteadyScores
        Of the sources; used by this mending only.
    labels : array of shape (N,)
        Where to start.
    n_clusters : int
    rng : numpy.random.Generator
    origin : str
    restless_share : float
        Share of nodes that may still want to move at the end.

    Attributes
    ----------
    best : Partition
        The most supported that was looked at.
    at_rest : bool
        Whether no more nodes want to move than may.
    """

    def __init__(
        self,
        scores: SteadyScores,
        labels: Labels,
        n_clusters: int,
        rng: np.random.Generator,
        origin: str,
        restless_share: float,
    ) -> None:
        self._near, self._labels, self._k, self._rng = scores, labels.astype(np.int64), n_clusters, rng
        self._enough = restless_share * len(labels)
        self._everybody = self._nodes = np.arange(len(labels))
        self._left, self._returns = self._labels.copy(), np.zeros(len(labels), dtype=np.int64)
        self._moved, self._few = 0, len(labels) <= SHAKEN_UP_TO
        self._scores = self._near.look(self._labels)
        self.at_rest = False
        self.best = Partition(self._labels, own_support(self._scores, self._labels), origin)

    def go(self, rounds: int) -> None:
        """Move nodes for some rounds, and look at what came of it."""
        for _ in range(rounds):
            if self.at_rest:
                return
            self._round()
        if self._moved:
            self._look()

    def _round(self) -> None:
        labels, nodes = self._labels, self._nodes
        looked_at_all = nodes is self._everybody
        scores = self._scores if looked_at_all else self._near.scores(labels, nodes)
        empty = np.bincount(labels, minlength=self._k) == 0
        if empty.any():
            scores[:, empty] = -np.inf  # nothing is known of an empty cluster
        wanted = scores.argmax(axis=1)
        undecided = (self._returns[nodes] >= RETURNS) & (wanted == self._left[nodes])
        restless = np.flatnonzero((wanted != labels[nodes]) & (~undecided | self._few))
        if restless.size <= self._enough:
            self.at_rest = looked_at_all
            if not looked_at_all:
                self._look()
            return
        going = restless[self._rng.random(restless.size) < MOVING_SHARE]
        self._move(nodes[going], wanted[going])
        touched = self._near.neighbours(nodes[going])
        touched[nodes[restless]] = True
        self._nodes = np.flatnonzero(touched)
        many = len(self._nodes) > MOST_AT_ONCE * len(labels) or self._moved > LOOK_AGAIN * len(labels)
        # Without edges, moves are felt through what is known of clusters alone.
        if many or self._few or not self._near.has_edges:
            self._look()

    def _move(self, nodes: npt.NDArray[np.intp], clusters: Labels) -> None:
        before, self._labels = self._labels, self._labels.copy()
        self._labels[nodes] = clusters
        self._returns[nodes] += self._left[nodes] == clusters
        self._left[nodes] = before[nodes]
        self._moved += len(nodes)

    def _look(self) -> None:
        self._nodes, self._moved = self._everybody, 0
        self._scores = self._near.look(self._labels)
        value = own_support(self._scores, self._labels)
        if value > self.best.support:
            self.best = Partition(self._labels, value, self.best.origin)


def mend(
    sources: Sequence[Source],
    labels: Labels,
    n_clusters: int,
    rng: np.random.Generator,
    weights: npt.ArrayLike | None = None,
    *,
    origin: str = "",
    max_rounds: int = MAX_ROUNDS,
    restless_share: float | None = None,
) -> Partition:
    """Move nodes to where the sources want them; return the best partition seen.

    Parameters
    ----------
    sources : sequence of Source
    labels : array of shape (N,)
        Where to start, clusters from 0 to K − 1.
    n_clusters : int
    rng : numpy.random.Generator
        Draws which nodes move in a round.
    weights : array of shape (sources,), optional
        How much each source counts.
    origin : str
        Kept in the result.
    max_rounds : int, default=25
    restless_share : float, optional
        Share of nodes that may still want to move at the end; 5e-4 by default, and a twentieth of it of more than 50,000 nodes,
        where a round costs what moves.

    Returns
    -------
    Partition
    """
    rest = RESTLESS_SHARE if restless_share is None else restless_share
    if len(labels) > MANY_NODES:
        shares = {"moving_share": MOVING_SHARE, "restless_share": rest / 20 if restless_share is None else rest}
        start = labels.astype(np.int64)
        found = mend_locally(sources, start, n_clusters, rng, weights, max_rounds=max_rounds, **shares)
        return Partition(*found, origin)
    mending = Mending(SteadyScores(sources, n_clusters, weights), labels, n_clusters, rng, origin, rest)
    mending.go(max_rounds)
    return mending.best


def shaken(
    sources: Sequence[Source],
    best: Partition,
    n_clusters: int,
    rng: np.random.Generator,
    weights: npt.ArrayLike | None = None,
    times: int = SHAKES,
) -> list[Partition]:
    """Put some nodes elsewhere and mend again, eight times, for what no single move could better; nothing for many nodes.

    Each time begins with the best partition so far.
    """
    found: list[Partition] = []
    for _ in range(times if len(best.labels) <= SHAKEN_UP_TO else 0):
        somewhere = rng.integers(0, n_clusters, len(best.labels))
        labels = np.where(rng.random(len(best.labels)) < SHAKEN_SHARE, somewhere, best.labels)
        found.append(mend(sources, labels, n_clusters, rng, weights, origin=best.origin))
        best = max(best, found[-1], key=lambda one: one.support)
    return found
