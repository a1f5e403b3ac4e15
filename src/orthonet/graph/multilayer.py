"""The multilayer graph: N nodes, S layers of weighted edges between them, a feature vector on each node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from orthonet.graph.arrays import named_matrices
from orthonet.graph.edges import layers_from_edges, present_masks
from orthonet.graph.features import Features, FeatureScaling, check_features, column_names
from orthonet.graph.ids import check_node_ids, ids_of_tables, row_labels
from orthonet.graph.knn import Search
from orthonet.graph.laplacian import LaplacianKind, joint_laplacians, laplacian
from orthonet.graph.plot import plot_layers
from orthonet.graph.summary import GraphSummary, summarise_layer
from orthonet.graph.validation import (
    Symmetrize,
    check_feature_names,
    check_layer,
    check_layer_names,
    check_present,
)
from orthonet.graph.view_layers import layers_from_views, names_side_by_side


@dataclass(frozen=True, init=False, eq=False, repr=False)
class MultilayerGraph:
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

    def __init__(
        self,
        layers: Sequence[Any] | Mapping[str, Any],
        features: Any = None,
        layer_names: Sequence[str] | None = None,
        node_ids: Any = None,
        *,
        present: Sequence[npt.ArrayLike | None] | None = None,
        symmetrize: Symmetrize | None = None,
        layers_from_features: bool = False,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        matrices, layer_names = named_matrices(layers, layer_names, "layers")
        if not matrices:
            raise ValueError("layers is empty; pass at least one layer, or build some with MultilayerGraph.from_views")
        names = check_layer_names(layer_names, len(matrices))
        tables = {f"layers[{index}]": layer for index, layer in enumerate(matrices)} | {"features": features}
        node_ids = ids_of_tables(tables, node_ids)
        checked: list[csr_array] = []
        n_loops = []
        for index, layer in enumerate(matrices):
            called = f"layers[{index}]" + (f" ({names[index]!r})" if layer_names is not None else "")
            adjacency, loops = check_layer(layer, called, checked[0].shape[0] if checked else None, symmetrize)
            checked.append(adjacency)
            n_loops.append(loops)
        self._keep(checked, n_loops, names, node_ids, features, present, layers_from_features, feature_names)

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
    ) -> MultilayerGraph:
        """Return a graph of layers that are what `check_layer` returns, and are kept as they are: no second check, no copy."""
        graph = cls.__new__(cls)
        matrices, n_loops = zip(*layers.values(), strict=True)
        node_ids = ids_of_tables({"features": features}, node_ids)
        names = tuple(layers)
        graph._keep(matrices, n_loops, names, node_ids, features, present, layers_from_features, feature_names)
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
    ) -> None:
        n_nodes = layers[0].shape[0]
        ids = check_node_ids(node_ids, n_nodes)
        set_once = object.__setattr__
        set_once(self, "_layers", tuple(map(_frozen, layers)))
        set_once(self, "layer_names", names)
        set_once(self, "node_ids", _frozen(ids))
        matrix = None if features is None else check_features(features, n_nodes=n_nodes)
        set_once(self, "features", None if matrix is None else _frozen(matrix))
        given = column_names(features) if feature_names is None else check_feature_names(feature_names, matrix)
        set_once(self, "feature_names", given)
        set_once(self, "present", tuple(map(_frozen, check_present(present, layers, names))))
        set_once(self, "layers_from_features", bool(layers_from_features))
        set_once(self, "_n_loops_dropped", tuple(n_loops))

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
    ) -> MultilayerGraph:
        """Build a graph from a table of edges.

        Each row joins two nodes in one layer, whichever way round it names them; rows that name the same pair add up,
        and self-loops are dropped.

        Parameters
        ----------
        edges : table or iterable of rows
            A frame (pandas, polars) or mapping of columns, or rows (source, target), (source, target, layer) or
            (source, target, layer, weight). Without layers there is one, without weights all are 1.
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

        Examples
        --------
        >>> graph = MultilayerGraph.from_edges({"source": [1, 2], "target": [2, 3], "weight": [0.5, 2.0]})
        >>> graph.node_ids.tolist(), graph.layers[0].nnz
        ([1, 2, 3], 4)
        """
        if node_ids is None:
            node_ids = row_labels(features)
        if node_ids is None and features is not None:
            raise ValueError(
                "features need node_ids (or a frame whose index names the nodes): rows cannot be matched to the nodes of an "
                "edge list by their order"
            )
        found = layers_from_edges(edges, node_ids=node_ids, source=source, target=target, layer=layer, weight=weight)
        masks = None
        if present is not None:
            masks = present_masks(present, found)
        return cls(
            found.layers, features, found.layer_names, found.node_ids, present=masks, feature_names=feature_names
        )

    @property
    def layers(self) -> tuple[csr_array, ...]:
        """Read-only CSR adjacency of each layer: a new shell at each call around arrays that cannot be written to."""
        return tuple(csr_array((one.data, one.indices, one.indptr), shape=one.shape) for one in self._layers)

    @property
    def n_nodes(self) -> int:
        """Number of nodes N."""
        return int(self._layers[0].shape[0])

    @property
    def n_layers(self) -> int:
        """Number of layers S."""
        return len(self._layers)

    def laplacians(self, kind: LaplacianKind = "joint") -> tuple[csr_array, ...]:
        """Return the sparse N x N Laplacian of each layer; see `orthonet.graph.laplacian`."""
        if kind == "joint":
            return joint_laplacians(self.layers, self.present, np.full(self.n_layers, 1 / self.n_layers))[0]
        return tuple(laplacian(layer, kind, mask) for layer, mask in zip(self.layers, self.present, strict=True))

    def subgraph(self, nodes: npt.ArrayLike) -> MultilayerGraph:
        """Return the graph of some of the nodes, with the edges between them.

        Parameters
        ----------
        nodes : array of int or of bool
            Positions of the nodes, in the order wanted, or a mask.
        """
        chosen = np.asarray(nodes)
        if chosen.dtype == bool and chosen.shape != (self.n_nodes,):
            raise ValueError(f"nodes is a mask of shape {chosen.shape}, but the graph has {self.n_nodes} nodes")
        positions = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        whole = positions.ndim == 1 and positions.size > 0 and np.issubdtype(positions.dtype, np.integer)
        if not whole or positions.min() < 0 or positions.max() >= self.n_nodes:
            raise ValueError(f"nodes must be positions from 0 to {self.n_nodes - 1}, at least one")
        features = None if self.features is None else self.features[positions]
        return MultilayerGraph(
            [layer[positions][:, positions] for layer in self.layers],
            features,
            self.layer_names,
            self.node_ids[positions],
            present=[mask[positions] for mask in self.present],
            layers_from_features=self.layers_from_features,
            feature_names=self.feature_names,
        )

    def summary(self) -> GraphSummary:
        """Return nodes, edges, density, components, isolated and missing nodes of each layer; print it to read it."""
        return self._summary

    @cached_property
    def _summary(self) -> GraphSummary:
        parts = zip(self.layer_names, self.layers, self.present, self._n_loops_dropped, strict=True)
        if self.features is None:
            features = "no features"
        else:
            features = f"{self.features.shape[1]:,} features" + (" (sparse)" if issparse(self.features) else "")
        return GraphSummary(self.n_nodes, features, tuple(summarise_layer(*part) for part in parts))

    def plot_layers(self, labels: Any = None, *, axes: Any = None, order: Any = "auto") -> npt.NDArray[Any]:
        """Draw the adjacency of each layer, all with their nodes in the same order. Needs ``orthonet[plot]``.

        A picture has at most 300 cells per side; the darker a cell, the more of its pairs of nodes are joined. Nodes that
        are missing from a layer are grey.

        Parameters
        ----------
        labels : array of shape (N,), optional
            Clusters, such as ``model.labels_``: nodes are sorted by them, with lines between up to 40 clusters.
        axes : sequence of S matplotlib Axes, optional
            Where to draw; a new pyplot figure by default, which a notebook shows.
        order : "auto", "given" or array of N positions, default="auto"
            The order of the nodes, within their clusters if there are ``labels``. "auto" brings nodes together that are joined
            in any layer, "given" leaves them as they are numbered.

        Returns
        -------
        array of S matplotlib Axes

        Examples
        --------
        >>> import matplotlib.figure
        >>> from orthonet import datasets
        >>> data = datasets.make_multilayer_gaussians(n_nodes=90, n_layers=2, n_clusters=3, random_state=0)
        >>> panels = matplotlib.figure.Figure(layout="constrained").subplots(1, 2)
        >>> data.graph.plot_layers(data.labels, axes=panels).shape
        (2,)
        """
        return plot_layers(self, labels, axes=axes, order=order)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Copies and unpickled graphs are as read-only as the first."""
        self.__dict__.update(state)
        for part in (*self._layers, *self.present, self.node_ids, self.features):
            if part is not None:
                _frozen(part)

    def __repr__(self) -> str:
        return f"<{self._summary._title()}>"

    def _repr_html_(self) -> str:
        return self._summary._repr_html_()


def _frozen(matrix: Any) -> Any:
    """Forbid writing to an array, or to the parts of a CSR array."""
    for part in (matrix.data, matrix.indices, matrix.indptr) if issparse(matrix) else (matrix,):
        part.flags.writeable = False
    return matrix
