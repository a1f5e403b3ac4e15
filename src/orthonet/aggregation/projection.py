"""Projection mean of the Laplacians on the Grassmann manifold (SC-ML).

    L = C^{-1/2} (Σ_s w_s (L_s + α (E_s − U_s U_sᵀ))) C^{-1/2},      C = Σ_s w_s E_s

The columns of U_s (N x K) are the K lowest eigenvectors of layer s, and E_s is the identity on its nodes. The second term
is the squared projection distance K − tr(YYᵀ U_s U_sᵀ) between the subspaces of an embedding Y and of the layer. The paper
prints Σ_s L_s − α Σ_s U_s U_sᵀ, which is the same but for the factor S and a multiple of the identity, and need not be
positive definite.

Exact whatever the solver: a sparse matrix and a correction of rank S K. Time that of S K eigenvectors, memory O(nnz + N S K).

References
----------
.. [1] X. Dong, P. Frossard, P. Vandergheynst, N. Nefedov, `"Clustering on multi-layer graphs via subspace analysis on
       Grassmann manifolds" <https://doi.org/10.1109/TSP.2013.2295553>`_, IEEE Transactions on Signal Processing,
       2014.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, eye_array

from orthonet.aggregation.arithmetic import arithmetic
from orthonet.aggregation.null_vectors import component_vectors
from orthonet.aggregation.problem import AggregationProblem
from orthonet.linalg.eigen import smallest_eigenpairs
from orthonet.linalg.low_rank import SparsePlusLowRank
from orthonet.support.checks import check_number
from orthonet.support.progress import progress


def projection(
    problem: AggregationProblem, *, alpha: float = 0.5, solver: str = "auto", verbose: bool | None = None
) -> tuple[SparsePlusLowRank, dict[str, Any]]:
    """Return the mean as a sparse matrix and a correction of low rank.

    Parameters
    ----------
    problem : AggregationProblem
        What to aggregate; its ``n_components`` is K, the dimension of the subspaces.
    alpha : float, default=0.5
        How much the subspaces count against the Laplacians; 0 gives the arithmetic mean.
    solver : {"auto", "exact", "compressed"}, default="auto"
        Without effect: there is nothing to compress.
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None), always or never.
    """
    alpha = check_number(alpha, "alpha", at_least=0)
    blocks = []
    with progress("projection mean", len(problem.weights), verbose) as report:
        for index in range(len(problem.weights)):
            blocks.append(_lowest_of_layer(problem, index))
            report(index + 1, f"layer {index + 1}")
    basis = np.hstack(blocks)
    if not problem.complete:
        basis = basis / np.sqrt(problem.node_weights)[:, None]
    core = np.diag(np.repeat(-alpha * problem.weights, [block.shape[1] for block in blocks]))
    # Σ_s w_s E_s is C, which its scaling makes the identity.
    sparse = csr_array(arithmetic(problem)[0] + alpha * eye_array(problem.n_nodes))
    return SparsePlusLowRank(sparse, basis, core), {"solver": "exact", "alpha": alpha}


def _lowest_of_layer(problem: AggregationProblem, index: int) -> npt.NDArray[np.float64]:
    """Return the K lowest eigenvectors of a layer, zero on the nodes that it lacks."""
    mask = problem.present[index]
    own = problem.laplacians[index] if mask.all() else csr_array(problem.laplacians[index][mask][:, mask])
    wanted = min(problem.n_components, own.shape[0])
    known = component_vectors(own, problem.null_vectors[index][mask], wanted)
    vectors = np.zeros((problem.n_nodes, wanted))
    vectors[mask] = smallest_eigenpairs(own, wanted, problem.rng, known=known).vectors
    return vectors
