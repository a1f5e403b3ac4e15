"""Memory: how much is available here, and an error where a stage needs more, not a process that is killed in it.

Large stages say beforehand what they will take (`check_memory`). For all others, commands hold themselves to what was available
when they began (`within_available_memory`): Linux hands out more memory than there is, and kills a process that uses it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orthonet.support.sentences import Argument, Sentence

SMALL = 2**28
"""Bytes that are not looked at: as much is always there."""
MACHINE, GROUPS, OWN_GROUPS = Path("/proc/meminfo"), Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
"""Where Linux says how much memory there is, how much groups of processes may use, and which groups are those of this one."""
GROUP_FILES = {
    "": ("memory.max", "memory.current", "inactive_file"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}
"""Limit, use, and the part of it that is only a copy of files, in both versions of such groups."""
GRAPHICS = Path("/dev/nvidiactl")
"""There if CUDA is, which reserves addresses without end."""
SWITCH = "ORTHONET_HOLD_MEMORY"
"""Set to 0, commands do not hold themselves to what is available."""


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
    """Return how many bytes this process can still take, by the machine, its groups or its own limits; None if unknown."""
    found = [_of_machine(), _of_groups(), _of_process()]
    return min((one for one in found if one is not None), default=None)


@contextmanager
def within_available_memory() -> Iterator[None]:
    """Refuse memory (`MemoryError`) beyond what the machine and its groups have now, swap included, to this process; on Linux.

    What libraries reserve and never touch, some 200 MB, counts as used: the error comes early rather than late.
    """
    _let_blas_have_its_memory()
    data, room = _data_bytes(), _room()
    if data is None or room is None or GRAPHICS.exists() or os.environ.get(SWITCH) == "0":
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    most = min([data + room, *(limit for limit in before if limit != resource.RLIM_INFINITY)])
    resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _let_blas_have_its_memory() -> None:
    """Multiply with the BLAS libraries of numpy and of scipy: they ask for buffers once, and for ever if these are refused."""
    import numpy as np
    from scipy.linalg.blas import dgemm

    square = np.eye(512)
    square @ square
    dgemm(1.0, square, square)


def _room() -> int | None:
    """Return the bytes that can be used before the system kills a process; None if unknown."""
    machine, group = _of_machine(), _of_groups()
    if machine is None:
        return group
    with_swap = machine + _meminfo().get("SwapFree", 0)
    return with_swap if group is None else max(min(with_swap, group), 0)


def _of_machine() -> int | None:
    return _meminfo().get("MemAvailable", _free_pages())


def _meminfo() -> dict[str, int]:
    """Return what Linux says about the memory of the machine, in bytes."""
    try:
        lines = MACHINE.read_text().splitlines()
    except OSError:
        return {}
    sizes = (line.partition(":") for line in lines)
    return {name: 1024 * int(value.split()[0]) for name, _, value in sizes}


def _free_pages() -> int | None:
    """Return what systems without /proc say of free memory, if anything."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _of_groups() -> int | None:
    """Return what the groups that this process is in leave to it: its own, and those above it."""
    try:
        lines = OWN_GROUPS.read_text().splitlines()
    except OSError:
        return None
    found = []
    for _, controllers, path in (line.split(":", 2) for line in lines if line.count(":") >= 2):
        kind = "memory" if "memory" in controllers.split(",") else controllers
        if kind in GROUP_FILES:
            own = Path(path.lstrip("/"))
            found += [_of_group(GROUPS / kind / group, *GROUP_FILES[kind]) for group in (own, *own.parents)]
    return min((one for one in found if one is not None), default=None)


def _of_group(folder: Path, limit: str, use: str, copies: str) -> int | None:
    """Return what a group leaves; copies of files count as free, for the system drops them first."""
    try:
        most, now = ((folder / name).read_text().strip() for name in (limit, use))
        if most == "max":
            return None
        stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return int(most) - int(now) + int(stat.get(copies, 0))
    except (OSError, ValueError):
        return None


def _of_process() -> int | None:
    """Return what the limits of this process leave of its addresses and of its data."""
    sizes = _sizes()
    if sizes is None:
        return None
    import resource

    used = {resource.RLIMIT_AS: sizes[0], resource.RLIMIT_DATA: sizes[1]}
    left = [resource.getrlimit(kind)[0] - now for kind, now in used.items() if _is_limited(kind)]
    return min(left, default=None)


def _is_limited(kind: int) -> bool:
    import resource

    return resource.getrlimit(kind)[0] != resource.RLIM_INFINITY


def _data_bytes() -> int | None:
    sizes = _sizes()
    return None if sizes is None else sizes[1]


def _sizes() -> tuple[int, int] | None:
    """Return the bytes of addresses that this process has, and those of them that are its own data; None if unknown."""
    try:
        import resource

        pages = Path("/proc/self/statm").read_text().split()
    except (ImportError, OSError):
        return None
    return int(pages[0]) * resource.getpagesize(), int(pages[5]) * resource.getpagesize()
