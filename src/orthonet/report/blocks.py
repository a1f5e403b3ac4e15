"""Each layer as a picture of blocks: its adjacency sorted by cluster, and the densities within and between."""

from __future__ import annotations

from typing import Any

import numpy as np

from orthonet.graph.blocks import MAX_BINS, binned_adjacency, node_order
from orthonet.graph.modularity import block_densities, cluster_sizes
from orthonet.report.fitted import Fitted
from orthonet.report.page import Html, figure, markup, packed_image, paragraph, percent

MAX_LAYERS = 24
"""Layers that are drawn; the table has the numbers of all."""
MAX_CELLS, LEAST_BINS = 90_000, 100
"""Cells of all pictures of edges together, at a byte each, and rows of a picture that are kept in any case."""
MAX_BOUNDS = 40
"""Clusters up to which lines are drawn between them."""


def block_pictures(fitted: Fitted, *, max_bins: int = MAX_BINS) -> tuple[Html, dict[str, Any]]:
    """Return the two pictures of each layer, as HTML and as data for the page's script."""
    graph, parts = fitted.graph, []
    data: dict[str, Any] = {}
    order = node_order(fitted.labels, fitted.confidence)
    n_drawn = max(1, min(graph.n_layers, MAX_LAYERS))
    max_bins = min(max_bins, max(LEAST_BINS, int((MAX_CELLS / n_drawn) ** 0.5)))
    n_bins = min(graph.n_nodes, max_bins)
    ends = np.cumsum(cluster_sizes(fitted.labels, fitted.n_clusters)) * n_bins / graph.n_nodes
    drawn = list(zip(graph.layer_names, graph.layers, graph.present, strict=True))[:MAX_LAYERS]
    for place, (name, layer, present) in enumerate(drawn):
        densities = block_densities(layer, fitted.labels, fitted.n_clusters, present)
        image = binned_adjacency(layer, order, max_bins)
        data[f"density-{place}"] = {"kind": "density", "values": densities}
        data[f"adjacency-{place}"] = {
            "kind": "adjacency",
            "bins": n_bins,
            "image": packed_image(image),
            "ends": ends,
            "bounds": fitted.n_clusters <= MAX_BOUNDS,
        }
        own = np.diag(densities)
        spoken = (
            f"Densities between the {fitted.n_clusters} clusters in layer {name}; within clusters from "
            f"{percent(np.nanmin(own))} to {percent(np.nanmax(own))}."
            if np.isfinite(own).any()
            else f"Densities between the {fitted.n_clusters} clusters in layer {name}."
        )
        least, most = graph.n_nodes // n_bins, -(-graph.n_nodes // n_bins)
        cells = f"{least:,}" + (f" or {most:,}" if most > least else "") + (" nodes" if most > 1 else " node")
        parts.append(
            f'<div class="layer"><h3>{markup(name)}</h3><div class="side-by-side">'
            + figure(
                f"adjacency-{place}",
                f"Adjacency of layer {name}, nodes sorted by cluster.",
                f"Edges, nodes sorted by cluster and then by falling confidence; a row is {cells}.",
                kind="half",
            )
            + figure(
                f"density-{place}",
                spoken,
                "Share of the pairs of nodes that is joined, within clusters (diagonal) and between them.",
                kind="half",
            )
            + "</div></div>\n"
        )
    if graph.n_layers > MAX_LAYERS:
        parts.append(
            paragraph(f"The first {MAX_LAYERS} of {graph.n_layers} layers are drawn; the table above has all.", "note")
        )
    return Html("".join(parts)), data
