"""Matrix Market files: one matrix, one layer; the nodes are counted, not named.

    %%MatrixMarket matrix coordinate real symmetric      (or array; integer, pattern; general)
    3 3 2                                                rows columns entries
    2 1 0.5                                              row column weight, from 1

The files are parsed here, not by scipy, whose parser (1.17) can crash the interpreter on a file that was cut.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.io import mmwrite
from scipy.sparse import coo_array

from orthonet.graph.formats.columns import Columns, read_columns
from orthonet.graph.formats.layout import Layout
from orthonet.graph.formats.matrices import BELIEVED, rows_of_matrix
from orthonet.graph.formats.opening import raw_lines
from orthonet.graph.formats.options import ReadOptions
from orthonet.graph.formats.part import Part
from orthonet.graph.multilayer import MultilayerGraph

BANNER = b"%%MatrixMarket"
KINDS = (("coordinate", "array"), ("real", "double", "integer", "pattern"), ("general", "symmetric"))


def read_matrix_market(path: Path, options: ReadOptions) -> Part:
    """Read a square matrix of real numbers."""
    (form, field, symmetry), sizes, n_lines = _heading(path)
    n_columns = 1 if form == "array" else 2 if field == "pattern" else 3
    layout = Layout(" ", n_lines, None, (), n_columns, _is_regular(path, n_lines))
    columns = read_columns(path, layout, (), range(n_columns))
    if form == "array":
        row, column, weight = _dense_entries(path, columns, sizes[0], symmetry)
    else:
        row, column, weight = _sparse_entries(path, columns, sizes, field)
    if symmetry == "symmetric":
        off = row != column
        row, column = np.concatenate([row, column[off]]), np.concatenate([column, row[off]])
        weight = np.concatenate([weight, weight[off]])
    rows, n_nodes = rows_of_matrix(coo_array((weight, (row, column)), shape=(sizes[0], sizes[1])), path)
    return Part(path, None, n_nodes, {path.name.split(".")[0]: rows})


def matrix_market_bytes(graph: MultilayerGraph) -> bytes:
    """Return the only layer of a graph."""
    buffer = BytesIO()
    mmwrite(buffer, graph.layers[0], symmetry="symmetric")
    return buffer.getvalue()


def _heading(path: Path) -> tuple[tuple[str, str, str], list[int], int]:
    """Return the kind of matrix, its sizes, and how many lines stand before the entries."""
    lines = raw_lines(path)
    words = next(lines, "").lower().split()
    if len(words) != 5 or words[0] != BANNER.decode().lower() or words[1] != "matrix":
        raise ValueError(
            f"{path}, line 1: a Matrix Market file begins with %%MatrixMarket matrix and its kind; got {' '.join(words)[:60]!r}"
        )
    for word, known in zip(words[2:], KINDS, strict=True):
        if word not in known:
            raise ValueError(f"{path}, line 1: expected one of {', '.join(known)}, got {word!r}")
    form, field, symmetry = words[2:]
    for number, line in enumerate(lines, start=2):
        if line.startswith("%") or not line.strip():
            continue
        cells = line.split()
        if len(cells) != (3 if form == "coordinate" else 2) or not all(
            cell.isascii() and cell.isdecimal() and len(cell) <= 18 for cell in cells
        ):
            raise ValueError(f"{path}, line {number}: expected rows, columns and entries; got {line.strip()[:60]!r}")
        sizes = [int(cell) for cell in cells]
        if sizes[0] != sizes[1] or sizes[0] == 0:
            raise ValueError(
                f"{path}, line {number}: the matrix must be square (nodes x nodes), got {' x '.join(cells[:2])}"
            )
        if sizes[0] > max(BELIEVED, 20 * path.stat().st_size):
            raise ValueError(f"{path}, line {number}: {sizes[0]:,} nodes are more than this file can hold")
        return (form, field, symmetry), sizes, number
    raise ValueError(f"{path} is cut: it says no size")


def _is_regular(path: Path, n_lines: int) -> bool:
    """Tell from the first entry whether single blanks part the cells."""
    for number, line in enumerate(raw_lines(path)):
        if number >= n_lines:
            return line.rstrip("\n") == " ".join(line.split())
    return True


def _sparse_entries(
    path: Path, columns: Columns, sizes: list[int], field: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    ends = [columns.numbers(index, "a row or column") for index in (0, 1)]
    held = ~(np.isnan(ends[0]) & np.isnan(ends[1]))
    for end in ends:
        wrong = held & ~((end >= 1) & (end <= sizes[0]) & (end == np.floor(end)))
        if wrong.any():
            first = int(wrong.argmax())
            raise ValueError(
                f"{path}, entry {first + 1}: expected a whole number from 1 to {sizes[0]}, got {end[first]:g}"
            )
    weight = np.ones(len(held)) if field == "pattern" else columns.numbers(2, "a weight")
    _check_count(path, int(held.sum()), sizes[2])
    row, column = (end[held].astype(np.int64) - 1 for end in ends)
    return row, column, _whole(path, weight[held])


def _dense_entries(
    path: Path, columns: Columns, n_nodes: int, symmetry: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    weight = columns.numbers(0, "a weight")
    weight = weight[~np.isnan(weight)]
    wanted = n_nodes * n_nodes if symmetry == "general" else n_nodes * (n_nodes + 1) // 2
    _check_count(path, len(weight), wanted)
    if symmetry == "general":
        column, row = np.divmod(np.arange(wanted), n_nodes)
    else:
        column, row = np.triu_indices(n_nodes)  # the lower triangle, column by column
    return row.astype(np.int64), column.astype(np.int64), weight


def _check_count(path: Path, found: int, wanted: int) -> None:
    if found != wanted:
        raise ValueError(f"{path} is cut or damaged: it promises {wanted:,} entries and has {found:,}")


def _whole(path: Path, weight: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    missing = np.isnan(weight)
    if missing.any():
        raise ValueError(f"{path}, entry {int(missing.argmax()) + 1}: no weight")
    return weight
