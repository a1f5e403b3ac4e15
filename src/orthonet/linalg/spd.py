"""Functions and means of symmetric positive definite (SPD) matrices.

The geometric (Karcher) mean of A_1 … A_S with weights w_s summing to 1 is the SPD matrix

    M = argmin_M  Σ_s w_s d(M, A_s)²,      d(A, B) = ‖Log(A^{-1/2} B A^{-1/2})‖_F,

found from the arithmetic mean on: with any factor M = C Cᵀ,

    T = Σ_s w_s Log(C⁻¹ A_s C⁻ᵀ),      M ← C Exp(X) Cᵀ.

Two matrices have a closed form. With C Cᵀ = A_1/a_1 + A_2/a_2, the norms a_s, what C⁻¹ makes of the two sums to I, so that
they share eigenvectors V; those of the first have eigenvalues λ, and

    M = C V Diag((a_1 λ)^{w_1} (a_2 (1 − λ))^{w_2}) Vᵀ Cᵀ.

The mean is reached when T = 0. C is the Cholesky factor, which costs a fraction of a square root. Gradient descent takes
X = step · T; a fixed step of 1 overshoots on ill-conditioned matrices. Newton's step solves H X = T, where the Hessian H of
half the objective is known from the eigendecompositions V_s Diag(λ_s) V_sᵀ of the logarithms,

    H X = Σ_s w_s V_s (h ∘ V_sᵀ X V_s) V_sᵀ,      h_ij = r coth r,  r = (λ_i − λ_j) / 2,

by a few conjugate-gradient steps. These are products of matrices, in single precision, and cheap beside the
eigendecompositions. Their result is a direction in which both ‖T‖ and the objective fall, whenever they stop (the residuals of
conjugate gradients are orthogonal to T), so a step that overshoots is halved until one of them does: the objective far from
the mean, ‖T‖ where the objective is flat to rounding. A step at whose end some matrix is no longer positive definite to
rounding is halved too.

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
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cholesky, eigh, eigvalsh, solve_triangular

from orthonet.support.checks import check_integer, check_number, check_weights
from orthonet.support.warn import warn_user

Array = npt.NDArray[np.floating[Any]]

LONGEST = 4.0
"""Largest eigenvalue of a step X: where matrices lack indices, the Hessian may be nearly singular and Newton's step wild."""


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
    weights = _of_distinct(matrices, weights, present)
    counted = [index for index, weight in enumerate(weights) if weight > 0]
    if initial is None:
        initial = sum((weights[s] * matrices[s] for s in counted[1:]), weights[counted[0]] * matrices[counted[0]])
    mean = np.asarray(initial, dtype=matrices[0].dtype)
    residual, objective, converged, n_iter = np.inf, np.inf, False, 0
    if len(counted) == 1 and present is None:
        only = matrices[counted[0]]
        _cholesky(only, f"matrices[{counted[0]}]")
        return KarcherMean(np.array(only), 0.0, 0, True)
    if len(counted) == 2 and present is None and step == "auto":
        first, second = counted
        return KarcherMean(_mean_of_two(matrices[first], matrices[second], float(weights[second])), 0.0, 0, True)

    shares = weights[counted]
    flat = 1 - float(np.sqrt(np.finfo(mean.dtype).eps))  # the objective has fallen if it is below this share of before
    last: _Step | None = None
    for n_iter in range(1, max_iter + 1):
        try:
            factor = _cholesky(mean, "the mean", None if step == "auto" else step)
            logs = [_log_seen_from(factor, mean, matrices[s], None if present is None else present[s]) for s in counted]
            tangent = np.zeros_like(mean)
            for share, one in zip(shares, logs, strict=True):
                tangent += mean.dtype.type(share) * one.matrix()
            new_residual = float(np.linalg.norm(tangent)) / np.sqrt(len(mean))
            new_objective = float(shares @ [one.values @ one.values for one in logs])
        except ValueError:
            if last is None or step != "auto":
                raise
            new_residual = new_objective = np.inf
        report(n_iter, f"residual {new_residual:.1e}")
        if last is not None and step == "auto" and not (new_residual < residual or new_objective < flat * objective):
            last = last.halved()
            mean = last.taken()
            continue
        residual, objective = new_residual, new_objective
        if residual <= tol:
            converged = True
            break
        if step == "auto":
            accuracy = min(0.1, max(residual, 0.3 * tol / residual))
            last = _Step.along(_newton_direction(tangent, logs, shares, accuracy), factor)
        else:
            last = _Step(factor, step * tangent, short=False)
        mean = last.taken()
    if last is not None and step == "auto" and not converged and not _is_positive_definite(mean):
        mean = last.factor @ last.factor.T  # the last step has not been looked at, and overshoots
    return KarcherMean(_symmetric(mean), residual, n_iter, converged)


def _of_distinct(
    matrices: Sequence[Array], weights: npt.NDArray[np.float64], present: Sequence[npt.NDArray[np.bool_]] | None
) -> npt.NDArray[np.float64]:
    """Give the weight of matrices that are there several times to the first of them: the same mean, for less."""
    moved = np.array(weights, dtype=np.float64)
    for s in range(1, len(matrices)):
        for first in range(s):
            held_alike = present is None or np.array_equal(present[s], present[first])
            if moved[first] > 0 and held_alike and np.array_equal(matrices[s], matrices[first]):
                moved[first] += moved[s]
                moved[s] = 0.0
                break
    return moved


def warn_if_not_converged(result: KarcherMean, tol: float) -> None:
    """Warn with the residual and what to change."""
    if not result.converged:
        warn_user(
            f"the geometric mean stopped after {result.n_iter} iterations at a residual of {result.residual:.1e}, "
            f"above tol={tol:.1e}; raise max_iter of the mean, or epsilon if the layers are nearly singular",
            RuntimeWarning,
        )


def _mean_of_two(first: Array, second: Array, share: float) -> Array:
    """The mean with weights 1 − share and share, see the module."""
    norms = [max(float(np.linalg.norm(one)), float(np.finfo(one.dtype).tiny)) for one in (first, second)]
    factor = _cholesky(first / norms[0] + second / norms[1], "one of two matrices")
    values, vectors = _positive_eigh(_symmetric(_whitened(first / norms[0], factor)), overwrite=True)
    _check_positive(1 - values[::-1])
    root = (factor @ vectors) * ((norms[0] * values) ** (1 - share) * (norms[1] * (1 - values)) ** share) ** 0.5
    return root @ root.T


@dataclass(frozen=True)
class _Step:
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
        return cls(factor, direction, short=norm < 1)

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
    values, vectors = _positive_eigh(_whitened(matrix, own), overwrite=True)
    if held is not None:
        vectors = solve_triangular(own, factor[held], lower=True, check_finite=False).T @ vectors
    return _Logarithm(np.log(values), vectors)


def _whitened(matrix: Array, factor: Array) -> Array:
    """C⁻¹ A C⁻ᵀ."""
    half = solve_triangular(factor, matrix, lower=True, check_finite=False)
    return solve_triangular(factor, half.T, lower=True, overwrite_b=True, check_finite=False)


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
        if not bend > 0:
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
    _check_positive(values)
    return values, vectors


def _check_positive(values: Array) -> None:
    if not values[0] > 0:
        raise ValueError(
            f"a matrix is not positive definite (smallest eigenvalue {values[0]:.3g}); add a small multiple of the "
            "identity, e.g. epsilon=1e-3"
        )


def _is_positive_definite(matrix: Array) -> bool:
    try:
        cholesky(matrix, lower=True, check_finite=False)
    except LinAlgError:
        return False
    return True


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
