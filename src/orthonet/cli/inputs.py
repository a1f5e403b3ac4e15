"""The files a command works on, and how they are to be read: options that most commands share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

FILES, BUILT, LAYOUT, POLICIES = (
    "Files to read",
    "Layers from views",
    "How the files are laid out",
    "What becomes of rows that fit no graph",
)


def _option(*names: str, help: str, panel: str | None = None, metavar: str | None = None) -> typer.models.OptionInfo:
    return typer.Option(*names, help=help, rich_help_panel=panel, metavar=metavar)


Tables = Annotated[Literal["csv", "parquet"], _option("--tables", help="Format of the tables that are written.")]


@dataclass(frozen=True)
class Inputs:
    """Files as they were named, and what was said about their layout."""

    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="An edge list or network file (or several, one per layer), or a .mat, .h5ad or .h5mu file."
        ),
    ] = None
    layer: Annotated[
        list[str] | None,
        _option("--layer", metavar="NAME=FILE", help="A file that is one layer; may be repeated.", panel=FILES),
    ] = None
    view: Annotated[
        list[str] | None,
        _option(
            "--view",
            metavar="NAME=FILE",
            help="A table of features to build a layer from, one row per node; may be repeated.",
            panel=FILES,
        ),
    ] = None
    two_mode: Annotated[
        list[str] | None,
        _option(
            "--two-mode",
            metavar="NAME=FILE",
            help="A table of memberships: node, group and optionally a count, one row each; may be repeated.",
            panel=FILES,
        ),
    ] = None
    features: Annotated[
        Path | None,
        _option(
            "--features",
            "-f",
            metavar="FILE",
            help="Table of the nodes of the edge lists: an id and numbers about it, one row per node.",
            panel=FILES,
        ),
    ] = None
    own_features: Annotated[
        bool,
        _option(
            "--own-features",
            help="Features are the numbers that the network file itself has about its nodes.",
            panel=FILES,
        ),
    ] = False
    ignore: Annotated[
        list[str] | None,
        _option("--ignore", metavar="COLUMN", help="A column that is not a feature; may be repeated.", panel=FILES),
    ] = None
    category: Annotated[
        list[str] | None,
        _option(
            "--category",
            metavar="COLUMN",
            help="A column of --features that names categories: a feature each; may be repeated.",
            panel=FILES,
        ),
    ] = None
    neighbors: Annotated[
        int, typer.Option("--neighbors", min=1, help="Neighbours in layers built from features.", rich_help_panel=BUILT)
    ] = 10
    metric: Annotated[
        str, _option("--metric", help="Distance between the rows of a view: euclidean, cosine, …", panel=BUILT)
    ] = "euclidean"
    format: Annotated[
        str | None,
        _option(
            "--format",
            help="Format of the network files, found from the files if not given: csv, tsv, parquet, npz, matrix-market, "
            "graphml, gexf, gml, mpx, multiplex, pajek, infomap.",
            panel=LAYOUT,
        ),
    ] = None
    source: Annotated[
        str | None, _option("--source", metavar="COLUMN", help="Column of one end of the edges.", panel=LAYOUT)
    ] = None
    target: Annotated[
        str | None, _option("--target", metavar="COLUMN", help="Column of the other end.", panel=LAYOUT)
    ] = None
    layer_column: Annotated[
        str | None, _option("--layer-column", metavar="COLUMN", help="Column that names the layer.", panel=LAYOUT)
    ] = None
    weight: Annotated[
        str | None, _option("--weight", metavar="COLUMN", help="Column of the weights.", panel=LAYOUT)
    ] = None
    id_column: Annotated[
        str | None,
        _option("--id-column", metavar="COLUMN", help="Column of the ids in tables of nodes and views.", panel=LAYOUT),
    ] = None
    delimiter: Annotated[
        str | None, _option("--delimiter", help="One character between cells, where the guess is wrong.", panel=LAYOUT)
    ] = None
    heading: Annotated[
        bool | None,
        _option(
            "--heading/--no-heading",
            help="Whether the first row of tables names the columns; found from the table if not given.",
            panel=LAYOUT,
        ),
    ] = None
    directed: Annotated[
        bool | None,
        _option(
            "--directed/--undirected",
            help="Whether a,b and b,a are different edges; as the format says.",
            panel=POLICIES,
        ),
    ] = None
    symmetrize: Annotated[
        Literal["max", "mean", "min"],
        _option("--symmetrize", help="How directed layers are made symmetric.", panel=POLICIES),
    ] = "max"
    duplicates: Annotated[
        Literal["sum", "max"] | None,
        _option(
            "--duplicates",
            help="What several rows for one pair become; as the format says.",
            panel=POLICIES,
        ),
    ] = None
    unknown_nodes: Annotated[
        Literal["refuse", "drop"],
        _option("--unknown-nodes", help="Edges to nodes that the table of nodes lacks.", panel=POLICIES),
    ] = "refuse"
    missing_weights: Annotated[
        Literal["refuse", "one", "drop"],
        _option("--missing-weights", help="Edges without a weight, where others have one.", panel=POLICIES),
    ] = "refuse"
    missing_features: Annotated[
        Literal["mean", "refuse"], _option("--missing-features", help="Empty cells among the features.", panel=POLICIES)
    ] = "mean"


@dataclass(frozen=True)
class NewNodes:
    """New nodes for `orthonet predict`, and where their labels go."""

    table: Annotated[
        Path | None,
        typer.Argument(
            help="Table of the new nodes, with the features that the model was fitted on; edges or memberships will do, too."
        ),
    ] = None
    view: Annotated[
        list[str] | None,
        _option("--view", metavar="NAME=FILE", help="Instead: a table for each view that the model was fitted on."),
    ] = None
    layer: Annotated[
        list[str] | None,
        _option(
            "--layer",
            metavar="NAME=FILE",
            help="Edges of the new nodes in a layer of the model, to known nodes and each other; may be repeated.",
        ),
    ] = None
    two_mode: Annotated[
        list[str] | None,
        _option("--two-mode", metavar="NAME=FILE", help="Memberships of the new nodes; may be repeated."),
    ] = None
    edges: Annotated[
        list[Path] | None,
        _option(
            "--edges", metavar="FILE", help="Edges of the new nodes in a file that names its layers; may be repeated."
        ),
    ] = None
    output: Annotated[
        str | None,
        _option("--output", "-o", help="File to write, - for standard output; beside the model if not given."),
    ] = None
    tables: Tables = "csv"
    id_column: Annotated[str | None, _option("--id-column", metavar="COLUMN", help="Column of the ids.")] = None
    missing_features: Annotated[
        Literal["refuse", "mean"] | None,
        _option(
            "--missing-features",
            help="Empty cells: refuse them, or fill them with the mean over the nodes of the run; as the run did if not given.",
        ),
    ] = None


def named_files(texts: list[str], option: str) -> dict[str, Path]:
    """Return the files of ``NAME=FILE`` texts by name; a file without a name is called by its own."""
    found: dict[str, Path] = {}
    for text in texts:
        name, given, path = text.partition("=")
        if not given or Path(text).exists():
            name, path = Path(text).name.split(".")[0], text
        if not name or not path:
            raise ValueError(f"{option} {text!r}: write NAME=FILE")
        if name in found:
            raise ValueError(f"{option}: {found[name]} and {path} are both called {name!r}; write NAME=FILE")
        found[name] = Path(path)
    return found
