"""Bipartite graphs of other libraries as two-mode relations: one side are the nodes, the other their groups.

networkx marks the sides by the node attribute ``bipartite``, 0 for nodes and 1 for groups; igraph by the vertex attribute
``type``, False for nodes and True for groups. A graph is taken for bipartite if all of its nodes have that mark, and both marks
occur.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from orthonet.graph.convert.assembly import checked_weights
from orthonet.graph.membership_tables import Memberships

SIDE, TYPE = "bipartite", "type"
"""Attributes by which networkx and igraph mark the two sides."""


@dataclass(frozen=True)
class Bipartite:
    """A bipartite graph.

    Attributes
    ----------
    nodes : list
        Those of the side of nodes, with and without groups.
    relations : dict of str to Memberships
        By the names of the layers that the edges name, or of the graph.
    """

    nodes: list[Any]
    relations: dict[str, Memberships]

    @classmethod
    def of(
        cls,
        name: str,
        sides: Mapping[Hashable, Any],
        edges: Sequence[tuple[Any, Any]],
        weights: Any,
        layers: Sequence[Any] | None,
    ) -> Bipartite:
        """Sort out edges (in either direction), whose ``layers`` are named or None."""
        in_group = {node: bool(side) for node, side in sides.items()}

        def called(edge: int) -> str:
            return f"graph {name!r}: the edge from {edges[edge][0]!r} to {edges[edge][1]!r}"

        values = checked_weights(weights, called)
        members, groups = [], []
        for position, (source, target) in enumerate(edges):
            if in_group[source] == in_group[target]:
                what = "groups" if in_group[source] else "nodes"
                raise ValueError(
                    f"{called(position)} joins two {what} of a bipartite graph; a membership joins a node and a group"
                )
            member, group = (target, source) if in_group[source] else (source, target)
            members.append(member)
            groups.append(group)
        names = [name] * len(edges) if layers is None else list(map(str, layers))
        rows = Memberships(_objects(members), _objects(groups), np.asarray(values, dtype=np.float64))
        which = np.array(names)
        relations = {one: rows.select(which == one) for one in dict.fromkeys(names)}
        return cls([node for node, group in in_group.items() if not group], relations)


def networkx_sides(graph: Any) -> dict[Any, Any] | None:
    """Return the side of each node of a networkx graph, None if it is not bipartite."""
    sides = {node: record.get(SIDE) for node, record in graph.nodes(data=True)}
    whole = all(isinstance(side, int | np.integer) for side in sides.values())
    return sides if whole and {*map(int, sides.values())} == {0, 1} else None


def igraph_sides(graph: Any, ids: Sequence[Any]) -> dict[Any, Any] | None:
    """Return the side of each vertex of an igraph graph, None if it is not bipartite: "type" may mean other things."""
    if TYPE not in graph.vs.attributes():
        return None
    sides = graph.vs[TYPE]
    if {type(side) for side in sides} != {bool} or len(set(sides)) < 2:
        return None
    if any(sides[source] == sides[target] for source, target in graph.get_edgelist()):
        return None
    return dict(zip(ids, sides, strict=True))


def _objects(values: Sequence[Any]) -> np.ndarray[Any, Any]:
    found = np.empty(len(values), dtype=object)
    for position, value in enumerate(values):
        found[position] = value  # one by one: numpy would unpack tuples
    return found
