"""A mean of Laplacians in one small orthonormal basis V of shape (N, p).

    L ≈ V M(VᵀL_1V, …, VᵀL_SV) Vᵀ + c (I − VVᵀ)

M is the mean of small dense matrices, and c the geometric mean of the layers' average eigenvalues outside V.

A layer that lacks nodes agrees with the arithmetic mean about them at first. The geometric mean M then knows better: it is
also the plain geometric mean of the layers completed by its own regression of the missing nodes (Ā) on those present (A),

    A'_s = M + E (L_s − M_AA) Eᵀ,      E = [I; M_ĀA M_AA⁻¹],

which is what minimising Σ_s w_s d(M_AA, L_s)² comes to. In the basis all of these are p x p.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.sparse import csr_array

from orthonet.aggregation.problem import AggregationProblem
from orthonet.linalg.eigen import PROBE_ABOVE, lowest_of_dense
from orthonet.linalg.factorizations import orthonormal_columns, symmetric_part
from orthonet.linalg.low_rank import IdentityPlusLowRank
from orthonet.linalg.multigrid import largest_eigenvalue_bound

Array = npt.NDArray[np.float64]
SmallMean = Callable[[Sequence[Array], npt.NDArray[np.float64]], Array]
"""From p x p matrices and their weights to their mean."""

COMPLETED = 1e-4
"""Completing the layers that lack nodes ends when the mean changes by less than this, relatively."""
LEAST_AVERAGE = 1e-12
"""Average eigenvalue outside the basis at least, relative to that of the whole layer: its logarithm is taken."""
LEAST_GAP = 1e-3
"""Distance of an eigenvalue from the average outside, relative to that average, below which `leak` divides by this."""
DEPENDENT = 1e-8
"""Squared singular value, relative to the largest, below which a direction of the blocks is only rounding."""


@dataclass(frozen=True)
class MeanInBasis:
    """The mean in a basis: V core Vᵀ + outside (I − VVᵀ)."""

    basis: Array
    core: Array
    outside: float
    averages: Sequence[float]
    """Average eigenvalue of each layer outside the basis."""

    @classmethod
    def of(
        cls,
        basis: Array,
        layers: Sequence[csr_array],
        problem: AggregationProblem,
        small_mean: SmallMean,
        n_completions: int,
    ) -> Self:
        """Take the mean of the layers seen in the basis, completing those that lack nodes so many times at most."""
        small = [symmetric_part(basis.T @ (layer @ basis)) for layer in layers]
        averages = [_average_outside(layer, one) for layer, one in zip(layers, small, strict=True)]
        outside = float(np.exp(problem.weights @ np.log(averages)))
        core = symmetric_part(small_mean(small, problem.weights))
        if n_completions:
            partial = [s for s, mask in enumerate(problem.present) if not mask.all()]
            grams = [_gram(basis[problem.present[s]]) for s in partial]
            own = [small[s] - _added(basis, layers[s], problem.laplacians[s]) for s in partial]
            for _ in range(n_completions):
                for index, s in enumerate(partial):
                    small[s] = completed_by_mean(own[index], grams[index], core, outside)
                before, core = core, symmetric_part(small_mean(small, problem.weights))
                if np.linalg.norm(core - before) < COMPLETED * np.linalg.norm(core):
                    break
        return cls(basis, core, outside, averages)

    def lowest(self, k: int) -> Array:
        """Return the ``k`` lowest eigenvectors."""
        return self.basis @ lowest_of_dense(self.core, k)[1]

    def gap(self, k: int) -> float:
        """Return by how much eigenvalue k + 1 lies above eigenvalue k, relatively."""
        values = np.append(eigh(self.core, eigvals_only=True, check_finite=False), self.outside)
        return float(1 - values[k - 1] / values[k])

    @property
    def update(self) -> IdentityPlusLowRank:
        """The mean as an operator."""
        return IdentityPlusLowRank(self.outside, self.basis, self.core - self.outside * np.eye(len(self.core)))

    def leak(self, layers: Sequence[csr_array], vectors: Array, weights: npt.NDArray[np.float64]) -> float:
        """Estimate 1 − the mean cosine that is lost because the layers lead out of the basis.

        A layer that maps a vector u of eigenvalue λ out of V by a residual ρ turns it by about ρ / (c − λ), to first order in
        the perturbation; the loss of cosine is half the square of that. Layers count in units of their own average outside V.
        """
        basis, outside = self.basis, self.outside
        values = np.einsum("ij,ij->j", vectors, basis @ (self.core @ (basis.T @ vectors)))
        squared = np.zeros(len(values))
        for weight, layer, average in zip(weights, layers, self.averages, strict=True):
            image = (outside / average) * (layer @ vectors)
            squared += weight * np.linalg.norm(image - basis @ (basis.T @ image), axis=0) ** 2
        return float(np.mean(squared / np.maximum(outside - values, LEAST_GAP * outside) ** 2) / 2)


def orthonormal(blocks: Sequence[Array], limit: int) -> Array:
    """Return an orthonormal basis of the span of the blocks, without the directions that are only rounding."""
    stacked = np.hstack(blocks)
    values, vectors = np.linalg.eigh(stacked.T @ stacked)
    keep = np.flatnonzero(values > DEPENDENT * values[-1])[::-1][:limit]
    rough = stacked @ (vectors[:, keep] / np.sqrt(values[keep]))
    return orthonormal_columns(rough) if len(rough) > PROBE_ABOVE else np.linalg.qr(rough)[0]


def completed_by_mean(own: Array, gram: Array, core: Array, outside: float) -> Array:
    """VᵀA'V of a layer completed by the mean, see the module.

    ``own`` is V_AᵀL_sV_A, ``gram`` V_AᵀV_A, and the mean V core Vᵀ + outside (I − VVᵀ).
    The regression of the missing nodes on those present is V_Ā R V_Aᵀ with a small R, so VᵀE = (I + V_ĀᵀV_Ā R) V_Aᵀ.
    """
    one = np.eye(len(core))
    low = core - outside * one
    regression = np.linalg.solve((outside * one + gram @ low).T, low.T).T
    carried = one + (one - gram) @ regression
    mean_of_present = gram @ low @ gram + outside * gram
    return symmetric_part(core + carried @ (own - mean_of_present) @ carried.T)


def _added(basis: Array, completed: csr_array, given: csr_array) -> Array:
    """Return what completing a layer added to it, seen in the basis: little, where it lacks few nodes."""
    added = csr_array(completed - given)
    added.eliminate_zeros()
    rows = np.flatnonzero(np.diff(added.indptr))
    return symmetric_part(basis[rows].T @ (added[rows] @ basis))


def _gram(rows: Array) -> Array:
    return rows.T @ rows


def _average_outside(layer: csr_array, small: Array) -> float:
    """Return a layer's average eigenvalue outside the basis in which it is ``small``; a bound of all, if nothing is outside."""
    trace, left = layer.diagonal().sum(), layer.shape[0] - len(small)
    if left == 0:
        return largest_eigenvalue_bound(layer)
    return max(float(trace - np.trace(small)) / left, LEAST_AVERAGE * float(trace) / layer.shape[0])
