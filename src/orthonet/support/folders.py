"""Folders that are replaced as a whole, in one step, however the program ends.

The new folder is made beside the old one, as ``.NAME.part``, and the two change places by one call of the system: before it
the old folder is there, after it the new one. Whoever calls this has reserved the place, see `orthonet.support.locks`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from orthonet.support.files import umask

AT_FDCWD, RENAME_EXCHANGE = -100, 2
"""Linux: paths count from the working folder; exchange the two names."""
RENAME_SWAP = 2
"""macOS: the same."""
TERMINATED = 128 + signal.SIGTERM
"""The exit code of a program that was asked to end."""


def replace_folder(folder: Path, fill: Callable[[Path], None], ours: Collection[str]) -> None:
    """Make a folder with what ``fill`` writes, in the place of one that may be there.

    Parameters
    ----------
    folder : Path
    fill : callable
        Writes everything into the empty folder that it is given.
    ours : collection of str
        Names in the folder that are replaced or removed; whatever else is in the old folder comes along.
    """
    with staged(folder, ours) as part:
        fill(part)
        if not folder.exists():
            part.chmod(0o777 & ~umask())
            part.rename(folder)
            return
        part.chmod(folder.stat().st_mode & 0o7777)
        if not _exchanged(part, folder):
            old = _beside(folder, "old")
            folder.rename(old)  # if all ends here, the next run finds the old folder by its name and puts it back
            part.rename(folder)


@contextmanager
def staged(path: Path, ours: Collection[str] | None = None) -> Iterator[Path]:
    """Give an empty folder beside ``path``; at the end, and before, remove what is left of it and of earlier ones.

    Names that are not ``ours`` are moved to the folder ``path``; None: all are ours.
    """
    part = _beside(path, "part")
    _tidy(path, ours)
    part.mkdir()
    try:
        yield part
    finally:
        _tidy(path, ours)


@contextmanager
def ending_tidily() -> Iterator[None]:
    """Let SIGTERM end the program as an exception does, so that what was begun is tidied up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: Any) -> None:
        sys.exit(TERMINATED)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(f".{path.name}.{suffix}")


def _tidy(path: Path, ours: Collection[str] | None) -> None:
    """Bring back a folder that was moved away, and remove what was staged or replaced."""
    old = _beside(path, "old")
    if old.is_dir() and not path.exists():
        old.rename(path)
    for left in (_beside(path, "part"), old):
        if left.is_symlink() or not left.is_dir():
            continue
        for entry in list(left.iterdir()):
            if not _is_ours(entry.name, ours):
                target = path / entry.name
                entry.rename(target if not os.path.lexists(target) else path / f"{entry.name}.earlier")
        shutil.rmtree(left)


def _is_ours(name: str, ours: Collection[str] | None) -> bool:
    """Return whether an entry is one of ours, whole or cut off while it was written."""
    return (
        ours is None or name in ours or (name.endswith(".part") and name.startswith(tuple(f".{one}." for one in ours)))
    )


def _exchanged(first: Path, second: Path) -> bool:
    """Exchange two folders in one step; False where the system or the file system cannot."""
    if sys.platform == "win32":
        return False
    library = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(first), os.fsencode(second)
    if hasattr(library, "renameat2"):
        failed = library.renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE)
    elif hasattr(library, "renamex_np"):
        failed = library.renamex_np(names[0], names[1], RENAME_SWAP)
    else:
        return False
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    raise OSError(number, os.strerror(number), str(second))
