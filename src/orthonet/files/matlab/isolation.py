"""Matlab files read where a damaged one can do no harm: in a process of its own, with limits on memory and time.

The process answers with descriptions in JSON and numbers in an .npz file, which is read as carefully as one from a stranger.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from orthonet.files.archives import compressed, opened_archive
from orthonet.files.errors import FileError
from orthonet.files.isolation import asked
from orthonet.files.source import Source
from orthonet.files.tables.arrays import check_entries


class NotData:
    """A value that is neither numbers nor text nor a cell: a struct, object or function, with the names of its fields."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        self.fields = fields


def list_variables(path: Path, content_bytes: int) -> list[tuple[str, tuple[int, ...], str]]:
    """Return name, shape and kind of each variable, in the words of `scipy.io.whosmat`."""
    answer = asked({"path": str(path), "names": None, "result": None}, content_bytes)
    return [(str(name), tuple(shape), str(kind)) for name, shape, kind in answer["variables"]]


def read_values(path: Path, names: list[str], content_bytes: int, shown: Path) -> dict[str, Any]:
    """Return variables by name: arrays, sparse arrays, arrays of objects for cells, and `NotData`."""
    with tempfile.TemporaryDirectory(prefix="orthonet-") as folder:
        result = Path(folder) / "values.npz"
        answer = asked({"path": str(path), "names": names, "result": str(result)}, content_bytes)
        with opened_archive(Source.of(result)) as arrays:
            return {name: _value(one, arrays, name, shown) for name, one in answer["values"].items()}


def _value(described: Mapping[str, Any], arrays: Mapping[str, np.ndarray], name: str, path: Path) -> Any:
    if "array" in described:
        array = arrays[described["array"]]
        if array.ndim >= 2 or array.dtype.kind in "SU":
            return array
    if "sparse" in described:
        data, indices, indptr = (arrays[part] for part in described["sparse"])
        rows, columns = described["shape"]
        check_entries((rows, columns), len(data), path)
        try:
            return compressed(data, indices, indptr, (rows, columns), by_column=True)
        except ValueError as error:
            raise FileError(path, f"the variable {name!r}: the file is damaged ({error})") from error
    if "array" in described or len(described.get("shape", "xy")) < 2:
        raise FileError(path, f"the variable {name!r}: the file is damaged (a value has fewer than two dimensions)")
    if "cells" in described:
        cells = np.empty(len(described["cells"]), dtype=object)
        for index, cell in enumerate(described["cells"]):
            cells[index] = _value(cell, arrays, name, path)
        return cells.reshape(described["shape"])
    return NotData(tuple(map(str, described["fields"])))
