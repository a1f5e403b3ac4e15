"""How many clusters: partitions into 2, 3, … clusters on one way down, and the number that is worth most.

    W(K) = R² S / √H

S is the support of the best partition into K clusters (`orthonet.evidence.sources.support`: every node is left out, so that it
is a prediction), in nats per node; H is the entropy of its clusters, the nats per node that it takes to write the partition
down; and R its reproducibility, the mutual information of partitions of resampled data, as a share of their entropy.

**Why.** As a code, clusters are worth S − H, were all observations independent. They are not: neighbours of a node are
neighbours of each other, layers repeat each other, and any cut through a cloud explains the edges in it. So the exchange rate
between nats of support and nats of labels is taken from the partition itself, S / H: a cluster that is there brings what the
others bring on average, a cut through one less. W rises with K as long as a further cluster brings at least half of that,
dS / dH > S / 2H, and is found again when the data is resampled: R once for each of the two ends of an edge, both of which must
be in their clusters again for it to say the same. If S < H whatever K, clusters do not even pay for their labels: nothing
speaks for more than one.

One way down: partitions into many clusters are merged, two clusters at a time, by what loses least
(`orthonet.evidence.merging`), and mended on the way; at every halving cheap proposals join. The data is resampled as for
confidence (`orthonet.evidence.confidence`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.evidence.mending import Partition, mend
from orthonet.evidence.merging import merge_path
from orthonet.evidence.proposals.registry import EMBEDDINGS, PROPOSALS
from orthonet.evidence.search import Search
from orthonet.evidence.sources import Labels, Source, information, support
from orthonet.support.plain_tables import PlainTable, ShownAsTable
from orthonet.support.progress import Report
from orthonet.support.text import listed

Array = npt.NDArray[np.float64]

REFERENCE = 8
"""Clusters of the search that weighs the sources."""
FIRST_TOP = 32
"""Numbers of clusters that are looked at first; as long as the best is in the upper half, twice as many are, in the last
quarter four times as many."""
SMALLEST_MEAN = 8
"""Nodes per cluster, as a mean, that the largest number leaves at least."""
ALL_UP_TO, RATIO = 24, 1.06
"""Every number is looked at up to the first, beyond it steps of 6 %."""
FINER, MOST_CELLS = 3, 240
"""Cells per cluster that are merged, and cells at most, unless there are as many clusters: merging takes the cube of them."""
MENDED, AHEAD = 3, 2
"""Starts that are mended for each number; and for how many lower numbers the best of them is merged to be a start."""
ROUNDS, RESAMPLED_ROUNDS = 8, 4
"""Of mending, and on resampled data."""
RESAMPLES = 8
STANDS = 0.93
"""Share of the largest W from which on a number stands beside the chosen one."""


@dataclass(frozen=True)
class CandidateNumber:
    """What there is to say of one number of clusters."""

    n_clusters: int
    support: float
    """S, in nats per node."""
    information: float
    """I of all sources, in nats per node, nodes not left out."""
    entropy: float
    """H of the clusters, in nats per node."""
    reproducibility: float
    """R, 0 to 1."""
    worth: float
    """W."""
    votes: float
    """Share of the resampled data sets on which this number is worth most."""


@dataclass(frozen=True)
class ClusterNumbers(ShownAsTable):
    """How many clusters, and why.

    Attributes
    ----------
    candidates : tuple of CandidateNumber
        By rising number.
    chosen : int
        The number that is worth most, of those that pay (S > H); if none does, the one that loses least.
    reliability : float
        Share of the resampled data sets on which the same number, or one within 5 % of it, is worth most.
    alternatives : tuple of int
        Other numbers that stand: at least 0.93 of the largest worth, or worth most on two resampled data sets or more.
    pays : bool
        Whether any number of clusters explains more than it takes to write them down.
    """

    candidates: tuple[CandidateNumber, ...]
    chosen: int
    reliability: float
    alternatives: tuple[int, ...]
    pays: bool

    @property
    def table(self) -> PlainTable:
        """A row for each number."""
        columns = ("clusters", "support", "information", "entropy", "reproducibility", "worth", "votes", "")
        rows: list[tuple[Any, ...]] = []
        for one in self.candidates:
            note = (
                "chosen" if one.n_clusters == self.chosen else "stands" if one.n_clusters in self.alternatives else ""
            )
            rows.append((*astuple(one), note))
        formats = dict.fromkeys(columns[1:4], ".2f") | dict.fromkeys(columns[4:7], ".2f")
        return PlainTable(columns, rows, self.sentence, formats)

    @property
    def sentence(self) -> str:
        """What was chosen, in a line."""
        others = (
            f"; {listed(self.alternatives, 6)} stand{'s' * (len(self.alternatives) == 1)} too"
            if self.alternatives
            else ""
        )
        nothing = "" if self.pays else "; nothing speaks for more than one cluster"
        return f"{self.chosen} clusters, reliability {self.reliability:.2f}{others}{nothing}"

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data, for JSON."""
        return asdict(self)


def choose_number(
    search: Search, smallest: int, largest: int | None, rng: np.random.Generator, report: Report | None = None
) -> ClusterNumbers:
    """Choose the number of clusters.

    Parameters
    ----------
    search : Search
        Of any number of clusters: its sources and their weights are used.
    smallest, largest : int
        Of the numbers to choose from; without a largest, the range grows until the choice is in its lower half.
    rng : numpy.random.Generator
    report : function, optional
        Called as it proceeds.
    """
    tell = report or (lambda done, what: None)
    most = max(smallest, search.sources[0].n_nodes // SMALLEST_MEAN)
    top = largest if largest is not None else min(most, max(FIRST_TOP, 2 * smallest))
    tell(1, f"up to {top}")
    while True:
        found = _chosen(search, smallest, top, rng)
        if largest is not None or 2 * found.chosen <= top or top >= most:
            return found
        top = min(most, (4 if 4 * found.chosen > 3 * top else 2) * top)
        tell(1, f"up to {top}")


def _chosen(search: Search, smallest: int, top: int, rng: np.random.Generator) -> ClusterNumbers:
    found = partitions_by_number(search, smallest, top, rng)
    cells = _cells(search, top)
    resampled = [_resampled(search, cells, sorted(found), rng) for _ in range(RESAMPLES)]
    numbers = sorted(set(found).intersection(*resampled))
    worths = np.zeros((RESAMPLES, len(numbers)))
    rows = []
    for index, k in enumerate(numbers):
        best = found[k]
        partitions = [one[k] for one in resampled]
        shared = np.zeros((RESAMPLES, RESAMPLES))
        for first, second in combinations(range(RESAMPLES), 2):
            one, other = partitions[first].labels, partitions[second].labels
            shared[first, second] = shared[second, first] = mutual_information(one, other)
        entropies = np.array([entropy(one.labels) for one in partitions])
        again = shared.sum(axis=1) / (RESAMPLES - 1) / np.maximum(entropies, 1e-12)
        worths[:, index] = [worth(one.support, h, r) for one, h, r in zip(partitions, entropies, again, strict=True)]
        h, r = entropy(best.labels), float(np.clip(again.mean(), 0.0, 1.0))
        known = information(search.sources, best.labels, k, search.weights)
        rows.append(CandidateNumber(k, best.support, known, h, r, worth(best.support, h, r), 0.0))
    return _judged(rows, worths)


def _judged(rows: Sequence[CandidateNumber], worths: Array) -> ClusterNumbers:
    """Choose by the worths of the data as it is, and count the votes of the resampled data."""
    votes = np.bincount(worths.argmax(axis=1), minlength=len(rows)) / len(worths)
    rows = [replace(row, votes=float(vote)) for row, vote in zip(rows, votes, strict=True)]
    paying = [row for row in rows if row.support > row.entropy]
    # Where nothing pays there is nothing to choose by but what is lost least.
    best = max(paying, key=lambda row: row.worth) if paying else max(rows, key=lambda row: row.support - row.entropy)
    near = [row for row in rows if abs(row.n_clusters - best.n_clusters) <= 0.05 * best.n_clusters]
    others = [
        row.n_clusters
        for row in sorted(paying, key=lambda row: -row.worth)
        if row is not best and (row.worth >= STANDS * best.worth or row.votes >= 2 / len(worths))
    ]
    return ClusterNumbers(
        tuple(rows),
        best.n_clusters,
        float(sum(row.votes for row in near)),
        tuple(others),
        bool(paying),
    )


def worth(supported: float, entropy_of_clusters: float, reproducibility: float) -> float:
    """Return W = R² S / √H."""
    return float(reproducibility**2 * supported / np.sqrt(max(entropy_of_clusters, 1e-12)))


def partitions_by_number(search: Search, smallest: int, top: int, rng: np.random.Generator) -> dict[int, Partition]:
    """Return for each number of clusters the best partition found on the way down; numbers without one are left out."""
    sources, weights = search.sources, search.weights
    numbers = numbers_between(smallest, top)
    stops = [top]
    while stops[-1] > smallest:
        stops.append(max(smallest, stops[-1] // 2))
    known = search.best.labels
    merged = {search.inputs.n_clusters: known} | dict(merge_path(sources, known, smallest, weights))
    found: dict[int, Partition] = {}
    for stop, following in zip(stops, [*stops[1:], smallest - 1], strict=True):
        starts = _starts(search, stop, following + 1)
        for k in reversed([one for one in numbers if following < one <= stop]):
            candidates = [*starts.get(k, []), *([merged[k]] if k in merged else [])]
            whole = [labels for labels in candidates if len(np.unique(labels)) == k]
            whole.sort(key=lambda labels: -support(sources, labels, k, weights))
            mended = [mend(sources, labels, k, rng, weights, max_rounds=ROUNDS) for labels in whole[:MENDED]]
            kept = [one for one in mended if len(np.unique(one.labels)) == k]
            if kept:
                found[k] = max(kept, key=lambda one: one.support)
                lower = [one for one in numbers if one < k][-AHEAD:]
                merged |= dict(merge_path(sources, found[k].labels, min(lower, default=k), weights))
    return found


def _starts(search: Search, stop: int, lowest: int) -> dict[int, list[Labels]]:
    """Return proposals for ``stop`` clusters, and finer ones merged down to ``lowest``."""
    inputs = search.inputs.with_clusters(stop)
    cells = min(2 * stop, max(MOST_CELLS, stop + stop // 4), inputs.n_nodes // 2)
    found: dict[int, list[Labels]] = {stop: []}
    for name, rows_of in EMBEDDINGS.items():
        if PROPOSALS[name].applies(inputs):
            rows = rows_of(inputs)
            found[stop].append(inputs.kmeans(rows, stop, 2))
            if cells > stop:
                for k, labels in merge_path(search.sources, inputs.kmeans(rows, cells, 1), lowest, search.weights):
                    found.setdefault(k, []).append(labels)
    return found


def _resampled(search: Search, cells: Labels, numbers: Sequence[int], rng: np.random.Generator) -> dict[int, Partition]:
    """Return for each number of clusters the partition that cells are merged to on resampled data, mended."""
    node_weights = rng.exponential(size=search.sources[0].n_nodes)
    sources: list[Source] = [source.reweighted(rng, node_weights) for source in search.sources]
    weights = search.weights
    return {
        k: mend(sources, labels, k, rng, weights, max_rounds=RESAMPLED_ROUNDS)
        for k, labels in merge_path(sources, cells, min(numbers), weights)
        if k in numbers
    }


def _cells(search: Search, top: int) -> Labels:
    """Return the cells that tell most, of those that K-means finds among the rows of each proposal."""
    inputs = search.inputs.with_clusters(top)
    n_cells = int(np.clip(FINER * top, top + 1, max(top + 1, min(MOST_CELLS, inputs.n_nodes // 3))))
    found = [
        inputs.kmeans(rows(inputs), n_cells, 1) for name, rows in EMBEDDINGS.items() if PROPOSALS[name].applies(inputs)
    ]
    return max(found, key=lambda cells: information(search.sources, cells, n_cells, search.weights))


def numbers_between(smallest: int, largest: int) -> list[int]:
    """Return the numbers of clusters that are looked at."""
    found = list(range(smallest, min(largest, ALL_UP_TO) + 1))
    while found[-1] < largest:
        found.append(min(largest, max(found[-1] + 1, round(RATIO * found[-1]))))
    return found


def entropy(labels: Labels) -> float:
    """Return the entropy of the clusters, in nats."""
    shares = np.bincount(labels) / len(labels)
    shares = shares[shares > 0]
    return float(-(shares * np.log(shares)).sum())


def mutual_information(first: Labels, second: Labels) -> float:
    """Return how much one partition tells about the other, in nats."""
    n_second = int(second.max()) + 1
    joint = np.bincount(first * n_second + second)
    return entropy(first) + entropy(second) - entropy(np.repeat(np.arange(len(joint)), joint))
