"""What proposals are made from: layers and two-mode relations as normalised adjacencies, features as at most 128 numbers.

    A_s = D^{-1/2} W_s D^{-1/2},      D = diag(degrees + τ · mean degree)

With τ = 1 the eigenvectors of a layer in many pieces are not the indicators of its smallest pieces [1]_; features are
averaged with τ = 0, where a node of few edges counts as much as one of many.

References
----------
.. [1] T. Qin, K. Rohe, "Regularized spectral clustering under the degree-corrected stochastic blockmodel", NIPS 2013.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array, issparse
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import randomized_svd

from orthonet.evidence.cluster_tables import indicator
from orthonet.evidence.proposals.kmeans_starts import starting_centers
from orthonet.evidence.proposals.memberships import MembershipOperator, scaled_incidence, weighted_sum
from orthonet.evidence.sources import Labels, Source
from orthonet.graph.features import Features, FeatureScaler, are_words
from orthonet.graph.words import as_counts, inverse_document_frequencies
from orthonet.linalg.eigen import PROBE_ABOVE, largest_eigenvectors
from orthonet.linalg.matrix_sum import MatrixSum
from orthonet.linalg.scaling import scaled_on_both_sides

Array = npt.NDArray[np.float64]
Normalized: TypeAlias = csr_array | MatrixSum | MembershipOperator

DIMENSIONS = 128
"""Numbers per node that features are reduced to: more are slower to cluster and no better."""
STARTS, AT_LEAST = 10, 2
"""Of K-means; fewer where all starts together would measure more than"""
DISTANCES = 50_000
"""distances in a round. On 3sources, with 169 documents, five starts instead of ten cost .1 in NMI in one search of three."""
ROUNDING = 1e-10
"""Length of a row, relative to the longest, that is rounding."""
SAMPLE = 50_000
"""Rows that K-means looks for centres among; of more, a random sample stands for all."""


@dataclass
class ProposalInputs:
    """The data of one search, and what several proposals need of it, computed once.

    Attributes
    ----------
    layers : sequence of sparse arrays of shape (N, N)
        The layers as they were given.
    features : array of shape (N, at most 128), or None
        See `reduced`.
    feature_layer : sparse array of shape (N, N), or None
        Nearest neighbours by all features together.
    relations : bool
        Whether the layers know what the features do not: else features are not averaged over them.
    n_clusters : int
    sources : sequence of Source
        By which finer partitions are merged.
    rng : numpy.random.Generator
    two_mode : sequence of sparse arrays of shape (N, groups)
        Incidences of the two-mode relations.
    words : bool
        Whether the features are singular vectors of words.
    """

    layers: Sequence[csr_array]
    features: Array | None
    feature_layer: csr_array | None
    relations: bool
    n_clusters: int
    sources: Sequence[Source]
    rng: np.random.Generator
    two_mode: Sequence[csr_array] = ()
    words: bool = False
    _kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.sources[0].n_nodes

    @property
    def n_relations(self) -> int:
        """Number of layers and two-mode relations."""
        return len(self.layers) + len(self.two_mode)

    def normalized(self, index: int) -> Normalized:
        """Return A of a relation, layers first, then two-mode relations; after the last comes the features' own layer."""
        return self.once(("normalized", index), lambda: self._normalized(index))

    def _normalized(self, index: int) -> Normalized:
        if len(self.layers) <= index < self.n_relations:
            return MembershipOperator(scaled_incidence(self.two_mode[index - len(self.layers)]))
        layer = self.layers[index] if index < len(self.layers) else self.feature_layer
        if layer is None:
            raise ValueError("there is no layer of the features")
        return normalized_adjacency(layer)

    def mean(self, weights: npt.ArrayLike) -> Normalized:
        """Return Σ w_s A_s, with one weight for each relation, and one for the features' own layer if it is to take part."""
        large = self.n_nodes > PROBE_ABOVE and not self.two_mode
        if large:  # the union of the layers' edges is never built
            used = {index: one for index, one in enumerate(np.asarray(weights, dtype=np.float64).tolist()) if one > 0}
            return MatrixSum([csr_array(self._normalized(index)) for index in used], list(used.values()))
        total = csr_array((self.n_nodes, self.n_nodes))
        incidences = []
        for index, weight in enumerate(np.asarray(weights, dtype=np.float64)):
            one = self.normalized(index) if weight > 0 else None
            if isinstance(one, MembershipOperator):
                incidences.append((float(weight), one.incidence))
            elif one is not None:
                total = total + weight * one
        return weighted_sum(csr_array(total), incidences) if incidences else csr_array(total)

    def eigenvectors(self, matrix: Callable[[], Normalized], key: Any = None) -> Array:
        """Return the K largest eigenvectors, rows scaled to unit length; under a key matrix and vectors are computed once."""
        if key is not None:
            return self.once(("eigenvectors", key), lambda: unit_rows(self._vectors(matrix, key)))
        return unit_rows(self._largest(matrix()))

    def _vectors(self, matrix: Callable[[], Normalized], key: Any) -> Array:
        return self.once(("vectors", key), lambda: self._largest(matrix()))

    def _largest(self, matrix: Normalized) -> Array:
        """Return the K largest eigenvectors; those of many nodes are sought from clusters of the features, which are near."""
        start = None
        if self.features is not None and self.n_nodes > PROBE_ABOVE:
            start = indicator(self.kmeans(self.features, n_init=1), self.n_clusters).toarray()
        return largest_eigenvectors(matrix, self.n_clusters, self.rng, start=start)[1]

    @property
    def known_vectors(self) -> dict[Any, Array]:
        """Eigenvectors that were computed, by their keys: "mean", or the number of a relation."""
        return {key[1]: vectors for key, vectors in self._kept.items() if key[0] == "vectors"}

    def kmeans(
        self,
        rows: npt.NDArray[np.floating[Any]],
        n_clusters: int | None = None,
        n_init: int = STARTS,
        at_least: int = AT_LEAST,
    ) -> Labels:
        """Cluster rows by K-means."""
        seed = int(self.rng.integers(2**31 - 1))
        k = self.n_clusters if n_clusters is None else n_clusters
        # In single precision: two centres whose distances from a row are equal to seven digits are as good as each other.
        rows = rows.astype(np.float32)
        seen = rows if len(rows) <= SAMPLE else rows[np.sort(self.rng.choice(len(rows), SAMPLE, replace=False))]
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", ConvergenceWarning
            )  # fewer distinct rows than centres: mending goes on from there
            n_init = n_starts(n_init, k * len(seen), at_least)
            found = KMeans(k, init=starting_centers, n_init=n_init, random_state=seed).fit(seen)
        labels = found.labels_ if len(seen) == len(rows) else found.predict(rows)
        return labels.astype(np.int64)

    def with_clusters(self, n_clusters: int) -> ProposalInputs:
        """Return the inputs of a search for another number of clusters; what does not depend on it is kept."""
        kept = {key: value for key, value in self._kept.items() if key[0] == "normalized" or key == "filtered"}
        return replace(self, n_clusters=n_clusters, _kept=kept)

    def once(self, key: Any, compute: Callable[[], Any]) -> Any:
        """Return what was computed under a key, computing it the first time."""
        if key not in self._kept:
            self._kept[key] = compute()
        return self._kept[key]


def n_starts(wanted: int, n_distances: int, at_least: int = AT_LEAST) -> int:
    """Return how many starts K-means has, where each measures so many distances in a round."""
    return max(at_least, min(wanted, DISTANCES // n_distances))


def normalized_adjacency(layer: csr_array, regularization: float = 1.0) -> csr_array:
    """Return D^{-1/2} W D^{-1/2} with D = degrees + regularization · mean degree."""
    degrees = np.asarray(layer.sum(axis=1)).ravel()
    degrees = degrees + regularization * degrees.mean()
    return scaled_on_both_sides(layer, 1.0 / np.sqrt(np.where(degrees > 0, degrees, 1.0)))


def reduced(features: Features, scaler: FeatureScaler, rng: np.random.Generator, basis: Array | None = None) -> Array:
    """Return features as at most 128 numbers per node: scaled ones, or singular vectors of them; of words, by tf-idf.

    ``basis`` has the right singular vectors of other features than words, if they are known.
    """
    if are_words(features):
        counts = as_counts(features)
        counts = csr_array(counts @ diags_array(inverse_document_frequencies(counts)))
        rows: Any = FeatureScaler("unit").transform(counts)
    else:
        rows = scaler.transform(features)
        if not issparse(rows) and rows.shape[1] <= DIMENSIONS:
            return np.asarray(rows, dtype=np.float64)
        if basis is not None:
            return np.asarray(rows @ basis[:, :DIMENSIONS], dtype=np.float64)
    vectors = singular_rows(rows, DIMENSIONS, rng)
    return unit_rows(vectors) if issparse(rows) else vectors


def singular_rows(matrix: Any, size: int, rng: np.random.Generator) -> Array:
    """Return the leading left singular vectors times their singular values, ``size`` of them or as many as there are."""
    size = max(1, min(size, min(matrix.shape) - 1))
    # In single precision, which takes half the time: the vectors are clustered, and found by a random start.
    left, values, _ = randomized_svd(matrix.astype(np.float32), size, random_state=int(rng.integers(2**31 - 1)))
    return (left * values).astype(np.float64)


def unit_rows(matrix: Array) -> Array:
    """Scale each row to length 1; a row that is zero but for rounding, such as an isolated node's, becomes zero."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    some = lengths > ROUNDING * lengths.max(initial=0.0)
    return np.where(some, matrix / np.where(some, lengths, 1.0), 0.0)
