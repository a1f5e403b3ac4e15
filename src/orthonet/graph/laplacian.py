"""Laplacians of one layer, sparse.

    combinatorial   L = D − W                        (the paper's)
    normalized      L = I − D^{-1/2} W D^{-1/2}

A node that is absent from the layer has an empty row. A node that is present but isolated has an empty row in the
combinatorial Laplacian, and the row of the identity in the normalised one: with a zero row it would count as a
connected component, that is as a perfect cluster of its own; with a one it has no preference.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from orthonet.support.checks import check_choice

LaplacianKind = Literal["normalized", "combinatorial"]
LAPLACIAN_KINDS: tuple[LaplacianKind, ...] = get_args(LaplacianKind)


def laplacian(
    adjacency: csr_array,
    kind: LaplacianKind = "normalized",
    present: npt.NDArray[np.bool_] | None = None,
) -> csr_array:
    """Laplacian of a symmetric, non-negative adjacency without self-loops.

    Parameters
    ----------
    adjacency : sparse array of shape (N, N)
        Edge weights.
    kind : {"normalized", "combinatorial"}, default="normalized"
        Which Laplacian.
    present : boolean array of shape (N,), optional
        Nodes that the layer holds; all by default.

    Returns
    -------
    sparse array of shape (N, N)

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from orthonet.graph.laplacian import laplacian
    >>> laplacian(csr_array(np.array([[0.0, 2.0], [2.0, 0.0]])), kind="combinatorial").toarray()
    array([[ 2., -2.],
           [-2.,  2.]])
    """
    check_choice(kind, "laplacian", LAPLACIAN_KINDS)
    degrees = np.asarray(adjacency.sum(axis=1)).ravel()
    if kind == "combinatorial":
        return csr_array(diags_array(degrees) - adjacency)
    with np.errstate(divide="ignore"):
        scale = diags_array(np.where(degrees > 0, degrees**-0.5, 0.0))
    own = np.ones(len(degrees)) if present is None else present.astype(np.float64)
    return csr_array(diags_array(own) - scale @ adjacency @ scale)
