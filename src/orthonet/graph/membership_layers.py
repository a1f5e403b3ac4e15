"""A nearest-neighbour layer from memberships, for what needs layers: aggregation, averaging, other methods.

Each node is joined to the k others whose memberships are most like its own: by the cosine of the rows of B, groups weighted by
their inverse document frequency, as words are. Candidates are members of a node's own groups, all of a small group and a random
sample of a large one, so that time and memory are linear in the memberships, and the projection, whose edges are all pairs of
members, is never built. Nodes that share no group are not joined: a node alone in its groups stays isolated.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array, csr_array, diags_array

from orthonet.graph.features import FeatureScaler
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.two_mode import TwoMode, shared_groups
from orthonet.graph.words import inverse_document_frequencies

Positions = npt.NDArray[np.intp]
Cosines = npt.NDArray[np.float64]

NEIGHBORS = 10
"""Neighbours per node."""
CANDIDATES, FEW_CANDIDATES, MANY_NODES = 20, 6, 50_000
"""Members of each group of a node that are compared with it: twice the neighbours; fewer above so many nodes, where most have
several groups."""
SHORTLIST = 5
"""Candidates per neighbour whose cosine is computed in full: the best by the groups that they were drawn from."""
PAIRS_AT_ONCE = 2**20
"""Pairs of nodes that are compared together, so that memory stays small."""


def with_membership_layers(
    graph: MultilayerGraph, n_neighbors: int = NEIGHBORS, random_state: int = 0
) -> MultilayerGraph:
    """Return the graph with a nearest-neighbour layer, of the same name, in the place of each two-mode relation.

    Parameters
    ----------
    graph : MultilayerGraph
        Returned as it is if it has no two-mode relations.
    n_neighbors : int, default=10
    random_state : int, default=0
        Seed of the samples of large groups.
    """
    if not graph.two_mode:
        return graph
    k = min(n_neighbors, graph.n_nodes - 1)
    layers = [membership_layer(relation, k, random_state) for relation in graph.two_mode.values()]
    return MultilayerGraph(
        [*graph.layers, *layers],
        graph.features,
        graph.relation_names,
        graph.node_ids,
        present=[*graph.present, *[None] * len(layers)],
        layers_from_features=graph.layers_from_features,
        feature_names=graph.feature_names,
    )


def membership_layer(relation: TwoMode, n_neighbors: int = NEIGHBORS, random_state: int = 0) -> csr_array:
    """Return the symmetric N x N layer of the most similar members of each node's groups, weighted by cosine.

    Parameters
    ----------
    relation : TwoMode
    n_neighbors : int, default=10
        Neighbours that each node chooses; an edge exists if either end chose it.
    random_state : int, default=0

    Examples
    --------
    >>> from orthonet import TwoMode
    >>> from orthonet.graph.membership_layers import membership_layer
    >>> membership_layer(TwoMode([[1, 0], [1, 0], [0, 1], [0, 1]])).toarray()
    array([[0., 1., 0., 0.],
           [1., 0., 0., 0.],
           [0., 0., 0., 1.],
           [0., 0., 1., 0.]])
    """
    counts = csr_array(relation.incidence[:, shared_groups(relation.incidence)])
    rows = csr_array(
        FeatureScaler("unit").transform(csr_array(counts @ diags_array(inverse_document_frequencies(counts))))
    )
    members = csc_array(rows)
    rng = np.random.default_rng(random_state)
    n_nodes = rows.shape[0]
    drawn = _n_candidates(np.diff(rows.indptr), n_neighbors)
    chosen = [
        _nearest(rows, members, (start, stop), n_neighbors, drawn, rng)
        for start, stop in _blocks(np.diff(rows.indptr) * drawn)
    ]
    nodes, others, cosines = (np.concatenate(part) for part in zip(*chosen, strict=True))
    layer = csr_array((cosines, (nodes, others)), shape=(n_nodes, n_nodes))
    return csr_array(layer.maximum(layer.T))


def _n_candidates(n_groups: npt.NDArray[np.integer], n_neighbors: int) -> int:
    """Return how many members of each group are compared; of many nodes so many that nearly all see twice the neighbours."""
    if len(n_groups) <= MANY_NODES:
        return CANDIDATES
    usual = max(float(np.quantile(n_groups, 0.01)), 1.0)
    return int(np.clip(np.ceil(2 * n_neighbors / usual), FEW_CANDIDATES, CANDIDATES))


def _blocks(n_pairs: npt.NDArray[np.integer]) -> list[tuple[int, int]]:
    """Return ranges of nodes with about `PAIRS_AT_ONCE` pairs each."""
    which = np.cumsum(n_pairs) // PAIRS_AT_ONCE
    starts = np.flatnonzero(np.diff(which, prepend=-1))
    return list(zip(starts.tolist(), [*starts[1:].tolist(), len(n_pairs)], strict=True))


def _nearest(
    rows: csr_array, members: csc_array, span: tuple[int, int], n_neighbors: int, n_drawn: int, rng: np.random.Generator
) -> tuple[Positions, Positions, Cosines]:
    """Return the edges that a range of nodes choose: each node, its neighbours, their cosines."""
    nodes, others, parts = _candidates(rows, members, *span, n_drawn, rng)
    if n_drawn == CANDIDATES:
        kept = _largest(nodes, parts, SHORTLIST * n_neighbors)
        nodes, others = nodes[kept], others[kept]
    cosines = np.asarray(rows[nodes].multiply(rows[others]).sum(axis=1)).ravel()
    kept = _largest(nodes, cosines, n_neighbors)
    return nodes[kept], others[kept], cosines[kept]


def _candidates(
    rows: csr_array, members: csc_array, start: int, stop: int, n_drawn: int, rng: np.random.Generator
) -> tuple[Positions, Positions, Cosines]:
    """Return pairs of a node and a member of one of its groups, each once, in random order, and their part of the cosine."""
    entries = slice(rows.indptr[start], rows.indptr[stop])
    groups = rows.indices[entries]
    nodes = np.repeat(np.arange(start, stop, dtype=np.int64), np.diff(rows.indptr[start : stop + 1]))
    sizes = np.diff(members.indptr)[groups][:, None]
    drawn = (rng.random((len(groups), n_drawn)) * sizes).astype(np.intp)
    places = np.where(sizes <= n_drawn, np.arange(n_drawn), drawn)
    inside = (places < sizes).ravel()
    places = np.minimum(members.indptr[groups][:, None] + places, members.nnz - 1)
    added = (rows.data[entries][:, None] * members.data[places]).ravel()[inside]
    others = members.indices[places].ravel()[inside]
    codes = np.repeat(nodes, n_drawn)[inside] * rows.shape[0] + others
    pairs, which = np.unique(codes, return_inverse=True)
    parts = np.bincount(which, added, minlength=len(pairs))
    order = rng.permutation(len(pairs))
    nodes, others, parts = pairs[order] // rows.shape[0], pairs[order] % rows.shape[0], parts[order]
    differ = nodes != others
    return nodes[differ], others[differ], parts[differ]


def _largest(nodes: Positions, values: Cosines, count: int) -> Positions:
    """Return the positions of the ``count`` largest values of each node."""
    order = np.lexsort((-values, nodes))
    sorted_nodes = nodes[order]
    rank = np.arange(len(order)) - np.searchsorted(sorted_nodes, sorted_nodes)
    return order[rank < count]
