"""GMC: the views' similarity graphs, their weights and one unified graph of K components, learnt together.

    min  Σ_v [ Σ_ij d^v_ij s^v_ij + α ‖S^v‖² + w_v ‖U − S^v‖² ] + 2 λ Tr(Fᵀ L_U F)
    over S^v and U with rows on the simplex, FᵀF = I,   w_v = 1 / (2 ‖U − S^v‖),   L_U the Laplacian of (U + Uᵀ)/2

each in turn: S^v row by row (`orthonet.baselines.gmc_views`), then w_v, then each row of U, the point of the simplex nearest to
mean_v (s^v_i − λ/(2 m w_v) f_i), f_ij = ‖F_i − F_j‖², on the neighbours of i in any S^v, then F, the K lowest eigenvectors of
L_U. λ doubles while U has fewer than K components, halves while it has more, and the components are the clusters.

References
----------
.. [1] H. Wang, Y. Yang, B. Liu, `"GMC: graph-based multi-view clustering"
       <https://doi.org/10.1109/TKDE.2019.2903810>`_, IEEE TKDE 32(6), 2020.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator, ClusterMixin

from orthonet.baselines.gmc_views import FeatureView, LayerView, Pattern, View, nearest_on_simplex
from orthonet.baselines.inputs import as_features, as_graph
from orthonet.clustering.assignment import assign
from orthonet.graph.arrays import named_matrices
from orthonet.graph.features import FeatureScaler, FeatureScaling, check_features
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.linalg.eigen import smallest_eigenpairs
from orthonet.support.checks import check_choice, check_integer, check_number, random_generator
from orthonet.support.progress import Report, progress
from orthonet.support.warn import warn_user

Array = npt.NDArray[np.float64]
LabelSource = Literal["components", "kmeans"]

ZERO = 1e-10
"""A sum of eigenvalues below this is 0 (the authors')."""


class GMC(ClusterMixin, BaseEstimator):
    """Graph-based multi-view clustering of feature groups, or of the layers of a graph.

    Parameters
    ----------
    n_clusters : int, default=8
    n_neighbors : int, default=15
        Neighbours of a node in each view of features (the authors').
    penalty : float, default=1
        λ to start from (the authors'); it adapts itself.
    max_iter : int, default=20
        Rounds at most (the authors').
    normalize_rows : bool, default=True
        Whether each row of a view is z-scored over its features (the authors'); a view of one or two features never is.
    feature_scaling : {"auto", "standard", "unit", "none"}, default="none"
        Of each view before that, as in `OrthoNet`; the authors do none.
    assign_labels : {"components", "kmeans"}, default="components"
        Clusters are the components of the unified graph (the authors'), or come from K-means on F (the OrthoNet paper's way);
        if there are not K components, from K-means in any case, with a warning.
    n_init : int, default=20
        Starts of K-means.
    random_state : int, Generator, RandomState or None, default=None
        For K-means and the eigensolver of large graphs; the rest has no randomness.
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None, the default), always or never.

    Attributes
    ----------
    labels_ : array of shape (N,)
    embedding_ : array of shape (N, K)
        F.
    unified_graph_ : sparse array of shape (N, N)
        (U + Uᵀ) / 2.
    view_weights_ : array of shape (m,)
        w, scaled to sum 1.
    n_components_ : int
        Components of the unified graph.
    n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from orthonet.baselines.gmc import GMC
    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1], 30)
    >>> views = [3.0 * rng.standard_normal((2, 5))[truth] + rng.standard_normal((60, 5)) for _ in range(2)]
    >>> np.bincount(GMC(2).fit(views=views).labels_)
    array([30, 30])
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 15,
        penalty: float = 1.0,
        max_iter: int = 20,
        normalize_rows: bool = True,
        feature_scaling: FeatureScaling = "none",
        assign_labels: LabelSource = "components",
        n_init: int = 20,
        random_state: Any = None,
        verbose: bool | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.penalty = penalty
        self.max_iter = max_iter
        self.normalize_rows = normalize_rows
        self.feature_scaling = feature_scaling
        self.assign_labels = assign_labels
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any = None,
        y: Any = None,
        *,
        layers: Sequence[Any] | None = None,
        views: Sequence[Any] | Mapping[str, Any] | None = None,
    ) -> Self:
        """Cluster the nodes of ``views`` (feature groups); without them, of ``layers`` or a `MultilayerGraph`.

        Features ``X`` alone are one view, and features beside relations (`MultilayerGraph.layers_from_features` is False)
        one more.
        """
        check_integer(self.n_neighbors, "n_neighbors", minimum=1)
        check_integer(self.max_iter, "max_iter", minimum=1)
        check_integer(self.n_init, "n_init", minimum=1)
        check_number(self.penalty, "penalty", above=0)
        check_choice(self.assign_labels, "assign_labels", get_args(LabelSource))
        rng = random_generator(self.random_state)
        each = self._views(X, layers, views)
        pattern = Pattern.union(each[0].n_nodes, [view.pairs() for view in each])
        check_integer(self.n_clusters, "n_clusters", minimum=2, maximum=pattern.n_nodes)
        with progress("GMC", self.max_iter, self.verbose) as report:
            found = unify(each, pattern, self.n_clusters, rng, self.penalty, self.max_iter, report)
        self.unified_graph_ = found.graph
        self.embedding_ = found.embedding
        self.view_weights_ = found.weights / found.weights.sum()
        self.n_iter_ = found.n_iter
        self.n_components_, self.labels_ = components_by_size(found.graph)
        if self.n_components_ != self.n_clusters:
            self._tell_components()
        if self.assign_labels == "kmeans" or self.n_components_ != self.n_clusters:
            self.labels_ = assign(found.embedding, self.n_clusters, normalize=False, n_init=self.n_init, rng=rng).labels
        return self

    def _views(
        self, X: Any, layers: Sequence[Any] | None, views: Sequence[Any] | Mapping[str, Any] | None
    ) -> list[View]:
        if views is None and (isinstance(X, MultilayerGraph) or layers is not None):
            graph = as_graph(X, layers)
            relations: list[View] = [LayerView.of(layer) for layer in graph.layers]
            if graph.features is None or graph.layers_from_features:
                return relations
            return [*relations, *self._feature_views([graph.features], "features", graph.n_nodes)]
        if views is None:
            if X is None:
                raise ValueError("GMC needs views: pass views=[…], features, layers=[…] or a MultilayerGraph")
            views = [as_features(X)]
        matrices, _ = named_matrices(views, None, "views")
        if not matrices:
            raise ValueError("views is empty; GMC needs at least one")
        n_nodes = None
        if X is not None:
            n_nodes = X.n_nodes if isinstance(X, MultilayerGraph) else as_features(X).shape[0]
        return self._feature_views(matrices, "views", n_nodes)

    def _feature_views(self, matrices: Sequence[Any], name: str, n_nodes: int | None) -> list[View]:
        made: list[View] = []
        for index, view in enumerate(matrices):
            called = f"{name}[{index}]" if name == "views" else name
            features = check_features(view, called, n_nodes)
            n_nodes = features.shape[0]
            if self.n_neighbors > n_nodes - 2:
                raise ValueError(
                    f"n_neighbors={self.n_neighbors} needs at least {self.n_neighbors + 2} nodes, but {called} has "
                    f"{n_nodes} rows"
                )
            if self.feature_scaling != "none":
                features = FeatureScaler.fit(features, self.feature_scaling, called).transform(features)
            made.append(FeatureView.of(features, self.n_neighbors, normalize=self.normalize_rows))
        return made

    def _tell_components(self) -> None:
        found = (
            f"the unified graph has {self.n_components_} components after {self.n_iter_} rounds, not {self.n_clusters}"
        )
        what_helps = (
            "leave out small components" if self.n_components_ > self.n_clusters else "a larger max_iter may help"
        )
        warn_user(f"{found}: K-means on its eigenvectors gives the labels instead; {what_helps}")


@dataclass(frozen=True)
class Unified:
    """The symmetric unified graph, F, w, and the rounds it took."""

    graph: csr_array
    embedding: Array
    weights: Array
    n_iter: int


def unify(
    views: Sequence[View],
    pattern: Pattern,
    n_clusters: int,
    rng: np.random.Generator,
    penalty: float = 1.0,
    max_iter: int = 20,
    report: Report = lambda done, message: None,
) -> Unified:
    """Learn the unified graph of the views; see the module."""
    weights = np.full(len(views), 1 / len(views))
    start = np.mean([view.alone(pattern) for view in views], axis=0)
    sums = np.bincount(pattern.rows, start, minlength=pattern.n_nodes)
    unified = start / np.where(sums > 0, sums, 1.0)[pattern.rows]
    embedding, _ = lowest_eigenvectors(_symmetric(pattern, unified), n_clusters, rng)
    for done in range(1, max_iter + 1):
        similar = [view.drawn_to(unified, weight, pattern) for view, weight in zip(views, weights, strict=True)]
        weights = np.array([view_weight(unified, one) for one in similar])
        unified = next_unified(similar, weights, embedding, penalty, pattern)
        graph = _symmetric(pattern, unified)
        lowest, values = lowest_eigenvectors(graph, n_clusters, rng)
        report(done, f"λ = {penalty:g}, {components_by_size(graph)[0]} components")
        if values[:n_clusters].sum() > ZERO:
            embedding, penalty = lowest, 2 * penalty
        elif values.sum() < ZERO:
            penalty /= 2  # too many components: the embedding before it stays
        else:
            embedding = lowest
            break
    return Unified(graph, embedding, weights, done)


def view_weight(unified: Array, similar: Array) -> float:
    """Return w = 1 / (2 ‖U − S‖)."""
    return float(0.5 / max(np.linalg.norm(unified - similar), np.sqrt(np.finfo(np.float64).eps)))


def next_unified(similar: Sequence[Array], weights: Array, embedding: Array, penalty: float, pattern: Pattern) -> Array:
    """Return U, each row the nearest of the simplex to mean_v (s^v − λ/(2 m w_v) f), among the neighbours in any S^v."""
    linked = np.max(similar, axis=0) > 0
    rows, columns = pattern.rows[linked], pattern.columns[linked]
    distances = np.zeros(len(rows))
    for column in embedding.T:
        distances += (column[rows] - column[columns]) ** 2
    pull = penalty / 2 * np.mean(1 / (len(weights) * weights))
    unified = np.zeros(len(linked))
    unified[linked] = nearest_on_simplex(np.mean(similar, axis=0)[linked] - pull * distances, rows, pattern.n_nodes)
    return unified


def lowest_eigenvectors(graph: csr_array, k: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return the K lowest eigenvectors of the graph's Laplacian, and its K + 1 lowest eigenvalues.

    Components give those of eigenvalue 0 exactly, the largest components first; only where they are fewer than K, a solver is
    asked. The (K + 1)-th eigenvalue is only as good as it must be: 1 where it is known to be above 0.
    """
    n_components, labels = components_by_size(graph)
    sizes = np.bincount(labels)
    known = np.zeros((len(labels), min(n_components, k)))
    inside = labels < k
    known[inside, labels[inside]] = 1 / np.sqrt(sizes[labels[inside]])
    if n_components >= k:
        return known, np.append(np.zeros(k), float(n_components == k))
    laplacian = csr_array(diags_array(np.asarray(graph.sum(axis=1)).ravel()) - graph)
    wanted = min(k + 1, len(labels))
    pairs = smallest_eigenpairs(laplacian, wanted, rng, known=known)
    return pairs.vectors[:, :k], np.maximum(pairs.values, 0.0)


def components_by_size(graph: csr_array) -> tuple[int, npt.NDArray[np.int64]]:
    """Return the number of connected components, and the one of each node, the largest being 0."""
    count, labels = connected_components(graph, directed=False)
    new = np.empty(count, dtype=np.int64)
    new[np.argsort(-np.bincount(labels), kind="stable")] = np.arange(count)
    return int(count), new[labels]


def _symmetric(pattern: Pattern, unified: Array) -> csr_array:
    matrix = pattern.matrix(unified)
    return csr_array((matrix + matrix.T) / 2)
