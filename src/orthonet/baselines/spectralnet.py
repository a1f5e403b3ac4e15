"""SpectralNet: a net whose outputs approximate the eigenvectors of a graph of the features, batch by batch.

    min  (1/m²) Σ_ij W_ij ‖y_i − y_j‖²   over a batch of m nodes,   y = f(x) A,   with (1/m) Σ_i y_i y_iᵀ = I on another batch

f is a perceptron that ends in tanh. The last, linear layer A is not a parameter: in an *orthogonalisation step* it is set to
√m L⁻ᵀ, L the Cholesky factor of f(X)ᵀ f(X) of one batch, and in the *gradient step* that follows it is the last layer for
another batch. W joins each node of a batch to its k nearest there (and to itself, which adds nothing), with weights
exp(−d²_ij / σ_j²), made symmetric.

As in the authors' package, the gradient also goes through A to the weights of f. The paper speaks of A as fixed there; then the
outputs shrink until they are dependent, and the next A blows the loss up (Mfeat, defaults, two seeds: NMI 0.04 and 0.02
instead of 0.89).

References
----------
.. [1] U. Shaham, K. Stanton, H. Li, B. Nadler, R. Basri, Y. Kluger, `"SpectralNet: spectral clustering using deep
       neural networks" <https://arxiv.org/abs/1801.01587>`_, ICLR 2018.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt
import torch
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted
from torch import Tensor
from torch.optim.lr_scheduler import ReduceLROnPlateau

from orthonet.baselines.inputs import as_features, as_options
from orthonet.baselines.siamese import SiameseOptions, siamese_features
from orthonet.clustering.assignment import assign, nearest_center
from orthonet.embedding.devices import choose_device, sum_dtype
from orthonet.embedding.loss import cholesky_guarded
from orthonet.embedding.networks import Perceptron
from orthonet.embedding.nodes import Batches, Nodes
from orthonet.embedding.tensors import plain_torch
from orthonet.graph.features import FeatureScaler, FeatureScaling
from orthonet.support.checks import check_choice, check_integer, check_number, random_generator
from orthonet.support.progress import Report, progress

Array = npt.NDArray[np.float64]
Affinity = Literal["knn", "siamese"]
Scale = Literal["local", "global"]

DECAY, PATIENCE, MIN_LEARNING_RATE = 0.1, 10, 1e-8
"""After so many epochs without a lower loss the rate falls to a tenth, and at the least one training ends (the authors')."""
HELD_OUT = 10
"""One in so many nodes judges the others (the authors')."""


@dataclass(frozen=True)
class SpectralNetTraining:
    """How the net is trained.

    Parameters
    ----------
    learning_rate : float, default=1e-3
        Of Adam; see the module for how it falls.
    epochs : int, default=30
        Times all nodes are seen, at most.
    batch_size : int, default=1024
        Nodes in a batch at most; at least twice ``n_clusters``.
    device : str or torch.device, default="auto"
        Where the net is trained: a GPU if there is one, else the CPU.
    """

    learning_rate: float = 1e-3
    epochs: int = 30
    batch_size: int = 1024
    device: Any = "auto"


class SpectralNet(ClusterMixin, BaseEstimator):
    """Spectral clustering of the features by a net; layers and views are accepted and ignored, for it cannot use them.

    Parameters
    ----------
    n_clusters : int, default=8
    affinity : {"knn", "siamese"} or mapping, default="knn"
        Whether W compares the features themselves, or what a Siamese net makes of them. As a mapping with options of that
        net, ``{"kind": "siamese", "n_neighbors": 2, "epochs": 30}``, see `orthonet.baselines.siamese`.
    n_neighbors : int, default=30
        k, within a batch.
    scale : {"local", "global"}, default="local"
        σ_j: the median distance of node j to its k neighbours, or one for the batch, the median distance to the
        ``scale_neighbor``-th neighbour.
    scale_neighbor : int, default=15
    hidden_layers : sequence of int, default=(1024, 1024, 512)
        Units of the hidden layers, with ReLU.
    training : mapping or SpectralNetTraining, optional
        How the net is trained, e.g. ``{"epochs": 10, "device": "cpu"}``.
    feature_scaling : {"auto", "standard", "unit", "none"}, default="auto"
        As in `OrthoNet`.
    n_init : int, default=10
        Starts of K-means on the embedding.
    random_state : int, Generator, RandomState or None, default=None
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None, the default), always or never.

    Attributes
    ----------
    labels_ : array of shape (N,)
    embedding_ : array of shape (N, K)
        YᵀY = N I.
    cluster_centers_ : array of shape (K, K)
    history_ : dict
        ``"loss"``, of shape (n_iter_,): on the nodes held out, after each epoch.
    n_iter_ : int
        Epochs.
    n_features_in_ : int

    Notes
    -----
    Defaults are those of the authors' package ``spectralnet`` 1.1, save its leaky ReLU (the paper's is plain). Here the final
    layer A comes from all nodes, not from the last batch, and ``predict`` keeps the centres of ``fit``.

    Examples
    --------
    >>> import numpy as np
    >>> from orthonet.baselines.spectralnet import SpectralNet
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0.0, 0.0], [9.0, 9.0]], 40, axis=0) + rng.standard_normal((80, 2))
    >>> model = SpectralNet(2, hidden_layers=(64, 64), random_state=0).fit(X)
    >>> len(set(model.labels_[:40])), len(set(model.labels_[40:])), bool((model.predict(X) == model.labels_).all())
    (1, 1, True)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: Affinity | Mapping[str, Any] = "knn",
        n_neighbors: int = 30,
        scale: Scale = "local",
        scale_neighbor: int = 15,
        hidden_layers: Sequence[int] = (1024, 1024, 512),
        training: SpectralNetTraining | Mapping[str, Any] | None = None,
        feature_scaling: FeatureScaling = "auto",
        n_init: int = 10,
        random_state: Any = None,
        verbose: bool | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.scale_neighbor = scale_neighbor
        self.hidden_layers = hidden_layers
        self.training = training
        self.feature_scaling = feature_scaling
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        layers: Sequence[Any] | None = None,
        views: Sequence[Any] | None = None,
    ) -> Self:
        """Train on the features ``X``, or those of a `MultilayerGraph`, and cluster the nodes."""
        features = as_features(X)
        training, siamese = self._check(features.shape[0])
        rng = random_generator(self.random_state)
        with plain_torch():
            self._scaler = FeatureScaler.fit(features, self.feature_scaling)
            nodes = self._nodes(features)
            compared: Tensor | None = None
            if siamese is not None:
                compared = siamese_features(
                    self._scaler.transform(features),
                    nodes,
                    rng,
                    n_neighbors=siamese.n_neighbors,
                    epochs=siamese.epochs,
                    verbose=self.verbose,
                )
            sizes = (features.shape[1], *self.hidden_layers, self.n_clusters)
            generator = torch.Generator().manual_seed(int(rng.integers(2**31 - 1)))
            self._network = OrthogonalNet(Perceptron(sizes, generator, "relu").to(nodes.device))
            affinities = Affinities(self.n_neighbors, self.scale, self.scale_neighbor)
            with progress("SpectralNet", training.epochs, self.verbose) as report:
                losses = train(self._network, nodes, compared, affinities, training, rng, report)
            self._network.orthogonalise(self._network.plain(nodes))
            self.embedding_ = self._network.embed(nodes)
        self.history_, self.n_iter_, self.n_features_in_ = {"loss": np.array(losses)}, len(losses), features.shape[1]
        found = assign(self.embedding_, self.n_clusters, normalize=False, n_init=self.n_init, rng=rng)
        self.labels_, self.cluster_centers_ = found.labels, found.centers
        return self

    def transform(self, X: Any) -> Array:
        """Embed nodes, new ones too, by their features."""
        check_is_fitted(self)
        features = as_features(X)
        if features.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {features.shape[1]} features, but SpectralNet was fitted on {self.n_features_in_}")
        with plain_torch():
            return self._network.embed(self._nodes(features))

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Label nodes, new ones too, by the nearest centre of ``fit``."""
        return nearest_center(self.transform(X), self.cluster_centers_, normalize=False)

    def _nodes(self, features: Any) -> Nodes:
        device = choose_device(as_options(self.training, SpectralNetTraining, "training").device)
        return Nodes(features, self._scaler.transform, slice(0, features.shape[0]), device, torch.float32)

    def _check(self, n_nodes: int) -> tuple[SpectralNetTraining, SiameseOptions | None]:
        """Return the options of the training, and of the Siamese net if there is one, once all parameters are checked."""
        check_integer(self.n_clusters, "n_clusters", minimum=2, maximum=n_nodes)
        given = dict(self.affinity) if isinstance(self.affinity, Mapping) else {"kind": self.affinity}
        kind = given.pop("kind", None)
        check_choice(kind, "affinity", get_args(Affinity))
        if given and kind == "knn":
            raise ValueError(
                f"affinity 'knn' has no option {sorted(given)[0]!r}; pass n_neighbors, scale or scale_neighbor"
            )
        check_choice(self.scale, "scale", get_args(Scale))
        for name in ("n_neighbors", "scale_neighbor", "n_init"):
            check_integer(getattr(self, name), name, minimum=1)
        for size in self.hidden_layers:
            check_integer(size, "hidden_layers", minimum=1)
        training = as_options(self.training, SpectralNetTraining, "training")
        check_integer(training.epochs, "training.epochs", minimum=1)
        # Nodes are shared out evenly, so a batch may be half as large, and needs as many nodes as there are outputs.
        check_integer(training.batch_size, "training.batch_size", minimum=2 * self.n_clusters)
        check_number(training.learning_rate, "training.learning_rate", above=0)
        if kind == "knn":
            return training, None
        siamese = as_options(given, SiameseOptions, "affinity")
        check_integer(siamese.epochs, "affinity.epochs", minimum=1)
        check_integer(siamese.n_neighbors, "affinity.n_neighbors", minimum=1, maximum=n_nodes - 2)
        return training, siamese


@dataclass
class OrthogonalNet:
    """A net that ends in tanh, and the linear layer behind it."""

    network: Perceptron
    layer: Tensor | None = None

    def __call__(self, features: Tensor) -> Tensor:
        """Return f(x) A."""
        outputs = self.outputs(features)
        return outputs if self.layer is None else outputs @ self.layer.to(outputs)

    def outputs(self, features: Tensor) -> Tensor:
        """Return f(x)."""
        return torch.tanh(self.network(features.to_dense()))

    def orthogonalise(self, outputs: Tensor) -> None:
        """Set A so that (1/m) Aᵀ f(X)ᵀ f(X) A = I for the outputs given."""
        wide = outputs.to(sum_dtype(outputs.device))
        factor = cholesky_guarded(wide.T @ wide)
        identity = torch.eye(len(factor), dtype=wide.dtype, device=wide.device)
        self.layer = len(wide) ** 0.5 * torch.linalg.solve_triangular(factor, identity, upper=False).T

    def plain(self, nodes: Nodes) -> Tensor:
        """Return f(x) of all nodes."""
        with torch.no_grad():
            return torch.cat([self.outputs(block) for block in nodes.blocks()])

    def embed(self, nodes: Nodes) -> Array:
        """Return f(x) A of all nodes, in double precision."""
        plain = self.plain(nodes).cpu().double()
        return np.asarray(plain if self.layer is None else plain @ self.layer.detach().cpu().double())


@dataclass(frozen=True)
class Affinities:
    """How a batch becomes a graph."""

    n_neighbors: int = 30
    scale: Scale = "local"
    scale_neighbor: int = 15

    def of(self, points: Tensor) -> Tensor:
        """Return W, dense and symmetric.

        Shapes
        ------
        points : (m, M); returns (m, m).
        """
        distances = torch.cdist(points, points)
        distances.fill_diagonal_(0.0)
        width = min(self.n_neighbors + 1, len(points))
        near, chosen = torch.topk(distances, width, largest=False)  # with the node itself
        if self.scale == "local":
            sigma = near.quantile(0.5, dim=1)
        else:
            sigma = near[:, min(self.scale_neighbor, width) - 1].quantile(0.5).expand(len(points))
        sigma = sigma.clamp_min(1e-7)
        weights = torch.zeros_like(distances)
        weights.scatter_(1, chosen, torch.exp(-((near / sigma[chosen]) ** 2)))
        return (weights + weights.T) / 2


def spectral_loss(affinity: Tensor, outputs: Tensor) -> Tensor:
    """Return (1/m²) Σ W_ij ‖y_i − y_j‖² = (2/m²) Tr(Yᵀ (D − W) Y).

    Shapes
    ------
    affinity : (m, m), symmetric; outputs : (m, K); returns a scalar.
    """
    rough = (affinity.sum(dim=1)[:, None] * outputs - affinity @ outputs) * outputs
    return 2 * rough.sum() / len(outputs) ** 2


def train(
    network: OrthogonalNet,
    nodes: Nodes,
    compared: Tensor | None,
    affinities: Affinities,
    training: SpectralNetTraining,
    rng: np.random.Generator,
    report: Report = lambda done, message: None,
) -> list[float]:
    """Alternate the two steps, and return the loss on the nodes held out after each epoch.

    W compares the rows of ``compared``, or the features where it is None. Where one node in ten is not more than there are
    outputs, none is held out, and the loss is that of all.
    """
    order = rng.permutation(len(nodes))
    n_held_out = len(order) // HELD_OUT
    held_out, seen = (
        (order[:n_held_out], order[n_held_out:]) if n_held_out > network.network.sizes[-1] else (order, order)
    )
    seeds = [int(rng.integers(2**31 - 1)) for _ in range(2)]
    gradient_batches, orthogonal_batches = (Batches(len(seen), training.batch_size, (seed,)) for seed in seeds)
    judges = np.array_split(held_out, -(-len(held_out) // training.batch_size))
    n_batches = -(-len(seen) // training.batch_size)
    optimiser = torch.optim.Adam(network.network.parameters(), lr=training.learning_rate)
    schedule = ReduceLROnPlateau(optimiser, factor=DECAY, patience=PATIENCE)
    losses: list[float] = []

    def graph(chosen: npt.NDArray[np.intp], features: Tensor) -> Tensor:
        return affinities.of(features.to_dense() if compared is None else compared[torch.from_numpy(chosen)])

    for epoch in range(training.epochs):
        for step in range(epoch * n_batches, (epoch + 1) * n_batches):
            network.orthogonalise(network.outputs(nodes.batch(seen[orthogonal_batches.at(step)])))
            chosen = seen[gradient_batches.at(step)]
            features = nodes.batch(chosen)
            optimiser.zero_grad()
            spectral_loss(graph(chosen, features), network(features)).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        with torch.no_grad():
            judged = [(chosen, nodes.batch(chosen)) for chosen in judges]
            losses.append(float(np.mean([float(spectral_loss(graph(*one), network(one[1]))) for one in judged])))
        schedule.step(losses[-1])
        report(epoch + 1, f"loss {losses[-1]:.4g}")
        if optimiser.param_groups[0]["lr"] <= MIN_LEARNING_RATE:
            break
    return losses
