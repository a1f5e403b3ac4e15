"""Write files so that a reader, or a run cut off in the middle, never meets half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from orthonet.support.locks import is_there, lock, try_lock


def write_atomically(path: Path, content: bytes) -> None:
    """Write ``content`` beside ``path`` and move it into place in one step; what killed writers left there is removed."""
    with writing(path):
        _remove_left_overs(path)
        descriptor, temporary = _new_part(path)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                if (
                    os.name == "nt"
                ):  # where an open file cannot be moved; elsewhere it stays locked until it is in place
                    file.close()
                temporary.chmod(0o666 & ~umask())
                temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


@contextmanager
def writing(path: Path, kept: str = "") -> Iterator[None]:
    """Turn an error of the system into one sentence that names what was to be written, and what was ``kept``."""
    try:
        yield
    except OSError as error:
        first = error.__cause__ if isinstance(error.__cause__, OSError) else error
        if first.strerror is None:
            raise
        said = type(error)(f"{path} cannot be written: {first.strerror}{'; ' * bool(kept)}{kept}")
        said.errno = first.errno
        raise said from first


def umask() -> int:
    """Return the rights that new files are not to have."""
    current = os.umask(0)
    os.umask(current)
    return current


def _new_part(path: Path) -> tuple[int, Path]:
    """Return a new file beside ``path``, locked so that nobody takes it for one that was left over."""
    while True:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        lock(descriptor)
        if is_there(descriptor, Path(name)):
            return descriptor, Path(name)
        os.close(descriptor)  # it was taken for one that was left over, before it was locked


def _remove_left_overs(path: Path) -> None:
    """Remove what killed writers of ``path`` left; what is locked belongs to one that still writes."""
    with os.scandir(path.parent) as entries:
        found = [one.name for one in entries if one.name.startswith(f".{path.name}.") and one.name.endswith(".part")]
    for name in found:
        file = path.parent / name
        with suppress(OSError):
            if not file.is_file() or file.is_symlink():
                continue
            descriptor = os.open(file, os.O_RDONLY)
            try:
                if try_lock(descriptor):
                    file.unlink()
            finally:
                os.close(descriptor)
