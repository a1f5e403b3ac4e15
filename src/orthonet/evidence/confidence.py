"""How sure a label is: probabilities from evidence, tempered so that they hold when the data is resampled.

A node's scores in nats would be log-probabilities if every observation were independent and the model were true. Neither
is, so

    p_ic ∝ exp( score_ic / T ),

with the temperature T at which the probability of a node's own cluster predicts best, by log loss, whether the node keeps
its cluster when sources, nodes and words are counted by random weights (the Bayesian bootstrap [1]_) and clusters are searched
for again, from some of what had been proposed, before it was mended. Begun where the search on the data ended, a partition
would often hold by its start alone. No labels are used.

Of the sources those are drawn that others corroborate: they are samples of the relations and features that might have been
observed of the same clusters, and a label that hangs on one of them is less sure. A source that nothing corroborates is noise,
or all there is, and counts as it did. Much hangs on these few numbers, so that they are drawn evenly [2]_: of R resampled data
sets each source has one weight from each R-th part of the distribution, and the proposals take turns.

References
----------
.. [1] D. B. Rubin, "The Bayesian bootstrap", Annals of Statistics 9, 1981.
.. [2] M. D. McKay, R. J. Beckman, W. J. Conover, "A comparison of three methods for selecting values of input variables in the
       analysis of output from a computer code" (Latin hypercube sampling), Technometrics 21, 1979.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment, minimize_scalar
from scipy.special import log_softmax, softmax

from orthonet.evidence.annealing import annealed
from orthonet.evidence.corroboration import NO_AGREEMENT
from orthonet.evidence.local_mending import MANY_NODES, judges
from orthonet.evidence.mending import SHAKEN_UP_TO, shaken
from orthonet.evidence.racing import quick_supports, race
from orthonet.evidence.sources import Labels, Source, node_scores

Array = npt.NDArray[np.float64]

RESAMPLES = 4
"""Resampled data sets. They are drawn so evenly that they tell as much as twice as many independent ones;"""
RESAMPLES_OF_FEW, FEW_NODES = 8, SHAKEN_UP_TO
"""of few nodes, which differ more from sample to sample, there are more,"""
FEWEST_RESAMPLES, RESAMPLED_NODES = 2, 50_000
"""and fewer where all of them together would have more nodes than these, which tell as much."""
STARTS = 3
"""Proposals that are drawn and mended on each: a search might have begun with any of them. Of many nodes, where mending takes
long, only the most supported of them is mended."""
SHAKES = 2
"""Times that the best of them is shaken, of few nodes: on 54 sets as good as eight times, which took half of a fit."""
COLDEST, HOTTEST = np.log(0.05), np.log(200.0)
"""Limits of ln T."""


@dataclass(frozen=True)
class Tempered:
    """Probabilities of the clusters, N x K; the temperature; and the share of nodes that kept their cluster."""

    probabilities: Array
    temperature: float
    stability: float


def tempered_probabilities(
    sources: Sequence[Source],
    labels: Labels,
    proposed: Sequence[Labels],
    n_clusters: int,
    rng: np.random.Generator,
    weights: npt.ArrayLike | None = None,
    corroboration: npt.ArrayLike | None = None,
    *,
    anneal: bool = False,
) -> Tempered:
    """Return the probability of each cluster for each node, largest at the node's own.

    Parameters
    ----------
    sources : sequence of Source
    labels : array of shape (N,)
        Of the chosen partition.
    proposed : sequence of arrays of shape (N,)
        Where a search may begin, at least one.
    n_clusters : int
    rng : numpy.random.Generator
    weights : array of shape (sources,), optional
    corroboration : array of shape (sources,), optional
        How far the others corroborate each source; by default nothing is known of it, and sources are not resampled.
    anneal : bool, default=False
        Whether partitions of resampled data are annealed, as the chosen one was.
    """
    scores = _largest_at_own(node_scores(sources, labels, n_clusters, weights), labels)
    kept = resampled_agreement(sources, labels, proposed, n_clusters, rng, weights, corroboration, anneal=anneal)
    some = judges(len(labels))
    seen, own_labels, stayed = scores[some], labels[some], kept[some]

    def log_loss(log_temperature: float) -> float:
        own = log_softmax(seen / np.exp(log_temperature), axis=1)[np.arange(len(some)), own_labels]
        return -float(np.mean(stayed * own + (1 - stayed) * np.log(np.maximum(-np.expm1(own), 1e-12))))

    temperature = np.exp(minimize_scalar(log_loss, bounds=(COLDEST, HOTTEST), method="bounded").x)
    return Tempered(softmax(scores / temperature, axis=1), float(temperature), float(kept.mean()))


def resampled_agreement(
    sources: Sequence[Source],
    labels: Labels,
    proposed: Sequence[Labels],
    n_clusters: int,
    rng: np.random.Generator,
    weights: npt.ArrayLike | None = None,
    corroboration: npt.ArrayLike | None = None,
    *,
    anneal: bool = False,
) -> Array:
    """Return for each node in how large a share of resampled data sets it keeps its cluster."""
    kept = np.zeros(len(labels))
    given = np.ones(len(sources)) if weights is None else np.asarray(weights, dtype=np.float64)
    agreeing = np.zeros(len(sources)) if corroboration is None else np.asarray(corroboration, dtype=np.float64)
    resamples = draw_resamples(given, agreeing, len(proposed), len(labels), rng)
    for resample in resamples:
        node_weights = rng.exponential(size=len(labels))
        resampled = [source.reweighted(rng, node_weights) for source in sources]
        starts, counted = [("", proposed[one]) for one in resample.starts], resample.source_weights
        if len(labels) > MANY_NODES:
            starts = [starts[int(np.argmax(quick_supports(resampled, starts, n_clusters, counted)))]]
        mended = race(resampled, starts, n_clusters, rng, counted, roughly=True)
        best = max(mended, key=lambda one: one.support)
        # Searched as the data itself was, else what was found by shaking or annealing would seem to hold.
        best = max([best, *shaken(resampled, best, n_clusters, rng, counted, SHAKES)], key=lambda one: one.support)
        if anneal:
            best = annealed(resampled, best, n_clusters, rng, counted, slowly=False)
        kept += aligned(best.labels, labels, n_clusters) == labels
    return kept / len(resamples)


@dataclass(frozen=True)
class Resample:
    """Weights of the sources in one resampled data set, and the numbers of the proposals that are mended on it."""

    source_weights: Array
    starts: list[int]


def draw_resamples(
    weights: Array, corroboration: Array, n_proposed: int, n_nodes: int, rng: np.random.Generator
) -> list[Resample]:
    """Draw the weights of the sources, those that others corroborate as nodes are weighed, and proposals to start from."""
    most = RESAMPLES_OF_FEW if n_nodes <= FEW_NODES else RESAMPLES
    n_resamples = int(np.clip(RESAMPLED_NODES // n_nodes, FEWEST_RESAMPLES, most))
    n_starts = min(STARTS, n_proposed)
    parts = rng.permuted(np.tile(np.arange(n_resamples), (len(weights), 1)), axis=1).T
    drawn = -np.log1p(-(parts + rng.random(parts.shape)) / n_resamples)
    source_weights = np.where(corroboration >= NO_AGREEMENT, weights * drawn, weights)
    turns = np.resize(rng.permutation(n_proposed), n_resamples * n_starts).reshape(n_resamples, n_starts)
    return [Resample(*one) for one in zip(source_weights, turns.tolist(), strict=True)]


def aligned(labels: Labels, reference: Labels, n_clusters: int) -> Labels:
    """Renumber clusters so that as many nodes as possible have the label they have in the reference."""
    table = np.bincount(labels * n_clusters + reference, minlength=n_clusters**2).reshape(n_clusters, n_clusters)
    rows, columns = linear_sum_assignment(-table)
    new = np.empty(n_clusters, dtype=np.int64)
    new[rows] = columns
    return new[labels]


def _largest_at_own(scores: Array, labels: Labels) -> Array:
    """Let no other cluster score higher than a node's own: where it would, the two are as good as equal."""
    nodes = np.arange(len(labels))
    scores[nodes, labels] = np.maximum(scores[nodes, labels], scores.max(axis=1) + 1e-9)
    return scores
