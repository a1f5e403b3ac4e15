"""Coarse forms of a sparse Laplacian: a preconditioner, and a first guess of its lowest eigenvectors.

Algebraic multigrid merges nodes into aggregates, level by level, until some hundred are left. Low eigenvectors are smooth,
so the coarsest level knows them nearly: solve there, bring them up level by level, and damp at each the roughness that
interpolation leaves behind (coarsen, solve, refine). The time is that of a few dozen products with the matrix, however
small the gaps between the eigenvalues.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh, qr
from scipy.sparse import csr_array, csr_matrix, eye_array
from scipy.sparse.linalg import LinearOperator

from orthonet.support.optional import require

Array = npt.NDArray[np.floating[Any]]
Number = TypeVar("Number", bound=np.floating[Any])

COARSEST = 800
"""Nodes at which coarsening ends: dense eigenvectors of so many cost a tenth of a second."""

REFINEMENTS = 2
"""Rounds of smoothing at each level."""


@dataclass(frozen=True)
class Multigrid:
    """A hierarchy of coarse forms of one matrix."""

    hierarchy: Any

    @classmethod
    def of(cls, matrix: csr_array, near_null: Array | None = None) -> Multigrid:
        """Coarsen a symmetric positive semi-definite matrix; ``near_null`` is a vector it nearly annihilates.

        Where that vector is zero its mean length is used instead: aggregates must not vanish.
        """
        pyamg = require("pyamg", extra="large", purpose="LOBPCG with a multigrid preconditioner")
        shifted = csr_array(matrix + 1e-8 * largest_eigenvalue_bound(matrix) * eye_array(matrix.shape[0]))
        if near_null is not None:
            near_null = np.where(near_null == 0, np.abs(near_null).mean(), near_null)[:, None]
        smoother = ("gauss_seidel", {"sweep": "symmetric"})
        # Other weightings draw from NumPy's global random state.
        interpolation = ("jacobi", {"omega": 4 / 3, "weighting": "local"})
        return cls(
            pyamg.smoothed_aggregation_solver(
                csr_matrix((shifted.data, shifted.indices, shifted.indptr), shape=shifted.shape),  # what pyamg knows
                B=near_null,
                smooth=interpolation,
                presmoother=smoother,
                postsmoother=smoother,
                max_coarse=COARSEST,
                keep=False,
            )
        )

    def preconditioner(self) -> LinearOperator:
        """Return an approximate inverse: one V-cycle."""
        return self.hierarchy.aspreconditioner()

    def rough_eigenvectors(self, k: int) -> Array:
        """Return about the ``k`` lowest eigenvectors, orthonormal; fewer where the coarsest level has fewer nodes.

        A node without neighbours is in no aggregate, and an aggregate without neighbours is in none of the next level. Each is
        a piece of the graph, to which no coarser level comes near; it joins at its own level, with its own eigenvalue.
        """
        *finer, coarsest = self.hierarchy.levels
        interpolation = eye_array(self.hierarchy.levels[0].A.shape[0], format="csr")
        squared_lengths = []
        for level in finer:
            squared_lengths.append(interpolation.power(2).sum(axis=0))
            interpolation = interpolation @ csr_array(level.P)
        # The coarse form of the identity, so that the coarse eigenproblem is that of the interpolated vectors.
        mass = (interpolation.T @ interpolation).toarray()
        values, block = np.zeros(0), np.zeros((len(mass), 0))
        if mass.any():  # where nothing is left to merge, pyamg ends with a level that stands for nothing
            last = (0, min(k, len(mass)) - 1)
            values, block = eigh(coarsest.A.toarray(), mass, subset_by_index=last, check_finite=False)
        for level, squared in zip(reversed(finer), reversed(squared_lengths), strict=True):
            matrix, upwards = csr_array(level.A), csr_array(level.P)
            alone = np.flatnonzero((abs(upwards).sum(axis=1) == 0) & (squared > 0))
            own = matrix.diagonal()[alone] / squared[alone]
            lowest = np.argsort(own, kind="stable")[:k]
            unit = np.zeros((matrix.shape[0], len(lowest)))
            unit[alone[lowest], np.arange(len(lowest))] = squared[alone[lowest]] ** -0.5
            values, block = np.append(values, own[lowest]), np.hstack([upwards @ block, unit])
            order = np.argsort(values, kind="stable")[:k]
            values, block = values[order], block[:, order]
            cut = 2 * float(values[-1]) / largest_eigenvalue_bound(matrix)
            for _ in range(REFINEMENTS):
                block = qr(smoothed(matrix, block, cut=cut), mode="economic", check_finite=False)[0]
        return block


def smoothed(
    matrix: csr_array, vectors: npt.NDArray[Number], *, cut: float = 0.1, degree: int = 8
) -> npt.NDArray[Number]:
    """Damp what is rough: a Chebyshev polynomial of the matrix, small on its spectrum above ``cut`` times the top.

    The columns come back with length 1. ``cut`` is kept between 0.02 and 0.5.
    """
    top = largest_eigenvalue_bound(matrix)
    low, high = min(max(cut, 0.02), 0.5) * top, top
    kind = vectors.dtype.type
    centre, half = kind((high + low) / 2), kind((high - low) / 2)
    before, now = vectors, (matrix @ vectors - centre * vectors) / half
    for _ in range(degree - 1):
        before, now = now, 2 * (matrix @ now - centre * now) / half - before
        scale = np.linalg.norm(now, axis=0)
        before, now = before / scale, now / scale
    return now


def largest_eigenvalue_bound(matrix: csr_array) -> float:
    """Gershgorin's bound."""
    return float(abs(matrix).sum(axis=1).max())
