"""Arithmetic mean of the Laplacians, sparse.

    L = C^{-1/2} (Σ_s w_s L_s) C^{-1/2},      C_ii = Σ_{s: i present in s} w_s

C is the identity where no node is missing, and else lets every node count the same, in however few of the layers it is
present.
"""

from __future__ import annotations

from typing import Any

from scipy.sparse import csr_array, diags_array

from orthonet.aggregation.problem import AggregationProblem


def arithmetic(
    problem: AggregationProblem, *, solver: str = "auto", verbose: bool | None = None
) -> tuple[csr_array, dict[str, Any]]:
    """Return the weighted mean: exact and sparse whatever the ``solver``, and there at once."""
    total = csr_array(problem.laplacians[0].shape)
    for weight, laplacian in zip(problem.weights, problem.laplacians, strict=True):
        total = total + weight * laplacian
    if not problem.complete:
        scale = diags_array(problem.node_weights**-0.5)
        total = scale @ total @ scale
    return csr_array(total), {"solver": "exact"}
