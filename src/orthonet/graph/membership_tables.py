"""Two-mode relations from tables of memberships: one row names a node, a group, and optionally how often or how much."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.graph.edges import EdgeLayers, layers_from_edges
from orthonet.graph.ids import check_unique, id_array, is_empty
from orthonet.graph.two_mode import TwoMode


@dataclass(frozen=True)
class Memberships:
    """The rows of a table: nodes, groups and weights, equally long."""

    nodes: npt.NDArray[Any]
    groups: npt.NDArray[Any]
    weights: npt.NDArray[np.float64]

    def select(self, rows: npt.NDArray[np.bool_]) -> Memberships:
        """Return some of the rows."""
        return Memberships(self.nodes[rows], self.groups[rows], self.weights[rows])

    def relation(self, place: Mapping[Any, int], name: str) -> TwoMode:
        """Return the relation of the nodes at their places; rows that name the same node and group add up."""
        nodes = self.nodes.tolist()
        unknown = [row for row, node in enumerate(nodes) if node not in place]
        if unknown:
            raise ValueError(
                f"two_mode[{name!r}] names {len(unknown)} nodes that are not in node_ids, the first {nodes[unknown[0]]!r} "
                f"in row {unknown[0]}"
            )
        group_of = {group: column for column, group in enumerate(dict.fromkeys(self.groups.tolist()))}
        rows = [place[node] for node in nodes]
        columns = [group_of[group] for group in self.groups.tolist()]
        incidence = csr_array((self.weights, (rows, columns)), shape=(len(place), len(group_of)))
        return TwoMode(incidence, group_of)


def membership_rows(table: Any, name: str) -> Memberships:
    """Return the rows of a table: a frame or mapping of columns, or rows (node, group) or (node, group, weight).

    The columns of a table are taken in their order: the node, the group, and, if there is a third, the weight or count.
    """
    if isinstance(table, Memberships):
        return table
    columns = _columns(table, name)
    if len(columns) not in (2, 3):
        raise ValueError(
            f"two_mode[{name!r}] must have columns node, group and optionally weight; it has {len(columns)}"
        )
    nodes, groups = (id_array(column, f"two_mode[{name!r}]") for column in columns[:2])
    for ids, what in ((nodes, "node"), (groups, "group")):
        empty = is_empty(ids)
        if empty.any():
            raise ValueError(
                f"two_mode[{name!r}] has {int(empty.sum())} rows without a {what}, the first is row {empty.argmax()}"
            )
    try:
        weights = np.ones(len(nodes)) if len(columns) == 2 else np.asarray(columns[2], dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"two_mode[{name!r}]: the third column, the weight or count, must hold numbers") from None
    return Memberships(nodes, groups, weights)


def layers_and_relations(
    edges: Any, two_mode: Mapping[str, Any], node_ids: Any, **columns: str
) -> tuple[EdgeLayers, dict[str, TwoMode]]:
    """Return the layers of a table of edges (or of none) and the relations of tables of memberships, over the same nodes.

    Nodes are ``node_ids``, or else all that are named, in order of first appearance.
    """
    rows = {str(name): membership_rows(table, str(name)) for name, table in two_mode.items()}
    if not rows:
        return layers_from_edges(edges, node_ids=node_ids, **columns), {}
    if node_ids is None:
        named = [] if edges is None else layers_from_edges(edges, **columns).node_ids.tolist()
        node_ids = list(dict.fromkeys([*named, *(node for one in rows.values() for node in one.nodes.tolist())]))
    ids = id_array(node_ids, "node_ids")
    check_unique(ids, "node_ids")
    found = EdgeLayers((), (), ids) if edges is None else layers_from_edges(edges, node_ids=ids, **columns)
    return found, relations_of(rows, found.node_ids)


def relations_of(rows: Mapping[str, Memberships], ids: npt.NDArray[Any]) -> dict[str, TwoMode]:
    """Return the relations of rows of memberships, over the nodes of these ids."""
    place = {node: position for position, node in enumerate(ids.tolist())}
    return {name: one.relation(place, name) for name, one in rows.items()}


def _columns(table: Any, name: str) -> list[Any]:
    if isinstance(table, Mapping):
        return list(table.values())
    if hasattr(table, "columns"):
        return [table[column] for column in table.columns]
    rows = list(table) if isinstance(table, Iterable) and not isinstance(table, str) else None
    if rows is None or not all(isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) for row in rows):
        raise TypeError(
            f"two_mode[{name!r}] must be a table with columns, or rows (node, group) or (node, group, weight), got "
            f"{type(table).__name__}"
        )
    if not rows:
        raise ValueError(f"two_mode[{name!r}] has no memberships; leave it out")
    if len({len(row) for row in rows}) > 1:
        raise ValueError(f"two_mode[{name!r}] must be rows (node, group) or (node, group, weight), all alike")
    return list(zip(*rows, strict=True))
