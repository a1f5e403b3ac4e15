"""Files opened where a damaged one can do no harm: in a process of its own, with limits on memory and time.

scipy's reader of Matlab files, the HDF5 library and that for Parquet files follow the sizes and places that a file claims in
compiled code, and may crash, take any memory or never end on false ones.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from orthonet.support.text import one_line

READER = Path(__file__).with_name("reader_process.py")
SPARE_MEMORY, MEMORY_PER_BYTE = 2**29, 12
"""Bytes that reading may take, and how many more for each byte of the file's content: small integers become floats. Threads
that wait for each other on a busy machine set aside more than they use: with half of it 3 of 16 good shards were refused."""
SPARE_SECONDS, BYTES_PER_SECOND = 20, 2**22
"""Seconds that reading may take, and how many bytes of content give it one more."""
PATIENCE = 12
"""Seconds by the clock for each of the processor: a busy machine is no reason to call a good file damaged."""
SETTINGS = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "RUST_BACKTRACE": "0",  # which takes more memory than the process has left, and then waits for ever
}
"""Of the process, whatever they are here."""
LONGEST_ANSWER = 2**26
"""Bytes of a description at most."""


class ReaderError(Exception):
    """What was raised in the other process."""

    def __init__(self, kind: str, said: str) -> None:
        super().__init__(said)
        self.kind = kind


class _Reader:
    """A process that answers requests one after the other."""

    def __init__(self) -> None:
        if not sys.executable:
            raise OSError(
                "Matlab, HDF5 and Parquet files are opened in a process of their own, but there is no Python to start one with"
            )
        paths = os.pathsep.join(one for one in sys.path if one)
        self.owner = os.getpid()
        self._process = subprocess.Popen(  # noqa: S603 - our own file, no shell
            [sys.executable, "-P", str(READER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | SETTINGS | {"PYTHONPATH": paths},
        )
        self.too_slow = False

    def ask(self, request: Mapping[str, Any], seconds: int) -> Any:
        """Return the answer; None if the process ended instead."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            return None
        timer = threading.Timer(PATIENCE * seconds, self._give_up)  # processor time is limited in the process itself
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

    def _give_up(self) -> None:
        self.too_slow = True
        self._process.kill()

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


def asked(request: dict[str, Any], content_bytes: int, spare_seconds: int | None = None) -> Any:
    """Return what the other process answers about a file of so many bytes; raise `ReaderError` if it could not read it."""
    seconds = (SPARE_SECONDS if spare_seconds is None else spare_seconds) + content_bytes // BYTES_PER_SECOND
    request |= {"memory": SPARE_MEMORY + MEMORY_PER_BYTE * content_bytes, "seconds": seconds}
    request["patience"] = PATIENCE * seconds + 1
    with _lock:
        reader = _idle.pop() if _idle else None
    used = reader is not None and reader.owner == os.getpid()
    reader = reader if reader is not None and used else _Reader()
    answer = _answer_of(reader, request, seconds, content_bytes)
    # What it did for earlier files, or the machine beside it, may have been too much for it.
    if answer is None and not reader.too_slow:
        answer = _answer_of(_Reader(), request, seconds, content_bytes)
    if answer is None:
        raise ReaderError("crash", f"it is damaged; its reader crashed, or took more than {seconds} seconds")
    if "error" in answer:
        memory = f"it claims more memory than {request['memory'] // 2**20} MB, far more than its content can need"
        said = memory if answer["error"] == "MemoryError" else answer["said"]
        raise ReaderError(str(answer["error"]), one_line(said, 300) or "it is damaged")
    return answer


def _answer_of(reader: _Reader, request: Mapping[str, Any], seconds: int, content_bytes: int) -> Any:
    """Ask a process, and keep it for the next file if it is as good as new."""
    answer: Any = None
    try:
        answer = reader.ask(request, seconds)
    finally:
        if answer is None or answer.get("error") == "MemoryError" or content_bytes > SPARE_MEMORY:
            reader.close()
        else:
            with _lock:
                _idle.append(reader)
    return answer


@atexit.register
def _close_idle() -> None:
    while _idle:
        _idle.pop().close()
