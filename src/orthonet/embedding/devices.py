"""Where the net computes, in which precision, and on how many threads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from threadpoolctl import threadpool_limits

from orthonet.support.checks import check_choice

DTYPES = {"float32": torch.float32, "float64": torch.float64}
ONE_THREAD_UP_TO = 5_000
"""Nodes up to which a second thread saves less than a third of the time on a quiet machine, and costs many times as much beside
other work."""


def choose_device(device: Any = "auto", name: str = "device") -> torch.device:
    """Return the device: "auto" is a CUDA GPU if there is one, else the CPU; Apple's "mps" is taken when it is named.

    Of several GPUs, each of the processes that `torchrun` starts on a machine takes its own.
    Messages call the argument ``name``.

    Raises
    ------
    ValueError
        If there is no such device on this machine.
    """
    if device == "auto":
        if not torch.cuda.is_available():
            return torch.device("cpu")
        local_rank = os.environ.get("LOCAL_RANK")
        return torch.device("cuda" if local_rank is None else f"cuda:{int(local_rank) % torch.cuda.device_count()}")
    try:
        chosen = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise ValueError(f"{name} must be 'auto', 'cpu', 'cuda', 'cuda:1', 'mps' …, got {device!r} ({error})") from None
    available = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    check_choice(chosen.type, name, available)
    if not available[chosen.type] or (chosen.type == "cuda" and (chosen.index or 0) >= torch.cuda.device_count()):
        raise ValueError(f"{name}={device!r}, but this machine has no such device; pass {name}='auto' or 'cpu'")
    return chosen


def choose_dtype(dtype: Any, device: torch.device, name: str = "dtype") -> torch.dtype:
    """Return the type of the net's numbers; float64 does not exist on "mps"."""
    check_choice(dtype, name, DTYPES)
    if dtype == "float64" and device.type == "mps":
        raise ValueError(f"{name}='float64' does not exist on device 'mps'; pass {name}='float32' or device 'cpu'")
    return DTYPES[dtype]


def sum_dtype(device: torch.device) -> torch.dtype:
    """Return the type in which sums over nodes are taken: float64 where the device has it."""
    return torch.float32 if device.type == "mps" else torch.float64


@contextmanager
def threads(n_jobs: int | None, n_nodes: int) -> Iterator[None]:
    """Let torch and the linear algebra use ``n_jobs`` threads, -1 for one per core.

    None leaves it to the size of the work: up to `ONE_THREAD_UP_TO` nodes one thread, beyond as many as the process has.
    Threads wait for each other after each small product; where another process takes a core, all wait for the one that lost it.
    """
    if n_jobs is None and n_nodes > ONE_THREAD_UP_TO:
        yield
        return
    wanted = 1 if n_jobs is None else torch.multiprocessing.cpu_count() if n_jobs == -1 else n_jobs
    before = torch.get_num_threads()
    torch.set_num_threads(wanted)
    try:
        with threadpool_limits(wanted):
            yield
    finally:
        torch.set_num_threads(before)
