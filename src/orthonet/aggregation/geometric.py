"""Geometric mean of the Laplacians on the manifold of positive definite matrices (the paper's aggregation).

    L = argmin_L  Σ_s w_s ‖Log(L^{-1/2} L_s L^{-1/2})‖_F²

*Exact*: dense, see `orthonet.linalg.karcher` for the iteration; a layer that lacks nodes is compared with the
block of L of its own nodes. Time O(S N³) per iteration, memory O(S N²). *Compressed*: the same mean in a
small basis, for any N, see `orthonet.aggregation.compressed`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from orthonet.aggregation.arithmetic import arithmetic
from orthonet.aggregation.compressed import compress
from orthonet.aggregation.dense import dense_layers, is_compressed, partial_presence
from orthonet.aggregation.problem import AggregationProblem
from orthonet.linalg.karcher import KarcherMean, karcher_mean, warn_if_not_converged
from orthonet.linalg.low_rank import IdentityPlusLowRank
from orthonet.support.checks import check_choice
from orthonet.support.progress import progress

DTYPES = {"float64": np.float64, "float32": np.float32}
"""Precisions of the exact mean, by name."""


def geometric(
    problem: AggregationProblem,
    *,
    solver: str = "auto",
    step: float | Literal["auto"] = "auto",
    max_iter: int = 50,
    tol: float = 1e-2,
    dtype: Literal["float64", "float32"] = "float64",
    verbose: bool | None = None,
) -> tuple[npt.NDArray[np.floating[Any]] | IdentityPlusLowRank, dict[str, Any]]:
    """Return the Karcher mean and how it converged.

    Parameters
    ----------
    problem : AggregationProblem
        What to aggregate.
    solver : {"auto", "exact", "compressed"}, default="auto"
        "auto" is exact for few nodes, or where a basis for so many clusters would be half of them.
    step : float or "auto", default="auto"
        Step along the weighted *mean* of the logarithms. The paper prints their sum and one iteration: that is
        ``step=S, max_iter=1``, but for a scalar factor which moves no eigenvector.
    max_iter : int, default=50
        Iterations at most; a warning names the residual if they do not suffice.
    tol : float, default=1e-2
        Stop when the root mean square of the logarithms' mean falls below it: the eigenvalues are then known to about
        one per cent, and the clusters no longer move. The compressed mean is cheap enough for a thousandth of that.
    dtype : {"float64", "float32"}, default="float64"
        Of the exact mean; float32 takes half the time and memory, and needs epsilon well above 1e-6.
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None), always or never.
    """
    check_choice(dtype, "dtype", DTYPES)
    if is_compressed(problem, solver):
        reached: list[KarcherMean] = []

        def small_mean(matrices: Sequence[Any], weights: npt.NDArray[np.float64]) -> Any:
            reached.append(karcher_mean(matrices, weights, step=step, max_iter=max_iter, tol=1e-3 * tol))
            return reached[-1].matrix

        update, info = compress(problem, small_mean, complete_by_mean=True, verbose=verbose)
        warn_if_not_converged(reached[-1], 1e-3 * tol)
        return update, info | _convergence(reached[-1])
    blocks = [layer.astype(DTYPES[dtype]) for layer in dense_layers(problem, "geometric")]
    with progress("geometric mean", max_iter, verbose) as report:
        result = karcher_mean(
            blocks,
            problem.weights,
            present=partial_presence(problem),
            initial=arithmetic(problem)[0].toarray(),
            step=step,
            max_iter=max_iter,
            tol=tol,
            report=report,
        )
    warn_if_not_converged(result, tol)
    return result.matrix, {"solver": "exact"} | _convergence(result)


def _convergence(result: KarcherMean) -> dict[str, Any]:
    return {"n_iter": result.n_iter, "residual": result.residual, "converged": result.converged}
