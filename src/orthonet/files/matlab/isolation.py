"""Matlab files read where a damaged one can do no harm: in a process of its own, with limits on memory and time.

scipy's reader follows the sizes that a file claims in compiled code, and may crash or take any memory on false ones. The
process answers with descriptions in JSON and numbers in an .npz file, which is read as carefully as one from a stranger.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from orthonet.files.archives import compressed, opened_archive
from orthonet.files.errors import FileError
from orthonet.files.source import Source
from orthonet.support.text import shortened

READER = Path(__file__).with_name("reader_process.py")
SPARE_MEMORY, MEMORY_PER_BYTE = 2**28, 12
"""Bytes that reading may take, and how many more for each byte of the file's content: small integers become floats."""
SPARE_SECONDS, BYTES_PER_SECOND = 20, 2**22
"""Seconds that reading may take, and how many bytes of content give it one more."""
LONGEST_ANSWER = 2**26
"""Bytes of a description at most."""


class NotData:
    """A value that is neither numbers nor text nor a cell: a struct, object or function, with the names of its fields."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        self.fields = fields


class ReaderError(Exception):
    """What scipy raised in the other process."""

    def __init__(self, kind: str, said: str) -> None:
        super().__init__(said)
        self.kind = kind


def list_variables(path: Path, content_bytes: int) -> list[tuple[str, tuple[int, ...], str]]:
    """Return name, shape and kind of each variable, in the words of `scipy.io.whosmat`."""
    answer = _asked({"path": str(path), "names": None, "result": None}, content_bytes)
    return [(str(name), tuple(shape), str(kind)) for name, shape, kind in answer["variables"]]


def read_values(path: Path, names: list[str], content_bytes: int, shown: Path) -> dict[str, Any]:
    """Return variables by name: arrays, sparse arrays, arrays of objects for cells, and `NotData`."""
    with tempfile.TemporaryDirectory(prefix="orthonet-") as folder:
        result = Path(folder) / "values.npz"
        answer = _asked({"path": str(path), "names": names, "result": str(result)}, content_bytes)
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


class _Reader:
    """A process that answers requests one after the other."""

    def __init__(self) -> None:
        if not sys.executable:
            raise OSError("Matlab files are read in a process of their own, but there is no Python to start one with")
        paths = os.pathsep.join(one for one in sys.path if one)
        self.owner = os.getpid()
        self._process = subprocess.Popen(  # noqa: S603 - our own file, no shell
            [sys.executable, "-P", str(READER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )

    def ask(self, request: Mapping[str, Any], seconds: int) -> Any:
        """Return the answer; None if the process ended instead."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            return None
        timer = threading.Timer(3 * seconds, self._process.kill)  # processor time is limited in the process itself
        timer.daemon = True
        timer.start()
        try:
            stdin.write(json.dumps(request).encode() + b"\n")
            stdin.flush()
            line = stdout.readline(LONGEST_ANSWER)
        except OSError:
            return None
        finally:
            timer.cancel()
        return json.loads(line) if line.endswith(b"\n") else None

    def close(self) -> None:
        """End the process, if it is ours: a fork of this one has only borrowed it."""
        if self.owner != os.getpid():
            return
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # what could not be sent any more
                    continue
        self._process.wait()


_lock = threading.Lock()
_idle: list[_Reader] = []
"""A process that waits for the next file: starting one takes half a second."""


def _asked(request: dict[str, Any], content_bytes: int) -> Any:
    seconds = SPARE_SECONDS + content_bytes // BYTES_PER_SECOND
    request |= {"memory": SPARE_MEMORY + MEMORY_PER_BYTE * content_bytes, "seconds": seconds}
    with _lock:
        reader = _idle.pop() if _idle else None
    if reader is None or reader.owner != os.getpid():
        reader = _Reader()
    answer: Any = None
    try:
        answer = reader.ask(request, seconds)
    finally:
        if answer is None or answer.get("error") == "MemoryError" or content_bytes > SPARE_MEMORY:
            reader.close()
        else:
            with _lock:
                _idle.append(reader)
    if answer is None:
        raise ReaderError("crash", f"it is damaged; its reader crashed, or took more than {seconds} seconds")
    if "error" in answer:
        memory = f"it claims more memory than {request['memory'] // 2**20} MB, far more than its content can need"
        said = memory if answer["error"] == "MemoryError" else answer["said"]
        raise ReaderError(str(answer["error"]), shortened(" ".join(str(said).split()), 300) or "it is damaged")
    return answer


@atexit.register
def _close_idle() -> None:
    while _idle:
        _idle.pop().close()
