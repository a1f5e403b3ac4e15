"""The halo of own rows: nodes of other processes that own edges lead to, and how their values come here.

Before the first product each process tells each other one which of its nodes it will ask for; after that, a product costs one
exchange of just these rows. Where neighbours are near in the order of the nodes the halo is thin; in a random order, with d
edges per node on P processes, it holds 1 − exp(−d / P) of all nodes, which is hardly less than all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy.sparse import csr_array

from orthonet.partitioned.rows import Rows

Positions = npt.NDArray[np.int64]


class Halo:
    """The nodes of other processes that some matrices of own rows mention.

    Parameters
    ----------
    rows : Rows
    matrices : sequence of sparse arrays of shape (n, N)
    """

    def __init__(self, rows: Rows, matrices: Sequence[csr_array]) -> None:
        self.rows = rows
        mentioned = np.zeros(rows.n_nodes, dtype=bool)
        for matrix in matrices:
            mentioned[matrix.indices] = True
        mentioned[rows.start : rows.stop] = False
        self.nodes: Positions = np.flatnonzero(mentioned)
        self._n_received = np.diff(np.searchsorted(self.nodes, rows.bounds)).tolist()
        size = rows.processes.size
        asked = torch.tensor(self._n_received, dtype=torch.int64)
        self._n_sent = rows.processes.exchange(asked, [1] * size, [1] * size).tolist() if size > 1 else [0]
        wanted = rows.processes.exchange(torch.from_numpy(self.nodes), self._n_received, self._n_sent)
        self._sent: Positions = wanted.numpy() - rows.start
        self._labels: tuple[Any, Any] = (None, None)

    def __len__(self) -> int:
        return len(self.nodes)

    def local(self, matrix: csr_array) -> csr_array:
        """Return a matrix of own rows with a column for each own node and then for each node of the halo."""
        own = len(self.rows)
        columns = matrix.indices.astype(np.int64)
        inside = (columns >= self.rows.start) & (columns < self.rows.stop)
        places = np.where(inside, columns - self.rows.start, own + np.searchsorted(self.nodes, columns))
        short = np.int32 if max(own + len(self), matrix.nnz) < 2**31 else np.int64
        parts = matrix.data, places.astype(short), matrix.indptr.astype(short)
        found = csr_array(parts, shape=(own, own + len(self)))
        found.sort_indices()
        return found

    def extended(self, own: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the values of own nodes, and after them those of the halo."""
        if not len(self.rows.bounds) > 2:
            return own
        wanted = np.ascontiguousarray(own[self._sent])
        there = self.rows.processes.exchange(_bytes_of(wanted), self._n_sent, self._n_received).numpy()
        values = there.view(own.dtype).reshape(len(self), *own.shape[1:])
        return np.concatenate([own, values])

    def labels(self, own: npt.NDArray[np.int64], n_clusters: int) -> npt.NDArray[Any]:
        """Return the clusters of own nodes and of the halo, in the fewest bytes; what was asked for last is kept."""
        if self._labels[0] is not own:
            self._labels = (own, self.extended(own.astype(np.min_scalar_type(n_clusters))))
        found: npt.NDArray[Any] = self._labels[1]
        return found


def _bytes_of(values: npt.NDArray[Any]) -> torch.Tensor:
    """Return rows as bytes, which every backend sends whatever they stand for."""
    width = values[:1].nbytes if len(values) else values.dtype.itemsize * int(np.prod(values.shape[1:]))
    return torch.from_numpy(values.view(np.uint8).reshape(len(values), width))
