"""Pictures: the layers as they come, the embedding that was learnt, the regions that new nodes would fall into.

Every function returns a matplotlib figure and touches neither pyplot nor its global state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from sklearn.metrics.cluster import contingency_matrix

from orthonet.clustering.assignment import unit_rows
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.optional import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from orthonet.clustering.estimator import OrthoNet

# Paul Tol's "muted" scheme: ten colours that the colour-blind can tell apart.
MUTED = (
    "#332288",
    "#DDCC77",
    "#117733",
    "#CC6677",
    "#88CCEE",
    "#AA4499",
    "#44AA99",
    "#882255",
    "#999933",
    "#BBBBBB",
)
NEUTRAL = "#555555"
MAX_EDGES_DRAWN = 4000
TSNE_UP_TO = 5000
"""Nodes up to which more than three dimensions are flattened by t-SNE, which takes some seconds there."""


def draw_layers(
    graph: MultilayerGraph, positions: Sequence[npt.NDArray[np.float64]], labels: npt.NDArray[Any], title: str
) -> Figure:
    """Draw each layer at the given 2-D positions, with its edges, coloured by class (the paper's Figure 4)."""
    figure = new_figure(3.2 * graph.n_layers, 3.6)
    axes = figure.subplots(1, graph.n_layers, squeeze=False)[0]
    for axis, layer, where, name in zip(axes, graph.layers, positions, graph.layer_names, strict=True):
        _draw_edges(axis, layer, where)
        _draw_points(axis, where, labels)
        axis.set_title(name, fontsize=10)
    figure.suptitle(title, fontsize=11)
    return figure


def draw_embedding(
    embedding: npt.NDArray[np.float64], labels: npt.NDArray[Any], found: npt.NDArray[Any], title: str
) -> Figure:
    """Draw the unit rows of an embedding, coloured by class and by found cluster, matching ones in the same colour."""
    flat = flatten(unit_rows(embedding))
    figure = new_figure(8, 4.2)
    left, right = figure.subplots(1, 2)
    for axis, colours, name in (
        (left, labels, "reference classes"),
        (right, _matched(found, labels), "clusters found"),
    ):
        _draw_points(axis, flat, colours)
        axis.set_title(name, fontsize=10)
    figure.suptitle(title, fontsize=11)
    return figure


def draw_overview(graph: MultilayerGraph, model: OrthoNet) -> Figure:
    """Draw features, graph, embedding, clusters and decision regions of a one-layer graph with 2 features (Figure 1)."""
    features = np.asarray(graph.features)
    if features.shape[1] != 2:
        raise ValueError(f"an overview draws the plane of 2 features, got {features.shape[1]}")
    figure = new_figure(15, 3.4)
    plain, edges, embedded, clustered, regions = figure.subplots(1, 5)
    flat = flatten(unit_rows(model.embedding_))
    _draw_points(plain, features)
    _draw_edges(edges, graph.layers[0], features)
    _draw_points(edges, features)
    _draw_points(embedded, flat)
    _draw_points(clustered, flat, model.labels_)
    centres = np.array([flat[model.labels_ == k].mean(axis=0) for k in np.unique(model.labels_)])
    clustered.plot(*centres.T, "*", color="black", markersize=14, markeredgecolor="white")
    _draw_regions(regions, features, model)
    _draw_points(regions, features, model.labels_)
    titles = (
        "features",
        "graph",
        "learnt embedding",
        "K-means on it (stars: centres)",
        "where new nodes would fall",
    )
    for axis, title in zip((plain, edges, embedded, clustered, regions), titles, strict=True):
        axis.set_title(title, fontsize=10)
    return figure


def flatten(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return points of any dimension in the plane: principal components up to three dimensions, else t-SNE."""
    n_points, n_dims = points.shape
    if n_dims == 1:
        return np.hstack([points, np.zeros_like(points)])
    principal: npt.NDArray[np.float64] = PCA(2, svd_solver="full").fit_transform(points)
    if n_dims <= 3 or not 10 < n_points <= TSNE_UP_TO:
        return principal
    perplexity = min(30.0, (n_points - 1) / 3)
    flat: npt.NDArray[np.float64] = TSNE(perplexity=perplexity, init="pca", random_state=0).fit_transform(points)
    return flat


def new_figure(width: float, height: float) -> Figure:
    """Return an empty matplotlib figure that belongs to nobody else."""
    figure_module = require("matplotlib.figure", extra="plot", purpose="drawing")
    figure: Figure = figure_module.Figure(figsize=(width, height), layout="constrained", dpi=110)
    return figure


def _colours(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    codes = np.unique(labels, return_inverse=True)[1]
    if codes.max(initial=0) < len(MUTED):
        return np.array(MUTED)[codes]
    colormap = require("matplotlib", extra="plot", purpose="drawing").colormaps["turbo"]
    # Neighbouring labels get distant hues: the golden ratio steps around the colour map.
    return np.asarray(colormap((codes * 0.618034) % 1.0))


def _matched(found: npt.NDArray[Any], labels: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Rename found clusters to the position of the class they share most nodes with, one to one."""
    counts = contingency_matrix(labels, found)
    classes, clusters = linear_sum_assignment(counts, maximize=True)
    names = np.arange(counts.shape[0], counts.shape[0] + counts.shape[1])  # clusters without a class
    names[clusters] = classes
    return np.asarray(names[np.unique(found, return_inverse=True)[1]])


def _draw_points(axis: Axes, where: npt.NDArray[np.float64], labels: npt.NDArray[Any] | None = None) -> None:
    size = float(np.clip(3000 / len(where), 2, 14))
    axis.scatter(
        where[:, 0], where[:, 1], s=size, c=NEUTRAL if labels is None else _colours(labels), linewidths=0, zorder=2
    )
    axis.set_xticks([])
    axis.set_yticks([])


def _draw_edges(axis: Axes, layer: Any, where: npt.NDArray[np.float64]) -> None:
    collections = require("matplotlib.collections", extra="plot", purpose="drawing")
    entries = layer.tocoo()
    once = entries.row < entries.col
    pairs = np.stack([entries.row[once], entries.col[once]], axis=1)
    if len(pairs) > MAX_EDGES_DRAWN:
        pairs = pairs[np.linspace(0, len(pairs) - 1, MAX_EDGES_DRAWN).astype(int)]
    axis.add_collection(
        collections.LineCollection(list(where[pairs]), colors="#999999", linewidths=0.25, alpha=0.5, zorder=1)
    )


def _draw_regions(axis: Axes, features: npt.NDArray[np.float64], model: OrthoNet) -> None:
    colors = require("matplotlib.colors", extra="plot", purpose="drawing")
    low, high = features.min(axis=0), features.max(axis=0)
    margin = 0.15 * (high - low)
    grids = np.meshgrid(*(np.linspace(a, b, 200) for a, b in zip(low - margin, high + margin, strict=True)))
    region = model.predict(np.stack([grid.ravel() for grid in grids], axis=1)).reshape(grids[0].shape)
    n_clusters = len(model.cluster_centers_)
    palette = colors.ListedColormap(_colours(np.arange(n_clusters)))
    axis.pcolormesh(
        *grids,
        region,
        cmap=palette,
        vmin=-0.5,
        vmax=n_clusters - 0.5,
        alpha=0.3,
        shading="auto",
        rasterized=True,
    )
