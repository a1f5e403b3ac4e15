"""Laplacians of layers, sparse.

    combinatorial   L_s = D_s − W_s                           (the paper's)
    normalized      L_s = I − D_s^{-1/2} W_s D_s^{-1/2}
    joint           L_s = D^{-1/2} (D_s − W_s) D^{-1/2},      D the mean of the D_s, layers scaled to mean degree 1

Normalised Laplacians have the null vectors D_s^{1/2} 1, a different one for each layer, and a geometric mean gives much
weight to what is nearly null in any layer. Joint Laplacians share the null vector D^{1/2} 1, and differ only where the
layers do; their arithmetic mean is the normalised Laplacian of the mean graph, and a single layer's joint Laplacian is
its normalised one.

What of nodes without edges? One that is missing from a layer has an empty row there. One that is present but isolated
has an empty row in the combinatorial Laplacian. In the normalised one it has the row of the identity: with a zero row it
would count as a connected component, that is as a perfect cluster of its own; with a one it has no preference. A joint
Laplacian takes it as missing from that layer, and gives it the row of the identity if it is isolated in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from orthonet.linalg.scaling import scaled_on_both_sides
from orthonet.support.checks import check_choice

LaplacianKind = Literal["joint", "normalized", "combinatorial"]
LAPLACIAN_KINDS: tuple[LaplacianKind, ...] = get_args(LaplacianKind)


def laplacian(
    adjacency: csr_array,
    kind: LaplacianKind = "normalized",
    present: npt.NDArray[np.bool_] | None = None,
) -> csr_array:
    """Laplacian of one symmetric, non-negative adjacency without self-loops.

    Parameters
    ----------
    adjacency : sparse array of shape (N, N)
        Edge weights.
    kind : {"normalized", "combinatorial", "joint"}, default="normalized"
        Which Laplacian; joint and normalised are the same for one layer.
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
    degrees = degrees_of(adjacency)
    if kind == "combinatorial":
        return csr_array(diags_array(degrees) - adjacency)
    edges = scaled_on_both_sides(adjacency, _inverse_root(degrees))
    own = np.ones(len(degrees)) if present is None else present.astype(np.float64)
    return csr_array(diags_array(own) - edges)


def joint_laplacians(
    layers: Sequence[csr_array], present: Sequence[npt.NDArray[np.bool_]], weights: npt.NDArray[np.float64]
) -> tuple[tuple[csr_array, ...], tuple[npt.NDArray[np.bool_], ...], npt.NDArray[np.float64]]:
    """Joint Laplacians of several layers, the nodes each of them speaks for, and the mean degrees.

    Parameters
    ----------
    layers : sequence of S sparse arrays of shape (N, N)
        Edge weights.
    present : sequence of S boolean arrays of shape (N,)
        Nodes that each layer holds.
    weights : array of shape (S,)
        Positive; what the mean degrees are taken with.

    Returns
    -------
    laplacians : tuple of S sparse arrays of shape (N, N)
    counted : tuple of S boolean arrays of shape (N,)
        Nodes that are present and not isolated; nodes that are isolated wherever they are present count as counted.
    mean_degrees : array of shape (N,)
        D, with layers scaled to mean degree 1.
    """
    own_degrees = [degrees_of(layer) for layer in layers]
    units = [degrees[mask].mean() for degrees, mask in zip(own_degrees, present, strict=True)]
    degrees = np.array([one / unit for one, unit in zip(own_degrees, units, strict=True)])
    lonely = ~(degrees > 0).any(axis=0)
    counted = tuple(mask & ((own > 0) | lonely) for mask, own in zip(present, degrees, strict=True))
    mean_degree = weights @ degrees / (weights @ np.array(counted))
    scale = _inverse_root(mean_degree)
    laplacians = tuple(
        csr_array(diags_array(own * scale**2 + (lonely & mask)) - scaled_on_both_sides(layer, scale, 1 / unit))
        for layer, own, mask, unit in zip(layers, degrees, present, units, strict=True)
    )
    return laplacians, counted, mean_degree


def degrees_of(adjacency: csr_array) -> npt.NDArray[np.float64]:
    """Sum of the weights at each node."""
    return np.asarray(adjacency.sum(axis=1)).ravel()


def _inverse_root(degrees: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The diagonal of D^{-1/2}, with zeros for the nodes without edges."""
    roots: npt.NDArray[np.float64] = np.where(degrees > 0, degrees, np.inf) ** -0.5
    return roots
