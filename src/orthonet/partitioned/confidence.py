"""Probabilities of the clusters of own nodes, see `orthonet.evidence.confidence`.

Node weights of resampled data are drawn for all nodes from one seed; each process mends its own rows of them. The temperature
minimises a log loss that is a sum over all nodes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment, minimize_scalar
from scipy.special import log_softmax, softmax

from orthonet.evidence.confidence import COLDEST, HOTTEST, Tempered, draw_resamples
from orthonet.evidence.sources import Labels, node_scores
from orthonet.partitioned.rows import Rows
from orthonet.partitioned.search import RowSearch

Array = npt.NDArray[np.float64]


def tempered_rows(search: RowSearch, labels: Labels, rng: np.random.Generator) -> Tempered:
    """Return the probability of each cluster for each own node, largest at the node's own.

    Parameters
    ----------
    search : RowSearch
    labels : array of shape (n,)
        Of the chosen partition, own nodes.
    rng : numpy.random.Generator
        The same in all processes.
    """
    rows, k = search.rows, search.n_clusters
    nodes = np.arange(len(labels))
    scores = node_scores(search.sources, labels, k, search.weights)
    scores[nodes, labels] = np.maximum(scores[nodes, labels], scores.max(axis=1) + 1e-9)
    kept = np.zeros(len(nodes))
    proposed = list(search.proposed.values())
    resamples = draw_resamples(search.weights, search.corroboration, len(proposed), rows.n_nodes, rng)
    for resample in resamples:
        node_weights = -np.log1p(-rows.uniform(rng)[:, 0])
        resampled = [source.reweighted(rng, node_weights) for source in search.sources]
        found = [
            search.mending.mend(resampled, proposed[one], k, rng, resample.source_weights) for one in resample.starts
        ]
        best = max(found, key=lambda one: one.support)
        kept += aligned(rows, best.labels, labels, k) == labels

    def log_loss(log_temperature: float) -> float:
        own = log_softmax(scores / np.exp(log_temperature), axis=1)[nodes, labels]
        share = kept / len(resamples)
        lost = -np.sum(share * own + (1 - share) * np.log(np.maximum(-np.expm1(own), 1e-12)))
        return rows.total(float(lost)) / rows.n_nodes

    temperature = float(np.exp(minimize_scalar(log_loss, bounds=(COLDEST, HOTTEST), method="bounded").x))
    stability = rows.total(float(kept.sum())) / len(resamples) / rows.n_nodes
    return Tempered(softmax(scores / temperature, axis=1), temperature, stability)


def aligned(rows: Rows, labels: Labels, reference: Labels, n_clusters: int) -> Labels:
    """Renumber clusters so that as many nodes as possible, of all processes, have the label they have in the reference."""
    return _renumbering(_table(rows, labels, reference, n_clusters))[labels]


def _table(rows: Rows, labels: Labels, reference: Labels, n_clusters: int) -> Array:
    counted = np.bincount(labels * n_clusters + reference, minlength=n_clusters**2)
    return rows.sum(counted)[0].reshape(n_clusters, n_clusters)


def _renumbering(table: Array) -> npt.NDArray[np.int64]:
    new = np.empty(len(table), dtype=np.int64)
    pairs = linear_sum_assignment(-table)
    new[pairs[0]] = pairs[1]
    return new
