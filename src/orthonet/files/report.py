"""What became of the rows of a network file: kept, dropped and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from orthonet.support.text import counted

DROPPED_ROWS = {
    "no weight": ("without weight", "without weight"),
    "weight 0": ("of weight 0", "of weight 0"),
    "between layers": ("between layers", "between layers"),
}
"""How a count of dropped rows is worded for these reasons, for one row and for many."""


@dataclass(frozen=True)
class LayerReport:
    """The rows of one layer.

    Attributes
    ----------
    name : str
    path : Path
    n_rows : int
        Rows (in a matrix: entries) that the file has for this layer.
    dropped : mapping of reasons to int
        "self-loop", "unknown node", "no weight", "weight 0", "between layers".
    n_repeated : int
        Rows kept that name a pair which another row named before; they were merged.
    n_filled : int
        Rows kept without a weight of their own.
    directed : bool
        Whether the direction counts, so that `NetworkFile.graph` has to make the layer symmetric.
    """

    name: str
    path: Path
    n_rows: int
    dropped: Mapping[str, int]
    n_repeated: int
    n_filled: int
    directed: bool

    @property
    def n_kept(self) -> int:
        """Rows that became edges, merged ones among them."""
        return self.n_rows - sum(self.dropped.values())

    @property
    def n_edges(self) -> int:
        """Edges: pairs of nodes with a weight."""
        return self.n_kept - self.n_repeated

    def __str__(self) -> str:
        parts = [
            f"{counted(count, *DROPPED_ROWS.get(reason, (reason,)))} (dropped)"
            for reason, count in self.dropped.items()
            if count
        ]
        parts += [f"{self.n_repeated:,} repeated (merged)"] if self.n_repeated else []
        parts += [f"{self.n_filled:,} without weight (taken as 1)"] if self.n_filled else []
        parts += ["directed"] if self.directed else []
        kept = f"{self.name}: {self.n_kept:,} of {counted(self.n_rows, 'row')} kept"
        return "; ".join([kept, *parts])


@dataclass(frozen=True)
class ReadReport:
    """What was read, layer by layer; print it to read it.

    Attributes
    ----------
    n_nodes : int
    layers : tuple of LayerReport
    notes : tuple of str
        What else was decided: columns not used, missing features filled.
    """

    n_nodes: int
    layers: tuple[LayerReport, ...]
    notes: tuple[str, ...] = ()

    def with_notes(self, notes: Iterable[str]) -> ReadReport:
        """Return the report with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    @property
    def n_rows(self) -> int:
        """Rows of all layers."""
        return sum(layer.n_rows for layer in self.layers)

    @property
    def n_kept(self) -> int:
        """Rows that became edges."""
        return sum(layer.n_kept for layer in self.layers)

    @property
    def dropped(self) -> dict[str, int]:
        """Rows of all layers that were dropped, by reason."""
        total: dict[str, int] = {}
        for layer in self.layers:
            for reason, count in layer.dropped.items():
                if count:
                    total[reason] = total.get(reason, 0) + count
        return total

    def __str__(self) -> str:
        nodes, layers = counted(self.n_nodes, "node"), counted(len(self.layers), "layer")
        title = f"{nodes}, {layers}, {self.n_kept:,} of {counted(self.n_rows, 'row')} kept"
        return "\n".join([title, *map(str, self.layers), *self.notes])
