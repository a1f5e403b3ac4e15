"""From NumPy and SciPy to torch, without making anything dense."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch
from scipy.sparse import issparse
from torch import Tensor

from orthonet.linalg.lowrank import LowRankUpdate


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
    """A `LowRankUpdate` of a multiple of the identity, or of a sparse matrix, for torch: only ``@`` is needed."""

    base: float | Tensor
    basis: Tensor
    core: Tensor

    def __matmul__(self, other: Tensor) -> Tensor:
        plain = self.base * other if isinstance(self.base, float) else self.base @ other
        return plain + self.basis @ (self.core @ (self.basis.T @ other))


Operator: TypeAlias = Tensor | LowRankTensor
"""What the loss multiplies with."""


def as_operator(matrix: Any) -> Operator:
    """Return the float64 torch twin of what an aggregation returns."""
    if not isinstance(matrix, LowRankUpdate):
        return as_tensor(matrix, torch.float64)
    base = matrix.base if isinstance(matrix.base, float) else as_tensor(matrix.base, torch.float64)
    return LowRankTensor(base, as_tensor(matrix.basis, torch.float64), as_tensor(matrix.core, torch.float64))
