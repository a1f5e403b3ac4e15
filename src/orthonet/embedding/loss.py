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

from orthonet.embedding.tensors import Operator


def orthogonal_trace(outputs: Tensor, laplacian: Operator) -> Tensor:
    """J(Y) with its closed-form gradient.

    Parameters
    ----------
    outputs : tensor
        Y. If its columns are dependent, (YᵀY)⁻¹ is regularised just enough to exist.
    laplacian : tensor or LowRankTensor
        L in float64: dense, sparse CSR or low rank; symmetric.

    Shapes
    ------
    outputs : (N, K); laplacian : (N, N); returns a scalar.
    """
    return _OrthogonalTrace.apply(outputs, laplacian)  # type: ignore[no-untyped-call]


def orthogonalising_map(outputs: Tensor, laplacian: Operator) -> tuple[Tensor, int]:
    """Return the K x K matrix A for which Y A is orthonormal and (Y A)ᵀ L (Y A) diagonal, ascending; and the rank of Y.

    With the singular value decomposition Y = Q Σ Vᵀ this is V Σ⁻¹ U, U the eigenvectors of QᵀLQ: the columns of Y A
    approximate single eigenvectors of L. If Y has rank r < K, the last K − r columns of A are zero.
    """
    left, sizes, right = torch.linalg.svd(outputs.double(), full_matrices=False)
    rank = int((sizes > sizes[0] * max(outputs.shape) * torch.finfo(torch.float64).eps).sum())
    orthonormal = left[:, :rank]
    rough = orthonormal.T @ (laplacian @ orthonormal)
    ascending = torch.linalg.eigh((rough + rough.T) / 2).eigenvectors
    # An eigenvector's sign is arbitrary; the longer tail of its entries points up, however the nodes are numbered.
    ascending = ascending * torch.where((orthonormal @ ascending).pow(3).sum(dim=0) < 0, -1.0, 1.0)
    to_embedding = torch.zeros(outputs.shape[1], outputs.shape[1], dtype=torch.float64, device="cpu")
    to_embedding[:, :rank] = (right[:rank].T / sizes[:rank]) @ ascending
    return to_embedding, rank


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
    def forward(ctx: Any, outputs: Tensor, laplacian: Operator) -> Tensor:
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
