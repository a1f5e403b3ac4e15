"""Where the net computes, in which precision, and on how many threads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from orthonet.support.checks import check_choice, check_integer

DTYPES = {"float32": torch.float32, "float64": torch.float64}


def choose_device(device: Any = "auto") -> torch.device:
    """Return the device: "auto" is a CUDA GPU if there is one, else the CPU; Apple's "mps" is taken when it is named.

    Of several GPUs, each of the processes that `torchrun` starts on a machine takes its own.

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
        raise ValueError(f"device must be 'auto', 'cpu', 'cuda', 'cuda:1', 'mps' …, got {device!r} ({error})") from None
    available = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    check_choice(chosen.type, "device", available)
    if not available[chosen.type] or (chosen.type == "cuda" and (chosen.index or 0) >= torch.cuda.device_count()):
        raise ValueError(f"device={device!r}, but this machine has no such device; pass device='auto' or 'cpu'")
    return chosen


def choose_dtype(dtype: Any, device: torch.device) -> torch.dtype:
    """Return the type of the net's numbers; float64 does not exist on "mps"."""
    check_choice(dtype, "dtype", DTYPES)
    if dtype == "float64" and device.type == "mps":
        raise ValueError("dtype='float64' does not exist on device 'mps'; pass dtype='float32' or device='cpu'")
    return DTYPES[dtype]


def sum_dtype(device: torch.device) -> torch.dtype:
    """Return the type in which sums over nodes are taken: float64 where the device has it."""
    return torch.float32 if device.type == "mps" else torch.float64


@contextmanager
def threads(n_jobs: int | None) -> Iterator[None]:
    """Let torch use ``n_jobs`` threads; None leaves it as it is, -1 means all cores."""
    if n_jobs is None:
        yield
        return
    if n_jobs != -1:
        check_integer(n_jobs, "n_jobs", minimum=1)
    before = torch.get_num_threads()
    torch.set_num_threads(torch.multiprocessing.cpu_count() if n_jobs == -1 else n_jobs)
    try:
        yield
    finally:
        torch.set_num_threads(before)
