"""The normalised adjacency of a two-mode relation as an operator: its projection is never built.

    A = B̂ B̂ᵀ,      B̂ = D^{-1/2} B G^{-1/2},      G = diag(sums over groups),  D = diag(sums over nodes + τ · their mean)

is D^{-1/2} W D^{-1/2} of W = B G^{-1} Bᵀ, in which a node reaches another by a random one of its groups and a random member of
that: its degrees are the sums of B. The eigenvectors of A are the left singular vectors of B̂. As for layers, τ = 1 keeps the
eigenvectors of a relation in thousands of pieces from being the indicators of its smallest pieces.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array, hstack
from scipy.sparse.linalg import LinearOperator

from orthonet.graph.two_mode import shared_groups

Array = npt.NDArray[np.float64]


class MembershipOperator(LinearOperator):
    """A sparse matrix plus B̂ B̂ᵀ, by its products.

    Parameters
    ----------
    incidence : sparse array of shape (N, groups)
        B̂.
    layer : sparse array of shape (N, N), optional
        Symmetric; nothing by default.
    """

    def __init__(self, incidence: csr_array, layer: csr_array | None = None) -> None:
        super().__init__(np.dtype(np.float64), (incidence.shape[0], incidence.shape[0]))
        self.incidence, self.layer = incidence, layer
        self._by_group = csr_array(incidence.T)

    def toarray(self) -> Array:
        """Return it dense: for so few nodes that LAPACK is the best solver."""
        return np.asarray(self @ np.eye(self.shape[0]))

    def _matmat(self, block: Any) -> Any:
        image = self.incidence @ (self._by_group @ block)
        return image if self.layer is None else image + self.layer @ block

    def _matvec(self, vector: Any) -> Any:
        return self._matmat(vector)

    def _adjoint(self) -> MembershipOperator:
        return self


def scaled_incidence(incidence: csr_array, regularization: float = 1.0) -> csr_array:
    """Return B̂ with τ = ``regularization``, without groups of a single member, which join nobody."""
    shared = csr_array(incidence[:, shared_groups(incidence)])
    nodes, groups = (np.asarray(shared.sum(axis=axis)).ravel() for axis in (1, 0))
    nodes = nodes + regularization * nodes.mean() if len(nodes) else nodes
    by_node, by_group = (diags_array(1.0 / np.sqrt(np.where(sums > 0, sums, 1.0))) for sums in (nodes, groups))
    return csr_array(by_node @ shared @ by_group)


def weighted_sum(layer: csr_array, incidences: list[tuple[float, csr_array]]) -> MembershipOperator:
    """Return ``layer`` + Σ w B̂ B̂ᵀ: the incidences, each times √w, side by side."""
    together = csr_array(hstack([np.sqrt(weight) * incidence for weight, incidence in incidences]))
    return MembershipOperator(together, layer if layer.nnz else None)
