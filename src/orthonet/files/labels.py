"""Known classes of nodes: a table of ids and labels, or labels alone in the order of the nodes."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.files.errors import FileError
from orthonet.files.options import ReadOptions
from orthonet.files.source import Source
from orthonet.files.tables.arrays import map_array
from orthonet.files.tables.cells import ids_of
from orthonet.files.tables.column_names import LABEL_NAMES, column_named, named_id_column, plain
from orthonet.files.tables.table import Table, TablePlan, plan_table, read_table
from orthonet.graph.ids import first_duplicate
from orthonet.support.sentences import Argument

CLUSTER_NAMES = (*LABEL_NAMES, "cluster", "clusters", "group", "groups", "community", "target", "type", "category")


def read_labels(
    path: str | PathLike[str],
    node_ids: Any,
    *,
    id_column: str | int | None = None,
    column: str | int | None = None,
) -> npt.NDArray[Any]:
    r"""Read known classes of nodes, in the order of ``node_ids``.

    Parameters
    ----------
    path : path
        A table of text (delimiter, heading and gzip are found), Parquet, or a .npy file of one label per node.
    node_ids : array of N ids
    id_column : str or int, optional
        The column of ids, by name or counted from 0; by the usual names if None, or the other one of two columns. A table
        without ids has its rows in the order of the nodes.
    column : str or int, optional
        The column of labels; the one called label, class, truth, … or the only one besides the ids if None.

    Returns
    -------
    array of N labels
        Integers if all are written as such, else text. Nodes of the file that are not among ``node_ids`` are passed over; a
        node without a label is an error.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "truth.csv"
    >>> _ = file.write_text("name,label\nbob,red\nann,blue\n")
    >>> read_labels(file, ["ann", "bob"]).tolist()
    ['blue', 'red']
    """
    source = Source.of(path)
    nodes = np.asarray(node_ids)
    if source.is_matlab:
        raise FileError.about(source.path, "is a Matlab file; its labels are those of orthonet.read_views")
    if source.is_numpy:
        return _vector(source, len(nodes))
    options = ReadOptions(id_column=id_column)
    plan = plan_table(source, options, of_numbers=False, names=CLUSTER_NAMES)
    labels, ids = _roles(plan, options, column)
    table = read_table(plan, range(len(plan.names)))
    found = table.columns.texts(labels)[~table.blank]
    if ids is None and plan.heading is None and plan.layout is not None and len(found) == len(nodes) + 1:
        plan = plan_table(source, replace(options, heading=True), of_numbers=False)
        table = read_table(plan, range(len(plan.names)))
        found = table.columns.texts(labels)[~table.blank]
    order = _by_order(table, found, nodes) if ids is None else _by_id(table, ids, nodes)
    chosen = found[order]
    lacking = chosen == ""
    if lacking.any():
        node = nodes.tolist()[int(lacking.argmax())]
        count = int(lacking.sum())
        raise FileError(source.path, f"{plan.called(labels)} is empty for {count:,} nodes, such as {node!r}")
    return ids_of(chosen.tolist(), "auto")


def _roles(plan: TablePlan, options: ReadOptions, column: str | int | None) -> tuple[int, int | None]:
    """Return the column of labels and that of ids."""
    n_columns = len(plan.names)
    if n_columns == 1:
        return 0, None
    wanted = None if column is None else column_named(plan.path, column, plan.heading, n_columns, "column")
    never = {*LABEL_NAMES, *([plain(plan.names[wanted])] if wanted is not None else [])}
    ids = named_id_column(plan.path, plan.heading, n_columns, options.id_column, never)
    rest = [index for index in range(n_columns) if index != ids]
    if wanted is None:
        named = sorted(
            (index for index in rest if _rank(plan, index) < len(CLUSTER_NAMES)), key=lambda i: _rank(plan, i)
        )
        if named:
            wanted = named[0]
        elif len(rest) == 1 or (ids is None and n_columns == 2):
            wanted = rest[-1]
        else:
            listed = ", ".join(plan.called(index) for index in rest)
            raise FileError.about(
                plan.path, f"has several columns that may be the labels: {listed}; name one with ", Argument("column")
            )
    if wanted == ids:
        raise FileError(plan.path, f"{plan.called(wanted)} cannot be both the ids and the labels")
    return wanted, 1 - wanted if ids is None and n_columns == 2 else ids


def _rank(plan: TablePlan, column: int) -> int:
    name = plain(plan.heading[column]) if plan.heading is not None else ""
    return CLUSTER_NAMES.index(name) if name in CLUSTER_NAMES else len(CLUSTER_NAMES)


def _by_order(table: Table, found: npt.NDArray[Any], nodes: npt.NDArray[Any]) -> Any:
    if len(found) != len(nodes):
        raise FileError.about(
            table.plan.path,
            f"has {len(found):,} rows without ids, but there are {len(nodes):,} nodes; name the column of ids with ",
            Argument("id_column"),
            ", if there is one",
        )
    return slice(None)


def _by_id(table: Table, ids: int, nodes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the row of each node; ids are compared as they are written."""
    path = table.plan.path
    texts = table.columns.texts(ids)[~table.blank].tolist()
    duplicate = first_duplicate(text for text in texts if text)
    if duplicate is not None:
        raise FileError(path, f"node {duplicate!r} has several rows, in {table.plan.called(ids)}")
    row = {text: index for index, text in enumerate(texts)}
    wanted = [str(node) for node in nodes.tolist()]
    lacking = [node for node in wanted if node not in row]
    if lacking:
        raise FileError.about(
            path, f"has no label for {len(lacking):,} of {len(wanted):,} nodes, such as {lacking[0]!r}"
        )
    return np.array([row[node] for node in wanted], dtype=np.int64)


def _vector(source: Source, n_nodes: int) -> npt.NDArray[Any]:
    array = map_array(source, "an array of labels")
    if array.size != n_nodes or array.size != max(array.shape, default=0):
        raise FileError.about(source.path, f"must hold {n_nodes:,} labels, one per node; got shape {array.shape}")
    if array.dtype.kind not in "biuU":
        raise FileError.about(source.path, f"must hold whole numbers or text, got dtype {array.dtype}")
    return np.array(array).ravel()
