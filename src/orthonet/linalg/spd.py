"""Functions and means of symmetric positive definite (SPD) matrices.

The geometric (Karcher) mean of A_1 … A_S with weights w_s summing to 1 is the SPD matrix

    M = argmin_M  Σ_s w_s d(M, A_s)²,      d(A, B) = ‖Log(A^{-1/2} B A^{-1/2})‖_F,

found from the arithmetic mean on: with any factor M = C Cᵀ,

    T = Σ_s w_s Log(C⁻¹ A_s C⁻ᵀ),      M ← C Exp(X) Cᵀ.

Two matrices have a closed form, C (C⁻¹ A_2 C⁻ᵀ)^{w_2} Cᵀ with A_1 = C Cᵀ.

The mean is reached when T = 0. C is the Cholesky factor, which costs a fraction of a square root. Gradient descent takes
X = step · T; a fixed step of 1 overshoots on ill-conditioned matrices. Newton's step solves H X = T, where the Hessian H of
half the objective is known from the eigendecompositions V_s Diag(λ_s) V_sᵀ of the logarithms,

    H X = Σ_s w_s V_s (h ∘ V_sᵀ X V_s) V_sᵀ,      h_ij = r coth r,  r = (λ_i − λ_j) / 2,

by a few conjugate-gradient steps. These are products of matrices, in single precision, and cheap beside the
eigendecompositions. Their result is a direction in which ‖T‖ falls, whenever they stop (the residuals of conjugate gradients
are orthogonal to T), so a step that overshoots is halved until it does.

References
----------
.. [1] H. Karcher, "Riemannian center of mass and mollifier smoothing", 1977.
.. [2] D. Bini, B. Iannazzo, "Computing the Karcher mean of symmetric positive definite matrices", 2013.
.. [3] Q. Rentmeesters, P.-A. Absil, "Algorithm comparison for Karcher mean computation of rotation matrices and diffusion
       tensors", 2011 (the Hessian).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cholesky, eigh, eigvalsh, solve_triangular

from orthonet.support.checks import check_integer, check_number, check_weights
from orthonet.support.warn import warn_user

Array = npt.NDArray[np.floating[Any]]


def sqrt(matrix: Array) -> Array:
    """Principal square root of an SPD matrix."""
    return _apply(np.sqrt, matrix)


def log(matrix: Array) -> Array:
    """Principal logarithm of an SPD matrix."""
    return _apply(np.log, matrix)


def exp(matrix: Array) -> Array:
    """Exponential of a symmetric matrix."""
    values, vectors = eigh(matrix)
    return (vectors * np.exp(values)) @ vectors.T


def distance(first: Array, second: Array) -> float:
    """Riemannian distance ‖Log(A^{-1/2} B A^{-1/2})‖_F of two SPD matrices."""
    return float(np.linalg.norm(np.log(eigvalsh(second, first))))


@dataclass(frozen=True)
class KarcherMean:
    """The geometric mean and how it was reached."""

    matrix: Array
    residual: float
    """Root mean square of the eigenvalues of T, the last tangent step: 0 at the mean."""
    n_iter: int
    converged: bool


def geometric_mean(
    matrices: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    step: float | Literal["auto"] = "auto",
    max_iter: int = 50,
    tol: float = 1e-9,
) -> Array:
    """Geometric mean of SPD matrices under the affine-invariant metric.

    Parameters
    ----------
    matrices : array of shape (S, n, n)
        Symmetric positive definite matrices; float32 input gives a float32 mean.
    weights : array of shape (S,), optional
        Non-negative; scaled to sum 1. Weight 0 is the same as leaving the matrix out.
    step : float or "auto", default="auto"
        Step along the *mean* of the logarithms; "auto" adapts it at every iteration.
    max_iter : int, default=50
        Iterations at most; a warning tells the residual if they do not suffice.
    tol : float, default=1e-9
        Stop when the root mean square of the eigenvalues of T falls below it.

    Returns
    -------
    array of shape (n, n)

    Examples
    --------
    >>> import numpy as np
    >>> from orthonet.linalg.spd import geometric_mean
    >>> geometric_mean([np.diag([1.0, 4.0]), np.diag([9.0, 4.0])]).round(6)
    array([[3., 0.],
           [0., 4.]])
    """
    stack = np.asarray(matrices)
    if stack.ndim != 3 or stack.shape[1] != stack.shape[2] or 0 in stack.shape:
        raise ValueError(f"matrices must have shape (S, n, n) with S, n >= 1, got {stack.shape}")
    if stack.dtype.kind not in "biuf":
        raise ValueError(f"matrices must hold real numbers, got dtype {stack.dtype}")
    if not np.isfinite(stack).all():
        raise ValueError("matrices contain NaN or infinity")
    if stack.dtype != np.float32:
        stack = stack.astype(np.float64, copy=False)
    asymmetry = np.abs(stack - stack.transpose(0, 2, 1)).max(axis=(1, 2))
    crooked = np.flatnonzero(asymmetry > 1e-5 * np.abs(stack).max(axis=(1, 2)))
    if crooked.size:
        raise ValueError(
            f"matrices[{crooked[0]}] is not symmetric: entries differ by up to {asymmetry[crooked[0]]:.3g}"
        )
    attainable = max(tol, 10 * float(np.finfo(stack.dtype).eps))
    result = karcher_mean(
        list(stack),
        check_weights(weights, len(stack), name="weights", of="matrices"),
        step=step,
        max_iter=max_iter,
        tol=attainable,
    )
    warn_if_not_converged(result, attainable)
    return result.matrix


def karcher_mean(
    matrices: Sequence[Array],
    weights: npt.NDArray[np.float64],
    *,
    present: Sequence[npt.NDArray[np.bool_]] | None = None,
    initial: Array | None = None,
    step: float | Literal["auto"] = "auto",
    max_iter: int = 50,
    tol: float = 1e-9,
    report: Callable[[int, str], None] = lambda done, message: None,
) -> KarcherMean:
    """Geometric mean of SPD matrices that may each speak for a part of the indices only.

    With ``present``, matrix s of shape (n_s, n_s) holds the rows and columns where ``present[s]`` is True, and
    the mean minimises Σ_s w_s d(M[present_s, present_s], A_s)²: an index says nothing where it is absent.
    Its gradient is that of the full problem, pulled back through the orthonormal frame P_s = C[present_s]ᵀ C_s⁻ᵀ,
    where C_s is the Cholesky factor of M[present_s, present_s].

    Parameters
    ----------
    matrices : sequence of S arrays
        SPD matrices.
    weights : array of shape (S,)
        Non-negative, summing to 1.
    present : sequence of S boolean arrays of shape (n,), optional
        Which indices each matrix holds; all of them by default.
    initial : array of shape (n, n), optional
        Where to start: the arithmetic mean by default (needed if ``present`` is given).
    step, max_iter, tol : see `geometric_mean`
    report : callable
        Told the iteration and its residual.
    """
    if step != "auto":
        check_number(step, "step", above=0)
    check_integer(max_iter, "max_iter", minimum=0)
    check_number(tol, "tol", at_least=0)
    counted = [index for index, weight in enumerate(weights) if weight > 0]
    if initial is None:
        initial = sum((weights[s] * matrices[s] for s in counted[1:]), weights[counted[0]] * matrices[counted[0]])
    mean = np.asarray(initial, dtype=matrices[0].dtype)
    residual, converged, n_iter = np.inf, False, 0
    if len(counted) == 1 and present is None:
        _cholesky(mean, f"matrices[{counted[0]}]")
        return KarcherMean(mean, 0.0, 0, True)
    if len(counted) == 2 and present is None and step == "auto":
        first, second = counted
        return KarcherMean(_point_on_geodesic(matrices[first], matrices[second], float(weights[second])), 0.0, 0, True)

    previous: _Step | None = None
    for n_iter in range(1, max_iter + 1):
        factor = _cholesky(mean, "the mean", None if step == "auto" else step)
        logs = [_log_seen_from(factor, mean, matrices[s], None if present is None else present[s]) for s in counted]
        tangent = np.zeros_like(mean)
        for weight, one in zip(weights[counted], logs, strict=True):
            tangent += mean.dtype.type(weight) * one.matrix()
        residual = float(np.linalg.norm(tangent)) / np.sqrt(len(mean))
        report(n_iter, f"residual {residual:.1e}")
        if residual <= tol:
            converged = True
            break
        if step != "auto":
            current = _Step(factor, step * tangent, residual, short=False)
        elif previous is not None and not residual < previous.residual:
            current = previous.halved()
        else:
            accuracy = min(0.1, max(residual, 0.3 * tol / residual))
            direction = _newton_direction(tangent, logs, weights[counted], accuracy)
            current = _Step(factor, direction, residual, short=bool(np.linalg.norm(direction) < 1))
        mean, previous = current.taken(), current
    return KarcherMean(_symmetric(mean), residual, n_iter, converged)


def warn_if_not_converged(result: KarcherMean, tol: float) -> None:
    """Warn with the residual and what to change."""
    if not result.converged:
        warn_user(
            f"the geometric mean stopped after {result.n_iter} iterations at a residual of {result.residual:.1e}, "
            f"above tol={tol:.1e}; raise max_iter of the mean, or epsilon if the layers are nearly singular",
            RuntimeWarning,
        )


def _point_on_geodesic(start: Array, end: Array, share: float) -> Array:
    """C (C⁻¹ B C⁻ᵀ)^t Cᵀ with A = C Cᵀ: the point at ``share`` t of the way from A to B, their mean with weights 1 − t, t."""
    factor = _cholesky(start, "matrices[0]")
    half = solve_triangular(factor, end, lower=True, check_finite=False)
    whitened = solve_triangular(factor, half.T, lower=True, overwrite_b=True, check_finite=False)
    values, vectors = _positive_eigh(_symmetric(whitened), overwrite=True)
    root = (factor @ vectors) * values ** (share / 2)
    return root @ root.T


@dataclass(frozen=True)
class _Step:
    """From M = C Cᵀ in a direction X, and the residual at M.

    Of a short X the exponential is taken to third order only: positive definite too, and as good for Newton's method.
    """

    factor: Array
    direction: Array
    residual: float
    short: bool

    def halved(self) -> _Step:
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
    """V Diag(λ) Vᵀ with orthonormal columns V, as many as there are indices held."""

    values: Array
    vectors: Array

    def matrix(self) -> Array:
        """Return it as an array."""
        return (self.vectors * self.values) @ self.vectors.T


def _log_seen_from(factor: Array, mean: Array, matrix: Array, present: npt.NDArray[np.bool_] | None) -> _Logarithm:
    """Log(C⁻¹ A C⁻ᵀ), embedded into the whole space by the frame of the indices held."""
    held = None if present is None or present.all() else present
    own = factor if held is None else _cholesky(mean[np.ix_(held, held)], "a block of the mean")
    half = solve_triangular(own, matrix, lower=True, check_finite=False)
    whitened = solve_triangular(own, half.T, lower=True, overwrite_b=True, check_finite=False)
    values, vectors = _positive_eigh(whitened, overwrite=True)
    if held is not None:
        vectors = solve_triangular(own, factor[held], lower=True, check_finite=False).T @ vectors
    return _Logarithm(np.log(values), vectors)


def _newton_direction(
    tangent: Array, logs: Sequence[_Logarithm], weights: npt.NDArray[np.float64], accuracy: float, max_iter: int = 20
) -> Array:
    """Solve H X = T by conjugate gradients until the residual is ``accuracy`` times T, in single precision.

    A matrix that holds a part of the indices adds −½ (Log X Q + Q X Log) to H, where Q projects onto the rest: the geodesic
    of the whole is not one of the block. That can make H indefinite; the iteration stops before a direction in which it is.
    """
    single = np.float32
    curvatures = [_curvature(one.values).astype(single) for one in logs]
    frames = [one.vectors.astype(single) for one in logs]
    shares = weights.astype(single)

    def hessian(direction: Array) -> Array:
        total = np.zeros_like(direction)
        for share, curvature, frame, one in zip(shares, curvatures, frames, logs, strict=True):
            seen = frame.T @ direction
            total += share * (frame @ (curvature * (seen @ frame)) @ frame.T)
            if frame.shape[1] < frame.shape[0]:
                led_out = frame @ (one.values.astype(single)[:, None] * (seen - (seen @ frame) @ frame.T))
                total -= single(0.5) * share * (led_out + led_out.T)
        return total

    residual = tangent.astype(single)
    solution, direction, squared = np.zeros_like(residual), residual, float(np.vdot(residual, residual))
    goal = accuracy**2 * squared
    for _ in range(max_iter):
        image = hessian(direction)
        bend = float(np.vdot(direction, image))
        if bend <= 0:
            break
        length = single(squared / bend)
        solution = solution + length * direction
        residual = residual - length * image
        before, squared = squared, float(np.vdot(residual, residual))
        if squared <= goal:
            break
        direction = residual + single(squared / before) * direction
    return (solution if solution.any() else tangent).astype(tangent.dtype, copy=False)


def _curvature(logs: Array) -> Array:
    """Return r coth r for half the differences r of the logarithms: by how much d²/2 bends in the plane of two eigenvectors."""
    half = np.abs(logs[:, None] - logs) / 2
    small = half < 1e-3
    half[small] = 1.0
    bent = half / np.tanh(half)
    bent[small] = 1.0
    return bent


def _apply(function: Callable[[Array], Array], matrix: Array) -> Array:
    """U f(Λ) Uᵀ for the eigendecomposition U Λ Uᵀ of an SPD matrix."""
    values, vectors = _positive_eigh(matrix)
    return (vectors * function(values)) @ vectors.T


def _positive_eigh(matrix: Array, overwrite: bool = False) -> tuple[Array, Array]:
    values, vectors = eigh(matrix, driver="evd", overwrite_a=overwrite, check_finite=False)
    if values[0] <= 0:
        raise ValueError(
            f"a matrix is not positive definite (smallest eigenvalue {values[0]:.3g}); add a small multiple of the "
            "identity, e.g. epsilon=1e-3"
        )
    return values, vectors


def _cholesky(matrix: Array, name: str, step: float | None = None) -> Array:
    try:
        return cholesky(matrix, lower=True, check_finite=False)
    except LinAlgError as error:
        advice = "add a small multiple of the identity, e.g. epsilon=1e-3"
        if step is not None:
            advice = f"step={step:g} may be too long (step='auto' adapts it), or {advice}"
        raise ValueError(f"{name} is not positive definite; {advice}") from error


def _symmetric(matrix: Array) -> Array:
    return 0.5 * (matrix + matrix.T)
