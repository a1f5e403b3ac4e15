"""Matrix power mean of the Laplacians.

    M_p = (C^{-1/2} (Σ_s w_s A_s^p) C^{-1/2})^{1/p},      C_ii = Σ_{s: i present in s} w_s
    A_s = L_s + log(1 + |p|) I  for p <= 0,      A_s = L_s  for p > 0

C is the identity where no node is missing; the power of a layer that lacks nodes is that of the block of its own nodes.
p = 1 is the arithmetic mean, p = −1 the harmonic one, and p → 0 the log-Euclidean one, exp(Σ_s w_s log A_s); p → −∞ keeps
a cluster that any layer shows, p → ∞ one that all layers show. The diagonal shift follows [1]_ (whose code adds
another 1): without it, negative powers of nearly singular matrices would follow each layer's null vector alone. It is made
for Laplacians whose spectrum lies between 0 and 2 or so, and moves no eigenvector of a single layer.

Eigenvalues are divided by the extreme one before they are raised to p, so that no p overflows. Positive powers squeeze the
low eigenvalues together: those below 1e-13 of the largest after the power are lost in rounding, and a warning says so.

*Exact*: dense, one eigendecomposition per layer, time O(S N³), memory O(N²). *Compressed*: the same
mean in a small basis, where a layer agrees with the arithmetic mean about the nodes it lacks, see
`orthonet.aggregation.compressed`.

References
----------
.. [1] P. Mercado, A. Gautier, F. Tudisco, M. Hein, `"The power mean Laplacian for multilayer graph clustering"
       <https://proceedings.mlr.press/v84/mercado18a.html>`_, AISTATS 2018.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.sparse import csr_array

from orthonet.aggregation.arithmetic import arithmetic
from orthonet.aggregation.compressed import compress
from orthonet.aggregation.dense import dense_layers, embedded, is_compressed, partial_presence, scaled_by_presence
from orthonet.aggregation.log_euclidean import log_euclidean
from orthonet.aggregation.problem import AggregationProblem
from orthonet.linalg.low_rank import IdentityPlusLowRank
from orthonet.support.checks import check_number
from orthonet.support.progress import progress
from orthonet.support.sentences import Argument, Sentence
from orthonet.support.warn import warn_user

Array = npt.NDArray[np.float64]

ALMOST_ZERO = 1e-9
"""|p| below which the limit p = 0 is nearer to the truth than the formula, which divides rounding errors by p."""
ROUNDING = 1e-13
"""Share of the largest eigenvalue below which the eigenvalues of a sum of powers are noise."""


def power(
    problem: AggregationProblem, *, p: float = -10.0, solver: str = "auto", verbose: bool | None = None
) -> tuple[Array | csr_array | IdentityPlusLowRank, dict[str, Any]]:
    """Return the power mean, and how it was computed.

    Parameters
    ----------
    problem : AggregationProblem
        What to aggregate.
    p : float, default=-10
        Which power; any finite number. p = 1 is sparse and exact whatever the solver.
    solver : {"auto", "exact", "compressed"}, default="auto"
        "auto" is exact for few nodes, see `orthonet.aggregation.dense`.
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None), always or never.
    """
    p = check_number(p, "p")
    shift = diagonal_shift(p)
    info = {"p": p, "diagonal_shift": shift}
    if p == 1:
        matrix, how = arithmetic(problem)
        return matrix, how | info
    if abs(p) < ALMOST_ZERO:
        mean, how = log_euclidean(problem, solver=solver, verbose=verbose)
        return mean, how | info
    if is_compressed(problem, solver):
        lost: list[bool] = []

        def small_mean(matrices: Sequence[Array], weights: npt.NDArray[np.float64]) -> Array:
            mean, squeezed = power_mean(matrices, weights, p, shift)
            lost.append(squeezed)
            return mean - shift * np.eye(len(mean))

        update, how = compress(problem, small_mean, verbose=verbose)
        _warn_if_squeezed(lost[-1], p)
        return replace(update, outside=update.outside + shift), how | info
    with progress("power mean", len(problem.weights), verbose) as report:
        layers = dense_layers(problem, "power", report)
        dense, squeezed = power_mean(layers, problem.weights, p, shift, partial_presence(problem))
    _warn_if_squeezed(squeezed, p)
    return dense, {"solver": "exact"} | info


def diagonal_shift(p: float) -> float:
    """log(1 + |p|) for p <= 0, else 0."""
    return float(np.log1p(abs(p))) if p <= 0 else 0.0


def power_mean(
    matrices: Iterable[Array],
    weights: npt.NDArray[np.float64],
    p: float,
    shift: float = 0.0,
    present: Sequence[npt.NDArray[np.bool_]] | None = None,
) -> tuple[Array, bool]:
    """(Σ_s w_s (A_s + shift I)^p)^{1/p} of SPD matrices, and whether its lowest eigenvalues are lost in rounding.

    Parameters
    ----------
    matrices : iterable of S arrays of shape (n, n)
        SPD; looked at one by one.
    weights : array of shape (S,)
        Positive, summing to 1.
    p : float
        Not 0.
    shift : float, default=0
        Added to the diagonal first.
    present : sequence of S boolean arrays of shape (n,), optional
        Which indices each matrix has; all of them by default.
    """
    total: Array | None = None
    lowest, highest, unit = np.inf, 0.0, 1.0
    for index, (weight, matrix) in enumerate(zip(weights, matrices, strict=True)):
        values, vectors = eigh(matrix, driver="evd", check_finite=False)
        values = np.maximum(values, np.finfo(values.dtype).eps * values[-1]) + shift
        lowest, highest = min(lowest, float(values[0])), max(highest, float(values[-1]))
        # The unit is the eigenvalue of the largest power so far: all powers are at most 1 in it.
        old_unit, unit = unit, highest if p > 0 else lowest
        block = (vectors * (weight * (values / unit) ** p)) @ vectors.T
        term = embedded(block, None if present is None else present[index])
        total = term if total is None else total * (old_unit / unit) ** p + term
    if total is None:
        raise ValueError("matrices is empty; a mean needs at least one")
    total = scaled_by_presence(total, weights, present)
    values, vectors = eigh(0.5 * (total + total.T), driver="evd", check_finite=False)
    # A power mean lies between the extreme eigenvalues of its arguments; what rounding puts elsewhere is brought back.
    least = max((lowest / highest) ** abs(p), float(np.finfo(values.dtype).tiny))
    roots = np.clip(unit * np.maximum(values, least) ** (1.0 / p), lowest, highest)
    mean = (vectors * roots) @ vectors.T
    return 0.5 * (mean + mean.T), bool(p > 0 and values[0] < ROUNDING * values[-1])


def _warn_if_squeezed(squeezed: bool, p: float) -> None:
    if squeezed:
        warn_user(
            Sentence(
                f"p={p:g} squeezes the lowest eigenvalues of the layers below rounding, and the lowest eigenvectors of the "
                "mean with them; pass a smaller ",
                Argument("p"),
                ", or a larger ",
                Argument("epsilon"),
            )
        )
