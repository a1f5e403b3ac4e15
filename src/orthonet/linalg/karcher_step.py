"""One step of the Karcher mean: the matrices seen from M = C Cᵀ, Newton's direction, and how far to go along it.

    T = Σ_s w_s Log(C⁻¹ A_s C⁻ᵀ)

Newton's direction solves H X = T, where the Hessian H of half the objective is known from the eigendecompositions
V_s Diag(λ_s) V_sᵀ of the logarithms,

    H X = Σ_s w_s V_s (h ∘ V_sᵀ X V_s) V_sᵀ,      h_ij = r coth r,  r = (λ_i − λ_j) / 2,

by a few conjugate-gradient steps. These are products of matrices, in single precision, and cheap beside the
eigendecompositions. Their result is a direction in which both ‖T‖ and the objective fall, whenever they stop: the residuals
of conjugate gradients are orthogonal to T.

References
----------
.. [1] Q. Rentmeesters, P.-A. Absil, "Algorithm comparison for Karcher mean computation of rotation matrices and diffusion
       tensors", EUSIPCO 2011 (the Hessian).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh, eigvalsh, solve_triangular

from orthonet.linalg.factorizations import cholesky_factor, positive_eigh, whitened

Array = npt.NDArray[np.floating[Any]]

LONGEST = 4.0
"""Largest eigenvalue of a step X: where matrices lack indices, the Hessian may be nearly singular and Newton's step wild."""
SHORT = 1.0
"""Norm of a step X below which its exponential is taken to third order only."""
SMALL_ANGLE = 1e-3
"""r below which r coth r is 1 in single precision, and 0/0 must be avoided."""
GRADIENT_STEPS = 20
"""Steps of conjugate gradients at most: each costs a few products of matrices per layer, and Newton goes on from any."""


class Closeness(NamedTuple):
    """How near a matrix is to the mean, by two measures that are both small there."""

    residual: float
    """Root mean square of the eigenvalues of T."""
    objective: float
    """Σ_s w_s d(M, A_s)²."""

    def improves_on(self, before: Closeness, dtype: np.dtype[Any]) -> bool:
        """Return whether one of the two has fallen; the objective must fall by more than its rounding."""
        flat = 1 - float(np.sqrt(np.finfo(dtype).eps))
        return self.residual < before.residual or self.objective < flat * before.objective


@dataclass(frozen=True)
class Tangent:
    """T at M = C Cᵀ, and the logarithms that it is the mean of."""

    factor: Array
    """C."""
    logs: Sequence[_Logarithm]
    matrix: Array
    """T."""
    closeness: Closeness

    @classmethod
    def at(
        cls,
        mean: Array,
        matrices: Sequence[Array],
        weights: npt.NDArray[np.float64],
        present: Sequence[npt.NDArray[np.bool_]] | None,
        step: float | None,
    ) -> Self:
        """Look at the matrices from ``mean``; a ``step`` that led there is named if it is not positive definite."""
        factor = cholesky_factor(mean, "the mean", step)
        masks = [None] * len(matrices) if present is None else present
        logs = [_log_seen_from(factor, mean, one, mask) for one, mask in zip(matrices, masks, strict=True)]
        tangent = np.zeros_like(mean)
        for weight, one in zip(weights, logs, strict=True):
            tangent += mean.dtype.type(weight) * one.matrix()
        residual = float(np.linalg.norm(tangent)) / np.sqrt(len(mean))
        objective = float(weights @ [one.values @ one.values for one in logs])
        return cls(factor, logs, tangent, Closeness(residual, objective))

    def newton_direction(self, weights: npt.NDArray[np.float64], accuracy: float) -> Array:
        """Solve H X = T by conjugate gradients until the residual is ``accuracy`` times T, in single precision.

        The iteration stops before a direction in which H is not positive, see `_Hessian`.
        """
        hessian = _Hessian.of(self.logs, weights)
        residual = self.matrix.astype(np.float32)
        solution, direction, squared = np.zeros_like(residual), residual, float(np.vdot(residual, residual))
        goal = accuracy**2 * squared
        for _ in range(GRADIENT_STEPS):
            image = hessian @ direction
            bend = float(np.vdot(direction, image))
            if not bend > 0:
                break
            length = np.float32(squared / bend)
            solution = solution + length * direction
            residual = residual - length * image
            before, squared = squared, float(np.vdot(residual, residual))
            if squared <= goal:
                break
            direction = residual + np.float32(squared / before) * direction
        return (solution if solution.any() else self.matrix).astype(self.matrix.dtype, copy=False)


@dataclass(frozen=True)
class Step:
    """From M = C Cᵀ in a direction X.

    Of a short X the exponential is taken to third order only: positive definite too, and as good for Newton's method.
    """

    factor: Array
    direction: Array
    short: bool

    @classmethod
    def along(cls, direction: Array, factor: Array) -> Self:
        """Go as far as the direction says, but not farther than `LONGEST`."""
        norm = float(np.linalg.norm(direction))
        if norm > LONGEST:
            largest = float(np.abs(eigvalsh(direction, check_finite=False)).max())
            direction = direction * direction.dtype.type(min(1.0, LONGEST / largest))
        return cls(factor, direction, short=norm < SHORT)

    def halved(self) -> Step:
        """Return half of it."""
        return replace(self, direction=0.5 * self.direction)

    def taken(self) -> Array:
        """Return C Exp(X) Cᵀ."""
        if self.short:
            moved = self.direction + 0.5 * (self.direction @ self.direction)
            moved.flat[:: len(moved) + 1] += 1
            return self.factor @ moved @ self.factor.T
        values, vectors = eigh(self.direction, driver="evd", check_finite=False)
        root = (self.factor @ vectors) * np.exp(0.5 * values)
        return root @ root.T


@dataclass(frozen=True)
class _Logarithm:
    """V Diag(λ) Vᵀ with orthonormal columns V, as many as the matrix has indices."""

    values: Array
    vectors: Array

    def matrix(self) -> Array:
        """Return it as an array."""
        return (self.vectors * self.values) @ self.vectors.T


def _log_seen_from(factor: Array, mean: Array, matrix: Array, present: npt.NDArray[np.bool_] | None) -> _Logarithm:
    """Log(C⁻¹ A C⁻ᵀ), embedded into the whole space by the frame of the indices that A has."""
    block = None if present is None or present.all() else present
    own = factor if block is None else cholesky_factor(mean[np.ix_(block, block)], "a block of the mean")
    values, vectors = positive_eigh(whitened(matrix, own), overwrite=True)
    if block is not None:
        vectors = solve_triangular(own, factor[block], lower=True, check_finite=False).T @ vectors
    return _Logarithm(np.log(values), vectors)


@dataclass(frozen=True)
class _Hessian:
    """H of the module, in single precision.

    A matrix that lacks indices adds −½ (Log X Q + Q X Log) to H, where Q projects onto the rest: the geodesic of the whole is
    not one of the block. That can make H indefinite.
    """

    weights: npt.NDArray[np.float32]
    frames: Sequence[npt.NDArray[np.float32]]
    values: Sequence[npt.NDArray[np.float32]]
    curvatures: Sequence[npt.NDArray[np.float32]]

    @classmethod
    def of(cls, logs: Sequence[_Logarithm], weights: npt.NDArray[np.float64]) -> Self:
        single = np.float32
        return cls(
            weights.astype(single),
            [one.vectors.astype(single) for one in logs],
            [one.values.astype(single) for one in logs],
            [_curvature(one.values).astype(single) for one in logs],
        )

    def __matmul__(self, direction: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        total = np.zeros_like(direction)
        parts = zip(self.weights, self.curvatures, self.frames, self.values, strict=True)
        for weight, curvature, frame, values in parts:
            seen = frame.T @ direction
            total += weight * (frame @ (curvature * (seen @ frame)) @ frame.T)
            if frame.shape[1] < frame.shape[0]:
                led_out = frame @ (values[:, None] * (seen - (seen @ frame) @ frame.T))
                total -= np.float32(0.5) * weight * (led_out + led_out.T)
        return total


def _curvature(logs: Array) -> Array:
    """Return r coth r for half the differences r of the logarithms: by how much d²/2 bends in the plane of two eigenvectors."""
    half = np.abs(logs[:, None] - logs) / 2
    small = half < SMALL_ANGLE
    half[small] = 1.0
    bent = half / np.tanh(half)
    bent[small] = 1.0
    return bent
