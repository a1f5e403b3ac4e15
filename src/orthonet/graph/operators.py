"""The one operator type that every aggregation returns: a symmetric N x N Laplacian, never dense unless asked."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator

from orthonet.linalg.eigen import smallest_eigenpairs
from orthonet.linalg.low_rank import LowRankUpdate
from orthonet.support.checks import check_integer
from orthonet.support.warn import warn_user

Array = npt.NDArray[np.floating[Any]]


class AggregatedLaplacian(LinearOperator):
    """A Laplacian aggregated from several layers.

    Parameters
    ----------
    matrix : array, sparse array or LowRankUpdate of shape (N, N)
        Symmetric.
    info : mapping
        How it came about: method, solver, layer weights, time, and what the method measured.

    Attributes
    ----------
    matrix : array, sparse array or LowRankUpdate of shape (N, N)
        The representation that ``@`` works with.
    info : mapping
        Read-only.

    Examples
    --------
    >>> from orthonet import aggregate, datasets
    >>> graph = datasets.make_multilayer_gaussians(n_nodes=60, random_state=0).graph
    >>> L = aggregate(graph, method="arithmetic")
    >>> L.shape
    (60, 60)
    >>> L.smallest_eigenvectors(3).shape
    (60, 3)
    """

    def __init__(self, matrix: Array | csr_array | LowRankUpdate, info: Mapping[str, Any]) -> None:
        super().__init__(dtype=matrix.dtype, shape=matrix.shape)
        self.matrix = matrix
        self.info = MappingProxyType(dict(info))

    def _matmat(self, X: Array) -> Array:
        return self.matrix @ X

    def _matvec(self, x: Array) -> Array:
        return self.matrix @ x

    def _adjoint(self) -> AggregatedLaplacian:
        return self

    def smallest_eigenpairs(
        self, k: int, random_state: int = 0
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the ``k`` smallest eigenvalues, ascending, and their N x k eigenvectors."""
        check_integer(k, "k", minimum=1, maximum=self.shape[0])
        made_for = self.info.get("n_components", k)
        if k > made_for:
            warn_user(
                f"this mean was compressed for its {made_for} lowest eigenvectors, not {k}; aggregate with n_components={k}"
            )
        found = smallest_eigenpairs(self.matrix, k, np.random.default_rng(random_state))
        if not found.converged:
            warn_user(
                f"the {k} lowest eigenvectors did not converge within the limit on work (solver {found.solver!r}): the largest "
                f"residual is {found.residuals.max():.2g}"
            )
        return found.values, found.vectors

    def smallest_eigenvectors(self, k: int, random_state: int = 0) -> npt.NDArray[np.float64]:
        """Return the N x k orthonormal eigenvectors of the ``k`` smallest eigenvalues."""
        return self.smallest_eigenpairs(k, random_state)[1]

    def to_dense(self) -> Array:
        """Return the N x N array, for small N."""
        return np.array(self.matrix) if isinstance(self.matrix, np.ndarray) else self.matrix.toarray()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.matrix, dict(self.info))

    def __repr__(self) -> str:
        how = "".join(f", {key}={self.info[key]!r}" for key in ("method", "solver") if key in self.info)
        return f"<AggregatedLaplacian {self.shape[0]} x {self.shape[1]}{how}>"
