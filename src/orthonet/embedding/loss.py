"""The loss: how rough the outputs of the net are over the graph, whatever basis they come in.

    J(Y) = Tr((YᵀY)⁻¹ YᵀLY),      ∂J/∂Y = 2 (I − Y D Yᵀ) L Y D,      D = (YᵀY)⁻¹

J is invariant under Y → Y A: the constraint YᵀY = I of spectral clustering holds implicitly. Its minimum is the sum of
the K smallest eigenvalues of L, reached by every basis of their eigenvectors. All of it is computed in float64, since
the outputs of a fresh net are nearly dependent, and cast back to the type of Y.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

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


@dataclass(frozen=True)
class SmallLoss:
    """J and its gradient in terms of K x K matrices: ∂J/∂Y = 2 (L Y D − Y D (YᵀLY) D)."""

    value: Tensor
    inverse: Tensor
    """D."""
    pull: Tensor
    """D (YᵀLY) D."""

    @classmethod
    def of(cls, gram: Tensor, rough: Tensor) -> Self:
        """From YᵀY and YᵀLY, summed over all nodes."""
        inverse = torch.cholesky_inverse(cholesky_guarded(gram))
        return cls(torch.trace(inverse @ rough), inverse, inverse @ rough @ inverse)

    def gradient(self, outputs: Tensor, image: Tensor) -> Tensor:
        """Return the rows of ∂J/∂Y that belong to the given rows of Y and L Y."""
        return 2 * (image @ self.inverse.to(outputs) - outputs @ self.pull.to(outputs))


class _OrthogonalTrace(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, outputs: Tensor, laplacian: Operator) -> Tensor:
        wide = outputs.double()
        image = laplacian @ wide
        loss = SmallLoss.of(wide.T @ wide, wide.T @ image)
        ctx.save_for_backward(wide, image)
        ctx.loss, ctx.dtype = loss, outputs.dtype
        return loss.value

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, None]:
        wide, image = ctx.saved_tensors
        return (grad_outputs[0] * ctx.loss.gradient(wide, image)).to(ctx.dtype), None
