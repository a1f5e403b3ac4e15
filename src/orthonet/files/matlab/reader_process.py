"""Read Matlab files with scipy in a process of its own, which a damaged file may crash, within limits of memory and time.

This file is run by itself, see `orthonet.files.matlab.isolation`, and imports nothing of this package. A line of standard
input is a request, a line of standard output its answer, both in JSON; numbers go through an .npz file.
"""

from __future__ import annotations

import json
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat, whosmat
from scipy.io.matlab import MatlabFunction, MatlabObject, MatlabOpaque
from scipy.sparse import issparse

DEEPEST, MOST_VALUES = 20, 100_000
"""How deep cells may be nested, and how many values a file may have."""
SPARE_DESCRIPTORS = 64
"""Files that the process may have open; it needs three."""


def main() -> None:
    """Answer requests until there are no more."""
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        request = json.loads(line)
        try:
            with suppress(ImportError, OSError, ValueError):
                _set_limits(request["memory"], request["seconds"])
            answer = _answer(request)
        except Exception as error:  # whatever scipy makes of a damaged file is told to the other process
            answer = {"error": type(error).__name__, "said": str(error)[:2000]}
        print(json.dumps(answer), flush=True)  # noqa: T201 - this is how the processes speak


def _set_limits(memory: int, seconds: int) -> None:
    """Let this request take so many more bytes and seconds; where the system has no such limits there are none."""
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    _set(resource.RLIMIT_AS, pages * resource.getpagesize() + memory)
    used = resource.getrusage(resource.RUSAGE_SELF)
    _set(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + seconds + 1)
    _set(resource.RLIMIT_NOFILE, SPARE_DESCRIPTORS)
    _set(resource.RLIMIT_CORE, 0)


def _set(limit: int, value: int) -> None:
    import resource

    hard = resource.getrlimit(limit)[1]
    resource.setrlimit(limit, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _answer(request: dict[str, Any]) -> dict[str, Any]:
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


if __name__ == "__main__":
    main()
