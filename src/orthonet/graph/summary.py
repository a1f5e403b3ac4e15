"""What a multilayer graph looks like, in numbers: a table for the terminal and for a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from html import escape

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

COLUMNS = ("layer", "nodes", "missing", "edges", "density", "components", "isolated", "loops dropped")


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
        def row(cells: Sequence[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        body = "".join(row(self._cells(layer), "td") for layer in self.layers)
        return f"<p>{escape(self._title())}</p><table>{row(COLUMNS, 'th')}{body}</table>"

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
