"""Layers that are projections of memberships, by the look of them: who shares a group with whom.

All members of a group are joined to each other there, so that neighbours of a node nearly always are neighbours: far more often
than two nodes at random. That is so in small circles too, but hundreds of edges per node come from groups.
"""

from __future__ import annotations

import numpy as np

from orthonet.evidence.graph_sources import MANY_EDGES
from orthonet.evidence.observations import layer_closure
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.sentences import Argument, Sentence
from orthonet.support.warn import warn_user

CLOSURE = 0.7
"""Chance that two neighbours of a node are joined, from which on a layer is taken for a projection: DBLP's layers of common
conferences and terms have 0.84 and 0.73, ACM's of common subjects 1."""
ABOVE_DENSITY = 0.25
"""How much more likely two neighbours must be joined than any two nodes: a table of similarities joins them all."""


def warn_of_projections(graph: MultilayerGraph) -> None:
    """Warn once if layers look like projections, and say what to give instead."""
    names = [name for name in projected_layers(graph) if not graph.layers_from_features]
    if names:
        listed = ", ".join(map(repr, names))
        warn_user(
            Sentence(
                f"layer {listed}: this looks like a projection, which joins all nodes that share a group (a conference, an "
                "item); if you have the memberships, pass them as ",
                Argument("two_mode"),
                " instead, which keeps what the projection lost and is much faster",
            )
        )


def projected_layers(graph: MultilayerGraph) -> list[str]:
    """Return the names of the layers that look like projections."""
    found = []
    for name, layer in zip(graph.layer_names, graph.layers, strict=True):
        n_nodes = graph.n_nodes
        if layer.nnz > MANY_EDGES * n_nodes:
            closure = layer_closure(layer, np.random.default_rng(0))
            if closure >= max(CLOSURE, layer.nnz / n_nodes**2 + ABOVE_DENSITY):
                found.append(name)
    return found
