"""The aggregated Laplacian as training sees it: by rows, so that batches and processes each need a part of it only.

*Low rank*, L = c I + V G Vᵀ: YᵀLY = c YᵀY + (VᵀY)ᵀ G (VᵀY), and rows of L Y need the same rows of Y and V and the small VᵀY.
So a batch, or a process, sums YᵀY and VᵀY over its own nodes, and that is all that is ever exchanged.

*Whole*, dense or sparse: rows of L Y need all of Y. Processes exchange it, which is fine for the sizes a dense matrix has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from orthonet.embedding.processes import Processes
from orthonet.embedding.tensors import Operator, as_operator, as_tensor
from orthonet.linalg.chebyshev import DEFAULT_PRODUCTS
from orthonet.linalg.eigen import PROBE_ABOVE, smallest_eigenpairs
from orthonet.linalg.low_rank import IdentityPlusLowRank

ROUGH_TOL, ROUGH_PRODUCTS = 1e-4, 150
"""Residual of the eigenvectors that stand for a matrix of more than 50,000 nodes, and products for them: their span matters."""


@dataclass(frozen=True)
class WholeRows:
    """The rows of a dense or sparse Laplacian that belong to this process's nodes."""

    rows: Operator
    n_nodes: int

    def times(self, outputs: Tensor) -> Tensor:
        """Return these rows of L Y, from all rows of Y."""
        return (self.rows @ outputs.to(device=self.rows.device, dtype=torch.float64)).to(outputs)


@dataclass(frozen=True)
class LowRankRows:
    """c I + V G Vᵀ, with the rows of V that belong to this process's nodes: a tensor, or an array that may be a memory map."""

    outside: float
    basis: Tensor | npt.NDArray[np.float64]
    core: Tensor
    n_nodes: int

    def basis_rows(self, like: Tensor, chosen: npt.NDArray[np.intp] | None = None) -> Tensor:
        """Return rows of V, all by default, on the device and in the type of ``like``."""
        if isinstance(self.basis, Tensor):
            return (self.basis if chosen is None else self.basis[torch.from_numpy(chosen)]).to(like)
        return torch.from_numpy(np.array(self.basis if chosen is None else self.basis[chosen])).to(like)


LaplacianRows = WholeRows | LowRankRows


def laplacian_rows(
    matrix: Any, processes: Processes, n_nodes: int, device: torch.device, dtype: torch.dtype
) -> LaplacianRows:
    """Deal out the matrix that the first process has; the others pass None."""
    low_rank = processes.from_first(isinstance(matrix, IdentityPlusLowRank) if processes.first else None)
    share = processes.share(n_nodes)
    if low_rank:
        outside = processes.from_first(matrix.outside if processes.first else None)
        core = processes.array_from_first(matrix.core if processes.first else None)
        basis = processes.array_from_first(matrix.basis if processes.first else None, share)
        return LowRankRows(float(outside), as_tensor(basis, dtype).to(device), as_tensor(core, torch.float64), n_nodes)
    at = device if dtype is torch.float64 else torch.device("cpu")
    if processes.from_first(isinstance(matrix, np.ndarray) if processes.first else None):
        rows = as_tensor(processes.array_from_first(matrix, share), torch.float64)
        return WholeRows(rows.to(at), n_nodes)
    return WholeRows(as_operator(processes.from_first(matrix), share).to(at), n_nodes)


def as_low_rank(matrix: Any, k: int, rng: np.random.Generator) -> IdentityPlusLowRank:
    """Keep the 3 K lowest eigenvectors of a matrix, and let the others share their average eigenvalue."""
    if isinstance(matrix, IdentityPlusLowRank):
        return matrix
    n_nodes = matrix.shape[0]
    tol, max_products = (ROUGH_TOL, ROUGH_PRODUCTS) if n_nodes > PROBE_ABOVE else (1e-7, DEFAULT_PRODUCTS)
    found = smallest_eigenpairs(matrix, min(3 * k, n_nodes - 1), rng, tol=tol, max_products=max_products)
    outside = max(
        (float(matrix.trace()) - float(found.values.sum())) / (n_nodes - len(found.values)), float(found.values[-1])
    )
    return IdentityPlusLowRank(outside, found.vectors, np.diag(found.values - outside))
