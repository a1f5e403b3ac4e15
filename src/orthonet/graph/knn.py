"""A nearest-neighbour layer from a feature matrix.

Each node is joined to its k nearest others; an edge exists if either end chose it. Weights of an edge of length d:

    self-tuning   exp(−d² / (σ_i σ_j)),  σ_i the distance of node i to its k-th neighbour
    gaussian      exp(−d² / (2 σ²)),     σ the mean of the σ_i
    reciprocal    1 / d                  (the paper's)
    binary        1
    cosine        max(0, 1 − d),         d the cosine distance

References
----------
.. [1] L. Zelnik-Manor, P. Perona, "Self-tuning spectral clustering", NIPS 2004.
.. [2] W. Dong, M. Charikar, K. Li, "Efficient k-nearest neighbor graph construction", WWW 2011 (approximate search).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse
from scipy.spatial import KDTree
from sklearn import config_context, get_config
from sklearn.neighbors import VALID_METRICS, NearestNeighbors

from orthonet.graph.features import Features
from orthonet.support.checks import check_choice, check_integer
from orthonet.support.memory import available_bytes, check_memory
from orthonet.support.optional import require
from orthonet.support.sentences import Argument, Sentence
from orthonet.support.warn import warn_user

Distances = npt.NDArray[np.float64]
Neighbours = npt.NDArray[np.intp]
Search = Literal["auto", "exact", "approximate"]

# scikit-learn knows more, but these either take other input than features or need a parameter of their own.
UNUSABLE_METRICS = {"precomputed", "mahalanobis", "seuclidean", "haversine", "nan_euclidean"}
METRICS = sorted(set(VALID_METRICS["brute"]) - UNUSABLE_METRICS)
EXACT_UP_TO = 20_000
"""Nodes up to which "auto" searches exactly in any dimension."""
EUCLIDEAN_UP_TO = 40_000
"""The same for Euclidean distances of dense features, which are products of matrices: 40,000 nodes take 3 s in 20 dimensions,
8 s in 100 on one core, where pynndescent compiles for 19 s in each process before it begins; with several views it is even."""
BYTES_PER_CANDIDATE = 50
"""Memory of the approximate search for each neighbour that it looks for, measured."""
EXACT_UP_TO_DIMENSIONS = 8
"""Dimensions up to which a k-d tree is exact and fast for any number of nodes."""
SLACK, SLACK_ABOVE, SLACK_DIMENSIONS = 0.3, 200_000, 3
"""By which share a neighbour may be farther than the true one, above so many nodes and dimensions, where "auto" searches: in
eight dimensions 0.996 of the neighbours are found, in six tenths of the time (100,000 nodes)."""
LEAF, MOST_COPIES = 16, 200
"""Points in a leaf of it, and equal points at most."""


def knn_layer(
    features: Features,
    n_neighbors: int = 10,
    *,
    weights: str = "self-tuning",
    metric: str = "euclidean",
    search: Search = "auto",
    random_state: int = 0,
    name: str = "features",
) -> csr_array:
    """Build the symmetric weighted k-nearest-neighbour graph of the rows of ``features``.

    Parameters
    ----------
    features : array or sparse array of shape (N, M)
        One row a node.
    n_neighbors : int, default=10
        Neighbours each node chooses; less than N.
    weights : {"self-tuning", "gaussian", "reciprocal", "binary", "cosine"}, default="self-tuning"
        How a distance becomes a weight; see the module.
    metric : str, default="euclidean"
        Any metric of scikit-learn's that compares feature vectors and needs no parameter; "cosine" weights need
        metric="cosine".
    search : {"auto", "exact", "approximate"}, default="auto"
        "auto" is exact up to 20,000 nodes (40,000 with Euclidean distances of dense features), or up to 8 dimensions (above
        200,000 nodes up to 3, else it misses a few in a thousand); beyond, it is approximate if `pynndescent` is installed.
    random_state : int, default=0
        Seed of the approximate search.
    name : str
        How errors call the features.

    Returns
    -------
    sparse array of shape (N, N)

    Examples
    --------
    >>> import numpy as np
    >>> from orthonet.graph.knn import knn_layer
    >>> knn_layer(np.array([[0.0], [1.0], [3.0]]), n_neighbors=1, weights="reciprocal").toarray()
    array([[0. , 1. , 0. ],
           [1. , 0. , 0.5],
           [0. , 0.5, 0. ]])
    """
    check_choice(weights, "weights", WEIGHTINGS)
    check_choice(metric, "metric", METRICS)
    check_choice(search, "search", get_args(Search))
    check_integer(n_neighbors, "n_neighbors", minimum=1)
    n_nodes = features.shape[0]
    if n_neighbors >= n_nodes:
        raise ValueError(
            Sentence(
                Argument("n_neighbors", n_neighbors), f" needs more than {n_neighbors} nodes, but {name} has {n_nodes}"
            )
        )
    if weights == "cosine" and metric != "cosine":
        raise ValueError(f"weights='cosine' needs metric='cosine', got metric={metric!r}")

    _check_squares(features, name)
    if _search_approximately(search, features, metric):
        distances, neighbours = _approximate_neighbours(features, n_neighbors, metric, random_state)
    else:
        distances, neighbours = _exact_neighbours(features, n_neighbors, metric, search)
    values = WEIGHTINGS[weights](np.asarray(distances, dtype=np.float64), neighbours)
    # A weight may underflow to 0, but the nodes are still neighbours.
    values = np.maximum(values, np.finfo(np.float32).tiny)
    starts = np.arange(0, n_nodes * n_neighbors + 1, n_neighbors)
    chosen = csr_array((values.ravel(), neighbours.ravel(), starts), shape=(n_nodes, n_nodes))
    return csr_array(chosen.maximum(chosen.T))


def _self_tuning(distances: Distances, neighbours: Neighbours) -> Distances:
    sigma = _not_zero(distances[:, -1])
    return np.exp(-(distances**2) / (sigma[:, None] * sigma[neighbours]))


def _gaussian(distances: Distances, neighbours: Neighbours) -> Distances:
    sigma = _not_zero(distances[:, -1]).mean()
    return np.exp(-(distances**2) / (2 * sigma**2))


def _reciprocal(distances: Distances, neighbours: Neighbours) -> Distances:
    return 1.0 / _not_zero(distances)


def _binary(distances: Distances, neighbours: Neighbours) -> Distances:
    return np.ones_like(distances)


def _cosine(distances: Distances, neighbours: Neighbours) -> Distances:
    return np.maximum(1.0 - distances, 0.0)


WEIGHTINGS: dict[str, Callable[[Distances, Neighbours], Distances]] = {
    "self-tuning": _self_tuning,
    "gaussian": _gaussian,
    "reciprocal": _reciprocal,
    "binary": _binary,
    "cosine": _cosine,
}


def _not_zero(distances: Distances) -> Distances:
    """Replace the zero distances of duplicate nodes by a thousandth of the median of the others."""
    positive = distances[distances > 0]
    floor = 1e-3 * np.median(positive) if positive.size else 1.0
    return np.maximum(distances, floor)


def _megabytes_at_once() -> float:
    """Return what a block of distances may take: what scikit-learn lets it, but no more than a quarter of what is available."""
    available = available_bytes()
    usual: float = get_config()["working_memory"]
    return usual if available is None else max(1.0, min(usual, available / 4 / 2**20))


def _check_squares(features: Features, name: str) -> None:
    """Refuse features whose squared distances are too large for their kind of numbers."""
    if 0 in features.shape or features.dtype.kind != "f":
        return
    largest = max(float(features.max()), -float(features.min()))
    limit = math.sqrt(float(np.finfo(features.dtype).max) / features.shape[1]) / 4
    if largest > limit:
        raise ValueError(
            f"{name} has values up to {largest:.3g}, too large to be squared in {features.dtype}; divide them"
        )


def _exact_neighbours(
    features: Features, n_neighbors: int, metric: str, search: Search
) -> tuple[Distances, Neighbours]:
    large = features.shape[0] > EXACT_UP_TO and metric == "euclidean"
    if large and _tree_serves(features, metric) and _mostly_distinct(np.asarray(features)):
        return _tree_neighbours(np.asarray(features), n_neighbors, SLACK if search == "auto" else 0.0)
    with config_context(working_memory=_megabytes_at_once()):
        finder = NearestNeighbors(n_neighbors=n_neighbors, metric=metric).fit(features)
        return finder.kneighbors()


def _tree_neighbours(features: npt.NDArray[Any], n_neighbors: int, slack: float) -> tuple[Distances, Neighbours]:
    """Return the same as scikit-learn's tree in a third of the time: points are asked for in the order of the tree's leaves.

    Of many points the farthest may be farther than the true one by the share ``slack``.
    """
    slack = slack if len(features) > SLACK_ABOVE and features.shape[1] > SLACK_DIMENSIONS else 0.0
    order = KDTree(features, leafsize=LEAF).indices
    points = np.ascontiguousarray(features[order], dtype=np.float64)
    distances, found = KDTree(points, leafsize=LEAF).query(points, n_neighbors + 1, eps=slack)
    is_self = found == np.arange(len(points))[:, None]
    # Each row drops itself, or its farthest neighbour where duplicates pushed the node out of its own list.
    is_self[~is_self.any(axis=1), -1] = True
    shape = (len(points), n_neighbors)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return distances[~is_self].reshape(shape)[back], order[found[~is_self].reshape(shape)][back]


def _mostly_distinct(features: npt.NDArray[Any]) -> bool:
    """Tell whether no point comes more often than a leaf can hold: this tree cannot split equal points."""
    somewhere = features @ np.random.default_rng(0).standard_normal(features.shape[1])
    return bool(np.unique(somewhere, return_counts=True)[1].max() <= MOST_COPIES)


def _tree_serves(features: Features, metric: str) -> bool:
    few = features.shape[1] <= EXACT_UP_TO_DIMENSIONS
    return few and metric in VALID_METRICS["kd_tree"] and not issparse(features)


def _search_approximately(search: Search, features: Features, metric: str) -> bool:
    n_nodes = features.shape[0]
    if search != "auto":
        return search == "approximate"
    products = metric in ("euclidean", "l2") and not issparse(features)
    if n_nodes <= (EUCLIDEAN_UP_TO if products else EXACT_UP_TO) or _tree_serves(features, metric):
        return False
    try:
        _pynndescent()
    except ImportError as error:
        warn_user(f"exact search among {n_nodes} nodes is slow; {error}")
        return False
    return True


def _pynndescent() -> Any:
    return require("pynndescent", extra="neighbors", purpose="approximate neighbour search")


def _approximate_neighbours(
    features: Features, n_neighbors: int, metric: str, random_state: int
) -> tuple[Distances, Neighbours]:
    # A wider search than asked for: with k + 1 of 10 neighbours the recall is 0.93, with 30 it is 0.999, at no more time.
    width = min(max(n_neighbors + 1, 30), features.shape[0])
    check_memory(
        BYTES_PER_CANDIDATE * width * features.shape[0],
        f"the approximate search for neighbours of {features.shape[0]:,} nodes",
        f"free some memory, or reduce the features to {EXACT_UP_TO_DIMENSIONS} dimensions, for which a tree suffices",
    )
    known_as = {"cityblock": "manhattan", "l1": "manhattan", "l2": "euclidean"}.get(metric, metric)
    index = _pynndescent().NNDescent(
        features, metric=known_as, n_neighbors=width, random_state=random_state, compressed=False
    )
    neighbours, distances = index.neighbor_graph
    is_self = neighbours == np.arange(len(neighbours))[:, None]
    # Each row drops itself, or its farthest neighbour where duplicates pushed the node out of its own list.
    is_self[~is_self.any(axis=1), -1] = True
    shape = (len(neighbours), width - 1)
    others, far = neighbours[~is_self].reshape(shape), distances[~is_self].reshape(shape)
    return np.maximum(far[:, :n_neighbors], 0.0), others[:, :n_neighbors].astype(np.intp)
