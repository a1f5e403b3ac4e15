"""Log-Euclidean mean of the Laplacians: the arithmetic mean of their logarithms.

    L = Exp(C^{-1/2} (Σ_s w_s Log L_s) C^{-1/2}),      C_ii = Σ_{s: i present in s} w_s

C is the identity where no node is missing; the logarithm of a layer that lacks nodes is that of the block of its own nodes.
It equals the geometric mean where the layers commute, needs no iteration, and is no longer invariant under congruence.
*Exact*: dense, one eigendecomposition per layer, time O(S N³), memory O(N²).
*Compressed*: the same mean in a small basis, where a layer agrees with the arithmetic mean about the nodes it lacks, see
`orthonet.aggregation.compressed`.

References
----------
.. [1] V. Arsigny, P. Fillard, X. Pennec, N. Ayache, `"Geometric means in a novel vector space structure on symmetric
       positive-definite matrices" <https://doi.org/10.1137/050637996>`_, 2007.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.aggregation.compressed import compress
from orthonet.aggregation.dense import dense_layers, embedded, is_compressed, partial_presence, scaled_by_presence
from orthonet.aggregation.problem import AggregationProblem
from orthonet.linalg.low_rank import IdentityPlusLowRank
from orthonet.linalg.spd import exp, log
from orthonet.support.progress import progress

Array = npt.NDArray[np.float64]


def log_euclidean(
    problem: AggregationProblem, *, solver: str = "auto", verbose: bool | None = None
) -> tuple[Array | IdentityPlusLowRank, dict[str, Any]]:
    """Return the mean, and how it was computed.

    Parameters
    ----------
    problem : AggregationProblem
        What to aggregate.
    solver : {"auto", "exact", "compressed"}, default="auto"
        "auto" is exact for few nodes, see `orthonet.aggregation.dense`.
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None), always or never.
    """
    if is_compressed(problem, solver):
        return compress(problem, log_euclidean_mean, verbose=verbose)
    with progress("log-Euclidean mean", len(problem.weights), verbose) as report:
        mean = log_euclidean_mean(
            dense_layers(problem, "log-Euclidean", report), problem.weights, partial_presence(problem)
        )
    return mean, {"solver": "exact"}


def log_euclidean_mean(
    matrices: Iterable[Array],
    weights: npt.NDArray[np.float64],
    present: Sequence[npt.NDArray[np.bool_]] | None = None,
) -> Array:
    """Exp(Σ_s w_s Log A_s) of SPD matrices; the weights sum to 1, and ``present`` says which indices each matrix has."""
    total: Array | None = None
    for index, (weight, matrix) in enumerate(zip(weights, matrices, strict=True)):
        term = weight * embedded(log(matrix), None if present is None else present[index])
        total = term if total is None else total + term
    if total is None:
        raise ValueError("matrices is empty; a mean needs at least one")
    mean = np.asarray(exp(scaled_by_presence(total, weights, present)), dtype=np.float64)
    return 0.5 * (mean + mean.T)
