"""AMSGrad, Adam with a second moment that never falls [1]_.

    m ← β₁ m + (1 − β₁) g,    v ← β₂ v + (1 − β₂) g²,    v̂ ← max(v̂, v),    θ ← θ − η m / (1 − β₁ᵗ) / (√(v̂ / (1 − β₂ᵗ)) + ε)

The same numbers as ``torch.optim.Adam(amsgrad=True)``, whose constructor loads torch's compiler: a second of every first fit.

References
----------
.. [1] S. Reddi, S. Kale, S. Kumar, "On the convergence of Adam and beyond", ICLR 2018.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

DECAYS = (0.9, 0.999)
"""β₁ and β₂."""
SMALLEST = 1e-8
"""ε."""


class AMSGrad:
    """Steps along the gradients that parameters hold.

    Parameters
    ----------
    parameters : iterable of tensors
    learning_rate : float
        η.

    Attributes
    ----------
    state : dict of parameters to dicts
        Of each parameter that has moved: ``step``, and the moments ``exp_avg``, ``exp_avg_sq`` and ``max_exp_avg_sq``.
    """

    def __init__(self, parameters: Iterable[Tensor], learning_rate: float) -> None:
        self._parameters, self._learning_rate = list(parameters), learning_rate
        self.state: dict[Tensor, dict[str, Tensor]] = {}

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for parameter in self._parameters:
            parameter.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Move each parameter that has a gradient."""
        for parameter in self._parameters:
            if parameter.grad is not None:
                self._move(parameter, parameter.grad)

    def _move(self, parameter: Tensor, gradient: Tensor) -> None:
        if parameter not in self.state:
            moments = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")
            self.state[parameter] = {"step": torch.tensor(0.0)} | {one: torch.zeros_like(parameter) for one in moments}
        known = self.state[parameter]
        known["step"] += 1
        steps = known["step"].item()
        known["exp_avg"].lerp_(gradient, 1 - DECAYS[0])
        known["exp_avg_sq"].mul_(DECAYS[1]).addcmul_(gradient, gradient, value=1 - DECAYS[1])
        torch.maximum(known["max_exp_avg_sq"], known["exp_avg_sq"], out=known["max_exp_avg_sq"])
        size = (known["max_exp_avg_sq"].sqrt() / (1 - DECAYS[1] ** steps) ** 0.5).add_(SMALLEST)
        parameter.addcdiv_(known["exp_avg"], size, value=-self._learning_rate / (1 - DECAYS[0] ** steps))
