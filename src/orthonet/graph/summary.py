"""What a multilayer graph looks like, in numbers: a table for the terminal and for a notebook."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from html import escape

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from orthonet.support.text import html_table, one_line

COLUMNS = ("layer", "nodes", "missing", "edges", "density", "components", "isolated", "loops dropped")
MAX_HTML_ROWS = 40
"""Layers that a notebook shows; printing shows all."""


@dataclass(frozen=True)
class LayerSummary:
    """One layer: nodes it holds and lacks, edges, density, connected components and isolated nodes.

    Components count the isolated nodes that are present; missing nodes count nowhere else.
    """

    name: str
    n_present: int
    n_missing: int
    n_edges: int
    density: float
    n_components: int
    n_isolated: int
    n_loops_dropped: int


@dataclass(frozen=True, repr=False)
class GraphSummary:
    """Nodes, features, and a `LayerSummary` a layer."""

    n_nodes: int
    features: str
    layers: tuple[LayerSummary, ...]

    def __str__(self) -> str:
        rows = [COLUMNS, *(self._cells(layer) for layer in self.layers)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
        lines = [self._title()]
        for row in rows:
            cells = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
            lines.append("  ".join([row[0].ljust(widths[0]), *cells]).rstrip())
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        cells = (self._cells(layer) for layer in self.layers[:MAX_HTML_ROWS])
        n_more = len(self.layers) - MAX_HTML_ROWS
        more = f"and {n_more:,} more layers; print(graph.summary()) shows all" if n_more > 0 else ""
        rows = ((one_line(name), *numbers) for name, *numbers in cells)
        return f"<p>{escape(self._title())}</p>{html_table(COLUMNS, rows, more=more)}"

    def _title(self) -> str:
        layers = f"{len(self.layers)} layer" + ("s" if len(self.layers) != 1 else "")
        return f"MultilayerGraph: {self.n_nodes:,} nodes, {layers}, {self.features}"

    @staticmethod
    def _cells(layer: LayerSummary) -> tuple[str, ...]:
        name, *numbers = astuple(layer)
        return (
            name,
            *(f"{number:.3g}" if isinstance(number, float) else f"{number:,}" for number in numbers),
        )


def summarise_layer(name: str, layer: csr_array, present: npt.NDArray[np.bool_], n_loops_dropped: int) -> LayerSummary:
    """Count what one layer holds."""
    n_nodes, n_present = layer.shape[0], int(present.sum())
    n_missing = n_nodes - n_present
    n_edges = layer.nnz // 2
    n_pairs = n_present * (n_present - 1) / 2
    n_components = int(connected_components(layer, directed=False, return_labels=False)) - n_missing
    n_isolated = int((np.diff(layer.indptr) == 0).sum()) - n_missing
    density = n_edges / n_pairs if n_pairs else 0.0
    return LayerSummary(name, n_present, n_missing, n_edges, density, n_components, n_isolated, n_loops_dropped)
