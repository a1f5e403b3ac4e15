"""The formats of network files: how each is read and written, what its files are called, and what it can hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from orthonet.files.errors import FileError
from orthonet.files.network import NetworkPart
from orthonet.files.networks import (
    edge_table,
    gexf,
    gml,
    graphml,
    infomap,
    matrix_market,
    mpx,
    multiplex,
    npz,
    pajek,
)
from orthonet.files.networks.xml_elements import root_name
from orthonet.files.options import ReadOptions
from orthonet.files.source import HDF5, Source

SNIFFED = 2**12
"""Bytes of a text file in which its format must show."""
ANNOTATED = {
    ".h5ad": "read it with orthonet.from_anndata(anndata.read_h5ad(path))",
    ".h5mu": "read it with orthonet.from_mudata(mudata.read_h5mu(path))",
}
OTHER_HDF5 = "of those, .h5ad files of AnnData and .h5mu files of MuData are read; save the edges as CSV"
"""How HDF5 files are read."""
Reader: TypeAlias = Callable[[Source, ReadOptions], NetworkPart]
Writer: TypeAlias = Callable[..., bytes]


@dataclass(frozen=True)
class Format:
    """A file format.

    Attributes
    ----------
    read : callable
        From a `Source` and `ReadOptions` to a `NetworkPart`.
    write : callable, or None
        From a graph, and columns about its nodes where the format holds them, to bytes; None if it is only read.
    suffixes : tuple of str
        What its files are called.
    holds_nodes, holds_features, holds_attributes, holds_missing_nodes, holds_layers : bool
        Whether a file keeps the nodes without edges and the order of nodes, dense features, other columns about the nodes,
        which nodes are missing from a layer, and more than one layer.
    is_text : bool
        Whether files may be packed with gzip.
    """

    read: Reader
    write: Writer | None = None
    suffixes: tuple[str, ...] = ()
    holds_nodes: bool = False
    holds_features: bool = False
    holds_attributes: bool = False
    holds_missing_nodes: bool = False
    holds_layers: bool = True
    is_text: bool = True


FORMATS: dict[str, Format] = {
    "csv": Format(edge_table.read_edge_table, partial(edge_table.write_edge_table, kind="csv"), (".csv",)),
    "tsv": Format(edge_table.read_edge_table, partial(edge_table.write_edge_table, kind="tsv"), (".tsv", ".txt")),
    "parquet": Format(
        edge_table.read_parquet_edges,
        partial(edge_table.write_edge_table, kind="parquet"),
        (".parquet", ".pq"),
        is_text=False,
    ),
    "npz": Format(
        npz.read_npz,
        npz.write_npz,
        (".npz",),
        holds_nodes=True,
        holds_features=True,
        holds_missing_nodes=True,
        is_text=False,
    ),
    "matrix-market": Format(
        matrix_market.read_matrix_market, matrix_market.write_matrix_market, (".mtx",), holds_layers=False
    ),
    "graphml": Format(
        graphml.read_graphml,
        graphml.write_graphml,
        (".graphml",),
        holds_nodes=True,
        holds_features=True,
        holds_attributes=True,
    ),
    "gexf": Format(
        gexf.read_gexf, gexf.write_gexf, (".gexf",), holds_nodes=True, holds_features=True, holds_attributes=True
    ),
    "gml": Format(gml.read_gml, gml.write_gml, (".gml",), holds_nodes=True),
    "mpx": Format(
        mpx.read_mpx, mpx.write_mpx, (".mpx",), holds_nodes=True, holds_features=True, holds_missing_nodes=True
    ),
    "multiplex": Format(multiplex.read_multiplex, multiplex.write_multiplex, (".edges",)),
    "pajek": Format(pajek.read_pajek, pajek.write_pajek, (".net", ".paj"), holds_nodes=True),
    "infomap": Format(infomap.read_infomap, infomap.write_infomap, holds_nodes=True),
}
"""The formats by name. Another package may add its own: ``FORMATS["mat"] = Format(read, suffixes=(".mat",))``."""


def format_by_suffix(suffix: str) -> str | None:
    """Return the name of the format whose files have this suffix, or None."""
    return next((name for name, one in FORMATS.items() if suffix in one.suffixes), None)


def format_of(file: Source) -> str:
    """Return the name of a file's format, by its content where that decides, else by its suffix; a table if neither does."""
    if file.is_parquet:
        return "parquet"
    named = format_by_suffix(file.suffix)
    if file.is_zip or named == "npz":
        return named or "npz"
    if file.is_matrix_market:
        return "matrix-market"
    head = file.text_head[:SNIFFED]
    if head.startswith(b"<"):
        return _xml_format(file)
    lines = [line.strip() for line in head.decode("utf-8", "replace").splitlines()]
    first = next((line for line in lines if line and line[0] not in "%#"), "")
    if first.startswith("*"):
        return _pajek_or_infomap(lines) or _pajek_or_infomap(line for _, line in file.numbered_lines()) or "pajek"
    if mpx.has_sections(lines):
        return "mpx"
    if named is None and file.suffix in (".cx", ".cx2"):
        raise FileError.about(file.path, "is written for Cytoscape, not read; export the network from there as GraphML")
    if named is None and file.is_matlab:
        raise FileError(file.path, "views in Matlab files are read by orthonet.read_views")
    if file.start.startswith(HDF5):
        raise FileError.about(file.path, f"is an HDF5 file; {ANNOTATED.get(file.suffix, OTHER_HDF5)}")
    return named or "csv"


def _xml_format(file: Source) -> str:
    root = root_name(file.text_head)
    if root in ("gexf", "graphml"):
        return root
    if root is None or format_by_suffix(file.suffix) in ("gexf", "graphml"):
        return format_by_suffix(file.suffix) or "graphml"
    raise FileError.about(file.path, f"is XML that begins with <{root}>; save the network as GraphML or GEXF")


def _pajek_or_infomap(lines: Iterable[str]) -> str | None:
    """Return the format that a first section of edges shows, None if there is none: both begin with the vertices."""
    for line in lines:
        if line.lower().startswith(("*multi", "*intra", "*inter")):
            return "infomap"
        if line.lower().startswith(("*arcs", "*edges")):
            return "pajek"
    return None
