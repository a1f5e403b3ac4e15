"""`OrthoNet`: layers and features in, clusters, an embedding and a map for new nodes out.

What happens in a fit is, in order, in `orthonet.clustering.fit`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import torch
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from orthonet.clustering.display import ModelDisplay
from orthonet.clustering.fit import fit
from orthonet.clustering.inputs import fit_input, new_nodes, validated
from orthonet.clustering.net_options import Network, Training
from orthonet.clustering.numerics import check_epsilon, factorising
from orthonet.clustering.parameters import (
    OPTION_GROUPS,
    AssignmentMethod,
    LabelAssignment,
    check_parameters,
    with_option,
)
from orthonet.clustering.persistence import load_model, save_model
from orthonet.clustering.prediction import probabilities_of
from orthonet.clustering.result import FitResult
from orthonet.clustering.shards import fit_shards
from orthonet.embedding.devices import threads
from orthonet.embedding.networks import NetworkKind
from orthonet.embedding.processes import joined
from orthonet.embedding.tensors import plain_torch
from orthonet.files.shards import Shards
from orthonet.graph.features import FeatureScaling
from orthonet.graph.laplacian import LaplacianKind

Array = npt.NDArray[np.float64]


class OrthoNet(ModelDisplay, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Cluster the nodes of a multilayer network by its layers and their features together.

    The layers are aggregated into one Laplacian, and a neural net learns to map the features to its lowest eigenvectors. That
    embedding and cheaper methods propose clusters; the ones that all layers and features support are chosen. New nodes are
    placed from their features, and their edges if there are some.

    Parameters
    ----------
    n_clusters : int, "auto" or pair of int, default=8
        Number of clusters K, and of outputs of the net; "auto" chooses it (`orthonet.evidence.cluster_numbers`), a pair such as
        ``(2, 12)`` chooses among these.
    aggregation : str or mapping, default="geometric"
        How the layers are aggregated, see `orthonet.aggregate`; with options as in
        ``{"method": "power", "p": -10, "solver": "exact"}``.
    laplacian : {"joint", "normalized", "combinatorial"}, default="joint"
        Which Laplacian of each layer, see `orthonet.graph.laplacian`.
    epsilon : float, default=1e-3
        Shift that makes the Laplacians positive definite.
    layer_weights : "auto", sequence of S numbers >= 0 or None, default="auto"
        How much each layer counts: as far as the other layers and the features corroborate it, see
        `orthonet.evidence.corroboration`; as given; or all alike (None). Two-mode relations count as layers, after the others.
    n_neighbors : int, default=10
        Neighbours in the layer that is built from the features (all other nodes if they are fewer).
    feature_layer : float or "auto", default="auto"
        Weight, among all layers, of a nearest-neighbour layer of all features together; beside relations it is built from
        features that were averaged twice over the mean graph. "auto" is 0.5 beside relations; beside layers that were made
        from the features (`MultilayerGraph.layers_from_features`) 0.2 for dense and 0 for sparse ones; 0 for memory maps.
        ``fit(X)`` without layers has that layer alone.
    feature_scaling : {"auto", "standard", "unit", "none"}, default="auto"
        "auto" standardises dense features and scales the rows of sparse ones to unit length.
    smoothing : int, default=0
        How often the features are averaged over the mean graph before anything else, see `orthonet.graph.smoothing`. New nodes
        then need their edges too: pass them as a graph.
    network : {"mlp", "linear", "gcn"}, mapping or torch.nn.Module, default="mlp"
        The map from features to outputs, with options as in ``{"kind": "mlp", "hidden_layers": (50,), "activation": "relu"}``,
        see `orthonet.clustering.net_options.Network`; or a module of your own with ``n_clusters`` outputs, of which a copy is
        trained.
    training : mapping or Training, optional
        How the nets are trained, as in ``{"max_iter": 500, "n_networks": 1, "device": "cpu"}``. The options are
        ``learning_rate``, ``max_iter``, ``tol``, ``batch_size``, ``output_layer``, ``n_networks``, ``device``, ``dtype``,
        ``n_jobs``, ``checkpoint_dir`` and ``distributed``, see `orthonet.clustering.net_options.Training`.
    assign_labels : {"evidence", "kmeans", "cluster_qr", "discretize"} or mapping, default="evidence"
        How clusters are found: by what all layers and features support (`orthonet.evidence`), or in the embedding alone
        (`orthonet.clustering.assignment`); with options as in ``{"method": "kmeans", "n_init": 50, "normalize_rows": False}``.
        ``assign_labels="kmeans", layer_weights=None`` is the paper's way.
    random_state : int, Generator, RandomState or None, default=None
        Seed of all random draws. The global random states of NumPy and torch are neither used nor
        changed.
    verbose : bool, optional
        Progress bars: after two seconds on a terminal (None, the default), always or never.

    Attributes
    ----------
    labels_ : array of shape (N,)
        Cluster of each node; cluster 0 is the largest.
    embedding_ : array of shape (N, K)
        Orthonormal columns, in the order of rising eigenvalues.
    cluster_centers_ : array of shape (K, K)
        Centres of the clusters among the rows of the embedding, scaled to unit length unless ``normalize_rows`` is False.
    spread_ : array of shape ()
        Mean squared distance of these rows to their centres.
    n_clusters_ : int
        Number of clusters.
    cluster_numbers_ : ClusterNumbers or None
        How that number was chosen: worth, stability and votes of each, which it prints as a table; None if it was given.
    probabilities_ : array of shape (N, K)
        Of the clusters of each node, largest at its label: by evidence, tempered so that of the nodes given 0.9 about nine in
        ten keep their cluster when the data is resampled; else by the distances to the centres.
    confidence_ : array of shape (N,)
        Probability of each node's own label.
    stability_ : array of shape ()
        Share of nodes that keep their cluster when the data is resampled; 1 where that was not tried.
    source_names_ : tuple of str
        Of the sources of evidence: the layers, the two-mode relations, and words or features that speak for themselves.
    evidence_ : array of shape (N, len(source_names_))
        What each source says for a node's own cluster against its runner-up, in nats.
    corroboration_ : array of shape (len(source_names_),)
        How far the partition found from the other sources explains each, 0 to 1.
    edge_evidence_ : array of shape (S, K, K)
        What an edge of weight 1 to a node of cluster b says for cluster a, in nats, in each given layer.
    membership_evidence_ : array of shape (K, groups)
        What one independent membership in a group says for each cluster, in nats; the groups of all two-mode relations side by
        side. With the next three it places new nodes by their memberships.
    group_rarity_ : array of shape (groups,)
        How much a membership in a group counts beside others, by its inverse document frequency; 0 in groups of one.
    group_closure_ : array of shape (two-mode relations,)
        How far memberships of a node repeat each other, see `orthonet.evidence.observations`.
    group_counts_ : array of shape (two-mode relations,)
        Number of groups of each relation.
    temperature_ : array of shape ()
        Nats of evidence that count as one.
    layer_names_ : tuple of str
        Of the layers that were aggregated: the given ones, one per two-mode relation, and the features' own if one was built.
    layer_weights_ : array of shape (len(layer_names_),)
        The weight that each of these layers was aggregated with, summing to 1. ``aggregation="convex"`` chooses them.
    aggregation_ : dict
        What the aggregation reports: method, solver, convergence, seconds.
    history_ : dict
        ``"loss"``: the loss before each training step, mean over the nets; ``"turn"``: how far the embedding turned, every 20
        steps; ``"agreement"``: how far the nets agree in the end, at most 1; ``"bytes_per_step"``: what a process sends.
    n_iter_ : int
        Training steps taken.
    complete_ : bool
        False if training was stopped by Ctrl-C.
    node_ids_ : array of shape (N,)
        Ids of the nodes.
    n_features_in_ : int
        Number of features; 0 if fitted on layers alone.
    feature_names_in_ : array of str
        Only if the features came with names.

    See Also
    --------
    orthonet.aggregate : The aggregated Laplacian alone.
    orthonet.baselines.SpectralClustering : The same without a net.
    orthonet.baselines.SpectralNet : A net for one graph of the features.

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

    labels_: npt.NDArray[np.int64]
    embedding_: Array
    cluster_centers_: Array
    spread_: Array
    probabilities_: Array
    layer_weights_: Array
    evidence_: Array
    corroboration_: Array

    def __init__(
        self,
        n_clusters: int | Literal["auto"] | tuple[int, int] = 8,
        *,
        aggregation: str | Mapping[str, Any] = "geometric",
        laplacian: LaplacianKind = "joint",
        epsilon: float = 1e-3,
        layer_weights: npt.ArrayLike | Literal["auto"] | None = "auto",
        n_neighbors: int = 10,
        feature_layer: float | Literal["auto"] = "auto",
        feature_scaling: FeatureScaling = "auto",
        smoothing: int = 0,
        network: NetworkKind | Mapping[str, Any] | Network | torch.nn.Module = "mlp",
        training: Mapping[str, Any] | Training | None = None,
        assign_labels: AssignmentMethod | Mapping[str, Any] | LabelAssignment = "evidence",
        random_state: Any = None,
        verbose: bool | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.aggregation = aggregation
        self.laplacian = laplacian
        self.epsilon = epsilon
        self.layer_weights = layer_weights
        self.n_neighbors = n_neighbors
        self.feature_layer = feature_layer
        self.feature_scaling = feature_scaling
        self.smoothing = smoothing
        self.network = network
        self.training = training
        self.assign_labels = assign_labels
        self.random_state = random_state
        self.verbose = verbose

    def set_params(self, **params: Any) -> Self:
        """Set parameters; two underscores lead to an option of one of them: ``training__max_iter=50``."""
        whole: dict[str, Any] = {}
        for name, value in params.items():
            group, _, option = name.partition("__")
            if option and group in OPTION_GROUPS:
                whole[group] = with_option(whole.get(group, getattr(self, group)), group, option, value)
            else:
                whole[name] = value
        super().set_params(**whole)
        return self

    def fit(self, X: Any, y: Any = None, *, layers: Sequence[Any] | None = None) -> Self:
        """Learn clusters and embedding.

        Parameters
        ----------
        X : MultilayerGraph, or features of shape (N, M), or None
            A graph; or features, from which one nearest-neighbour layer is built if there are no ``layers``; or None
            with ``layers`` alone, where each node then has a one-hot vector for features. A list of N x N matrices, a
            graph of networkx, igraph or PyTorch Geometric, an AnnData and a MuData are graphs too, see
            `orthonet.graph.convert.recognition.graph_of`. Two-mode relations are given in a graph; without features the nets
            see the leading singular vectors of the memberships. `orthonet.files.Shards` are a graph in files, of which each
            process reads its own rows.
        y : ignored
            For scikit-learn.
        layers : sequence of S matrices of shape (N, N), optional
            Edge weights, see `MultilayerGraph`.

        Returns
        -------
        self
        """
        parameters = check_parameters(self.get_params(deep=False))
        check_epsilon(parameters.epsilon)
        before = dict(self.__dict__)
        try:
            source = fit_input(X, layers, partial(validated, self, reset=True))
            training = parameters.training
            with (
                plain_torch(),
                factorising(),
                joined(training.distributed) as processes,
                threads(training.n_jobs, source.n_nodes),
            ):
                if isinstance(source.data, Shards):
                    return self._install(fit_shards(source.data, parameters, processes))
                return self._install(fit(source, parameters, processes))
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
            Features, which may be a memory map; of a graph only its features are used, unless the model averages over
            neighbours (``smoothing``, ``network="gcn"``).

        Returns
        -------
        array of shape (N, K)
        """
        check_is_fitted(self)
        return new_nodes(X, self._result, partial(validated, self, reset=False)).embedding(self._result.embedder)

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Label nodes, known or new: by features alone, or in a graph by edges to known nodes and memberships too.

        Parameters
        ----------
        X : array or sparse array of shape (N, M), MultilayerGraph, or what else `fit` takes for a graph
            Features; or a graph, in which nodes that the model knows, by their ids, count as neighbours. Where the model's
            nodes have no ids but their numbers, the graph must begin with all of them. Memberships count in groups that the
            model knows, by their names, or by their columns where they have none.

        Returns
        -------
        array of shape (N,)
        """
        return self.predict_proba(X).argmax(axis=1).astype(np.int64)

    def predict_proba(self, X: Any) -> Array:
        """Return for each node and cluster how probable it is that the node belongs there; `predict` names the largest.

        Parameters
        ----------
        X : array or sparse array of shape (N, M), or MultilayerGraph
            See `predict`.

        Returns
        -------
        array of shape (N, K)
            Rows sum to 1.
        """
        check_is_fitted(self)
        return probabilities_of(X, self._result, partial(validated, self, reset=False))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model into the folder ``path``: ``model.json`` and a safetensors file, nothing executable.

        A model that is already there is replaced in one step; any other folder that is not empty is an error.
        """
        check_is_fitted(self)
        save_model(self._result, self.get_params(deep=False), path)

    @classmethod
    def load(cls, path: str | PathLike[str], *, network: torch.nn.Module | None = None) -> Self:
        """Read a model that `save` wrote. Nothing in the file is executed; a damaged file is a `ValueError`.

        A model with a net of your own needs a module of the same form, into which its weights are put.
        """
        parameters, result = load_model(path, network)
        return cls(**parameters)._install(result)

    def _install(self, result: FitResult) -> Self:
        """Show what a fit found, now or in a file, as fitted attributes."""
        self._result = result
        for name, array in result.arrays.items():
            setattr(self, f"{name}_", array)
        self.confidence_ = result.confidence
        self.layer_names_ = result.layer_names
        self.source_names_ = result.source_names
        self.n_clusters_ = result.n_clusters
        self.cluster_numbers_ = result.numbers
        self.node_ids_ = result.node_ids
        self.aggregation_ = dict(result.aggregation)
        self.history_ = dict(result.history)
        self.n_iter_ = result.n_iter
        self.complete_ = result.complete
        self.n_features_in_ = result.n_features
        self._n_features_out = result.n_clusters
        if result.feature_names is not None:
            self.feature_names_in_ = np.array(result.feature_names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "labels_")
