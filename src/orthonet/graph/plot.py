"""The layers of a graph as pictures: one square each, a mark where two nodes are joined."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from orthonet.graph.blocks import MAX_BINS, Order, binned_adjacency, bins, neighbour_order, node_order
from orthonet.support.checks import check_choice
from orthonet.support.drawing import DENSITY, NEUTRAL, check_axes, notebook_axes, scale
from orthonet.support.optional import require
from orthonet.support.text import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from orthonet.graph.multilayer import MultilayerGraph

MAX_LINES = 40
"""Groups up to which lines are drawn between them."""
MAX_NAMES = 20
"""Groups up to which the first picture of a row names them."""
PANEL = 3.2
"""Inches of a picture's side."""


def plot_layers(
    graph: MultilayerGraph, labels: Any = None, *, axes: Any = None, order: Any = "auto"
) -> npt.NDArray[Any]:
    """Draw the adjacency of each layer; see `MultilayerGraph.plot_layers`."""
    if not graph.n_layers:
        raise ValueError("the graph has two-mode relations only, and no layer to draw")
    groups = None if labels is None else _groups(labels, graph.n_nodes)
    sorted_nodes = _order(graph, order)
    if groups is not None:
        rank = np.empty(graph.n_nodes, dtype=np.intp)
        rank[sorted_nodes] = np.arange(graph.n_nodes)
        sorted_nodes = node_order(groups[1], -rank)
    panels, first_of_row = _panels(graph.n_layers, axes)
    colours, norm = scale(DENSITY), require("matplotlib.colors", extra="plot", purpose="drawing").PowerNorm
    bin_of = bins(sorted_nodes)
    n_bins = min(graph.n_nodes, MAX_BINS)
    drawn = zip(panels, graph.layer_names, graph.layers, graph.present, strict=True)
    for place, (panel, name, layer, present) in enumerate(drawn):
        image = binned_adjacency(layer, sorted_nodes)
        unknown = np.bincount(bin_of, present, minlength=n_bins) == 0
        image[unknown] = image[:, unknown] = np.nan
        # The square root: in a bin of many nodes few of the pairs are joined, and those few must be seen.
        fullest = float(np.percentile(image[image > 0], 99))  # every layer has an edge
        panel.imshow(image, cmap=colours, norm=norm(0.5, vmin=0, vmax=fullest, clip=True), rasterized=True)
        panel.set_xticks([])
        panel.set_yticks([])
        n_missing = int((~present).sum())
        counts = f"{layer.nnz // 2:,} edges" + (f", {n_missing:,} nodes missing" if n_missing else "")
        # Names come from files: what looks like mathematics in them is none.
        panel.set_title(f"{one_line(name, 32)}\n{counts}", fontsize=9, parse_math=False)
        if groups is not None:
            _draw_groups(panel, *groups, n_bins, named=place in first_of_row)
    found = np.empty(len(panels), dtype=object)
    found[:] = panels
    return found


def _groups(labels: Any, n_nodes: int) -> tuple[list[str], npt.NDArray[np.intp]]:
    """Return the names of the groups, and the place of each node's group among them."""
    given = np.asarray(labels)
    if given.shape != (n_nodes,):
        raise ValueError(f"labels must be one for each of the {n_nodes} nodes, got an array of shape {given.shape}")
    if given.dtype == object:  # strings beside None or numbers have no order of their own
        given = given.astype(str)
    names, codes = np.unique(given, return_inverse=True)
    return [one_line(name, 16) for name in names.tolist()], codes


def _order(graph: MultilayerGraph, order: Any) -> Order:
    if isinstance(order, str):
        check_choice(order, "order", ("auto", "given"))
        return neighbour_order(graph.layers) if order == "auto" else np.arange(graph.n_nodes)
    found = np.asarray(order)
    whole = found.shape == (graph.n_nodes,) and np.issubdtype(found.dtype, np.integer)
    if not whole or not np.array_equal(np.sort(found), np.arange(graph.n_nodes)):
        raise ValueError(
            f"order must be 'auto', 'given', or the positions 0 to {graph.n_nodes - 1} of all nodes, each once; "
            f"got {one_line(repr(order))}"
        )
    return found.astype(np.intp)


def _panels(n_layers: int, axes: Any) -> tuple[list[Axes], set[int]]:
    """Return where to draw, and which of the pictures stand first in their row."""
    if axes is not None:
        given = np.asarray(axes, dtype=object).ravel().tolist()
        if len(given) < n_layers:
            raise ValueError(f"axes must be one for each of the {n_layers} layers, got {len(given)}")
        panels = [check_axes(one, f"axes[{place}]") for place, one in enumerate(given[:n_layers])]
        return panels, {0}
    columns = n_layers if n_layers <= 4 else math.ceil(math.sqrt(n_layers))
    rows = math.ceil(n_layers / columns)
    side = PANEL if columns <= 4 else max(13 / columns, 1.6)
    fresh = notebook_axes(rows, columns, (columns * side, rows * (side + 0.4)), layout="compressed")
    for spare in fresh[n_layers:]:
        spare.remove()
    return fresh[:n_layers], set(range(0, n_layers, columns))


def _draw_groups(panel: Axes, names: list[str], codes: npt.NDArray[np.intp], n_bins: int, *, named: bool) -> None:
    """Draw lines between groups, and write their names beside the picture."""
    ends = np.cumsum(np.bincount(codes)) * n_bins / len(codes) - 0.5  # a cell reaches half a step beyond its place
    if len(names) <= MAX_LINES:
        for draw in (panel.axhline, panel.axvline):
            for end in ends[:-1]:
                draw(end, color=NEUTRAL, linewidth=0.5, alpha=0.8)
    if named and len(names) <= MAX_NAMES:
        starts = np.concatenate([[-0.5], ends[:-1]])
        panel.set_yticks((starts + ends) / 2, names, fontsize=7, parse_math=False)
        panel.tick_params(axis="y", length=0)
