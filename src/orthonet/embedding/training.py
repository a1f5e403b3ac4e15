"""Train the net: full-batch AMSGrad on the loss, until the loss has settled."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from orthonet.embedding.loss import orthogonal_trace
from orthonet.embedding.tensors import Operator
from orthonet.support.progress import progress


@dataclass(frozen=True)
class Training:
    """What came of a training run."""

    losses: tuple[float, ...]
    """Loss before each step."""
    converged: bool
    """Whether the loss had settled when training stopped."""


def train(
    network: nn.Module,
    features: Tensor,
    laplacian: Operator,
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
    laplacian : tensor or LowRankTensor of shape (N, N)
        L in float64: dense, sparse CSR or low rank.
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
    losses: list[float] = []
    converged = False
    network.train()
    optimiser = torch.optim.Adam(network.parameters(), lr=learning_rate, amsgrad=True)
    with progress("training", max_steps, verbose) as report:
        for step in range(1, max_steps + 1):
            optimiser.zero_grad()
            loss = orthogonal_trace(network(features), laplacian)
            losses.append(loss.item())
            if not torch.isfinite(loss):
                raise FloatingPointError(_why_not_finite(losses[-1], step, learning_rate))
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            report(step, f"loss {losses[-1]:.4f}")
            if len(losses) > window and losses[-1 - window] - losses[-1] < tol * losses[-1 - window]:
                converged = True
                break
    network.eval()
    return Training(tuple(losses), converged)


def _why_not_finite(loss: float, step: int, learning_rate: float) -> str:
    if step == 1:
        return f"the loss is {loss} before training: the features or the edge weights are too large; divide them first"
    return f"training diverged: the loss is {loss} at step {step}; lower learning_rate (now {learning_rate:g})"
