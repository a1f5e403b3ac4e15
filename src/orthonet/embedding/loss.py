"""The loss: how rough the outputs of the net are over the graph, whatever basis they come in.

    J(Y) = Tr((YᵀY)⁻¹ YᵀLY),      ∂J/∂Y = 2 (I − Y D Yᵀ) L Y D,      D = (YᵀY)⁻¹

J is invariant under Y → Y A: the constraint YᵀY = I of spectral clustering holds implicitly. Its minimum is the sum of
the K smallest eigenvalues of L, reached by every basis of their eigenvectors. All of it is computed in float64, since
the outputs of a fresh net are nearly dependent, and cast back to the type of Y.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def orthogonal_trace(outputs: Tensor, laplacian: Tensor) -> Tensor:
    """J(Y) with its closed-form gradient.

    Parameters
    ----------
    outputs : tensor
        Y. If its columns are dependent, (YᵀY)⁻¹ is regularised just enough to exist.
    laplacian : tensor
        L in float64, dense or sparse CSR, symmetric.

    Shapes
    ------
    outputs : (N, K); laplacian : (N, N); returns a scalar.
    """
    return _OrthogonalTrace.apply(outputs, laplacian)  # type: ignore[no-untyped-call]


def orthogonalising_map(outputs: Tensor, laplacian: Tensor) -> Tensor:
    """Return the K x K matrix A for which Y A is orthonormal and (Y A)ᵀ L (Y A) diagonal, ascending.

    With Y = Q Rᵀ this is R⁻ᵀ U, U the eigenvectors of QᵀLQ: the columns of Y A approximate single eigenvectors.
    """
    wide = outputs.double()
    factor = cholesky_guarded(wide.T @ wide)
    to_orthonormal = torch.linalg.inv(factor).T
    orthonormal = wide @ to_orthonormal
    rough = orthonormal.T @ (laplacian @ orthonormal)
    return to_orthonormal @ torch.linalg.eigh((rough + rough.T) / 2).eigenvectors


def cholesky_guarded(gram: Tensor) -> Tensor:
    """Lower Cholesky factor of YᵀY + δ I with the smallest δ, starting from rounding level, for which it exists."""
    size = gram.diagonal().mean().clamp_min(1e-150)  # outputs may be exactly zero
    identity = torch.eye(len(gram), dtype=gram.dtype, device=gram.device)
    shift = 10 * len(gram) * torch.finfo(gram.dtype).eps
    while True:
        factor, failed = torch.linalg.cholesky_ex(gram + shift * size * identity)
        if not failed or shift > 1:
            return factor
        shift *= 100


class _OrthogonalTrace(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, outputs: Tensor, laplacian: Tensor) -> Tensor:
        wide = outputs.double()
        smoothed = laplacian @ wide
        inverse = torch.cholesky_inverse(cholesky_guarded(wide.T @ wide))
        rough = wide.T @ smoothed
        ctx.save_for_backward(wide, smoothed, inverse, rough)
        ctx.dtype = outputs.dtype
        return torch.trace(inverse @ rough)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, None]:
        wide, smoothed, inverse, rough = ctx.saved_tensors
        gradient = 2 * (smoothed @ inverse - wide @ (inverse @ rough @ inverse))
        return (grad_outputs[0] * gradient).to(ctx.dtype), None
