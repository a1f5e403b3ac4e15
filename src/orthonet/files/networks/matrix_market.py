"""Matrix Market files: one matrix, one layer; the nodes are counted, not named.

    %%MatrixMarket matrix coordinate real symmetric      (or array; integer, pattern; general)
    3 3 2                                                rows columns entries
    2 1 0.5                                              row column weight, from 1

The files are parsed here, not by scipy, whose parser (1.17) can crash the interpreter on a file that was cut.
"""

from __future__ import annotations

from io import BytesIO
from itertools import islice

import numpy as np
import numpy.typing as npt
from scipy.io import mmwrite
from scipy.sparse import coo_array

from orthonet.files.errors import FileError
from orthonet.files.network import NetworkPart
from orthonet.files.networks.layer_rows import part_of_matrix
from orthonet.files.options import ReadOptions
from orthonet.files.source import MATRIX_MARKET, Source
from orthonet.files.tables.arrays import MOST_UNSAID_NODES
from orthonet.files.tables.columns import Columns, read_columns
from orthonet.files.tables.layout import Layout
from orthonet.graph.multilayer import MultilayerGraph

KINDS = (("coordinate", "array"), ("real", "double", "integer", "pattern"), ("general", "symmetric"))


def read_matrix_market(source: Source, options: ReadOptions) -> NetworkPart:
    """Read a square matrix of real numbers."""
    (form, field, symmetry), sizes, n_lines = _heading(source)
    n_columns = 1 if form == "array" else 2 if field == "pattern" else 3
    layout = Layout(" ", n_lines, None, (), n_columns, _is_regular(source, n_lines))
    columns = read_columns(source, layout, (), range(n_columns))
    if form == "array":
        row, column, weight = _dense_entries(source, columns, sizes[0], symmetry)
    else:
        row, column, weight = _sparse_entries(source, columns, sizes, field)
    if symmetry == "symmetric":
        off = row != column
        row, column = np.concatenate([row, column[off]]), np.concatenate([column, row[off]])
        weight = np.concatenate([weight, weight[off]])
    return part_of_matrix(coo_array((weight, (row, column)), shape=(sizes[0], sizes[1])), source)


def write_matrix_market(graph: MultilayerGraph) -> bytes:
    """Return the only layer of a graph."""
    buffer = BytesIO()
    mmwrite(buffer, graph.layers[0], symmetry="symmetric")
    return buffer.getvalue()


def _heading(source: Source) -> tuple[tuple[str, str, str], list[int], int]:
    """Return the kind of matrix, its sizes, and how many lines stand before the entries."""
    lines = source.lines()
    words = next(lines, "").lower().split()
    if len(words) != 5 or words[0] != MATRIX_MARKET.decode().lower() or words[1] != "matrix":
        raise FileError(
            source.line(1),
            f"a Matrix Market file begins with %%MatrixMarket matrix and its kind; got {' '.join(words)[:60]!r}",
        )
    for word, known in zip(words[2:], KINDS, strict=True):
        if word not in known:
            raise FileError(source.line(1), f"expected one of {', '.join(known)}, got {word!r}")
    form, field, symmetry = words[2:]
    for number, line in enumerate(lines, start=2):
        if line.startswith("%") or not line.strip():
            continue
        cells = line.split()
        if len(cells) != (3 if form == "coordinate" else 2) or not all(
            cell.isascii() and cell.isdecimal() and len(cell) <= 18 for cell in cells
        ):
            raise FileError(source.line(number), f"expected rows, columns and entries; got {line.strip()[:60]!r}")
        sizes = [int(cell) for cell in cells]
        if sizes[0] != sizes[1] or sizes[0] == 0:
            raise FileError(
                source.line(number), f"the matrix must be square (nodes x nodes), got {' x '.join(cells[:2])}"
            )
        if sizes[0] > max(MOST_UNSAID_NODES, 20 * source.size):
            raise FileError(source.line(number), f"{sizes[0]:,} nodes are more than this file can hold")
        return (form, field, symmetry), sizes, number
    raise FileError.about(source.path, "is cut: it says no size")


def _is_regular(source: Source, n_lines: int) -> bool:
    """Tell from the first entry whether cells are separated by single blanks."""
    line = next(islice(source.lines(), n_lines, None), "")
    return line.rstrip("\n") == " ".join(line.split())


def _sparse_entries(
    source: Source, columns: Columns, sizes: list[int], field: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    ends = [columns.numbers(index, "a row or column") for index in (0, 1)]
    filled = ~(np.isnan(ends[0]) & np.isnan(ends[1]))
    for end in ends:
        wrong = filled & ~((end >= 1) & (end <= sizes[0]) & (end == np.floor(end)))
        if wrong.any():
            first = int(wrong.argmax())
            raise FileError(
                source.path,
                f"expected a whole number from 1 to {sizes[0]}, got {end[first]:g}",
                row=first + 1,
                unit="entry",
            )
    weight = np.ones(len(filled)) if field == "pattern" else columns.numbers(2, "a weight")
    _check_count(source, int(filled.sum()), sizes[2])
    row, column = (end[filled].astype(np.int64) - 1 for end in ends)
    return row, column, _without_holes(source, weight[filled])


def _dense_entries(
    source: Source, columns: Columns, n_nodes: int, symmetry: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    weight = columns.numbers(0, "a weight")
    weight = weight[~np.isnan(weight)]
    wanted = n_nodes * n_nodes if symmetry == "general" else n_nodes * (n_nodes + 1) // 2
    _check_count(source, len(weight), wanted)
    if symmetry == "general":
        column, row = np.divmod(np.arange(wanted), n_nodes)
    else:
        column, row = np.triu_indices(n_nodes)  # the lower triangle, column by column
    return row.astype(np.int64), column.astype(np.int64), weight


def _check_count(source: Source, found: int, wanted: int) -> None:
    if found != wanted:
        raise FileError.about(source.path, f"is cut or damaged: it promises {wanted:,} entries and has {found:,}")


def _without_holes(source: Source, weight: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    missing = np.isnan(weight)
    if missing.any():
        raise FileError(source.path, "no weight", row=int(missing.argmax()) + 1, unit="entry")
    return weight
