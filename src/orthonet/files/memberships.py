"""Two-mode relations in files: a table of nodes and groups, or a sparse matrix of shape (N, groups)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from orthonet.files.errors import FileError, naming_file
from orthonet.files.options import ReadOptions, UnknownNodes
from orthonet.files.source import PathType, Source
from orthonet.files.tables.arrays import read_sparse
from orthonet.files.tables.cells import ids_of
from orthonet.files.tables.table import Table, plan_table, read_table
from orthonet.graph.membership_tables import Memberships
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.two_mode import TwoMode
from orthonet.support.checks import check_choice
from orthonet.support.sentences import Argument, Sentence

HEADINGS = (
    *("node", "nodes", "id", "ids", "name", "member", "user", "author", "patient", "document", "source"),
    *("group", "groups", "item", "club", "conference", "diagnosis", "word", "term", "target", "count", "weight"),
)
"""Names of columns by which a first row is a heading, where nothing else shows it."""


def read_memberships(
    path: PathType, *, delimiter: str | None = None, heading: bool | None = None
) -> Memberships | TwoMode:
    r"""Read a two-mode relation.

    Parameters
    ----------
    path : path
        A table of text (delimiter, heading and gzip are found) or Parquet, with columns node, group and optionally weight or
        count, in this order; or an .npz file of a sparse matrix of shape (N, groups), as scipy saves it, one row per node.
    delimiter, heading
        Of a table of text, found from its first rows if None: one character; whether the first row names the columns.

    Returns
    -------
    Memberships or TwoMode
        The rows of a table, for `MultilayerGraph.from_edges` and `add_memberships`; or the relation of a matrix.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from orthonet import MultilayerGraph
    >>> file = Path(tempfile.mkdtemp()) / "clubs.csv"
    >>> _ = file.write_text("node,group,count\nann,chess,2\nbob,chess,1\nbob,choir,5\n")
    >>> graph = MultilayerGraph.from_edges(None, two_mode={"clubs": read_memberships(file)})
    >>> graph.two_mode["clubs"].incidence.toarray()
    array([[2., 0.],
           [1., 5.]])
    """
    source = Source.of(path)
    if source.suffix == ".npz":
        with naming_file(path):
            return TwoMode(read_sparse(source))
    options = ReadOptions(delimiter=delimiter, heading=heading)
    plan = plan_table(source, options, of_numbers=False, names=HEADINGS)
    if len(plan.names) not in (2, 3):
        raise FileError.about(
            plan.path,
            f"has {len(plan.names)} columns; a two-mode relation has node, group and optionally weight or count",
        )
    table = read_table(plan, (0, 1))
    keep = ~table.blank
    nodes, groups = (_texts(table, column, keep) for column in (0, 1))
    weights = np.ones(len(nodes)) if len(plan.names) == 2 else _weights(table, keep)
    return Memberships(ids_of(nodes.tolist(), "auto"), ids_of(groups.tolist(), "auto"), weights)


def add_memberships(
    graph: MultilayerGraph, two_mode: Mapping[str, Memberships | TwoMode], *, unknown_nodes: UnknownNodes = "refuse"
) -> MultilayerGraph:
    """Return a graph with two-mode relations beside what it has, matched by the ids of its nodes.

    Parameters
    ----------
    graph : MultilayerGraph
    two_mode : mapping of names to what `read_memberships` returned
    unknown_nodes : {"refuse", "drop"}, default="refuse"
        What to do with memberships of nodes that the graph does not have.
    """
    check_choice(unknown_nodes, "unknown_nodes", ("refuse", "drop"))
    ids = graph.node_ids.tolist()
    place = {node: position for position, node in enumerate(ids)}
    as_text = {str(node): position for position, node in enumerate(ids)}
    relations: dict[str, TwoMode] = dict(graph.two_mode)
    for name, given in two_mode.items():
        if isinstance(given, TwoMode):
            relations[name] = given
            continue
        # Ids that are numbers in one file are text in another that has names among them.
        own = place if any(node in place for node in given.nodes.tolist()) else as_text
        rows = given if own is place else Memberships(given.nodes.astype(str), given.groups, given.weights)
        known = np.array([node in own for node in rows.nodes.tolist()], dtype=bool)
        if unknown_nodes == "refuse" and not known.all():
            raise ValueError(
                Sentence(
                    f"two_mode[{name!r}] names {int((~known).sum())} nodes that the graph does not have, the first "
                    f"{rows.nodes.tolist()[known.argmin()]!r} in row {known.argmin() + 1}; pass ",
                    Argument("unknown_nodes", "drop"),
                    ", or a table of all nodes as ",
                    Argument("features"),
                )
            )
        relations[name] = rows.select(known).relation(own, name)
    return MultilayerGraph(
        graph.layers,
        graph.features,
        graph.layer_names,
        graph.node_ids,
        present=graph.present,
        layers_from_features=graph.layers_from_features,
        feature_names=graph.feature_names,
        two_mode=relations,
    )


def _texts(table: Table, column: int, keep: npt.NDArray[np.bool_]) -> npt.NDArray[np.str_]:
    texts = table.columns.texts(column)[keep]
    if (texts == "").any():
        row = int(np.flatnonzero(keep)[(texts == "").argmax()])
        raise FileError(table.plan.path, f"{table.plan.called(column)} is empty", row=row + 1)
    return texts


def _weights(table: Table, keep: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    if not table.is_numeric(2):
        raise FileError(table.plan.path, f"{table.plan.called(2)}, the weight or count, must hold numbers")
    weights = table.numbers(2)[keep]
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        row = int(np.flatnonzero(keep)[wrong.argmax()])
        what = "is empty" if np.isnan(weights[wrong.argmax()]) else f"is {weights[wrong.argmax()]:g}"
        raise FileError(
            table.plan.path, f"{table.plan.called(2)} {what}, but a weight or count is a number >= 0", row=row + 1
        )
    return weights
