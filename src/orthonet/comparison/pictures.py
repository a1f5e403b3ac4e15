"""Pictures: the layers, the embedding that was learnt, the regions that new nodes would fall into, a comparison of methods.

Every function returns a matplotlib figure and touches neither pyplot nor its global state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

from orthonet import metrics
from orthonet.clustering.assignment import unit_rows
from orthonet.clustering.plot import draw_points
from orthonet.clustering.projection_2d import flatten
from orthonet.comparison.outcomes import Outcome, Reference
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.drawing import MUTED, colour_and_symbol, new_figure
from orthonet.support.optional import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from orthonet.clustering.estimator import OrthoNet

MAX_EDGES_DRAWN = 4000
"""Edges of a layer at most, evenly chosen: more would be a grey area."""
GRID = 200
"""Points along each side of the plane at which a new node is placed, to draw the regions."""
LIGHT_TEXT_BELOW = 0.55
"""Agreement below which its cell is so dark that its number is written in white."""


def draw_layers(
    graph: MultilayerGraph, positions: Sequence[npt.NDArray[np.float64]], labels: npt.NDArray[Any], title: str
) -> Figure:
    """Draw each layer at the given 2-D positions, with its edges, coloured by class (the paper's Figure 4)."""
    figure = new_figure(3.2 * graph.n_layers, 3.6)
    axes = figure.subplots(1, graph.n_layers, squeeze=False)[0]
    classes = np.unique(labels, return_inverse=True)[1]
    for axis, layer, where, name in zip(axes, graph.layers, positions, graph.layer_names, strict=True):
        _draw_edges(axis, layer, where)
        draw_points(axis, where, classes)
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
    for axis, partition, name in (
        (left, np.unique(labels, return_inverse=True)[1], "reference classes"),
        (right, _matched(found, labels), "clusters found"),
    ):
        draw_points(axis, flat, partition)
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
    draw_points(plain, features)
    _draw_edges(edges, graph.layers[0], features)
    draw_points(edges, features)
    draw_points(embedded, flat)
    draw_points(clustered, flat, model.labels_)
    centres = np.array([flat[model.labels_ == k].mean(axis=0) for k in np.unique(model.labels_)])
    clustered.plot(*centres.T, "*", color="black", markersize=14, markeredgecolor="white")
    _draw_regions(regions, features, model)
    draw_points(regions, features, model.labels_)
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


def draw_comparison(outcomes: Sequence[Outcome], reference: Reference | None) -> Figure:
    """Draw the NMI of each method against the reference, or its stability without one; and the NMI between methods."""
    height = 1.6 + 0.42 * len(outcomes)
    figure = new_figure(5.5 + 0.55 * len(outcomes) + 3, height)
    bars, agreement = figure.subplots(1, 2, width_ratios=[1, 1.15], sharey=True)
    _draw_bars(bars, outcomes, reference)
    _draw_agreement(agreement, [outcome.labels[0] for outcome in outcomes], [outcome.method for outcome in outcomes])
    return figure


def _matched(found: npt.NDArray[Any], labels: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Rename found clusters to the position of the class they share most nodes with, one to one."""
    counts = contingency_matrix(labels, found)
    classes, clusters = linear_sum_assignment(counts, maximize=True)
    names = np.arange(counts.shape[0], counts.shape[0] + counts.shape[1])  # clusters without a class
    names[clusters] = classes
    return np.asarray(names[np.unique(found, return_inverse=True)[1]])


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
    grids = np.meshgrid(*(np.linspace(a, b, GRID) for a, b in zip(low - margin, high + margin, strict=True)))
    region = model.predict(np.stack([grid.ravel() for grid in grids], axis=1)).reshape(grids[0].shape)
    n_clusters = len(model.cluster_centers_)
    palette = colors.ListedColormap([MUTED[colour_and_symbol(k)[0]] for k in range(n_clusters)])
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


def _draw_bars(axis: Axes, outcomes: Sequence[Outcome], reference: Reference | None) -> None:
    places = np.arange(len(outcomes))
    if reference is not None:
        found = [outcome.scores(reference)["nmi"] for outcome in outcomes]
        values, spread = [mean for mean, _ in found], [deviation for _, deviation in found]
        title = "NMI with the reference"
    else:
        values = [np.nan if (one := outcome.stability()) is None else one for outcome in outcomes]
        spread, title = [0.0] * len(values), "stability: ARI between runs"
    axis.barh(places, values, xerr=spread if any(spread) else None, color="#44AA99", height=0.6)
    for place, value in enumerate(values):
        if np.isfinite(value):
            axis.text(0.01, place, f"{value:.3f}", va="center", fontsize=8, color="black")
    axis.set_yticks(places, [outcome.method for outcome in outcomes], fontsize=9)
    axis.set_xlim(0, 1)
    axis.set_title(title, fontsize=10)
    axis.spines[["top", "right"]].set_visible(False)


def _draw_agreement(axis: Axes, labels: Sequence[npt.NDArray[Any]], names: Sequence[str]) -> None:
    values = np.array([[metrics.nmi(one, other) for other in labels] for one in labels])
    axis.imshow(values, vmin=0, vmax=1, cmap="cividis", aspect="auto")
    for row, column in np.ndindex(values.shape):
        light = values[row, column] < LIGHT_TEXT_BELOW
        axis.text(
            column,
            row,
            f"{values[row, column]:.2f}",
            ha="center",
            va="center",
            fontsize=8,
            color="white" if light else "black",
        )
    axis.set_xticks(np.arange(len(names)), names, rotation=35, ha="right", fontsize=8)
    axis.tick_params(length=0)
    axis.set_title("NMI between methods", fontsize=10)
    axis.invert_yaxis()
