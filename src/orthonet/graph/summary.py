"""What a multilayer graph looks like, in numbers: a table for the terminal and for a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from html import escape

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from orthonet.graph.two_mode import TwoMode
from orthonet.support.text import html_table, one_line

COLUMNS = ("layer", "nodes", "missing", "edges", "density", "components", "isolated", "loops dropped")
TWO_MODE_COLUMNS = (
    "two-mode relation",
    "nodes",
    "in no group",
    "groups",
    "memberships",
    "largest group",
    "groups of one",
)
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


@dataclass(frozen=True)
class TwoModeSummary:
    """One two-mode relation: nodes in a group and in none, groups, memberships, the largest group, and groups of one node."""

    name: str
    n_members: int
    n_in_no_group: int
    n_groups: int
    n_memberships: int
    largest_group: int
    n_groups_of_one: int


@dataclass(frozen=True, repr=False)
class GraphSummary:
    """Nodes, features, a `LayerSummary` per layer and a `TwoModeSummary` per two-mode relation."""

    n_nodes: int
    features: str
    layers: tuple[LayerSummary, ...]
    two_mode: tuple[TwoModeSummary, ...] = ()

    def __str__(self) -> str:
        tables = (table for table in (self._layer_table(), self._two_mode_table()) if len(table) > 1)
        return "\n".join([self._title(), *(line for table in tables for line in _lines(table))])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        tables = ""
        for (columns, *cells), what in (
            (self._layer_table(), "layers"),
            (self._two_mode_table(), "two-mode relations"),
        ):
            if cells:
                n_more = len(cells) - MAX_HTML_ROWS
                more = f"and {n_more:,} more {what}; print(graph.summary()) shows all" if n_more > 0 else ""
                rows = ((one_line(name), *numbers) for name, *numbers in cells[:MAX_HTML_ROWS])
                tables += html_table(columns, rows, more=more)
        return f"<p>{escape(self._title())}</p>{tables}"

    def _title(self) -> str:
        parts = [_count(len(self.layers), "layer")] if self.layers or not self.two_mode else []
        parts += [_count(len(self.two_mode), "two-mode relation")] if self.two_mode else []
        return f"MultilayerGraph: {self.n_nodes:,} nodes, {', '.join(parts)}, {self.features}"

    def _layer_table(self) -> list[tuple[str, ...]]:
        return [COLUMNS, *map(_cells, self.layers)]

    def _two_mode_table(self) -> list[tuple[str, ...]]:
        return [TWO_MODE_COLUMNS, *map(_cells, self.two_mode)]


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


def summarise_two_mode(name: str, relation: TwoMode) -> TwoModeSummary:
    """Count what one two-mode relation holds."""
    sizes = relation.group_sizes
    n_members = int((np.diff(relation.incidence.indptr) > 0).sum())
    return TwoModeSummary(
        name,
        n_members,
        relation.n_nodes - n_members,
        relation.n_groups,
        int(sizes.sum()),
        int(sizes.max()),
        int((sizes == 1).sum()),
    )


def _cells(one: LayerSummary | TwoModeSummary) -> tuple[str, ...]:
    name, *numbers = astuple(one)
    return (name, *(f"{number:.3g}" if isinstance(number, float) else f"{number:,}" for number in numbers))


def _lines(rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines of a table, names to the left and numbers to the right of their columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        yield "  ".join([row[0].ljust(widths[0]), *cells]).rstrip()


def _count(count: int, thing: str) -> str:
    return f"{count} {thing}" + ("s" if count != 1 else "")
