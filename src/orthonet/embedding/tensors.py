"""From NumPy and SciPy to torch, without making anything dense."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from scipy.sparse import issparse
from torch import Tensor


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
