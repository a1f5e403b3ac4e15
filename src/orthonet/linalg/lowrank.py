"""A symmetric matrix that is a low-rank change of something simple, and is never formed.

    A = base + basis core basisᵀ

``base`` is a sparse matrix, or a number that stands for that multiple of the identity; the basis is orthonormal then, and
the eigenvalues of A are those of core + base · I on the span of the basis, and base outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

Array = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class LowRankUpdate:
    """base + basis core basisᵀ.

    Shapes
    ------
    base : number or (N, N); basis : (N, p); core : (p, p), symmetric.
    """

    base: float | csr_array
    basis: Array
    core: Array

    @property
    def shape(self) -> tuple[int, int]:
        """N x N."""
        return (self.basis.shape[0], self.basis.shape[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers."""
        return self.basis.dtype

    def __matmul__(self, other: Array) -> Array:
        plain = self.base * other if isinstance(self.base, float) else self.base @ other
        return plain + self.basis @ (self.core @ (self.basis.T @ other))

    def toarray(self) -> Array:
        """Return the N x N array, for small N."""
        n_nodes = self.shape[0]
        return self @ np.eye(n_nodes)
