"""From the outputs of trained nets to one embedding with orthonormal columns.

The outputs of a net matter only by the subspace they span. Each member's outputs are made orthonormal; the subspaces of
several members are then combined into the one that is nearest to all of them, spanned by the eigenvectors of the K largest
eigenvalues of the mean of their projections (1/r) Σ_m Y_m Y_mᵀ. Each of these eigenvalues tells which share of the members
found that direction: their mean is the *agreement* of the members, 1 if all found the same, and it needs no labels. The
combined subspace is turned so that its columns approximate single eigenvectors of L, in rising order.

All of it is a linear map of the outputs, so new nodes take the same way; and it needs only small sums over the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from orthonet.embedding.laplacians import LaplacianRows, LowRankRows
from orthonet.embedding.processes import Processes

ROUNDING = 1e-10
"""Size, beside the largest, below which a direction of the outputs is left out: rounding would move nodes along it."""


@dataclass(frozen=True)
class EmbeddingMap:
    """Outputs times ``matrix`` are the embedding."""

    matrix: Tensor
    """(members · K, K), float64; columns beyond the rank are zero."""
    rank: int
    agreement: float


def embedding_map(outputs: Tensor, laplacian: LaplacianRows, n_outputs: int, processes: Processes) -> EmbeddingMap:
    """Find the map from the outputs (this process's rows, members side by side) to the embedding."""
    wide = outputs.detach().cpu().double()
    members = torch.split(wide, n_outputs, dim=1)
    own = [_orthonormalising(part, processes) for part in members]
    stacked = torch.cat([part @ to for part, to in zip(members, own, strict=True)], dim=1)
    (gram,) = processes.sum([stacked.T @ stacked])
    shares, directions = torch.linalg.eigh(gram / len(members))
    rank = min(n_outputs, int((shares > 1e-3 / len(members)).sum()))
    kept = slice(len(shares) - rank, None)
    stacking = torch.block_diag(*own)  # type: ignore[no-untyped-call]
    to_combined = stacking @ (directions[:, kept] / torch.sqrt(shares[kept] * len(members)))
    to_combined = to_combined @ _orthonormalising(wide @ to_combined, processes)
    combined = wide @ to_combined
    rough = _quadratic(combined, laplacian, processes)
    turned = torch.linalg.eigh((rough + rough.T) / 2).eigenvectors
    # An eigenvector's sign is arbitrary; the longer tail of its entries points up, however the nodes are numbered.
    (tails,) = processes.sum([(combined @ turned).pow(3).sum(dim=0)])
    turned = turned * torch.where(tails < 0, -1.0, 1.0)
    matrix = torch.zeros(wide.shape[1], n_outputs, dtype=torch.float64)
    matrix[:, : turned.shape[1]] = to_combined @ turned
    return EmbeddingMap(matrix, turned.shape[1], float(shares[kept].clamp(max=1.0).sum()) / max(rank, 1))


def _orthonormalising(columns: Tensor, processes: Processes) -> Tensor:
    """Return A with orthonormal (columns A), without the directions that are only rounding.

    It comes from the triangular factors of each process's rows: a Gram matrix would square the condition of the columns.
    """
    factor = torch.linalg.qr(columns, mode="r").R
    factors = torch.zeros(processes.size, columns.shape[1], columns.shape[1], dtype=torch.float64)
    factors[processes.rank, : len(factor)] = factor
    (together,) = processes.sum([factors])
    _, sizes, directions = torch.linalg.svd(together.flatten(end_dim=1), full_matrices=False)
    kept = sizes > ROUNDING * sizes[:1]
    return directions[kept].T / sizes[kept]


def _quadratic(columns: Tensor, laplacian: LaplacianRows, processes: Processes) -> Tensor:
    """YᵀLY of orthonormal columns."""
    if isinstance(laplacian, LowRankRows):
        seen, gram = processes.sum([laplacian.basis_rows(columns).T @ columns, columns.T @ columns])
        return laplacian.outside * gram + seen.T @ laplacian.core @ seen
    image = laplacian.times(processes.gather(columns, laplacian.n_nodes))
    return processes.sum([columns.T @ image])[0]
