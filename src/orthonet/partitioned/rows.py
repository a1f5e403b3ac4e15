"""Rows of a network of which each process holds its own: sums, samples and draws that do not depend on how many they are.

Random numbers of nodes are those that one process would draw for all nodes one after another, of which each skips to its own:
Philox is a generator that can, since it computes number i from i [1]_. Small matrices are factorised by the first process for
all, so that machines whose libraries round differently do not go apart.

References
----------
.. [1] J. Salmon, M. Moraes, R. Dror, D. Shaw, `"Parallel random numbers: as easy as 1, 2, 3"
       <https://doi.org/10.1145/2063384.2063405>`_, SC 2011.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from orthonet.embedding.processes import Processes

Array = npt.NDArray[np.float64]
Found = TypeVar("Found")

AT_ONCE = 4
"""Numbers that Philox makes in one step."""


@dataclass(frozen=True)
class Rows:
    """Which rows are this process's own, and what it asks of the others.

    Parameters
    ----------
    processes : Processes
    n_nodes : int
        Of all processes.
    """

    processes: Processes
    n_nodes: int

    @property
    def start(self) -> int:
        """The first own node."""
        return self.processes.share(self.n_nodes).start

    @property
    def stop(self) -> int:
        """The node after the last own one."""
        return self.processes.share(self.n_nodes).stop

    def __len__(self) -> int:
        return self.stop - self.start

    @property
    def bounds(self) -> npt.NDArray[np.int64]:
        """The first node of each process, and the number of nodes."""
        size = self.processes.size
        shares = [Processes(rank, size, self.processes.bounds).share(self.n_nodes) for rank in range(size)]
        return np.array([*(share.start for share in shares), self.n_nodes], dtype=np.int64)

    def sum(self, *arrays: npt.ArrayLike) -> list[Array]:
        """Return sums over all processes, by one message."""
        given = [np.atleast_1d(np.asarray(one, dtype=np.float64)) for one in arrays]
        tensors = [torch.from_numpy(np.ascontiguousarray(one)) for one in given]
        return [one.numpy() for one in self.processes.sum(tensors)]

    def total(self, value: float) -> float:
        """Return the sum of a number over all processes."""
        return float(self.sum(value)[0][0])

    def largest(self, values: npt.ArrayLike) -> Array:
        """Return the largest of each number over all processes."""
        own = np.atleast_1d(np.asarray(values, dtype=np.float64))
        each = np.zeros((self.processes.size, len(own)))
        each[self.processes.rank] = own
        found: Array = self.sum(each)[0].max(axis=0)
        return found

    def by_first(self, compute: Callable[[], Found]) -> Found:
        """Return what the first process computes; small things only."""
        result: Found = self.processes.from_first(compute() if self.processes.first else None)
        return result

    def gather(self, own: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the rows of all nodes."""
        return self.processes.gather(torch.from_numpy(np.ascontiguousarray(own)), self.n_nodes).numpy()

    def at(self, own: npt.NDArray[Any], nodes: npt.NDArray[np.integer[Any]]) -> Array:
        """Return the rows of some nodes, numbered over all processes, to all of them."""
        found = np.zeros((len(nodes), *own.shape[1:]))
        mine = (nodes >= self.start) & (nodes < self.stop)
        found[mine] = own[nodes[mine] - self.start]
        return self.sum(found)[0].reshape(found.shape)

    def sample(self, at_most: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Return some nodes in rising order, the same in all processes; all of them if they are no more than that."""
        if self.n_nodes <= at_most:
            return np.arange(self.n_nodes)
        return np.unique(rng.integers(self.n_nodes, size=at_most))

    def uniform(self, rng: np.random.Generator, columns: int = 1) -> Array:
        """Return numbers between 0 and 1 for own nodes, of those that ``rng``, the same everywhere, draws for all."""
        bits = np.random.Philox(key=int(rng.integers(2**63 - 1)))
        steps, left = divmod(self.start * columns, AT_ONCE)
        drawn = np.random.Generator(bits.advance(steps)).random(left + len(self) * columns)
        return drawn[left:].reshape(len(self), columns)
