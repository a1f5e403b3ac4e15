"""From NumPy and SciPy to torch, without making anything dense."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch
from scipy.sparse import issparse
from torch import Tensor


def as_tensor(matrix: Any, dtype: torch.dtype) -> Tensor:
    """Return a dense tensor of an array, or a sparse CSR tensor of a CSR array, that shares nothing writable with it."""
    if not issparse(matrix):
        return torch.tensor(np.asarray(matrix), dtype=dtype)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta state")
        return torch.sparse_csr_tensor(
            torch.tensor(matrix.indptr, dtype=torch.int64),
            torch.tensor(matrix.indices, dtype=torch.int64),
            torch.tensor(matrix.data, dtype=dtype),
            size=matrix.shape,
            check_invariants=False,
        )
