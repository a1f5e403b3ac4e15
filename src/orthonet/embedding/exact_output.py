"""The best last layer for the hidden units as they are: variable projection [1]_.

    min_W Tr((YᵀY)⁻¹ YᵀLY),  Y = H W,      is reached by the K smallest λ of      HᵀLH w = λ HᵀH w

with H (N x h + 1) the last hidden units and a constant. At this W the loss no longer depends on W to first order, so that its
gradient by H is the one with W fixed. Batches must be large: W is the best for the nodes that are seen, and few of them make it
follow their noise. On Mfeat ten steps reach the loss that a hundred steps reach with a trained last layer.

References
----------
.. [1] G. Golub, V. Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems whose variables
       separate", SIAM Journal on Numerical Analysis 10, 1973.
"""

from __future__ import annotations

import torch
from torch import Tensor

DEPENDENT = 1e-13
"""Eigenvalue of HᵀH, relative to the largest, about which a direction of hidden units is rounding."""


def best_output(gram: Tensor, rough: Tensor, n_outputs: int) -> Tensor:
    """Return W, (h + 1, K), for which Y has orthonormal columns; columns beyond its rank are rounding or zero.

    Parameters
    ----------
    gram, rough : float64 tensors of shape (h + 1, h + 1)
        HᵀH and HᵀLH, or what is known of them from batches.
    n_outputs : int
        K.
    """
    if not torch.isfinite(gram).all() or not torch.isfinite(rough).all():
        return torch.full(
            (len(gram), n_outputs), torch.nan, dtype=gram.dtype
        )  # the loss is then not finite, which is said
    scale = gram.diagonal().clamp_min(torch.finfo(gram.dtype).tiny).rsqrt()
    sizes, directions = torch.linalg.eigh(scale[:, None] * gram * scale)
    rounding = DEPENDENT * sizes[-1]
    sizes = sizes.clamp_min(0.0) + rounding
    whitened = scale[:, None] * (directions / sizes.sqrt())
    # A direction that is only rounding counts as rough; a limit instead would let rounding decide which directions there are.
    roughest = 1e3 * (rough.diagonal() * scale**2).max()
    small = whitened.T @ rough @ whitened + torch.diag(roughest * rounding / sizes)
    lowest = torch.linalg.eigh((small + small.T) / 2).eigenvectors[:, :n_outputs]
    best = torch.zeros(len(gram), n_outputs, dtype=gram.dtype)
    best[:, : lowest.shape[1]] = whitened @ lowest
    return best
