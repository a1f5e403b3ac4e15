"""PReLU with a quicker gradient: on a processor PyTorch's own takes as long as the products with the weights.

    f(x) = max(x, 0) + a min(x, 0),      ∂f/∂x = 1 or a,      ∂f/∂a = min(x, 0)

The gradient by x is that of `torch.nn.functional.leaky_relu`, which is thirty times as fast, but knows a as a number only; the
gradient by a is added as that of a term which is zero.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class QuickPReLU(nn.PReLU):
    """The same as `torch.nn.PReLU` with one parameter."""

    def forward(self, input: Tensor) -> Tensor:
        """Return f of each entry."""
        if input.device.type != "cpu":
            return super().forward(input)
        found = nn.functional.leaky_relu(input, self.weight.detach().item())
        if not torch.is_grad_enabled():
            return found
        return torch.addcmul(found, self.weight - self.weight.detach(), input.detach().clamp_max(0))
