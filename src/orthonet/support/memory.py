"""Memory: how much is available here, and an error before a stage that needs more, not a process that is killed in it."""

from __future__ import annotations

import os
from pathlib import Path

from orthonet.support.sentences import Argument, Sentence

SMALL = 2**28
"""Bytes that are not looked at: as much is always there."""
GROUP = Path("/sys/fs/cgroup")
"""Where Linux says how much memory the group of this process may use."""


def check_memory(n_bytes: float, what: str, *instead: str | Argument) -> None:
    """Raise if a stage needs more memory than is available.

    Parameters
    ----------
    n_bytes : float
        An estimate of what the stage takes at its peak, beside what is there already.
    what : str
        The stage, as in "the exact mean of 4 layers of 30,000 nodes".
    *instead : str or Argument
        What to do instead: the option that avoids it, and the value to pass.

    Raises
    ------
    MemoryError
    """
    if n_bytes <= SMALL:
        return
    available = available_bytes()
    if available is not None and n_bytes > available:
        needs = f"{what} needs about {n_bytes / 2**30:.1f} GiB, but {max(available, 0) / 2**30:.1f} GiB are available; "
        raise MemoryError(Sentence(needs, *instead))


def available_bytes() -> int | None:
    """Return how many bytes this process can still take, by the machine, its group or its own limit; None if unknown."""
    found = [_of_machine(), _of_group(), _of_process()]
    return min((one for one in found if one is not None), default=None)


def _of_machine() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return _free_pages()
    sizes = {name: value.split()[0] for name, _, value in (line.partition(":") for line in lines)}
    return int(sizes["MemAvailable"]) * 1024 if "MemAvailable" in sizes else None


def _free_pages() -> int | None:
    """Return what systems without /proc say of free memory, if anything."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _of_group() -> int | None:
    try:
        most, now = ((GROUP / name).read_text().strip() for name in ("memory.max", "memory.current"))
        return None if most == "max" else int(most) - int(now)
    except (OSError, ValueError):
        return None


def _of_process() -> int | None:
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most == resource.RLIM_INFINITY:
            return None
        now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError):
        return None
    return most - now
