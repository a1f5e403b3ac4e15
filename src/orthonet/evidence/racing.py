"""Mend several partitions as in a race: those that are clearly behind, or have met another, are not mended to the end.

All start with a few rounds. Then one that would be behind the best even if it gained as much again as it has gained since its
start stays where it is, and so does one of two that have become the same; the others go on for as many rounds, and so on. What
was left on the way is still a partition, with less support. Of few nodes, where rounds cost little, all are mended to the end.

Of many nodes one partition is mended after another, the most supported first. One that differs from a start before it by a
fringe of nodes, not by a cluster, would come to the same, and is taken to: to mend it would cost as much again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.evidence.local_mending import MANY_NODES, quick_support
from orthonet.evidence.mending import MAX_ROUNDS, RESTLESS_SHARE, SHAKEN_UP_TO, Mending, Partition, mend
from orthonet.evidence.sameness import agreement
from orthonet.evidence.sources import Labels, Source
from orthonet.evidence.steady_scores import SteadyScores

LEG = 4
"""Rounds between two comparisons: a partition gains most of what it ever will in the first ones."""
SAME = 1e-9
"""Difference in support, in nats per node, that is rounding."""
ROUGHLY = 0.003
"""Share of more than a few nodes that may still want to move where a partition is a means to a ratio, such as a corroboration
or the share of nodes that keep their cluster: these need no more."""
LEAST_ALIKE = 0.9
"""Normalised mutual information of two starts of many nodes that differ by a fringe, at least."""


def race(
    sources: Sequence[Source],
    starts: Iterable[tuple[str, Labels]],
    n_clusters: int,
    rng: np.random.Generator,
    weights: npt.ArrayLike | None = None,
    *,
    to_beat: float = -np.inf,
    max_rounds: int = MAX_ROUNDS,
    roughly: bool = False,
) -> list[Partition]:
    """Mend partitions; return what each came to, in the order of the starts.

    Parameters
    ----------
    sources : sequence of Source
    starts : iterable of (str, labels)
        Names, and where to start.
    n_clusters : int
    rng : numpy.random.Generator
    weights : array of shape (sources,), optional
    to_beat : float, optional
        Support of the best partition that is known.
    max_rounds : int
        As of `orthonet.evidence.mending.mend`.
    roughly : bool, default=False
        Whether it is not the partitions that matter, but a share that they come to: then more than a few nodes are mended
        until less than 0.3 % of them want to move.
    """
    given = list(starts)
    n_nodes = sources[0].n_nodes
    restless_share = ROUGHLY if roughly and n_nodes > SHAKEN_UP_TO else None
    if n_nodes > MANY_NODES:
        return _one_by_one(
            sources, given, n_clusters, rng, weights, max_rounds=max_rounds, restless_share=restless_share
        )
    scores = SteadyScores(sources, n_clusters, weights)
    rest = RESTLESS_SHARE if restless_share is None else restless_share
    runners = [Mending(scores.for_another(), labels, n_clusters, rng, name, rest) for name, labels in given]
    began = {runner: runner.best.support for runner in runners}
    running = runners
    for done in range(0, max_rounds, LEG):
        for runner in running:
            runner.go(min(LEG, max_rounds - done))
        ahead = max([to_beat, *(runner.best.support for runner in runners)])
        running = [one for one in running if not one.at_rest]
        if n_nodes > SHAKEN_UP_TO:
            running = _without_copies([one for one in running if 2 * one.best.support - began[one] >= ahead])
    return [runner.best for runner in runners]


def quick_supports(
    sources: Sequence[Source],
    starts: Sequence[tuple[str, Labels]],
    n_clusters: int,
    weights: npt.ArrayLike | None = None,
) -> list[float]:
    """Return the support of each start before it is mended; of many nodes, from what some of them show."""
    given = np.ones(len(sources)) if weights is None else np.asarray(weights, dtype=np.float64)
    known = [(weight, source) for weight, source in zip(given.tolist(), sources, strict=True) if weight > 0]
    return [sum(weight * quick_support(one, labels, n_clusters) for weight, one in known) for _, labels in starts]


def _one_by_one(
    sources: Sequence[Source],
    starts: Sequence[tuple[str, Labels]],
    n_clusters: int,
    rng: np.random.Generator,
    weights: npt.ArrayLike | None,
    **how: Any,
) -> list[Partition]:
    """Mend each start that is not like one that was mended before; the others come to the same as the one they are like."""
    supports = quick_supports(sources, starts, n_clusters, weights) if len(starts) > 1 else [0.0] * len(starts)
    # If one has joined two of K equal clusters and split another, they differ by (2 ln 2) / (K ln K). Half of it is less than a
    # cluster.
    alike = max(LEAST_ALIKE, 1 - np.log(2) / (n_clusters * np.log(max(n_clusters, 2))))
    ends: dict[int, Partition] = {}
    mended: list[int] = []
    for index in np.argsort(-np.array(supports), kind="stable").tolist():
        name, labels = starts[index]
        same = next((other for other in mended if agreement(labels, starts[other][1]) >= alike), None)
        if same is None:
            mended.append(index)
            ends[index] = mend(sources, labels, n_clusters, rng, weights, origin=name, **how)
        else:
            ends[index] = replace(ends[same], origin=name)
    return [ends[index] for index in range(len(starts))]


def _without_copies(runners: Sequence[Mending]) -> list[Mending]:
    """Return the first of those that have the same support, which are the same partition."""
    kept: list[Mending] = []
    for runner in runners:
        if all(abs(runner.best.support - other.best.support) > SAME for other in kept):
            kept.append(runner)
    return kept
