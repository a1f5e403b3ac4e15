"""Mend a partition of many nodes: after a look at all of them, only those are looked at again whose neighbours have moved.

    all nodes  →  some of the restless move  →  their neighbours, and those that stayed  →  …  →  all nodes, until few want to

A round over all nodes costs each edge once; the rounds between them cost the edges near the moves, which soon are few. The
counts that scores hang on are kept up to date by the same moves (`orthonet.evidence.local_scores`), but what these change in
scores elsewhere is seen only when all nodes are looked at again, which is done as long as more than one in a hundred has moved
since the last time. How well a partition is supported is measured on the same 50,000 nodes for all partitions, evenly drawn:
the difference of two partitions is then that of the nodes on which they differ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from orthonet.evidence.local_scores import LocalSum, local_scores
from orthonet.evidence.sources import Labels, Source

MANY_NODES = 50_000
"""Nodes above which mending is local, and so many on which support is measured."""
REFRESH = 0.01
"""Share of the nodes that must have moved for all nodes to be looked at again."""
MOST_AT_ONCE = 0.4
"""Share of the nodes from which on a round looks at all of them: to pick rows costs more than to go through them."""


def judges(n_nodes: int) -> npt.NDArray[np.intp]:
    """Return the nodes on which support is measured, evenly drawn; all where there are few."""
    return np.linspace(0, n_nodes - 1, min(n_nodes, MANY_NODES)).astype(np.intp)


def quick_support(source: Source, labels: Labels, n_clusters: int) -> float:
    """Return the support of a partition by one source; of many nodes, from what 50,000 of them show."""
    if len(labels) <= MANY_NODES:
        return float(source.own_scores(labels, n_clusters).mean())
    some = judges(len(labels))
    return _mean_of_own(local_scores(source, n_clusters).begin_from(labels, some), labels[some])


def mend_locally(
    sources: Sequence[Source],
    labels: Labels,
    n_clusters: int,
    rng: np.random.Generator,
    weights: npt.ArrayLike | None,
    *,
    max_rounds: int,
    moving_share: float,
    restless_share: float,
) -> tuple[Labels, float]:
    """Return the best partition seen, and its support.

    Parameters
    ----------
    sources : sequence of Source
    labels : array of shape (N,)
        Where to start.
    n_clusters : int
    rng : numpy.random.Generator
        Draws which nodes move in a round.
    weights : array of shape (sources,) or None
    max_rounds : int
        Over all nodes or some.
    moving_share : float
        Share of the nodes that want to move which do so in a round.
    restless_share : float
        Share of nodes that may still want to move at the end.
    """
    n_nodes, measured = len(labels), judges(len(labels))
    local = LocalSum(sources, n_clusters, weights)
    best, best_support = labels, -np.inf
    enough, moved, active = restless_share * n_nodes, n_nodes, np.arange(n_nodes)
    for _ in range(max_rounds):
        everywhere = len(active) > MOST_AT_ONCE * n_nodes
        if everywhere:
            scores, moved = local.begin(labels), 0
            active = np.arange(n_nodes)
            value = _mean_of_own(scores[measured], labels[measured])
            if value > best_support:
                best, best_support = labels, value
        else:
            scores = local.scores(labels, active)
        scores[:, np.bincount(labels, minlength=n_clusters) == 0] = -np.inf  # nothing is known of an empty cluster
        wanted = scores.argmax(axis=1)
        restless = np.flatnonzero(wanted != labels[active])
        if restless.size <= enough:
            if everywhere or moved <= REFRESH * n_nodes:
                break
            active = np.arange(n_nodes)
            continue
        going = rng.random(restless.size) < moving_share
        before, nodes = labels, active[restless[going]]
        labels = labels.copy()
        labels[nodes] = wanted[restless[going]]
        moved += len(nodes)
        touched = local.move(nodes, before, labels)
        touched[active[restless[~going]]] = True
        active = np.flatnonzero(touched)
    if moved:
        value = _mean_of_own(local.scores(labels, measured), labels[measured])
        if value > best_support:
            best, best_support = labels, value
    return best, best_support


def _mean_of_own(scores: npt.NDArray[np.float64], labels: Labels) -> float:
    return float(scores[np.arange(len(labels)), labels].mean())
