"""Rows of a symmetric matrix, by their products with the rows of a block of vectors.

    A = diag(d) + W + σ B Bᵀ

with W sparse, own rows of which lead to own nodes and to those of the halo, and B the memberships of own nodes in groups, of
which BᵀX, groups x vectors, is summed over all processes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack

from orthonet.linalg.chebyshev import in_single_precision
from orthonet.partitioned.halo import Halo
from orthonet.partitioned.rows import Rows

Array = npt.NDArray[np.floating[Any]]

AT_ONCE = 2**32
"""Bytes of own nodes and the halo that are multiplied at once; wider blocks are multiplied some columns at a time."""


@dataclass(frozen=True, eq=False)
class RowOperator:
    """Own rows of A.

    Attributes
    ----------
    rows : Rows
    halo : Halo
    diagonal : array of shape (n,)
        d.
    sparse : sparse array of shape (n, n + halo), or None
        W, without a diagonal.
    incidence : sparse array of shape (n, groups), or None
        B.
    sign : float
        σ.
    """

    rows: Rows
    halo: Halo
    diagonal: Array
    sparse: csr_array | None
    incidence: csr_array | None
    sign: float = 1.0

    def __matmul__(self, block: Array) -> Array:
        columns = np.atleast_2d(block.T).T
        width = max(1, AT_ONCE // (block.dtype.itemsize * max(len(self.rows) + len(self.halo), 1)))
        parts = [self._times(columns[:, first : first + width]) for first in range(0, columns.shape[1], width)]
        image = parts[0] if len(parts) == 1 else np.hstack(parts)
        return image.reshape(block.shape)

    def _times(self, block: Array) -> Array:
        image = self.diagonal[:, None].astype(block.dtype, copy=False) * block
        if self.sparse is not None:
            image += self.sparse @ self.halo.extended(np.ascontiguousarray(block))
        if self.incidence is not None:
            of_groups = self.rows.sum(self.incidence.T @ block)[0].astype(block.dtype, copy=False)
            image += block.dtype.type(self.sign) * (self.incidence @ of_groups)
        return image

    def in_single_precision(self) -> RowOperator:
        """Return the same in half the memory, and with half the bytes in an exchange."""
        sparse, incidence = (None if one is None else in_single_precision(one) for one in (self.sparse, self.incidence))
        return replace(self, diagonal=self.diagonal.astype(np.float32), sparse=sparse, incidence=incidence)

    def trace(self) -> float:
        """Return the sum of the eigenvalues."""
        squares = 0.0 if self.incidence is None else float((self.incidence.data**2).sum())
        return self.rows.total(float(self.diagonal.sum()) + self.sign * squares)


def weighted_sum(operators: list[RowOperator], weights: npt.ArrayLike) -> RowOperator:
    """Return Σ w_s A_s of operators with the same halo and the same sign."""
    first, factors = operators[0], np.asarray(weights, dtype=np.float64)
    pairs = list(zip(factors.tolist(), operators, strict=True))
    sparse: Any = None
    for weight, one in pairs:
        if one.sparse is not None and weight > 0:
            sparse = weight * one.sparse if sparse is None else sparse + weight * one.sparse
    incidences = [np.sqrt(weight) * one.incidence for weight, one in pairs if one.incidence is not None and weight > 0]
    return replace(
        first,
        diagonal=sum((weight * one.diagonal for weight, one in pairs), np.zeros(len(first.rows))),
        sparse=None if sparse is None else csr_array(sparse),
        incidence=csr_array(hstack(incidences)) if incidences else None,
    )
