"""A weighted sum of sparse matrices by its products: the sum itself, which may hold the entries of all of them, is not built.

A = c I + Σ_s w_s A_s
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, eye_array, issparse
from scipy.sparse.linalg import LinearOperator

from orthonet.linalg.scaling import in_order_of_columns

Array = npt.NDArray[np.float64]


def flipped(matrix: Any, top: float) -> Any:
    """Return ``top`` I − A, whose smallest eigenvalues are the largest of A: a sparse matrix, a sum or an operator, as A is."""
    if issparse(matrix):
        return csr_array(top * eye_array(matrix.shape[0]) - matrix)
    return matrix.flipped(top) if isinstance(matrix, MatrixSum) else Flipped(matrix, top)


class Flipped(LinearOperator):
    """c I − A of a symmetric operator A whose eigenvalues lie between −c and c."""

    def __init__(self, operator: LinearOperator, top: float) -> None:
        super().__init__(np.dtype(np.float64), operator.shape)
        self._operator, self._top = operator, top

    def eigenvalue_bound(self) -> float:
        """Return a bound of the largest eigenvalue."""
        return 2 * self._top

    def _matmat(self, block: Any) -> Any:
        return self._top * block - self._operator @ block

    def _matvec(self, vector: Any) -> Any:
        return self._matmat(vector)

    def _adjoint(self) -> Flipped:
        return self


class MatrixSum(LinearOperator):
    """c I + Σ_s w_s A_s of symmetric sparse matrices.

    Parameters
    ----------
    matrices : sequence of sparse arrays of shape (N, N)
        All of one type of numbers.
    weights : sequence of float
    identity : float, default=0.0
        c.
    """

    def __init__(self, matrices: Sequence[csr_array], weights: Sequence[float], identity: float = 0.0) -> None:
        super().__init__(matrices[0].dtype, matrices[0].shape)
        self.matrices, self.identity = tuple(matrices), float(identity)
        self.weights = tuple(float(weight) for weight in weights)

    def flipped(self, top: float) -> MatrixSum:
        """Return ``top`` I − A, whose smallest eigenvalues are the largest of A."""
        return MatrixSum(self.matrices, [-weight for weight in self.weights], top - self.identity)

    def in_single_precision(self) -> MatrixSum:
        """Return the same in half the memory, for products that are faster."""
        single = [
            csr_array((one.data.astype(np.float32), one.indices, one.indptr), shape=one.shape)
            for one in map(in_order_of_columns, self.matrices)
        ]
        return MatrixSum(single, self.weights, self.identity)

    def eigenvalue_bound(self) -> float:
        """Return Gershgorin's bound of the largest eigenvalue, with the diagonal of each matrix taken for itself."""
        ones = np.ones(self.shape[0])
        sums = (abs(weight) * (abs(one) @ ones) for weight, one in zip(self.weights, self.matrices, strict=True))
        return abs(self.identity) + float(sum(sums, np.zeros(self.shape[0])).max())

    def as_matrix(self) -> csr_array:
        """Return the sum as one sparse matrix."""
        total = csr_array(self.identity * eye_array(self.shape[0], format="csr"))
        for weight, one in zip(self.weights, self.matrices, strict=True):
            total = total + weight * one
        return csr_array(total)

    def toarray(self) -> Array:
        """Return it dense: for so few nodes that LAPACK is the best solver."""
        return np.asarray(self.as_matrix().toarray())

    def _matmat(self, block: Any) -> Any:
        kind = self.dtype.type
        image = kind(self.identity) * block
        for weight, one in zip(self.weights, self.matrices, strict=True):
            part = one @ block
            part *= kind(weight)
            image += part
        return image

    def _matvec(self, vector: Any) -> Any:
        return self._matmat(vector)

    def _adjoint(self) -> MatrixSum:
        return self
