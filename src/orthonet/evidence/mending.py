"""Mend a partition: move nodes to the cluster that their edges and words speak for, until none wants to move.

Each round scores all nodes against the clusters as they are (naive Bayes over neighbours' clusters and words) and moves a
random part of those that score higher elsewhere: if all moved at once, pairs of neighbours would swap places for ever. The
best partition seen is kept. A round costs one product with each source; of more than 50,000 nodes most rounds look at some of
them only (`orthonet.evidence.local_mending`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from orthonet.evidence.local_mending import MANY_NODES, mend_locally
from orthonet.evidence.sources import Labels, Source, node_scores, own_support

MOVING_SHARE = 0.6
"""Share of the nodes that want to move which do so in a round: enough to settle in a dozen rounds, too few to swap for ever."""
RESTLESS_SHARE = 5e-4
"""Share of nodes that may still want to move at the end, less than one of 2,000: the last few swap places for many rounds."""
MAX_ROUNDS = 25
"""Of moves: most partitions settle in a dozen."""
SHAKEN_UP_TO = 1000
"""Nodes up to which a partition is shaken: it costs little there, and most is missed there."""
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
    labels = labels.astype(np.int64)
    rest = RESTLESS_SHARE if restless_share is None else restless_share
    if len(labels) > MANY_NODES:
        shares = {"moving_share": MOVING_SHARE, "restless_share": rest / 20 if restless_share is None else rest}
        found = mend_locally(sources, labels, n_clusters, rng, weights, max_rounds=max_rounds, **shares)
        return Partition(*found, origin)
    best = Partition(labels, -np.inf, origin)
    for _ in range(max_rounds):
        scores = node_scores(sources, labels, n_clusters, weights)
        value = own_support(scores, labels)
        if value > best.support:
            best = Partition(labels, value, origin)
        empty = np.bincount(labels, minlength=n_clusters) == 0
        scores[:, empty] = -np.inf  # nothing is known of an empty cluster
        wanted = scores.argmax(axis=1)
        restless = np.flatnonzero(wanted != labels)
        if restless.size <= rest * len(labels):
            break
        moving = restless[rng.random(restless.size) < MOVING_SHARE]
        labels = labels.copy()
        labels[moving] = wanted[moving]
    return best


def shaken(
    sources: Sequence[Source],
    best: Partition,
    n_clusters: int,
    rng: np.random.Generator,
    weights: npt.ArrayLike | None = None,
) -> list[Partition]:
    """Put some nodes elsewhere and mend again, eight times, for what no single move could better; nothing for many nodes."""
    found = []
    for _ in range(SHAKES if len(best.labels) <= SHAKEN_UP_TO else 0):
        somewhere = rng.integers(0, n_clusters, len(best.labels))
        labels = np.where(rng.random(len(best.labels)) < SHAKEN_SHARE, somewhere, best.labels)
        found.append(mend(sources, labels, n_clusters, rng, weights, origin=best.origin))
    return found
