"""Geometric mean of the Laplacians on the manifold of positive definite matrices (the paper's aggregation), dense.

    L = argmin_L  Σ_s w_s ‖Log(L^{-1/2} L_s L^{-1/2})‖_F²

See `orthonet.linalg.spd` for the iteration; a layer that lacks nodes is compared with the block of L it holds.
Time O(S N³) an iteration, memory O(S N²).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from orthonet.aggregation.arithmetic import arithmetic
from orthonet.aggregation.problem import AggregationProblem
from orthonet.linalg.spd import karcher_mean, warn_if_not_converged
from orthonet.support.progress import progress

EXACT_UP_TO = 12_000
"""Nodes up to which the dense mean is tried: beyond, four layers need more than 12 GB and the better part of a day."""


def geometric(
    problem: AggregationProblem,
    *,
    step: float | Literal["auto"] = "auto",
    max_iter: int = 50,
    tol: float = 1e-2,
    verbose: bool | None = None,
) -> tuple[npt.NDArray[np.floating[Any]], dict[str, Any]]:
    """Return the Karcher mean and how it converged.

    Parameters
    ----------
    problem : AggregationProblem
        What to merge.
    step : float or "auto", default="auto"
        Step along the weighted *mean* of the logarithms. The paper prints their sum and one iteration: that is
        ``step=S, max_iter=1``, but for a scalar factor which moves no eigenvector.
    max_iter : int, default=50
        Iterations at most; a warning tells the residual if they do not suffice.
    tol : float, default=1e-2
        Stop when the root mean square of the logarithms' mean falls below it: the eigenvalues are then known to about
        one per cent, and the clusters no longer move.
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None), always or never.
    """
    if problem.n_nodes > EXACT_UP_TO:
        raise ValueError(
            f"the exact geometric mean is dense and takes O(N³) time; {problem.n_nodes:,} nodes are more than the "
            f"{EXACT_UP_TO:,} it is made for. Pass method='arithmetic' (OrthoNet: aggregation='arithmetic'), which is sparse"
        )
    blocks = []
    for laplacian, mask in zip(problem.laplacians, problem.present, strict=True):
        held = laplacian if mask.all() else laplacian[mask][:, mask]
        blocks.append(held.toarray())
    start = arithmetic(problem)[0].toarray()
    with progress("geometric mean", max_iter, verbose) as report:
        result = karcher_mean(
            blocks,
            problem.weights,
            present=None if problem.complete else problem.present,
            initial=start,
            step=step,
            max_iter=max_iter,
            tol=tol,
            report=report,
        )
    warn_if_not_converged(result, tol)
    return result.matrix, {
        "solver": "exact",
        "n_iter": result.n_iter,
        "residual": result.residual,
        "converged": result.converged,
    }
