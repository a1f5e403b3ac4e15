"""Geometric (Karcher) mean of symmetric positive definite (SPD) matrices, by Newton's method on their manifold.

The geometric mean of A_1 … A_S with weights w_s summing to 1 is the SPD matrix

    M = argmin_M  Σ_s w_s d(M, A_s)²,      d(A, B) = ‖Log(A^{-1/2} B A^{-1/2})‖_F,

found from the arithmetic mean on: with any factor M = C Cᵀ,

    T = Σ_s w_s Log(C⁻¹ A_s C⁻ᵀ),      M ← C Exp(X) Cᵀ.

The mean is reached when T = 0. C is the Cholesky factor, which costs a fraction of a square root. Gradient descent takes
X = step · T; a fixed step of 1 overshoots on ill-conditioned matrices. Newton's direction X is in
`orthonet.linalg.karcher_step`: both ‖T‖ and the objective fall along it, so a step that overshoots is halved until one of
them does: the objective far from the mean, ‖T‖ where the objective is flat to rounding. A step at whose end some matrix is
no longer positive definite to rounding is halved too.

Two matrices have a closed form. With C Cᵀ = A_1/a_1 + A_2/a_2, the norms a_s, what C⁻¹ makes of the two sums to I, so that
they share eigenvectors V; those of the first have eigenvalues λ, and

    M = C V Diag((a_1 λ)^{w_1} (a_2 (1 − λ))^{w_2}) Vᵀ Cᵀ.

References
----------
.. [1] H. Karcher, `"Riemannian center of mass and mollifier smoothing" <https://doi.org/10.1002/cpa.3160300502>`_, 1977.
.. [2] D. Bini, B. Iannazzo, `"Computing the Karcher mean of symmetric positive definite matrices"
       <https://doi.org/10.1016/j.laa.2011.08.052>`_, 2013.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from orthonet.linalg.factorizations import (
    check_positive,
    cholesky_factor,
    is_positive_definite,
    positive_eigh,
    symmetric_part,
    whitened,
)
from orthonet.linalg.karcher_step import Closeness, Step, Tangent
from orthonet.support.checks import check_integer, check_number
from orthonet.support.sentences import Argument, Sentence
from orthonet.support.warn import warn_user

Array = npt.NDArray[np.floating[Any]]
Masks = Sequence[npt.NDArray[np.bool_]]
Report = Callable[[int, str], None]


@dataclass(frozen=True)
class KarcherMean:
    """The geometric mean and how it was reached."""

    matrix: Array
    residual: float
    """Root mean square of the eigenvalues of T, the last tangent step: 0 at the mean."""
    n_iter: int
    converged: bool


def karcher_mean(
    matrices: Sequence[Array],
    weights: npt.NDArray[np.float64],
    *,
    present: Masks | None = None,
    initial: Array | None = None,
    step: float | Literal["auto"] = "auto",
    max_iter: int = 50,
    tol: float = 1e-9,
    report: Report = lambda done, message: None,
) -> KarcherMean:
    """Geometric mean of SPD matrices that may each cover a part of the indices only.

    With ``present``, matrix s of shape (n_s, n_s) has the rows and columns where ``present[s]`` is True, and
    the mean minimises Σ_s w_s d(M[present_s, present_s], A_s)²: a matrix says nothing about an index that it lacks.
    Its gradient is that of the full problem, pulled back through the orthonormal frame P_s = C[present_s]ᵀ C_s⁻ᵀ,
    where C_s is the Cholesky factor of M[present_s, present_s].

    Parameters
    ----------
    matrices : sequence of S arrays
        SPD matrices.
    weights : array of shape (S,)
        Non-negative, summing to 1.
    present : sequence of S boolean arrays of shape (n,), optional
        Which indices each matrix has; all of them by default.
    initial : array of shape (n, n), optional
        Where to start: the arithmetic mean by default (needed if ``present`` is given).
    step, max_iter, tol : see `orthonet.linalg.spd.geometric_mean`
    report : callable
        Called with the number of each iteration and its residual as text.

    See Also
    --------
    orthonet.linalg.spd.geometric_mean : The mean alone, with its arguments checked.
    """
    if step != "auto":
        check_number(step, "step", above=0)
    check_integer(max_iter, "max_iter", minimum=0)
    check_number(tol, "tol", at_least=0)
    weights = _weights_of_distinct(matrices, weights, present)
    counted = [index for index, weight in enumerate(weights) if weight > 0]
    if len(counted) == 1 and present is None:
        only = matrices[counted[0]]
        cholesky_factor(only, f"matrices[{counted[0]}]")
        return KarcherMean(np.array(only), 0.0, 0, True)
    if len(counted) == 2 and present is None and step == "auto":
        first, second = counted
        return KarcherMean(_mean_of_two(matrices[first], matrices[second], float(weights[second])), 0.0, 0, True)
    if initial is None:
        initial = sum((weights[s] * matrices[s] for s in counted[1:]), weights[counted[0]] * matrices[counted[0]])
    start = np.asarray(initial, dtype=matrices[0].dtype)
    masks = None if present is None else [present[s] for s in counted]
    return _iterate(start, [matrices[s] for s in counted], weights[counted], masks, step, max_iter, tol, report)


def warn_if_not_converged(result: KarcherMean, tol: float) -> None:
    """Warn with the residual and what to change."""
    if not result.converged:
        warn_user(
            Sentence(
                f"the geometric mean stopped after {result.n_iter} iterations at a residual of {result.residual:.1e}, "
                f"above tol={tol:.1e}; raise ",
                Argument("max_iter"),
                " of the mean, or ",
                Argument("epsilon"),
                " if the layers are nearly singular",
            ),
            RuntimeWarning,
        )


def _iterate(
    mean: Array,
    matrices: Sequence[Array],
    weights: npt.NDArray[np.float64],
    present: Masks | None,
    step: float | Literal["auto"],
    max_iter: int,
    tol: float,
    report: Report,
) -> KarcherMean:
    """Step from ``mean`` on until T is small; steps that do not come closer are halved if they are Newton's."""
    newton, fixed = step == "auto", None if step == "auto" else step
    closest, last, n_iter = Closeness(np.inf, np.inf), None, 0
    for n_iter in range(1, max_iter + 1):
        try:
            tangent = Tangent.at(mean, matrices, weights, present, fixed)
        except ValueError:
            if last is None or not newton:
                raise
            report(n_iter, "residual inf")
            last = last.halved()
            mean = last.taken()
            continue
        report(n_iter, f"residual {tangent.closeness.residual:.1e}")
        if last is not None and newton and not tangent.closeness.improves_on(closest, mean.dtype):
            last = last.halved()
            mean = last.taken()
            continue
        closest = tangent.closeness
        if closest.residual <= tol:
            return KarcherMean(symmetric_part(mean), closest.residual, n_iter, True)
        if fixed is None:
            accuracy = min(0.1, max(closest.residual, 0.3 * tol / closest.residual))
            last = Step.along(tangent.newton_direction(weights, accuracy), tangent.factor)
        else:
            last = Step(tangent.factor, fixed * tangent.matrix, short=False)
        mean = last.taken()
    if last is not None and newton and not is_positive_definite(mean):
        mean = last.factor @ last.factor.T  # the last step has not been looked at, and overshoots
    return KarcherMean(symmetric_part(mean), closest.residual, n_iter, False)


def _weights_of_distinct(
    matrices: Sequence[Array], weights: npt.NDArray[np.float64], present: Masks | None
) -> npt.NDArray[np.float64]:
    """Give the weight of matrices that are there several times to the first of them: the same mean, for less."""
    moved = np.array(weights, dtype=np.float64)
    for s in range(1, len(matrices)):
        for first in range(s):
            same_indices = present is None or np.array_equal(present[s], present[first])
            if moved[first] > 0 and same_indices and np.array_equal(matrices[s], matrices[first]):
                moved[first] += moved[s]
                moved[s] = 0.0
                break
    return moved


def _mean_of_two(first: Array, second: Array, share: float) -> Array:
    """The mean with weights 1 − share and share, see the module."""
    norms = [max(float(np.linalg.norm(one)), float(np.finfo(one.dtype).tiny)) for one in (first, second)]
    factor = cholesky_factor(first / norms[0] + second / norms[1], "one of two matrices")
    values, vectors = positive_eigh(symmetric_part(whitened(first / norms[0], factor)), overwrite=True)
    check_positive(1 - values[::-1])
    root = (factor @ vectors) * ((norms[0] * values) ** (1 - share) * (norms[1] * (1 - values)) ** share) ** 0.5
    return root @ root.T
