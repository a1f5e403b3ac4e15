"""From NumPy and SciPy to torch, without making anything dense."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch
from scipy.sparse import issparse
from torch import Tensor

from orthonet.linalg.low_rank import SparsePlusLowRank


@contextmanager
def plain_torch() -> Iterator[None]:
    """Undo the modes that the caller may be in (no_grad, inference_mode, autocast): a fit must not depend on them."""
    with torch.inference_mode(False), torch.enable_grad(), torch.autocast("cpu", enabled=False):
        yield


def as_tensor(matrix: Any, dtype: torch.dtype) -> Tensor:
    """Return a dense tensor of an array, or a sparse CSR tensor of a CSR array, that shares nothing writable with it."""
    on_cpu: dict[str, Any] = {"device": "cpu"}  # whatever the caller set as torch's default
    if not issparse(matrix):
        return torch.tensor(np.asarray(matrix), dtype=dtype, **on_cpu)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta state")
        return torch.sparse_csr_tensor(
            torch.tensor(matrix.indptr, dtype=torch.int64, **on_cpu),
            torch.tensor(matrix.indices, dtype=torch.int64, **on_cpu),
            torch.tensor(matrix.data, dtype=dtype, **on_cpu),
            size=matrix.shape,
            check_invariants=False,
            **on_cpu,
        )


@dataclass(frozen=True)
class LowRankTensor:
    """Rows of a `SparsePlusLowRank`, for torch: only ``@`` is needed."""

    sparse: Tensor
    basis: Tensor
    core: Tensor
    basis_rows: Tensor
    """Those rows of the basis."""

    @property
    def device(self) -> torch.device:
        """Where it is."""
        return self.basis.device

    def to(self, device: torch.device) -> LowRankTensor:
        """Return the same on another device."""
        parts = (self.sparse, self.basis, self.core, self.basis_rows)
        return LowRankTensor(*(part.to(device) for part in parts))

    def __matmul__(self, other: Tensor) -> Tensor:
        return self.sparse @ other + self.basis_rows @ (self.core @ (self.basis.T @ other))


Operator: TypeAlias = Tensor | LowRankTensor
"""What the loss multiplies with."""


def as_operator(matrix: Any, rows: slice = slice(None)) -> Operator:
    """Return the float64 torch twin of some rows of a matrix: an array, a CSR array, or a `SparsePlusLowRank`."""
    if not isinstance(matrix, SparsePlusLowRank):
        return as_tensor(matrix[rows], torch.float64)
    parts = (matrix.sparse[rows], matrix.basis, matrix.core, matrix.basis[rows])
    return LowRankTensor(*(as_tensor(part, torch.float64) for part in parts))
