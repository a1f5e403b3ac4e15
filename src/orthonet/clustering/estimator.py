"""`OrthoNet`: layers and features in, groups, an embedding and a function for new nodes out."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from scipy.sparse import eye_array
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from orthonet.aggregation import AGGREGATIONS, aggregate
from orthonet.clustering.assignment import assign, canonical_order, nearest_center
from orthonet.clustering.persistence import load_model, save_model
from orthonet.embedding.loss import orthogonalising_map
from orthonet.embedding.networks import Perceptron
from orthonet.embedding.tensors import as_operator, as_tensor, plain_torch
from orthonet.embedding.training import train
from orthonet.graph.features import Features, FeatureScaler, FeatureScaling, check_features
from orthonet.graph.knn import knn_layer
from orthonet.graph.laplacian import LaplacianKind
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.checks import check_choice, check_integer, check_number, random_generator
from orthonet.support.warn import warn_user

Array = npt.NDArray[np.float64]


class OrthoNet(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Cluster the nodes of a multilayer network by its layers and their features together.

    The layers are merged into one Laplacian; a neural net learns to map the features to its lowest eigenvectors; K-means
    groups the nodes in that embedding. New nodes are placed from their features alone.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of groups K, and of outputs of the net.
    aggregation : str, default="geometric"
        How the layers are merged, see `orthonet.aggregate`.
    laplacian : {"joint", "normalized", "combinatorial"}, default="joint"
        Which Laplacian of each layer, see `orthonet.graph.laplacian`.
    epsilon : float, default=1e-3
        Shift that makes the Laplacians positive definite.
    layer_weights : sequence of S numbers >= 0, optional
        How much each layer counts; equally by default.
    n_neighbors : int, default=10
        For ``fit(X)`` without layers: neighbours in the one layer that is built from X (all other nodes if they are
        fewer).
    feature_scaling : {"auto", "standard", "unit", "none"}, default="auto"
        "auto" standardises dense features and scales the rows of sparse ones to unit length.
    hidden_layers : sequence of int, default=(400, 200, 100)
        Units of the hidden layers of the net.
    learning_rate : float, default=1e-3
        Of AMSGrad.
    max_steps : int, default=100
        Training steps at most. More bring the embedding closer to the eigenvectors of the merged Laplacian, which is not
        always better: the net's own smoothness over the features is half of what the method knows.
    tol : float, default=5e-3
        Training stops early when the loss fell by less than this share over 20 steps.
    n_init : int, default=20
        Random starts of K-means, beside one that is not random.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the initial weights and of K-means. The global random states of NumPy and torch are neither used nor
        changed.
    verbose : bool, optional
        Progress bars: after two seconds on a terminal (None, the default), always or never.

    Attributes
    ----------
    labels_ : array of shape (N,)
        Group of each node; group 0 is the largest.
    embedding_ : array of shape (N, K)
        Orthonormal columns, in the order of rising eigenvalues.
    cluster_centers_ : array of shape (K, K)
        Centres of the groups among the rows of the embedding scaled to unit length.
    layer_weights_ : array of shape (S,)
        Weights that the layers were merged with, summing to 1.
    layer_names_ : tuple of str
    history_ : dict
        ``"loss"``: the loss before each training step.
    n_steps_ : int
        Training steps taken.
    aggregation_ : dict
        What the aggregation told: method, solver, convergence, seconds.
    n_features_in_ : int
        Number of features; 0 if fitted on layers alone.
    feature_names_in_ : array of str
        Only if the features came with names.

    References
    ----------
    .. [1] M. El Gheche, G. Chierchia, P. Frossard, "OrthoNet: Multilayer Network Data Clustering", IEEE Transactions on
           Signal and Information Processing over Networks.

    Examples
    --------
    >>> from orthonet import OrthoNet, datasets, metrics
    >>> data = datasets.make_multilayer_gaussians(n_nodes=300, n_clusters=4, random_state=0)
    >>> model = OrthoNet(n_clusters=4, random_state=0).fit(data.graph)
    >>> bool(metrics.nmi(data.labels, model.labels_) > 0.8)
    True
    >>> model.predict(data.graph.features[:5]).shape
    (5,)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        aggregation: str = "geometric",
        laplacian: LaplacianKind = "joint",
        epsilon: float = 1e-3,
        layer_weights: npt.ArrayLike | None = None,
        n_neighbors: int = 10,
        feature_scaling: FeatureScaling = "auto",
        hidden_layers: Sequence[int] = (400, 200, 100),
        learning_rate: float = 1e-3,
        max_steps: int = 100,
        tol: float = 5e-3,
        n_init: int = 20,
        random_state: Any = None,
        verbose: bool | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.aggregation = aggregation
        self.laplacian = laplacian
        self.epsilon = epsilon
        self.layer_weights = layer_weights
        self.n_neighbors = n_neighbors
        self.feature_scaling = feature_scaling
        self.hidden_layers = hidden_layers
        self.learning_rate = learning_rate
        self.max_steps = max_steps
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, layers: Sequence[Any] | None = None) -> Self:
        """Learn groups and embedding.

        Parameters
        ----------
        X : MultilayerGraph, or features of shape (N, M), or None
            A graph; or features, from which one nearest-neighbour layer is built if there are no ``layers``; or None
            with ``layers`` alone, where each node then has a one-hot vector for features.
        y : ignored
            For scikit-learn.
        layers : sequence of S matrices of shape (N, N), optional
            Edge weights, see `MultilayerGraph`.

        Returns
        -------
        self
        """
        before = dict(self.__dict__)
        try:
            with plain_torch():
                return self._fit(X, layers)
        except BaseException:  # a fit that fails or is interrupted leaves the earlier one as it was
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def fit_transform(self, X: Any, y: Any = None, *, layers: Sequence[Any] | None = None) -> Array:
        """Fit, and return the embedding of the nodes."""
        return self.fit(X, layers=layers).embedding_

    def fit_predict(self, X: Any, y: Any = None, *, layers: Sequence[Any] | None = None) -> npt.NDArray[np.int64]:
        """Fit, and return the labels of the nodes."""
        return self.fit(X, layers=layers).labels_

    def transform(self, X: Any) -> Array:
        """Embed nodes, known or new, by their features alone.

        Parameters
        ----------
        X : array or sparse array of shape (N, M), or MultilayerGraph
            Features; of a graph only its features are used.

        Returns
        -------
        array of shape (N, K)
        """
        return self._embed(self._scaled_new_features(X))

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Label nodes, known or new, by their features alone: the group whose centre is nearest in the embedding.

        Parameters
        ----------
        X : array or sparse array of shape (N, M), or MultilayerGraph
            Features; of a graph only its features are used.

        Returns
        -------
        array of shape (N,)
        """
        return nearest_center(self.transform(X), self.cluster_centers_)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model into the folder ``path``: ``model.json`` and a safetensors file, nothing executable.

        A model that is already there is replaced in one step; any other folder that is not empty is an error.
        """
        check_is_fitted(self)
        save_model(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model that `save` wrote. Nothing in the file is executed; a damaged file is a `ValueError`."""
        return load_model(cls, path)

    def _fit(self, X: Any, layers: Sequence[Any] | None) -> Self:
        self._check_parameters()
        graph, inputs, scaler = self._graph_and_inputs(X, layers)
        if self.n_clusters > graph.n_nodes:
            raise ValueError(f"n_clusters={self.n_clusters} is more than the {graph.n_nodes} nodes there are")
        sizes = (int(inputs.shape[1]), *self.hidden_layers, self.n_clusters)
        if self.n_clusters > sizes[-2] + 1:
            raise ValueError(
                f"n_clusters={self.n_clusters} outputs cannot be independent after a layer of {sizes[-2]} units; pass "
                f"hidden_layers={(*self.hidden_layers[:-1], self.n_clusters)}"
            )
        rng = random_generator(self.random_state)
        merged = aggregate(
            graph,
            method=self.aggregation,
            n_components=self.n_clusters,
            layer_weights=self.layer_weights,
            laplacian=self.laplacian,
            epsilon=self.epsilon,
            verbose=self.verbose,
        )
        laplacian = as_operator(merged.matrix)
        generator = torch.Generator("cpu").manual_seed(int(rng.integers(2**63 - 1)))
        network = Perceptron(sizes, generator)
        training = train(
            network,
            as_tensor(inputs, torch.float32),
            laplacian,
            learning_rate=self.learning_rate,
            max_steps=self.max_steps,
            tol=self.tol,
            verbose=self.verbose,
        )
        network.double()  # so that a node's embedding does not depend on the batch it comes in
        self._scaler, self._network = scaler, network
        outputs = self._outputs(inputs)
        to_embedding, rank = orthogonalising_map(outputs, laplacian)
        if rank < self.n_clusters:
            warn_user(
                f"the net's outputs span {rank} of {self.n_clusters} dimensions: there are too few different feature vectors "
                "for so many clusters; ask for fewer, or give more features"
            )
        self._to_embedding = to_embedding.numpy()
        self.embedding_ = outputs.numpy() @ self._to_embedding
        order = None if graph.features is None else canonical_order(graph.features)
        assigned = assign(self.embedding_, self.n_clusters, n_init=self.n_init, rng=rng, order=order)
        self.labels_ = assigned.labels
        self.cluster_centers_ = assigned.centers
        self.n_features_in_ = 0 if scaler is None else int(inputs.shape[1])
        self._n_features_out = self.n_clusters
        self.layer_names_ = graph.layer_names
        self.layer_weights_ = np.array(list(merged.info["layer_weights"].values()))
        self.aggregation_ = dict(merged.info)
        self.history_ = {"loss": np.array(training.losses)}
        self.n_steps_ = len(training.losses)
        return self

    def _check_parameters(self) -> None:
        check_integer(self.n_clusters, "n_clusters", minimum=2)
        check_choice(self.aggregation, "aggregation", AGGREGATIONS)
        check_integer(self.n_neighbors, "n_neighbors", minimum=1)
        check_number(self.learning_rate, "learning_rate", above=0)
        check_integer(self.max_steps, "max_steps", minimum=1)
        check_number(self.tol, "tol", at_least=0)
        check_integer(self.n_init, "n_init", minimum=0)
        try:
            sizes = list(self.hidden_layers)
        except TypeError:
            raise TypeError(f"hidden_layers must be a sequence of integers, got {self.hidden_layers!r}") from None
        for index, units in enumerate(sizes):
            check_integer(units, f"hidden_layers[{index}]", minimum=1)

    def _graph_and_inputs(
        self, X: Any, layers: Sequence[Any] | None
    ) -> tuple[MultilayerGraph, Features, FeatureScaler | None]:
        """Return the graph, and what the net sees: scaled features, or a sparse one-hot vector a node."""
        if isinstance(layers, MultilayerGraph) or (isinstance(X, MultilayerGraph) and layers is not None):
            raise ValueError("fit takes a MultilayerGraph alone, or features with layers=[…], not both")
        if X is None and layers is None:
            raise ValueError("fit needs a MultilayerGraph, features X, or layers=; it got none of them")
        if isinstance(X, MultilayerGraph) or X is None:
            graph = MultilayerGraph(layers) if X is None else X  # type: ignore[arg-type]
            self._take_feature_names(graph)
            if graph.features is None:
                return graph, eye_array(graph.n_nodes, format="csr"), None
            scaler = FeatureScaler.fit(graph.features, self.feature_scaling)
            return graph, scaler.transform(graph.features), scaler
        features = self._validate(X, reset=True)
        scaler = FeatureScaler.fit(features, self.feature_scaling, "X")
        inputs = scaler.transform(features)
        if layers is not None:
            return MultilayerGraph(layers, X if hasattr(X, "index") else features), inputs, scaler
        layer = knn_layer(inputs, min(self.n_neighbors, features.shape[0] - 1), name="X")
        return MultilayerGraph([layer], features, ["features"]), inputs, scaler

    def _scaled_new_features(self, X: Any) -> Features:
        check_is_fitted(self)
        if self._scaler is None:
            raise ValueError(
                "this model was fitted on layers without features, so it can place no new nodes; the labels of its own nodes "
                "are in labels_. Fit with features to predict"
            )
        if not isinstance(X, MultilayerGraph):
            return self._scaler.transform(self._validate(X, reset=False))
        if X.features is None:
            raise ValueError("the graph has no features, and new nodes are placed by their features alone")
        names = None if not hasattr(self, "feature_names_in_") else tuple(self.feature_names_in_)
        if X.features.shape[1] != self.n_features_in_ or (names and X.feature_names and names != X.feature_names):
            raise ValueError(
                f"the features of the graph ({X.features.shape[1]}) are not those that the model was fitted on "
                f"({self.n_features_in_})" + (f": {', '.join(names)}" if names else "")
            )
        return self._scaler.transform(X.features)

    def _validate(self, X: Any, reset: bool) -> Features:
        if X is None:
            raise ValueError("X is None; pass features, one row a node")
        checked = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=(np.float64, np.float32),
            ensure_all_finite=False,
            ensure_min_samples=2 if reset else 1,
        )
        return check_features(checked, "X")

    def _take_feature_names(self, graph: MultilayerGraph) -> None:
        """Do for a graph what scikit-learn's validation does for a frame."""
        if graph.feature_names is not None:
            self.feature_names_in_ = np.array(graph.feature_names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _outputs(self, inputs: Features) -> torch.Tensor:
        with torch.no_grad(), torch.autocast("cpu", enabled=False):
            return self._network(as_tensor(inputs, torch.float64))

    def _embed(self, inputs: Features) -> Array:
        return self._outputs(inputs).numpy() @ self._to_embedding

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "labels_")
