"""Processes that train one net together: who they are, which nodes are whose, and the sums they share.

Nodes are dealt out in contiguous shares. What crosses the network at each step is a few small sums (see
`orthonet.embedding.training`) and the gradient of the net's parameters; `Processes.bytes_sent` counts it.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch.distributed as dist
from torch import Tensor

from orthonet.support.sentences import Argument, Sentence

MEETING = "orthonet"
"""Where processes look for each other in their common store."""


PATIENCE = timedelta(days=1)
"""How long a process waits for another one. The first one searches and aggregates for all, which may take longer than the half
hour that torch waits; one that is killed is noticed at once."""
SMALL = 16_384
"""Bytes up to which all parts of a sum are sent to all. Most sums are a few numbers, of which only the number of messages
counts: gloo's own sum sends them twice around the ring and takes three times as long."""


class LostProcessError(ConnectionError):
    """A process that works together with this one cannot be reached any more."""


@dataclass
class Processes:
    """One of the processes that work together; alone by default."""

    rank: int = 0
    size: int = 1
    bounds: tuple[int, ...] | None = None
    """The first node of each process, and the number of nodes, where files say who has which; equal shares if None."""
    bytes_sent: int = field(default=0, compare=False)
    """What this process gave to sums and exchanges so far, in bytes."""

    @property
    def first(self) -> bool:
        """Whether this is the process that reports and writes."""
        return self.rank == 0

    def share(self, n_nodes: int) -> slice:
        """Return which of the nodes are this process's own."""
        bounds = self.bounds or np.linspace(0, n_nodes, self.size + 1).astype(int)
        return slice(int(bounds[self.rank]), int(bounds[self.rank + 1]))

    def sum(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Return the sums over all processes, by one message."""
        if self.size == 1:
            return list(tensors)
        flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
        self.bytes_sent += flat.numel() * flat.element_size()
        with _reached():
            if self.size * flat.numel() * flat.element_size() <= SMALL:
                each = [torch.empty_like(flat) for _ in range(self.size)]
                dist.all_gather(each, flat)
                flat = torch.stack(each).sum(dim=0)
            else:
                dist.all_reduce(flat)
        parts = torch.split(flat, [tensor.numel() for tensor in tensors])
        return [part.view_as(tensor) for part, tensor in zip(parts, tensors, strict=True)]

    def gather(self, rows: Tensor, n_nodes: int) -> Tensor:
        """Return the rows of all nodes, of which each process gives its share."""
        if self.size == 1:
            return rows
        padded, lengths = self._padded(rows, n_nodes)
        parts = [torch.empty_like(padded) for _ in range(self.size)]
        with _reached():
            dist.all_gather(parts, padded)
        return torch.cat([part[:length] for part, length in zip(parts, lengths, strict=True)])

    def to_first(self, rows: Tensor, n_nodes: int) -> Tensor:
        """Return the rows of all nodes in the first process, and in the others their own."""
        if self.size == 1:
            return rows
        padded, lengths = self._padded(rows, n_nodes)
        parts = [torch.empty_like(padded) for _ in range(self.size)] if self.first else None
        with _reached():
            dist.gather(padded, parts)
        return rows if parts is None else torch.cat([part[:n] for part, n in zip(parts, lengths, strict=True)])

    def exchange(self, outgoing: Tensor, n_sent: Sequence[int], n_received: Sequence[int]) -> Tensor:
        """Send the rows of ``outgoing``, so many to each process in turn, and return what all of them sent to this one."""
        if self.size == 1:
            return outgoing
        self.bytes_sent += (len(outgoing) - n_sent[self.rank]) * outgoing[:1].numel() * outgoing.element_size()
        incoming = outgoing.new_empty((sum(n_received), *outgoing.shape[1:]))
        with _reached():
            dist.all_to_all_single(incoming, outgoing, list(n_received), list(n_sent))
        return incoming

    def _padded(self, rows: Tensor, n_nodes: int) -> tuple[Tensor, list[int]]:
        """Return own rows as many as the longest share has, as exchanges want them, and the length of each share."""
        lengths = [Processes(rank, self.size, self.bounds).length(n_nodes) for rank in range(self.size)]
        padded = rows.new_zeros((max(lengths), *rows.shape[1:]))
        padded[: len(rows)] = rows
        self.bytes_sent += padded.numel() * padded.element_size()
        return padded, lengths

    def length(self, n_nodes: int) -> int:
        """Return how many nodes are this process's own."""
        share = self.share(n_nodes)
        return share.stop - share.start

    def from_first(self, value: Any) -> Any:
        """Return the first process's value of something small."""
        if self.size == 1:
            return value
        box = [value]
        with _reached():
            dist.broadcast_object_list(box, src=0)
        return box[0]

    def array_from_first(self, array: npt.NDArray[np.float64] | None, keep: slice | None = None) -> Any:
        """Return the first process's array, or the rows ``keep`` of it; it travels column by column."""
        if self.size == 1:
            return array if array is None or keep is None else array[keep]
        shape = self.from_first(None if array is None else array.shape)
        if shape is None:
            return None
        kept = slice(0, shape[0]) if keep is None else keep
        received = np.empty((kept.stop - kept.start, shape[1]))
        for column in range(shape[1]):
            whole = torch.empty(shape[0], dtype=torch.float64)
            if array is not None and self.first:
                whole.copy_(torch.from_numpy(np.ascontiguousarray(array[:, column])))
            with _reached():
                dist.broadcast(whole, src=0)
            received[:, column] = whole[kept].numpy()
        return received


@contextmanager
def _reached() -> Iterator[None]:
    """Say in a sentence that another process is gone, which gloo and nccl say each in its own words."""
    try:
        yield
    except RuntimeError as error:
        again = "start all of them again (with ", Argument("training.checkpoint_dir"), " they go on where they were)"
        if "timed out" in str(error).lower():
            lost = f"nothing came from another process of this fit for {PATIENCE}; "
            longer = ", or call torch.distributed.init_process_group with a longer timeout before fit"
            raise LostProcessError(Sentence(lost, *again, longer)) from error
        lost = "another process of this fit has ended, or cannot be reached; "
        raise LostProcessError(Sentence(lost, *again)) from error


@contextmanager
def joined(distributed: bool) -> Iterator[Processes]:
    """Yield the processes that `torchrun` started together, joining them if that has not been done; alone if not asked."""
    if not distributed:
        yield Processes()
        return
    if not dist.is_available():
        raise RuntimeError("distributed=True, but this build of torch has no torch.distributed")
    ours = not dist.is_initialized()
    if ours:
        if "RANK" not in os.environ or "WORLD_SIZE" not in os.environ:
            raise RuntimeError(
                "distributed=True, but nobody started several processes; run the script with: torchrun --nproc-per-node 2 "
                "script.py"
            )
        from torch.distributed.rendezvous import rendezvous  # which a torch without torch.distributed has not

        store, rank, size = next(rendezvous("env://"))
        fresh = dist.PrefixStore(_fresh_name(store, rank, size), store)  # type: ignore[attr-defined]
        backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
        dist.init_process_group(backend, store=fresh, rank=rank, world_size=size, timeout=PATIENCE)
    try:
        yield Processes(dist.get_rank(), dist.get_world_size())
    finally:
        if ours:
            dist.destroy_process_group()


def _fresh_name(store: Any, rank: int, size: int) -> str:
    """Agree on a part of the store that nobody has written to.

    `torchrun` keeps one store when it restarts its workers, and torch would look there for peers that are dead (pytorch issue
    135712); a second fit would look for those of the first. So the first process invents a name; each other one answers with a
    word of its own, and trusts the name once the first has repeated that word, which nothing left behind can do.
    """
    word = secrets.token_hex(8)
    if rank == 0:
        store.set(f"{MEETING}/name", word)
        for other in range(1, size):
            store.set(f"{MEETING}/{word}/{other}/repeated", store.get(f"{MEETING}/{word}/{other}"))
        return word
    give_up = time.monotonic() + store.timeout.total_seconds()
    while time.monotonic() < give_up:
        name: str = store.get(f"{MEETING}/name").decode()
        store.set(f"{MEETING}/{name}/{rank}", word)
        try:
            store.wait([f"{MEETING}/{name}/{rank}/repeated"], timedelta(seconds=1))
        except RuntimeError:  # nobody there, perhaps any more
            continue
        if store.get(f"{MEETING}/{name}/{rank}/repeated").decode() == word:
            return name
        time.sleep(0.05)
    raise RuntimeError(f"process {rank} of {size} did not meet the first one in {store.timeout}")
