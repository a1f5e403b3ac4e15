"""Open files of a folder that came from somebody else: only regular files, only inside the folder."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def opened_inside(folder: Path, name: str) -> Iterator[tuple[BinaryIO, int]]:
    """Give an opened regular file of a folder and its size; no pipe is waited for, and no link leads out of the folder."""
    home = folder.resolve()
    file = (home / name).resolve()
    if file.parent != home:
        raise OSError(errno.EPERM, "is not a file in the folder", str(folder / name))
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(file, flags), "rb") as opened:
        known = os.fstat(opened.fileno())
        if not stat.S_ISREG(known.st_mode):
            raise OSError(errno.EINVAL, "is not a regular file", str(folder / name))
        yield opened, known.st_size
