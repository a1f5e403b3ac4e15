"""`OrthoNet`: layers and features in, groups, an embedding and a function for new nodes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt
import torch
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from orthonet.clustering.assignment import (
    SAMPLE,
    Assignment,
    AssignmentMethod,
    assign,
    canonical_order,
    nearest_center,
    soft_assignment,
)
from orthonet.clustering.persistence import load_model, save_model
from orthonet.clustering.plot import plot_embedding, plot_history
from orthonet.clustering.settings import batch_size_of, check_settings, merged_laplacian, new_network, open_checkpoints
from orthonet.clustering.summary import model_html
from orthonet.clustering.task import FitTask
from orthonet.embedding.devices import choose_device, choose_dtype, sum_dtype, threads
from orthonet.embedding.embedder import Embedder
from orthonet.embedding.laplacians import laplacian_rows
from orthonet.embedding.networks import NetworkKind
from orthonet.embedding.nodes import Nodes
from orthonet.embedding.orthogonal import embedding_map
from orthonet.embedding.processes import Processes, joined
from orthonet.embedding.tensors import as_tensor, plain_torch
from orthonet.embedding.training import train
from orthonet.graph.features import Features, FeatureScaling, check_features, is_float_map, spooled
from orthonet.graph.laplacian import LaplacianKind
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.smoothing import averaging_matrix, smooth
from orthonet.support.checks import check_weights, random_generator
from orthonet.support.warn import warn_user

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        Neighbours in the layer that is built from the features (all other nodes if they are fewer).
    feature_layer : float or "auto", default="auto"
        Weight, among all layers, of a nearest-neighbour layer of all features together. "auto" is 0.5 beside relations,
        and there the layer is built from features that were averaged twice over the mean graph; beside layers that were
        made from the features (`MultilayerGraph.layers_from_features`) 0.2 for dense and 0 for sparse ones; 0 for memory
        maps. ``fit(X)`` without layers has that layer alone.
    feature_scaling : {"auto", "standard", "unit", "none"}, default="auto"
        "auto" standardises dense features and scales the rows of sparse ones to unit length.
    smoothing : int, default=0
        How often the features are averaged over the mean graph before anything else, see `orthonet.graph.smoothing`. New nodes
        then need their edges too: pass them as a graph.
    network : {"mlp", "linear", "gcn"} or torch.nn.Module, default="mlp"
        The map from features to outputs, see `orthonet.embedding.networks`; or a module of your own with ``n_clusters``
        outputs, of which a copy is trained.
    hidden_layers : sequence of int, default=(400, 200, 100)
        Units of the hidden layers of the net.
    activation : {"prelu", "relu", "gelu", "silu", "tanh"}, default="prelu"
        Between the layers.
    learning_rate : float, default=1e-3
        Of AMSGrad.
    max_steps : int, default=200
        Training steps at most. More bring the embedding closer to the eigenvectors of the merged Laplacian, which is not
        always better: the net's own smoothness over the features is half of what the method knows.
    tol : float, default=5e-3
        Training stops early when the embedding turned by less than this in 20 steps (1 − mean squared cosine).
    batch_size : int, "auto" or None, default="auto"
        Nodes a step. None takes all; "auto" takes all up to 50,000 nodes, and 4096 of more.
    n_init : int, default=3
        Nets trained side by side from different initial weights. Their embeddings are merged by what they agree on, see
        `orthonet.embedding.orthogonal`; a module of your own is trained once.
    assign_labels : {"kmeans", "cluster_qr", "discretize"}, default="kmeans"
        How the embedding is cut into groups, see `orthonet.clustering.assignment`.
    normalize_rows : bool, default=True
        Whether the rows of the embedding are scaled to unit length for that.
    device : str, default="auto"
        Where the nets are trained: a CUDA GPU if there is one, else the CPU; or "cpu", "cuda", "cuda:1", "mps".
    dtype : {"float32", "float64"}, default="float32"
        Of the nets while they are trained.
    n_jobs : int, optional
        Threads of torch; -1 for all cores.
    checkpoint_dir : path, optional
        Folder in which the state of training is kept. A fit that was killed goes on from there, and ends as if it had not been.
    distributed : bool, default=False
        Train with all processes that ``torchrun`` started; each passes the same graph to ``fit``.
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
        ``"loss"``: the loss before each training step, mean over the nets; ``"turn"``: how far the embedding turned, every 20
        steps; ``"agreement"``: how far the nets agree in the end, at most 1; ``"bytes_per_step"``: what a process sends.
    n_steps_ : int
        Training steps taken.
    complete_ : bool
        False if training was stopped by Ctrl-C.
    probabilities_ : array of shape (N, K)
        Soft assignment; ``labels_`` are where it is largest.
    confidence_ : array of shape (N,)
        Probability of each node's own label.
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
        feature_layer: float | Literal["auto"] = "auto",
        feature_scaling: FeatureScaling = "auto",
        smoothing: int = 0,
        network: NetworkKind | torch.nn.Module = "mlp",
        hidden_layers: Sequence[int] = (400, 200, 100),
        activation: str = "prelu",
        learning_rate: float = 1e-3,
        max_steps: int = 200,
        tol: float = 5e-3,
        batch_size: int | Literal["auto"] | None = "auto",
        n_init: int = 3,
        assign_labels: AssignmentMethod = "kmeans",
        normalize_rows: bool = True,
        device: str = "auto",
        dtype: Literal["float32", "float64"] = "float32",
        n_jobs: int | None = None,
        checkpoint_dir: str | PathLike[str] | None = None,
        distributed: bool = False,
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
        self.hidden_layers = hidden_layers
        self.activation = activation
        self.learning_rate = learning_rate
        self.max_steps = max_steps
        self.tol = tol
        self.batch_size = batch_size
        self.n_init = n_init
        self.assign_labels = assign_labels
        self.normalize_rows = normalize_rows
        self.device = device
        self.dtype = dtype
        self.n_jobs = n_jobs
        self.checkpoint_dir = checkpoint_dir
        self.distributed = distributed
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
            with plain_torch(), joined(self.distributed) as processes, threads(self.n_jobs):
                return self._fit(X, layers, processes)
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
        features, averaging = self._new_nodes(X)
        scaler = self._embedder.scaler
        if not self.smoothing or scaler is None:
            return self._embedder.embed(features, averaging)
        return self._embedder.embed(smooth(features, scaler, averaging, self.smoothing), averaging, scaled=True)

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
        return nearest_center(self.transform(X), self.cluster_centers_, self.normalize_rows)

    def predict_probabilities(self, X: Any) -> Array:
        """Return for each node and group how probable it is that the node belongs there; `predict` names the largest.

        Parameters
        ----------
        X : array or sparse array of shape (N, M), or MultilayerGraph
            See `transform`.

        Returns
        -------
        array of shape (N, K)
            Rows sum to 1.
        """
        return soft_assignment(self.transform(X), self.cluster_centers_, self._spread, self.normalize_rows)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model into the folder ``path``: ``model.json`` and a safetensors file, nothing executable.

        A model that is already there is replaced in one step; any other folder that is not empty is an error.
        """
        check_is_fitted(self)
        save_model(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str], *, network: torch.nn.Module | None = None) -> Self:
        """Read a model that `save` wrote. Nothing in the file is executed; a damaged file is a `ValueError`.

        A model with a net of your own needs a module of the same form, into which its weights are put.
        """
        return load_model(cls, path, network)

    def plot_embedding(
        self, color: Any = "cluster", *, ax: Axes | None = None, legend: bool = True, max_points: int = 30_000
    ) -> Axes:
        """Draw the nodes in the plane: the unit rows of the embedding, flattened. Needs ``orthonet[plot]``.

        Up to 3 clusters the rows are drawn by their principal components, else by t-SNE; above 5000 points by principal
        components again, as t-SNE would take minutes.

        Parameters
        ----------
        color : "cluster", "confidence", or N values, default="cluster"
            What a point's colour says. Floats are drawn with a colour bar over their middle 98 %, NaN in grey. Strings, truth
            values and up to 100 different integers are groups: ten colours, then ten symbols, tell them apart.
        ax : matplotlib Axes, optional
            Where to draw; a new pyplot figure by default, which a notebook shows.
        legend : bool, default=True
            Whether a legend beside the picture names the groups and counts their nodes (more than 20 are named where they
            lie), or a colour bar tells the values.
        max_points : int, default=30_000
            With more nodes, a random sample of so many is drawn, and the title says so. 5000 gives t-SNE for any graph.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import matplotlib.figure
        >>> from orthonet import OrthoNet, datasets
        >>> data = datasets.make_multilayer_gaussians(n_nodes=90, n_clusters=3, random_state=0)
        >>> model = OrthoNet(3, max_steps=20, random_state=0).fit(data.graph)
        >>> left, right = matplotlib.figure.Figure(layout="constrained").subplots(1, 2)
        >>> model.plot_embedding(ax=left).get_title()
        '90 nodes in 3 clusters'
        >>> model.plot_embedding("confidence", ax=right) is right
        True
        """
        check_is_fitted(self)
        return plot_embedding(self, color, ax=ax, legend=legend, max_points=max_points)

    def plot_history(self, *, ax: Axes | None = None) -> Axes:
        """Draw the loss of each training step, and how far the embedding turned; the title says why training ended.

        The turn has a scale of its own on the right; training stops below the dotted line, which is ``tol``.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new pyplot figure by default, which a notebook shows.

        Returns
        -------
        matplotlib Axes
        """
        check_is_fitted(self)
        return plot_history(self, ax=ax)

    def _fit(self, X: Any, layers: Sequence[Any] | None, processes: Processes) -> Self:
        check_settings(self)
        task = self._task(X, layers)
        graph, k = task.graph, int(self.n_clusters)
        if k > graph.n_nodes:
            raise ValueError(f"n_clusters={k} is more than the {graph.n_nodes} nodes there are")
        if processes.size > graph.n_nodes:
            raise ValueError(f"{processes.size} processes are more than the {graph.n_nodes} nodes they would share")
        device = choose_device(self.device)
        dtype = choose_dtype(self.dtype, device)
        rng = random_generator(processes.from_first(int(random_generator(self.random_state).integers(2**63 - 1))))
        seed = int(rng.integers(2**63 - 1))
        network = new_network(self, task, torch.Generator("cpu").manual_seed(seed))
        checkpoints = (
            open_checkpoints(self, task, seed) if processes.first and self.checkpoint_dir is not None else None
        )
        batch_size = batch_size_of(self, graph.n_nodes, processes)
        matrix, info = (
            merged_laplacian(self, task, checkpoints, batch_size is not None, seed) if processes.first else (None, {})
        )
        rows = laplacian_rows(matrix, processes, graph.n_nodes, device, sum_dtype(device))
        neighbours = None if task.averaging is None else as_tensor(task.averaging, dtype).to(device)
        network.to(device=device, dtype=dtype).use_graph(neighbours)
        nodes = Nodes(task.inputs, task.scale, processes.share(graph.n_nodes), device, dtype)
        training = train(
            network,
            nodes,
            rows,
            k,
            learning_rate=self.learning_rate,
            max_steps=self.max_steps,
            tol=self.tol,
            batch_size=batch_size,
            seed=seed % 2**31,
            processes=processes,
            checkpoints=checkpoints,
            verbose=self.verbose,
        )
        network.use_graph(None)
        self._embedder = Embedder(network, task.scaler, k)
        outputs = self._embedder.outputs(nodes, task.averaging)
        found = embedding_map(outputs, rows, k, processes)
        if found.rank < k:
            warn_user(
                f"the net's outputs span {found.rank} of {k} dimensions: there are too few different feature vectors "
                "for so many clusters; ask for fewer, or give more features"
            )
        self._embedder.to_embedding = found.matrix.numpy()
        embedding = processes.gather(outputs @ found.matrix, graph.n_nodes).numpy()
        assigned = processes.from_first(self._assigned(embedding, graph, rng) if processes.first else None)
        self.embedding_, self.labels_, self.cluster_centers_ = embedding, assigned.labels, assigned.centers
        self._spread = assigned.spread
        self.probabilities_ = soft_assignment(embedding, assigned.centers, assigned.spread, self.normalize_rows)
        self.confidence_ = self.probabilities_.max(axis=1)
        self.n_features_in_ = 0 if task.scaler is None else int(task.inputs.shape[1])
        self._n_features_out = k
        self.layer_names_ = graph.layer_names
        self.aggregation_ = processes.from_first(info)
        self.layer_weights_ = check_weights(self.layer_weights, graph.n_layers)
        if self.aggregation == "convex":  # which chooses its own
            chosen = np.array([self.aggregation_["layer_weights"][name] for name in graph.layer_names])
            self.layer_weights_ = chosen / chosen.sum()
        self.history_ = {
            "loss": np.array(training.losses),
            "turn": np.array(training.turns),
            "agreement": np.array(found.agreement),
            "bytes_per_step": np.array(training.bytes_per_step),
        }
        self.n_steps_ = len(training.losses)
        self.complete_ = not training.interrupted
        if training.interrupted:
            warn_user(
                f"training was interrupted after {self.n_steps_} of {self.max_steps} steps; the model is incomplete"
            )
        return self

    def _assigned(self, embedding: Array, graph: MultilayerGraph, rng: np.random.Generator) -> Assignment:
        few = graph.features is not None and graph.n_nodes <= SAMPLE
        return assign(
            embedding,
            self.n_clusters,
            method=self.assign_labels,
            normalize=self.normalize_rows,
            rng=rng,
            order=canonical_order(graph.features) if few and graph.features is not None else None,
        )

    def _task(self, X: Any, layers: Sequence[Any] | None) -> FitTask:
        """Return what is to be merged, and what the nets see."""
        if isinstance(layers, MultilayerGraph) or (isinstance(X, MultilayerGraph) and layers is not None):
            raise ValueError("fit takes a MultilayerGraph alone, or features with layers=[…], not both")
        if X is None and layers is None:
            raise ValueError("fit needs a MultilayerGraph, features X, or layers=; it got none of them")
        options: dict[str, Any] = {
            "scaling": self.feature_scaling,
            "smoothing": self.smoothing,
            "n_neighbors": self.n_neighbors,
            "share": self.feature_layer,
            "layer_weights": self.layer_weights,
            "averaging": self.network == "gcn",
        }
        if isinstance(X, MultilayerGraph) or X is None:
            graph = MultilayerGraph(layers) if X is None else X  # type: ignore[arg-type]
            self._take_feature_names(graph)
            return FitTask.of(graph, "features", **options)
        features = self._validate(X, reset=True)
        if layers is not None:
            return FitTask.of(MultilayerGraph(layers, X if hasattr(X, "index") else features), "X", **options)
        return FitTask.of_features(features, **options)

    def _new_nodes(self, X: Any) -> tuple[Features, Any]:
        """Return the features of nodes to embed, and the matrix that averages over their neighbours, if one is needed."""
        check_is_fitted(self)
        if self._embedder.scaler is None:
            raise ValueError(
                "this model was fitted on layers without features, so it can place no new nodes; the labels of its own nodes "
                "are in labels_. Fit with features to predict"
            )
        averages = self.smoothing > 0 or self._embedder.needs_graph
        if not isinstance(X, MultilayerGraph):
            if averages:
                raise ValueError(
                    "this model averages features over neighbours (smoothing or network='gcn'), so it needs their edges; pass "
                    "a MultilayerGraph"
                )
            return self._validate(X, reset=False), None
        if X.features is None:
            raise ValueError("the graph has no features, and new nodes are placed by their features alone")
        names = None if not hasattr(self, "feature_names_in_") else tuple(self.feature_names_in_)
        if X.features.shape[1] != self.n_features_in_ or (names and X.feature_names and names != X.feature_names):
            raise ValueError(
                f"the features of the graph ({X.features.shape[1]}) are not those that the model was fitted on "
                f"({self.n_features_in_})" + (f": {', '.join(names)}" if names else "")
            )
        weights = self.layer_weights if X.n_layers == len(self.layer_names_) else None
        return X.features, averaging_matrix(X, weights) if averages else None

    def _validate(self, X: Any, reset: bool) -> Features:
        if X is None:
            raise ValueError("X is None; pass features, one row a node")
        if hasattr(X, "__next__"):
            X = spooled(X, "X")
        if is_float_map(X):  # scikit-learn's validation would make a plain array of it
            validate_data(self, X, reset=reset, skip_check_array=True)
            return check_features(X, "X")
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    @property
    def _repr_html_(self) -> Callable[[], str]:
        """What it found; scikit-learn's diagram before `fit`, and nothing where its settings ask for text."""
        diagram: Callable[[], str] = super()._repr_html_
        return (lambda: model_html(self)) if self.__sklearn_is_fitted__() else diagram

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)
        return bundle | {"text/html": self._repr_html_()} if "text/html" in bundle else bundle

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "labels_")
