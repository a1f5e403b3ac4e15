"""Symmetric matrices that are something simple plus a matrix of low rank, and are never formed.

    A = c I + basis core basisᵀ      `IdentityPlusLowRank`, what a compressed mean is
    A = B   + basis core basisᵀ      `SparsePlusLowRank`, what the projection mean is

Both have the methods of their base class `LowRankUpdate`, which are also those of an array or a sparse array.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.linalg.multigrid import largest_eigenvalue_bound

Array = npt.NDArray[np.floating[Any]]


class LowRankUpdate(ABC):
    """A matrix of shape (N, N) that is easy to multiply by, plus basis core basisᵀ.

    Shapes
    ------
    basis : (N, p); core : (p, p), symmetric.
    """

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
        return self._simple_part_times(other) + self.basis @ (self.core @ (self.basis.T @ other))

    def trace(self) -> float:
        """Return the sum of the eigenvalues."""
        return float(self._simple_trace() + np.vdot(self.basis, self.basis @ self.core))

    def eigenvalue_bound(self) -> float:
        """Return a number that no eigenvalue exceeds: the sum of such bounds of the two parts."""
        return self._simple_bound() + float(np.linalg.norm(self.core, 2)) * float(np.linalg.norm(self.basis, 2)) ** 2

    def toarray(self) -> Array:
        """Return the N x N array, for small N."""
        return self @ np.eye(self.shape[0])

    @abstractmethod
    def _simple_part_times(self, other: Array) -> Array:
        """Return the product of the simple part and an array."""

    @abstractmethod
    def _simple_trace(self) -> float:
        """Return the trace of the simple part."""

    @abstractmethod
    def _simple_bound(self) -> float:
        """Return a bound of the eigenvalues of the simple part."""


@dataclass(frozen=True)
class IdentityPlusLowRank(LowRankUpdate):
    """c I + basis core basisᵀ with an orthonormal basis.

    Its eigenvalues are those of core + c I on the span of the basis, and c on the complement.

    Attributes
    ----------
    outside : float
        c, the eigenvalue outside the span of the basis.
    basis : array of shape (N, p)
        Orthonormal columns.
    core : array of shape (p, p)
        Symmetric.
    """

    outside: float
    basis: Array
    core: Array

    def _simple_part_times(self, other: Array) -> Array:
        return self.outside * other

    def _simple_trace(self) -> float:
        return self.outside * self.shape[0]

    def _simple_bound(self) -> float:
        return abs(self.outside)


@dataclass(frozen=True)
class SparsePlusLowRank(LowRankUpdate):
    """B + basis core basisᵀ with a sparse matrix B; the columns of the basis need not be orthonormal.

    Attributes
    ----------
    sparse : sparse array of shape (N, N)
        B, symmetric.
    basis : array of shape (N, p)
    core : array of shape (p, p)
        Symmetric.
    """

    sparse: csr_array
    basis: Array
    core: Array

    def _simple_part_times(self, other: Array) -> Array:
        return self.sparse @ other

    def _simple_trace(self) -> float:
        return float(self.sparse.trace())

    def _simple_bound(self) -> float:
        return largest_eigenvalue_bound(self.sparse)
