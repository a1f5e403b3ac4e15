"""Locks that the system takes back when a process ends, however it ends; where it has none (Windows), nothing is locked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

fcntl: Any = import_module("fcntl") if os.name == "posix" else None


def try_lock(descriptor: int) -> bool:
    """Lock an open file or folder; return False if another process has locked it."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def lock(descriptor: int) -> None:
    """Lock an open file or folder as soon as nobody else has."""
    if fcntl is not None:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)


def is_there(descriptor: int, path: Path) -> bool:
    """Return whether an open file is still the one at ``path``."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat(follow_symlinks=False))
    except FileNotFoundError:
        return False


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Lock a folder; refuse it if another process has locked it."""
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        if not try_lock(descriptor):
            raise BlockingIOError(f"{folder} is being written by another process; wait for it, or name another folder")
        yield
    finally:
        os.close(descriptor)


@contextmanager
def reserved(path: Path) -> Iterator[None]:
    """Reserve the place of a file or folder, which need not be there yet, until the work on it is done.

    The lock is a file beside it, ``.NAME.lock``, which is removed at the end; one that a killed process left locks nothing.
    """
    if fcntl is None:
        yield
        return
    file = path.with_name(f".{path.name}.lock")
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        try:
            if not try_lock(descriptor):
                raise BlockingIOError(
                    f"{path} is being written by another process; wait for it, or name another output"
                )
            if not is_there(descriptor, file):  # removed by its owner just now
                continue
            try:
                yield
            finally:
                file.unlink(missing_ok=True)
            return
        finally:
            os.close(descriptor)
