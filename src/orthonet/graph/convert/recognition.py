"""Objects of other libraries, known by what they have, and lists of adjacency matrices: the graph that each stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from orthonet.graph.convert.anndata_objects import from_anndata, from_mudata
from orthonet.graph.convert.igraph_graphs import from_igraph
from orthonet.graph.convert.networkx_graphs import from_networkx
from orthonet.graph.convert.pyg_data import from_pyg
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.text import listed


def graph_of(given: Any) -> MultilayerGraph | None:
    """Return the graph that an object stands for; None if it may be a matrix of features.

    Parameters
    ----------
    given : object
        A `MultilayerGraph`; a graph of networkx or igraph, or a list or mapping of them, one per layer; a list or mapping of
        N x N matrices, one per layer; a graph of PyTorch Geometric; a MuData; an AnnData (the graphs of ``obsp``, or else
        a nearest-neighbour layer of ``X_pca``, or ``X``). Each as its own function takes it without options: node
        attributes of networkx and igraph are not features.

    Raises
    ------
    TypeError, ValueError
        For lists that mix these, for matrices of other shapes, and for paths.
    """
    if isinstance(given, MultilayerGraph):
        return given
    if isinstance(given, str | PathLike):
        raise TypeError(f"got the path {str(given)!r}; read it first: read_network(path).graph()")
    convert = _conversion(given)
    if convert is not None:
        return convert(given)
    if hasattr(given, "shape"):  # an array; sparse ones of scipy's kind "dok" are mappings too
        return None
    if isinstance(given, Mapping):
        parts = list(given.values())
    elif isinstance(given, list | tuple):
        parts = list(given)
    else:
        return None
    kinds = {_conversion(part) for part in parts}
    if len(kinds) == 1 and kinds <= {from_networkx, from_igraph}:
        return kinds.pop()(given)
    if kinds - {None}:
        found = listed(sorted({type(part).__name__ for part in parts}))
        raise TypeError(f"a list of layers must be all networkx graphs, all igraph graphs or all matrices, got {found}")
    if parts and all(len(getattr(part, "shape", ())) == 2 for part in parts):
        return _of_matrices(given, parts)
    if isinstance(given, Mapping):
        raise TypeError(
            f"a mapping must be of layers, N x N matrices or graphs by name, got {listed(list(given.items()), 1)}"
        )
    return None


def without_options(adata: Any) -> dict[str, Any]:
    """Return the options of `from_anndata` where nothing was said: the graphs that there are, or a layer from features."""
    if any(not key.endswith("distances") for key in adata.obsp):
        return {}
    return {"views": ["X_pca" if "X_pca" in adata.obsm else "X"]}


def _conversion(given: Any) -> Any:
    """Return the function for an object of another library, None for anything else."""
    if hasattr(given, "mod") and hasattr(given, "obs_names"):
        return from_mudata
    if hasattr(given, "obsp") and hasattr(given, "obs_names"):
        return _from_anndata
    if hasattr(given, "nodes") and hasattr(given, "edges") and hasattr(given, "adj"):
        return from_networkx
    if hasattr(given, "vs") and hasattr(given, "es"):
        return from_igraph
    if hasattr(given, "edge_index") or hasattr(given, "edge_types"):
        return from_pyg
    return None


def _from_anndata(adata: Any) -> MultilayerGraph:
    return from_anndata(adata, **without_options(adata))


def _of_matrices(given: Any, parts: Sequence[Any]) -> MultilayerGraph:
    shapes = [tuple(part.shape) for part in parts]
    if any(shape != (shapes[0][0], shapes[0][0]) for shape in shapes):
        shown = listed([f"{rows} x {columns}" for rows, columns in shapes], 5)
        raise ValueError(
            f"a list of matrices is one of layers, all N x N, got {shown}; for feature groups pass "
            "MultilayerGraph.from_views([…]), for one matrix of features the matrix itself"
        )
    return MultilayerGraph(given)
