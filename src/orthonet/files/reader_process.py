"""Open Matlab, HDF5 and Parquet files in a process that a damaged file may crash, within limits of memory and time.

This file is run by itself, see `orthonet.files.isolation`, and imports nothing of this package. A line of standard input is a
request, a line of standard output its answer, both in JSON. Matlab files are read by scipy, their numbers go through an .npz
file; of the others everything is read once and nothing kept, to see whether the library can do it.
"""

from __future__ import annotations

import importlib
import json
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat, whosmat
from scipy.io.matlab import MatlabFunction, MatlabObject, MatlabOpaque
from scipy.sparse import issparse

DEEPEST, MOST_VALUES = 20, 100_000
"""How deep cells may be nested, and how many values a file may have."""
BLOCK = 2**22
"""Bytes of an array that are read at a time."""
SPARE_DESCRIPTORS = 64
"""Files that the process may have open; it needs three."""


def main() -> None:
    """Answer requests until there are no more."""
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        request = json.loads(line)
        _end_after(request["patience"])
        try:
            with suppress(ImportError, OSError, ValueError):
                _import_freely(request)
            with suppress(ImportError, OSError, ValueError):
                _set_limits(request["memory"], request["seconds"])
            answer = _answer(request)
        except Exception as error:  # whatever scipy makes of a damaged file is told to the other process
            answer = {"error": type(error).__name__, "said": str(error)[:2000]}
        _end_after(0)
        print(json.dumps(answer), flush=True)  # noqa: T201 - this is how the processes speak


def _import_freely(request: dict[str, Any]) -> None:
    """Load the package that will be needed without the limits of an earlier file: they are meant for its content."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (resource.getrlimit(resource.RLIMIT_AS)[1],) * 2)
    needed = "polars" if "sample_rows" in request else "h5py" if "most_bytes" in request else None
    if needed is not None:
        importlib.import_module(needed)


def _set_limits(memory: int, seconds: int) -> None:
    """Let this request take so many more bytes and seconds; where the system has no such limits there are none."""
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    _set(resource.RLIMIT_AS, pages * resource.getpagesize() + memory)
    used = resource.getrusage(resource.RUSAGE_SELF)
    _set(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + seconds + 1)
    _set(resource.RLIMIT_NOFILE, SPARE_DESCRIPTORS)
    _set(resource.RLIMIT_CORE, 0)


def _end_after(seconds: float) -> None:
    """Let the system end this process after so much time by the clock, 0 for never: who asked may be gone by then."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _set(limit: int, value: int) -> None:
    import resource

    hard = resource.getrlimit(limit)[1]
    resource.setrlimit(limit, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    if "most_bytes" in request:
        return {"bytes": _all_of_hdf5(request["path"], request["most_bytes"])}
    if "sample_rows" in request:
        return {"bytes": _all_of_parquet(request["path"], request["sample_rows"])}
    if request["names"] is None:
        found = whosmat(request["path"], appendmat=False)
        return {"variables": [[name, list(shape), kind] for name, shape, kind in found]}
    content = loadmat(request["path"], appendmat=False, variable_names=request["names"])
    arrays: dict[str, Any] = {}
    values = {name: _described(content[name], arrays, 0) for name in request["names"] if name in content}
    np.savez(request["result"], **arrays)
    return {"values": values}


def _described(value: Any, arrays: dict[str, Any], depth: int) -> dict[str, Any]:
    """Return what a value is, its numbers left in ``arrays``."""
    if len(arrays) > MOST_VALUES or depth > DEEPEST:
        raise ValueError("it has more values than any file of views")

    def kept(array: Any) -> str:
        name = f"a{len(arrays)}"
        arrays[name] = array
        return name

    if issparse(value):
        parts = [kept(part) for part in (value.data, value.indices, value.indptr)]
        return {"sparse": parts, "shape": list(map(int, value.shape))}
    plain = isinstance(value, np.ndarray) and not isinstance(value, MatlabFunction | MatlabObject | MatlabOpaque)
    if plain and value.dtype == object:
        if value.size > MOST_VALUES:
            raise ValueError("it has more cells than any file of views")
        return {"cells": [_described(one, arrays, depth + 1) for one in value.ravel()], "shape": list(value.shape)}
    if plain and value.dtype.kind in "biufcSU":
        return {"array": kept(value)}
    return {"fields": list(getattr(getattr(value, "dtype", None), "names", None) or ())}


def _all_of_hdf5(path: str, most_bytes: int) -> int:
    """Read all of an HDF5 file, by every way that leads there; return the bytes of its content, if they are not too many."""
    import h5py

    total, seen = 0, 0
    with h5py.File(path, "r") as file:
        waiting: list[tuple[Any, int]] = [(file, 0)]
        while waiting:
            one, depth = waiting.pop()
            seen += 1 + len(one.attrs)
            if seen > MOST_VALUES or depth > DEEPEST:
                raise ValueError("it has more groups than any file of data, or groups that contain themselves")
            sizes = (_bytes_of(one.attrs[name]) for name in list(one.attrs))
            parts = _parts_of(one, most_bytes) if isinstance(one, h5py.Dataset) else ()
            for size in chain(sizes, parts):
                total += size
                if total > most_bytes:
                    raise MemoryError
            for name in list(one) if isinstance(one, h5py.Group) else ():
                if isinstance(one.get(name, getlink=True), h5py.ExternalLink):
                    raise ValueError(f"{name!r} is in another file")
                waiting.append((one[name], depth + 1))
    return total


def _parts_of(array: Any, most_bytes: int) -> Iterator[int]:
    """Yield the bytes of an array, a block of rows at a time."""
    if array.external or array.is_virtual:
        raise ValueError(f"{array.name!r} is in another file")
    if array.shape is None or 0 in array.shape:
        return
    whole = array.size * max(array.dtype.itemsize, 1)
    if whole > most_bytes:
        raise MemoryError
    if not array.shape:
        yield _bytes_of(array[()])
        return
    rows = max(1, BLOCK * array.shape[0] // whole)
    for start in range(0, array.shape[0], rows):
        yield _bytes_of(array[start : start + rows])


def _all_of_parquet(path: str, sample_rows: int) -> int:
    """Read the first rows of a Parquet file, as they are looked at, then all columns, some at a time; return their bytes."""
    import polars as pl

    try:
        frame = pl.scan_parquet(path, glob=False)
        names, n_rows = frame.collect_schema().names(), int(frame.select(pl.len()).collect().item())
        frame.head(sample_rows).collect()
        together, total = max(1, BLOCK // max(n_rows, 1)), 0
        for start in range(0, len(names), together):
            chosen = [pl.col(name) for name in names[start : start + together]]
            total += int(frame.select(chosen).collect().estimated_size())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise ValueError(str(error)) from None
    return total


def _bytes_of(value: Any) -> int:
    """Return about how much memory a value takes."""
    if not isinstance(value, np.ndarray):
        return len(value) if isinstance(value, str | bytes) else 8
    return int(value.nbytes) + (sum(map(_bytes_of, value.ravel().tolist())) if value.dtype == object else 0)


if __name__ == "__main__":
    main()
