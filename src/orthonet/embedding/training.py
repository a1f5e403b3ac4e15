"""Train the net: full-batch AMSGrad on the loss, until the loss has settled."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from orthonet.embedding.loss import orthogonal_trace, orthogonalising_map
from orthonet.support.progress import progress


@dataclass(frozen=True)
class Training:
    """What came of a training run."""

    losses: tuple[float, ...]
    """Loss before each step."""
    to_embedding: Tensor
    """The K x K matrix that makes the outputs orthonormal, see `orthonet.embedding.loss.orthogonalising_map`."""
    converged: bool


def train(
    network: nn.Module,
    features: Tensor,
    laplacian: Tensor,
    *,
    learning_rate: float = 1e-3,
    max_steps: int = 100,
    tol: float = 5e-3,
    window: int = 20,
    verbose: bool | None = None,
) -> Training:
    """Minimise J(f(X)) over the parameters of ``network``, in place.

    Parameters
    ----------
    network : torch.nn.Module
        f, from features to K outputs.
    features : tensor of shape (N, M)
        X, dense or sparse CSR.
    laplacian : tensor of shape (N, N)
        L in float64, dense or sparse CSR.
    learning_rate : float, default=1e-3
        Of AMSGrad (Reddi et al. 2018).
    max_steps : int, default=100
        Steps at most.
    tol : float, default=5e-3
        Stop early when the loss fell by less than this share over the last ``window`` steps.
    window : int, default=20
        See ``tol``.
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None), always or never.
    """
    optimiser = torch.optim.Adam(network.parameters(), lr=learning_rate, amsgrad=True)
    losses: list[float] = []
    converged = False
    network.train()
    with progress("training", max_steps, verbose) as report:
        for step in range(1, max_steps + 1):
            optimiser.zero_grad()
            loss = orthogonal_trace(network(features), laplacian)
            losses.append(loss.item())
            if not torch.isfinite(loss):
                raise FloatingPointError(
                    f"training diverged: the loss is {losses[-1]} at step {step}; lower learning_rate (now {learning_rate:g})"
                )
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            report(step, f"loss {losses[-1]:.4f}")
            if len(losses) > window and losses[-1 - window] - losses[-1] < tol * losses[-1 - window]:
                converged = True
                break
    network.eval()
    with torch.no_grad():
        to_embedding = orthogonalising_map(network.double()(features.double()), laplacian)
    return Training(tuple(losses), to_embedding, converged)
