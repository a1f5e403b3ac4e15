"""Place new nodes: by their features alone, and by their edges to nodes that the model knows.

A linear head, trained on the final labels, turns what is known of a node by its features into the logarithms of its
probabilities,

    ln p_ic = a_i · w_c + b_c + const,      a_i the scaled features, or the unit row of the net's embedding,

whichever predicts the labels better out of fold. Edges to known nodes add the evidence that each of them has (`Judgement`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

from orthonet.clustering.assignment import unit_rows
from orthonet.graph.features import Features
from orthonet.support.warn import warn_user

Array = npt.NDArray[np.float64]
HeadInput = Literal["features", "embedding"]
HEAD_INPUTS: tuple[HeadInput, ...] = get_args(HeadInput)

SAMPLE = 20_000
"""Nodes, at most, that the head is trained on."""
SAMPLE_BYTES = 2**27
"""Memory that their dense features may take: wider ones speak through the embedding alone."""
FOLDS = 3
MAX_ITER = 200
TOLERANCE, ROUGH_TOLERANCE = 1e-4, 1e-3
"""Of the gradient of the logistic regression; where it is only asked which inputs predict better, ten iterations tell."""
REGULARIZATION = {"features": 1.0, "embedding": 10.0}
"""C of the logistic regression: an embedding has few columns and needs less restraint than features."""
NEVER = -1e6
"""Bias of a cluster without nodes."""
POOR_AGREEMENT = 0.5
"""Share, of what naming the largest cluster leaves wrong, that features must get right for no warning."""


@dataclass(frozen=True)
class Head:
    """A linear map to the logarithms of probabilities."""

    inputs: HeadInput
    weights: Array
    """K x inputs."""
    bias: Array
    """K."""
    accuracy: float
    """Share of nodes whose label it predicts out of fold."""

    def log_odds(self, rows: Any) -> Array:
        """Return a_i · w_c + b_c of scaled features, or of unit rows of the embedding, N x K."""
        return np.asarray(rows @ self.weights.T) + self.bias


def train_head(
    inputs: Features,
    scale: Callable[[Any], Any],
    embedding: Array,
    labels: npt.NDArray[np.int64],
    n_clusters: int,
    rng: np.random.Generator,
) -> Head:
    """Train a head on the features and one on the embedding, and return the one that predicts labels better out of fold.

    Parameters
    ----------
    inputs : array or sparse array of shape (N, M)
        The features, before ``scale``.
    scale : function
        Of some rows of the features.
    embedding : array of shape (N, K)
    labels : array of shape (N,)
    n_clusters : int
    rng : numpy.random.Generator
        Draws the folds.
    """
    nodes = np.arange(len(labels))
    if len(nodes) > SAMPLE:
        nodes = np.sort(rng.choice(nodes, SAMPLE, replace=False))
    candidates: dict[HeadInput, Any] = {}
    if issparse(inputs):
        candidates["features"] = csr_array(scale(inputs[nodes]))
    elif 8 * len(nodes) * inputs.shape[1] <= SAMPLE_BYTES:
        candidates["features"] = np.asarray(scale(inputs[nodes]), dtype=np.float64)
    candidates["embedding"] = unit_rows(embedding[nodes])
    folds = list(KFold(min(FOLDS, len(nodes)), shuffle=True, random_state=int(rng.integers(2**31 - 1))).split(nodes))
    known = labels[nodes]

    def right(name: HeadInput, fold: tuple[Any, Any]) -> int:
        train, test = fold
        weights, bias = _fitted(
            candidates[name][train], known[train], n_clusters, REGULARIZATION[name], ROUGH_TOLERANCE
        )
        return int((np.asarray(candidates[name][test] @ weights.T + bias).argmax(axis=1) == known[test]).sum())

    # Which inputs predict better, one fold tells; how well they do, all of them.
    at_first = {name: right(name, folds[0]) for name in candidates}
    best = max(at_first, key=lambda name: at_first[name])
    accuracy = (at_first[best] + sum(right(best, fold) for fold in folds[1:])) / len(nodes)
    weights, bias = _fitted(candidates[best], known, n_clusters, REGULARIZATION[best])
    return Head(best, weights, bias, accuracy)


def warn_of_poor_features(accuracy: float, labels: npt.NDArray[np.int64]) -> None:
    """Say so where features alone do not reproduce the labels."""
    largest = np.bincount(labels).max() / len(labels)
    if accuracy < largest + POOR_AGREEMENT * (1 - largest):
        warn_user(
            f"features alone give {accuracy:.0%} of the nodes their cluster (naming the largest would give {largest:.0%}), so "
            "the clusters rest on the edges: to place new nodes, pass a graph with their edges to known nodes to predict"
        )


def _fitted(
    rows: Any, labels: npt.NDArray[np.int64], n_clusters: int, regularization: float, tolerance: float = TOLERANCE
) -> tuple[Array, Array]:
    """Return weights and biases of a logistic regression, for all clusters."""
    weights, bias = np.zeros((n_clusters, rows.shape[1])), np.full(n_clusters, NEVER)
    present = np.unique(labels)
    if len(present) == 1:
        bias[present] = 0.0
        return weights, bias
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # what was reached is judged out of fold
        # In single precision, which takes half the time: the gradient is followed to three or four digits.
        model = LogisticRegression(C=regularization, max_iter=MAX_ITER, tol=tolerance).fit(
            rows.astype(np.float32), labels
        )
    if len(present) == 2:  # scikit-learn then keeps one row, of the second class against the first
        weights[present[1]], bias[present] = model.coef_[0], [0.0, model.intercept_[0]]
    else:
        weights[present], bias[present] = model.coef_, model.intercept_
    return weights, bias
