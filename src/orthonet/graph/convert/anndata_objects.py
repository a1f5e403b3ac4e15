"""From and to AnnData and MuData: cells are nodes, ``obsp`` graphs or feature groups make layers."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack, issparse

from orthonet.graph.convert.assembly import check_undirected, mask_of, names_of_features
from orthonet.graph.ids import check_unique, id_array
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.two_mode import refuse_two_mode
from orthonet.graph.validation import Symmetrize
from orthonet.graph.view_layers import spread
from orthonet.support.optional import require
from orthonet.support.warn import warn_user

AUTO = "auto"
PRESENT, NODE_ID, FEATURES = "present", "node_id", "features"
CONNECTIVITIES = "connectivities"
"""What scanpy calls the graph of a modality."""


def from_anndata(
    adata: Any,
    *,
    layers: Sequence[str] | None = None,
    views: Sequence[str] | None = None,
    features: str | None = AUTO,
    node_ids: Any = None,
    symmetrize: Symmetrize | None = None,
    layers_from_features: bool | None = None,
    **neighbors: Any,
) -> MultilayerGraph:
    """Return the multilayer graph of the cells of an AnnData.

    Parameters
    ----------
    adata : AnnData
    layers : sequence of str, optional
        Keys of ``obsp``, the graphs to use. By default all but those whose names end in "distances": weights are similarities.
    views : sequence of str, optional
        Instead of ``layers``: feature groups to build nearest-neighbour layers from, "X" or keys of ``obsm`` or
        ``adata.layers``; they become the features. A row of only NaN is a cell missing from that view.
    features : str or None, default="auto"
        Beside ``layers``: "X", a key of ``obsm`` or ``adata.layers``, or None. "auto" is ``obsm["X_pca"]`` if there is one,
        else X, if there is one.
    node_ids : str or sequence, optional
        A column of ``obs``, or the ids; ``obs_names`` by default.
    symmetrize : {"mean", "max", "min"}, optional
        How to make directed graphs symmetric; without it they are an error.
    layers_from_features : bool, optional
        Whether the graphs were built from the features, see `MultilayerGraph`. None: if ``uns`` names them as neighbour
        graphs, as scanpy does.
    **neighbors
        For ``views``: ``n_neighbors``, ``weights``, ``metric``, … of `MultilayerGraph.from_views`.
    """
    _check_kind(adata, ("obs_names", "obsm", "obsp"), "adata must be an AnnData")
    ids = _ids(adata, node_ids)
    if views is not None:
        if layers is not None or features not in (AUTO, None) or symmetrize is not None:
            raise ValueError("views makes layers and features itself: pass it without layers, features and symmetrize")
        groups = {key: _matrix(adata, key) for key in _keys(views, "views")}
        matrices = {key: group for key, (group, _) in groups.items()}
        columns = [name for _, names in groups.values() for name in names or ()]
        return MultilayerGraph.from_views(
            matrices, node_ids=ids, feature_names=names_of_features(matrices, columns), **neighbors
        )
    if neighbors:
        raise TypeError(f"{next(iter(neighbors))} is for building layers from views; pass views= too")
    found = {key: _graph(adata.obsp[key]) for key in _graph_keys(adata, layers)}
    if symmetrize is None:
        for key, adjacency in found.items():
            check_undirected(adjacency, f"obsp[{key!r}]", ids)
    matrix, names = (None, None) if features is None else _matrix(adata, features)
    made = _neighbour_graphs(adata, found) if layers_from_features is None else layers_from_features
    return MultilayerGraph(
        found,
        matrix,
        node_ids=ids,
        present=_present(adata, list(found)),
        symmetrize=symmetrize,
        layers_from_features=made and matrix is not None,
        feature_names=names_of_features(matrix, names),
    )


def from_mudata(
    mdata: Any,
    *,
    modalities: Sequence[str] | None = None,
    features: str | Mapping[str, str] = AUTO,
    graphs: str | None = None,
    symmetrize: Symmetrize | None = None,
    **neighbors: Any,
) -> MultilayerGraph:
    """Return the multilayer graph of the cells of a MuData, one layer per modality.

    A cell that was not measured in a modality is missing from that layer; its features there are the column means (0 where
    features are sparse). Nodes are ``mdata.obs_names``, in that order, so that `write_result` finds them.

    Parameters
    ----------
    mdata : MuData
        With shared observations (``axis=0``).
    modalities : sequence of str, optional
        Which to use; all by default.
    features : str or mapping of modalities to str, default="auto"
        The feature group of each modality: "X" or a key of its ``obsm`` or ``layers``. "auto" is ``obsm["X_pca"]`` if there is
        one, else X.
    graphs : str, optional
        A key of each modality's ``obsp``, e.g. "connectivities": take that graph as its layer. Without it a nearest-neighbour
        layer is built from the features.
    symmetrize : {"mean", "max", "min"}, optional
        How to make directed graphs symmetric; without it they are an error.
    **neighbors
        Without ``graphs``: ``n_neighbors``, ``weights``, ``metric``, … of `MultilayerGraph.from_views`.
    """
    _check_kind(mdata, ("obs_names", "mod"), "mdata must be a MuData")
    if getattr(mdata, "axis", 0) != 0:
        raise ValueError(f"mdata has axis={mdata.axis}; modalities must share observations (axis=0)")
    if graphs is not None and neighbors:
        raise TypeError(f"{next(iter(neighbors))} is for building layers; pass it without graphs=")
    cells = id_array(mdata.obs_names, "mdata.obs_names")
    check_unique(cells, "mdata.obs_names")
    place = {cell: position for position, cell in enumerate(cells.tolist())}
    chosen = list(mdata.mod) if modalities is None else _keys(modalities, "modalities")
    layers, present, names = [], [], []
    blocks: list[Any] = []
    for name in chosen:
        if name not in mdata.mod:
            raise ValueError(f"modalities names {name!r}, but mdata has {', '.join(map(repr, mdata.mod))}")
        one = mdata.mod[name]
        rows = np.array([place[cell] for cell in id_array(one.obs_names, "obs_names").tolist()], dtype=np.intp)
        matrix, columns = _matrix(one, features if isinstance(features, str) else features.get(name, AUTO), name)
        if graphs is None:
            view = _view(matrix, name, neighbors)
            layer, matrix, cells_here = view.layers[0], view.features, rows[view.present[0]]
        else:
            layer, cells_here = _modality_graph(one, name, graphs, symmetrize), rows
        layers.append(spread(layer, rows, len(cells)))
        present.append(mask_of(cells_here, len(cells)))
        if matrix is not None:
            blocks.append(_rows_of_all(matrix, rows, len(cells)))
            names += [f"{name}:{column}" for column in columns or ()]
    joined = None
    if not blocks and FEATURES in mdata.obsm:
        joined, columns = _matrix(mdata, FEATURES)
        names = columns or []
    if blocks:
        joined = hstack(blocks, format="csr") if any(map(issparse, blocks)) else np.hstack(blocks)
    return MultilayerGraph(
        layers,
        joined,
        chosen,
        cells,
        present=present,
        symmetrize=symmetrize,
        layers_from_features=graphs is None,
        feature_names=names_of_features(joined, names),
    )


def to_anndata(graph: MultilayerGraph) -> Any:
    """Return an AnnData: features in ``X``, layers in ``obsp`` under their names.

    Its names are text: ids that are numbers are kept in ``obs["node_id"]`` too. Where nodes are missing from layers,
    ``obsm["present"]`` says which are present in which. `from_anndata` reads it back.
    """
    refuse_two_mode(graph, "an AnnData object")
    anndata = require("anndata", extra="anndata", purpose="an AnnData")
    pandas = require("pandas", extra="anndata", purpose="an AnnData")
    names = id_array(list(map(str, graph.node_ids.tolist())), "node_ids")
    check_unique(names, "node_ids as text")
    obs = pandas.DataFrame(index=pandas.Index(names.astype(object)))
    if graph.node_ids.dtype.kind in "iuf":
        obs[NODE_ID] = graph.node_ids
    var = None
    if graph.features is not None:
        columns = graph.feature_names or tuple(f"feature {index}" for index in range(graph.features.shape[1]))
        var = pandas.DataFrame(index=pandas.Index(list(columns), dtype=object))
    result = anndata.AnnData(None if graph.features is None else graph.features.copy(), obs=obs, var=var)
    for name, layer in zip(graph.layer_names, graph.layers, strict=True):
        result.obsp[name] = layer.copy()
    if not np.all(graph.present):
        masks = dict(zip(graph.layer_names, graph.present, strict=True))
        result.obsm[PRESENT] = pandas.DataFrame(masks, index=obs.index)
    return result


def to_mudata(graph: MultilayerGraph) -> Any:
    """Return a MuData with a modality per layer: the nodes that the layer has, and the layer in ``obsp["connectivities"]``.

    A graph does not know which of its features belong to which layer. Those whose names begin with the name of a layer and a
    colon, as `from_mudata` names them, are the ``X`` of that modality, if all are so named; else all are in
    ``mdata.obsm["features"]``. ``from_mudata(mdata, graphs="connectivities")`` reads it back.
    """
    mudata = require("mudata", extra="anndata", purpose="a MuData")
    anndata = require("anndata", extra="anndata", purpose="a MuData")
    whole = to_anndata(graph)
    columns = list(map(str, whole.var_names))
    owners = [next((name for name in graph.layer_names if one.startswith(f"{name}:")), None) for one in columns]
    split = bool(columns) and None not in owners
    modalities = {}
    for name, layer, present in zip(graph.layer_names, graph.layers, graph.present, strict=True):
        rows = np.flatnonzero(present)
        own = [place for place, owner in enumerate(owners) if owner == name] if split else []
        part = whole[rows, own].copy() if own else anndata.AnnData(obs=whole.obs.iloc[rows][[]])
        part.var_names = [columns[place].removeprefix(f"{name}:") for place in own]
        part.obsm.clear()
        part.obsp.clear()
        part.obsp[CONNECTIVITIES] = layer[rows][:, rows]
        modalities[name] = part
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # mudata warns of its own next version, and of names that modalities share
        result = mudata.MuData(modalities)
        result = result[whole.obs_names].copy()
    if columns and not split:
        matrix = whole.X if issparse(whole.X) else whole.to_df()
        result.obsm[FEATURES] = matrix
    return result


def _check_kind(given: Any, needed: Iterable[str], message: str) -> None:
    if not all(hasattr(given, name) for name in needed):
        raise TypeError(f"{message}, got {type(given).__name__}")


def _keys(keys: Any, argument: str) -> list[str]:
    if isinstance(keys, str):
        raise TypeError(f"{argument} must be a list of names; for a single one pass [{keys!r}]")
    if not len(keys):
        raise ValueError(f"{argument} is empty; name at least one")
    return list(keys)


def _ids(adata: Any, node_ids: Any) -> npt.NDArray[Any]:
    if isinstance(node_ids, str):
        if node_ids not in adata.obs:
            raise ValueError(
                f"adata.obs has no column {node_ids!r}; it has {', '.join(map(repr, adata.obs)) or 'none'}"
            )
        node_ids = adata.obs[node_ids].to_numpy()
    ids = id_array(adata.obs_names if node_ids is None else node_ids, "node_ids")
    check_unique(ids, "adata.obs_names" if node_ids is None else "node_ids")
    return ids


def _graph_keys(adata: Any, layers: Sequence[str] | None) -> list[str]:
    known = list(adata.obsp)
    if layers is None:
        keys = [key for key in known if not key.endswith("distances")]
        if not keys:
            raise ValueError(
                "adata.obsp has no graph"
                + (f" but {', '.join(map(repr, known))}" if known else "")
                + "; build one, e.g. with "
                "scanpy.pp.neighbors, or pass views= to build layers from features"
            )
        return keys
    keys = _keys(layers, "layers")
    for key in keys:
        if key not in known:
            raise ValueError(f"adata.obsp has no {key!r}; it has {', '.join(map(repr, known)) or 'none'}")
        if key.endswith("distances"):
            warn_user(f"obsp[{key!r}] looks like distances, but weights are similarities: near cells need large ones")
    return keys


def _neighbour_graphs(adata: Any, keys: Iterable[str]) -> bool:
    """Return whether ``uns`` says of all these graphs that they are of nearest neighbours."""
    records = [entry for entry in adata.uns.values() if isinstance(entry, Mapping)]
    return set(keys) <= {str(record.get("connectivities_key", "")) for record in records}


def _graph(matrix: Any) -> csr_array:
    matrix = _in_memory(matrix)
    return csr_array(matrix.to_numpy() if hasattr(matrix, "to_numpy") else matrix).astype(np.float64)


def _matrix(adata: Any, key: str, modality: str | None = None) -> tuple[Any, list[str] | None]:
    """Return a feature group as an array or sparse array, and the names of its columns; (None, None) for none of its own."""
    if key == AUTO:
        key = "X_pca" if "X_pca" in adata.obsm else "X"
        if key == "X" and (adata.X is None or 0 in adata.X.shape):
            return None, None
    if key == "X":
        matrix, names = adata.X, list(map(str, adata.var_names))
    elif key in adata.obsm:
        matrix = adata.obsm[key]
        columns = getattr(matrix, "columns", range(matrix.shape[1]))
        names = list(map(str, columns)) if hasattr(matrix, "columns") else [f"{key}[{index}]" for index in columns]
    elif key in adata.layers:
        matrix, names = adata.layers[key], list(map(str, adata.var_names))
    else:
        matrix = None
    if matrix is None:
        owner = "adata" if modality is None else f"modality {modality!r}"
        known = ["X"] * (adata.X is not None) + [*adata.obsm, *adata.layers]
        raise ValueError(f"{owner} has no features {key!r}; it has {', '.join(map(repr, known)) or 'none'}")
    matrix = _in_memory(matrix)
    if issparse(matrix):
        return csr_array(matrix), names
    return np.asarray(matrix.to_numpy() if hasattr(matrix, "to_numpy") else matrix), names


def _in_memory(matrix: Any) -> Any:
    return matrix.to_memory() if hasattr(matrix, "to_memory") else matrix


def _present(adata: Any, names: list[str]) -> list[npt.NDArray[np.bool_] | None] | None:
    """Return the nodes each layer holds, where `to_anndata` wrote that."""
    table = adata.obsm.get(PRESENT)
    if not hasattr(table, "columns"):
        return None
    return [table[name].to_numpy(dtype=bool) if name in table.columns else None for name in names]


def _view(matrix: Any, name: str, neighbors: dict[str, Any]) -> MultilayerGraph:
    """Return the graph of one modality's cells by themselves."""
    if matrix is None:
        raise ValueError(f"modality {name!r} has no X; name its features, e.g. features={{{name!r}: 'X_pca'}}")
    try:
        return MultilayerGraph.from_views([matrix], **neighbors)
    except ValueError as error:
        raise ValueError(f"modality {name!r}: {error}") from error


def _modality_graph(one: Any, name: str, key: str, symmetrize: Symmetrize | None) -> csr_array:
    """Return a graph that a modality holds, over its own cells."""
    if key not in one.obsp:
        raise ValueError(f"modality {name!r} has no obsp[{key!r}]; it has {', '.join(map(repr, one.obsp)) or 'none'}")
    adjacency = _graph(one.obsp[key])
    if symmetrize is None:
        check_undirected(adjacency, f"obsp[{key!r}] of modality {name!r}", id_array(one.obs_names, "obs_names"))
    return adjacency


def _rows_of_all(matrix: Any, rows: npt.NDArray[np.intp], n_nodes: int) -> Any:
    """Return features of all nodes; those without get the column means, or nothing where features are sparse."""
    if issparse(matrix):
        entries = matrix.tocoo()
        return csr_array((entries.data, (rows[entries.row], entries.col)), shape=(n_nodes, matrix.shape[1]))
    dtype = matrix.dtype if matrix.dtype == np.float32 else np.float64
    full = np.tile(matrix.mean(axis=0).astype(dtype), (n_nodes, 1))
    full[rows] = matrix
    return full
