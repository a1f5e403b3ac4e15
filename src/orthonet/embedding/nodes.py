"""The features of the nodes, as the net takes them: scaled, in batches, from memory or from a memory map."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from scipy.sparse import issparse
from torch import Tensor

from orthonet.embedding.tensors import as_tensor
from orthonet.graph.features import block_rows


@dataclass
class Nodes:
    """Rows ``share`` of the features; those in memory become one tensor when all are asked for."""

    features: Any
    scale: Callable[[Any], Any]
    share: slice
    device: torch.device
    dtype: torch.dtype
    _all: Tensor | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return self.share.stop - self.share.start

    def all(self) -> Tensor:
        """Return all rows."""
        if self._all is None:
            self._all = self._as_tensor(self.features[self.share])
        return self._all

    def batch(self, chosen: npt.NDArray[np.intp]) -> Tensor:
        """Return the rows at some places of the share."""
        return self._as_tensor(self.features[chosen + self.share.start])

    def blocks(self) -> Iterator[Tensor]:
        """Yield all rows, block by block, in order."""
        size = block_rows(self.features)
        for start in range(self.share.start, self.share.stop, size):
            yield self._as_tensor(self.features[start : min(start + size, self.share.stop)])

    def _as_tensor(self, rows: Any) -> Tensor:
        scaled = self.scale(rows if issparse(rows) else np.asarray(rows))
        return as_tensor(scaled, self.dtype).to(self.device)


class BatchPlan(Protocol):
    """Which nodes of a process each step sees."""

    def at(self, step: int) -> npt.NDArray[np.intp]:
        """Return the nodes of a step, counted from 0, in ascending order."""


@dataclass
class Batches:
    """Which nodes each step sees, ``size`` at most: every epoch goes once through all of them, in an order of its own.

    The order depends on the seed and the epoch alone, so that a run that was cut off goes on with the same batches.
    """

    n_nodes: int
    size: int
    seed: tuple[int, ...]
    _epoch: int = field(default=-1, repr=False)
    _order: npt.NDArray[np.intp] | None = field(default=None, repr=False)

    def at(self, step: int) -> npt.NDArray[np.intp]:
        """Return the nodes of a step, counted from 0, in ascending order."""
        n_batches = max(-(-self.n_nodes // self.size), 1)
        epoch, place = divmod(step, n_batches)
        if self._order is None or epoch != self._epoch:
            self._order, self._epoch = np.random.default_rng([*self.seed, epoch]).permutation(self.n_nodes), epoch
        start, stop = (self.n_nodes * place // n_batches, self.n_nodes * (place + 1) // n_batches)
        return np.sort(self._order[start:stop])
