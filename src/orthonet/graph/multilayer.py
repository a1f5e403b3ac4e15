"""The multilayer graph: N nodes, S layers of weighted edges between them, a feature vector on each node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.graph.arrays import frozen, named_matrices
from orthonet.graph.display import GraphDisplay
from orthonet.graph.edges import present_masks
from orthonet.graph.features import Features, FeatureScaling, check_features, column_names, rows_of
from orthonet.graph.ids import check_node_ids, ids_of_tables, row_labels
from orthonet.graph.knn import Search
from orthonet.graph.laplacian import LaplacianKind, joint_laplacians, laplacian
from orthonet.graph.membership_tables import layers_and_relations
from orthonet.graph.two_mode import TwoMode, check_two_mode, read_only
from orthonet.graph.validation import (
    Symmetrize,
    check_feature_names,
    check_layer,
    check_layer_names,
    check_positions,
    check_present,
    layer_of,
)
from orthonet.graph.view_layers import layers_from_views, names_side_by_side


@dataclass(frozen=True, init=False, eq=False, repr=False)
class MultilayerGraph(GraphDisplay):
    """An immutable multilayer graph with node features.

    Parameters
    ----------
    layers : sequence of S matrices of shape (N, N), or mapping of names to them
        Edge weights, symmetric and >= 0: arrays, scipy sparse matrices or arrays, pandas frames. Self-loops are
        dropped (no Laplacian sees them) and counted in `summary`.
    features : array, sparse array or frame of shape (N, M), optional
        One row per node.
    layer_names : sequence of str, optional
        "layer 0", "layer 1", … by default.
    node_ids : sequence of N ids, optional
        0 … N − 1, or the index of the first frame, by default.
    present : sequence of S boolean masks of shape (N,), optional
        Which nodes are present in a layer, None for all. A missing node (a view not measured) differs from an isolated one:
        the layer says nothing about it.
    symmetrize : {"mean", "max", "min"}, optional
        How to make directed layers symmetric; without it they are an error.
    layers_from_features : bool, default=False
        Whether the layers were made from these same features, as `from_views` does. Layers that were not are relations,
        which know things that the features do not: `OrthoNet` uses both differently.
    feature_names : sequence of M str, optional
        Unique names of the features; the columns of a frame by default.
    two_mode : mapping of names to matrices of shape (N, groups), or to `TwoMode`, optional
        Memberships of the nodes in groups: counts or weights >= 0. They are kept as they are; nobody joins all members of a
        group. A graph may have two-mode relations alone, without layers.

    Attributes
    ----------
    layers : tuple of sparse arrays
        Read-only CSR, float64.
    layer_names : tuple of str
    node_ids : array of shape (N,)
    features : array or sparse array of shape (N, M), or None
    feature_names : tuple of str, or None
    present : tuple of boolean arrays of shape (N,)
    layers_from_features : bool
    two_mode : mapping of str to TwoMode
        Read-only; empty if there are none.

    Examples
    --------
    >>> from orthonet import MultilayerGraph
    >>> graph = MultilayerGraph.from_edges(
    ...     [("ann", "bob", "work"), ("bob", "eve", "work"), ("ann", "eve", "lunch")]
    ... )
    >>> print(graph.summary())
    MultilayerGraph: 3 nodes, 2 layers, no features
    layer  nodes  missing  edges  density  components  isolated  loops dropped
    work       3        0      2    0.667           1         0              0
    lunch      3        0      1    0.333           2         1              0
    """

    _layers: tuple[csr_array, ...]
    layer_names: tuple[str, ...]
    node_ids: npt.NDArray[Any]
    features: Features | None
    feature_names: tuple[str, ...] | None
    present: tuple[npt.NDArray[np.bool_], ...]
    layers_from_features: bool
    _n_loops_dropped: tuple[int, ...] = field(repr=False)
    _two_mode: dict[str, TwoMode] = field(repr=False)

    def __init__(
        self,
        layers: Sequence[Any] | Mapping[str, Any] = (),
        features: Any = None,
        layer_names: Sequence[str] | None = None,
        node_ids: Any = None,
        *,
        present: Sequence[npt.ArrayLike | None] | None = None,
        symmetrize: Symmetrize | None = None,
        layers_from_features: bool = False,
        feature_names: Sequence[str] | None = None,
        two_mode: Mapping[str, Any] | None = None,
    ) -> None:
        matrices, layer_names = named_matrices(layers, layer_names, "layers")
        if not matrices and not two_mode:
            raise ValueError(
                "layers is empty; pass at least one layer (or two_mode), or build some with MultilayerGraph.from_views"
            )
        names = check_layer_names(layer_names, len(matrices))
        relations = check_two_mode(two_mode, names)
        tables = {f"layers[{index}]": layer for index, layer in enumerate(matrices)} | {"features": features}
        tables |= {f"two_mode[{name!r}]": given for name, given in (two_mode or {}).items()}
        node_ids = ids_of_tables(tables, node_ids)
        checked: list[csr_array] = []
        n_loops = []
        for index, layer in enumerate(matrices):
            called = f"layers[{index}]" + (f" ({names[index]!r})" if layer_names is not None else "")
            adjacency, loops = check_layer(layer, called, checked[0].shape[0] if checked else None, symmetrize)
            checked.append(adjacency)
            n_loops.append(loops)
        parts = checked, n_loops, names, node_ids, features, present, layers_from_features, feature_names, relations
        self._keep(*parts)

    @classmethod
    def _of_checked(
        cls,
        layers: Mapping[str, tuple[csr_array, int]],
        node_ids: Any,
        features: Any = None,
        *,
        present: Sequence[npt.ArrayLike | None] | None = None,
        layers_from_features: bool = False,
        feature_names: Sequence[str] | None = None,
        two_mode: Mapping[str, TwoMode] | None = None,
    ) -> MultilayerGraph:
        """Return a graph of layers that are what `check_layer` returns, and are kept as they are: no second check, no copy."""
        graph = cls.__new__(cls)
        matrices, n_loops = zip(*layers.values(), strict=True) if layers else ((), ())
        node_ids = ids_of_tables({"features": features}, node_ids)
        names = tuple(layers)
        relations = check_two_mode(two_mode, names)
        graph._keep(
            matrices, n_loops, names, node_ids, features, present, layers_from_features, feature_names, relations
        )
        return graph

    def _keep(
        self,
        layers: Sequence[csr_array],
        n_loops: Sequence[int],
        names: tuple[str, ...],
        node_ids: Any,
        features: Any,
        present: Sequence[npt.ArrayLike | None] | None,
        layers_from_features: bool,
        feature_names: Sequence[str] | None,
        two_mode: Mapping[str, TwoMode] | None = None,
    ) -> None:
        relations = dict(two_mode or {})
        n_nodes = layers[0].shape[0] if layers else next(iter(relations.values())).n_nodes
        for name, relation in relations.items():
            if relation.n_nodes != n_nodes:
                raise ValueError(f"two_mode[{name!r}] has {relation.n_nodes} rows, but the graph has {n_nodes} nodes")
        ids = check_node_ids(node_ids, n_nodes)
        set_once = object.__setattr__
        set_once(self, "_layers", tuple(map(frozen, layers)))
        set_once(self, "layer_names", names)
        set_once(self, "node_ids", frozen(ids))
        matrix = None if features is None else check_features(features, n_nodes=n_nodes)
        set_once(self, "features", None if matrix is None else frozen(matrix))
        given = column_names(features) if feature_names is None else check_feature_names(feature_names, matrix)
        set_once(self, "feature_names", given)
        set_once(
            self, "present", tuple(map(frozen, check_present(present, layers, names, n_nodes, somewhere=not relations)))
        )
        set_once(self, "layers_from_features", bool(layers_from_features))
        set_once(self, "_n_loops_dropped", tuple(n_loops))
        set_once(self, "_two_mode", relations)

    @classmethod
    def from_views(
        cls,
        views: Sequence[Any] | Mapping[str, Any],
        n_neighbors: int = 10,
        weights: str = "self-tuning",
        metric: str = "euclidean",
        *,
        feature_scaling: FeatureScaling = "auto",
        search: Search = "auto",
        random_state: int = 0,
        layer_names: Sequence[str] | None = None,
        node_ids: Any = None,
        feature_names: Sequence[str] | None = None,
    ) -> MultilayerGraph:
        """Build one nearest-neighbour layer from each feature group; the features are all groups side by side.

        Parameters
        ----------
        views : sequence of S arrays of shape (N, M_s), or mapping of names to them
            Feature groups. A row of only NaN is a node missing from that view: it is missing from the layer, and its
            features there are the column means.
        n_neighbors, weights, metric, search, random_state
            See `orthonet.graph.knn.knn_layer`.
        feature_scaling : {"auto", "standard", "unit", "none"}, default="auto"
            Scaling of a view before distances are taken: "auto" standardises dense columns and scales sparse rows to
            unit length. The features of the graph keep their own scale.
        layer_names, node_ids
            As for the class.
        feature_names : sequence of str, optional
            Those of all groups side by side; by default the columns of the frames, if all groups are frames and no two
            columns have the same name.

        Examples
        --------
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> graph = MultilayerGraph.from_views({"shape": rng.normal(size=(50, 3)), "colour": rng.random((50, 2))})
        >>> graph.layer_names, graph.features.shape
        (('shape', 'colour'), (50, 5))
        """
        matrices, layer_names = named_matrices(views, layer_names, "views")
        if not matrices:
            raise ValueError("views is empty; pass at least one feature group")
        tables = {f"views[{index}]": view for index, view in enumerate(matrices)}
        node_ids = ids_of_tables(tables, node_ids)
        built = layers_from_views(
            tables,
            feature_scaling,
            n_neighbors=n_neighbors,
            weights=weights,
            metric=metric,
            search=search,
            random_state=random_state,
        )
        if feature_names is None:
            feature_names = names_side_by_side(matrices)
        return cls(
            built.layers,
            built.features,
            layer_names,
            node_ids,
            present=built.present,
            layers_from_features=True,
            feature_names=feature_names,
        )

    @classmethod
    def from_edges(
        cls,
        edges: Any,
        features: Any = None,
        node_ids: Any = None,
        *,
        source: str = "source",
        target: str = "target",
        layer: str = "layer",
        weight: str = "weight",
        present: Mapping[str, Sequence[Any]] | None = None,
        feature_names: Sequence[str] | None = None,
        two_mode: Mapping[str, Any] | None = None,
    ) -> MultilayerGraph:
        """Build a graph from a table of edges, of memberships, or of both.

        Each row joins two nodes in one layer, whichever way round it names them; rows that name the same pair add up,
        and self-loops are dropped.

        Parameters
        ----------
        edges : table or iterable of rows
            A frame (pandas, polars) or mapping of columns, or rows (source, target), (source, target, layer) or
            (source, target, layer, weight). Without layers there is one, without weights all are 1. None for no layers.
        features : array, sparse array or frame of shape (N, M), optional
            In the order of ``node_ids``; a frame whose index names the nodes gives ``node_ids`` itself.
        node_ids : sequence of N ids, optional
            All nodes; needed where some have no edge. In order of first appearance by default.
        source, target, layer, weight : str
            The names of the columns.
        present : mapping of layer names to ids, optional
            The nodes present in a layer; all of them in a layer not named.
        feature_names : sequence of str, optional
            As for the class.
        two_mode : mapping of names to tables or iterables of rows, optional
            Two-mode relations: columns node, group and, if there is a third, weight or count, in this order; or rows
            (node, group) or (node, group, weight). Rows that name the same node and group add up.

        Examples
        --------
        >>> graph = MultilayerGraph.from_edges({"source": [1, 2], "target": [2, 3], "weight": [0.5, 2.0]})
        >>> graph.node_ids.tolist(), graph.layers[0].nnz
        ([1, 2, 3], 4)
        >>> clubs = [("ann", "chess"), ("bob", "chess"), ("eve", "choir")]
        >>> MultilayerGraph.from_edges(None, two_mode={"clubs": clubs}).two_mode["clubs"].group_names
        ('chess', 'choir')
        """
        if node_ids is None:
            node_ids = row_labels(features)
        if node_ids is None and features is not None:
            raise ValueError(
                "features need node_ids (or a frame whose index names the nodes): rows cannot be matched to the nodes of an "
                "edge list by their order"
            )
        columns = {"source": source, "target": target, "layer": layer, "weight": weight}
        found, relations = layers_and_relations(edges, two_mode or {}, node_ids, **columns)
        masks = None
        if present is not None:
            masks = present_masks(present, found)
        return cls(
            found.layers,
            features,
            found.layer_names,
            found.node_ids,
            present=masks,
            feature_names=feature_names,
            two_mode=relations,
        )

    @property
    def layers(self) -> tuple[csr_array, ...]:
        """Read-only CSR adjacency of each layer: a new shell at each call around arrays that cannot be written to."""
        return tuple(csr_array((one.data, one.indices, one.indptr), shape=one.shape) for one in self._layers)

    @property
    def n_nodes(self) -> int:
        """Number of nodes N."""
        return len(self.node_ids)

    @property
    def n_layers(self) -> int:
        """Number of layers S, two-mode relations not among them."""
        return len(self._layers)

    @property
    def two_mode(self) -> Mapping[str, TwoMode]:
        """Two-mode relations by name; read-only."""
        return read_only(self._two_mode)

    @property
    def relation_names(self) -> tuple[str, ...]:
        """Names of the layers, then of the two-mode relations: the order in which weights are given."""
        return (*self.layer_names, *self._two_mode)

    def laplacians(self, kind: LaplacianKind = "joint") -> tuple[csr_array, ...]:
        """Return the sparse N x N Laplacian of each layer; see `orthonet.graph.laplacian`."""
        if kind == "joint" and self.n_layers:
            return joint_laplacians(self.layers, self.present, np.full(self.n_layers, 1 / self.n_layers))[0]
        return tuple(laplacian(layer, kind, mask) for layer, mask in zip(self.layers, self.present, strict=True))

    def subgraph(self, nodes: npt.ArrayLike) -> MultilayerGraph:
        """Return the graph of some of the nodes, with the edges between them and their memberships in all groups.

        Parameters
        ----------
        nodes : array of int or of bool
            Positions of the nodes, in the order wanted, or a mask.
        """
        positions = check_positions(nodes, self.n_nodes)
        features = None if self.features is None else rows_of(self.features, positions)
        named = zip(self.layer_names, self.layers, strict=True)
        return self.with_layers(
            {name: layer_of(layer, positions, name) for name, layer in named},
            node_ids=self.node_ids[positions],
            features=features,
            present=[mask[positions] for mask in self.present],
            two_mode={name: relation.rows(positions) for name, relation in self._two_mode.items()},
        )

    def with_layers(self, layers: Mapping[str, csr_array], **others: Any) -> MultilayerGraph:
        """Return the graph with layers that are known to be right, and with other parts as far as they are named."""
        kept = ("node_ids", "features", "present", "layers_from_features", "feature_names", "two_mode")
        parts = {name: getattr(self, name) for name in kept} | others
        return MultilayerGraph._of_checked({name: (layer, 0) for name, layer in layers.items()}, **parts)

    def with_layer(self, name: str, layer: csr_array) -> MultilayerGraph:
        """Return a graph of the same layers and one more, without features and two-mode relations; only that one is checked."""
        layers = dict(zip(self.layer_names, zip(self._layers, self._n_loops_dropped, strict=True), strict=True))
        new = {name: check_layer(layer, name, self.n_nodes)}
        return MultilayerGraph._of_checked(layers | new, self.node_ids, present=[*self.present, None])

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Copies and unpickled graphs are as read-only as the first."""
        self.__dict__.update(state)
        for part in (*self._layers, *self.present, self.node_ids, self.features):
            if part is not None:
                frozen(part)
