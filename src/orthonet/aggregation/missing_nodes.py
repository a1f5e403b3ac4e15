"""Layers that lack nodes, completed by the arithmetic mean, so that every Laplacian is of shape (N, N) and of full rank.

    L'_s = L_s + P mean P + Q mean P + P mean Q + D

P keeps the nodes that layer s lacks and Q the others; D is the diagonal that keeps the sum positive definite.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, diags_array

from orthonet.aggregation.problem import AggregationProblem


def fill_missing_nodes(problem: AggregationProblem, mean: csr_array) -> list[csr_array]:
    """Return the Laplacians, each in agreement with ``mean`` about the nodes that it lacks.

    Edges of the mean that touch a missing node are added, with a diagonal that keeps the sum positive definite. That is
    what these edges add to the diagonal in variables in which a Laplacian's rows sum to 0: those divided by its null vector.
    """
    if problem.complete:
        return list(problem.laplacians)
    added = _added_to_diagonal(problem)
    filled = []
    for layer, present in zip(problem.laplacians, problem.present, strict=True):
        if present.all():
            filled.append(layer)
            continue
        missing = diags_array((~present).astype(np.float64))
        own = diags_array(present.astype(np.float64))
        across = own @ mean @ missing
        weight = present * (added @ (~present).astype(np.float64))
        filled.append(csr_array(layer + missing @ mean @ missing + across + across.T + diags_array(weight)))
    return filled


def _added_to_diagonal(problem: AggregationProblem) -> csr_array:
    """Return what each edge of the arithmetic mean adds to the diagonal at its first node."""
    total = csr_array((problem.n_nodes, problem.n_nodes))
    for weight, layer, null in zip(problem.weights, problem.laplacians, problem.null_vectors, strict=True):
        edges = abs(layer - diags_array(layer.diagonal()))
        at_first = weight / (problem.node_weights * np.where(null > 0, null, np.inf))
        total = total + diags_array(at_first) @ edges @ diags_array(null)
    return csr_array(total)
