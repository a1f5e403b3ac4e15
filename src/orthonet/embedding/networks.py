"""The map f from features to outputs: the paper's 400-200-100-K perceptron with PReLU activations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn


class Perceptron(nn.Module):
    """Fully connected layers with a PReLU between them.

    Parameters
    ----------
    sizes : sequence of int
        Number of inputs, of units of each hidden layer, and of outputs.
    generator : torch.Generator, optional
        Draws the initial weights: uniform in ±1/√(inputs of the layer), torch's own default. Without one they are
        left unset, to be loaded.

    Shapes
    ------
    input : (N, sizes[0]), dense or sparse CSR; output : (N, sizes[-1]).
    """

    def __init__(self, sizes: Sequence[int], generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.sizes = tuple(int(size) for size in sizes)
        layers: list[nn.Module] = []
        for n_in, n_out in pairwise(self.sizes):
            # skip_init, because the usual constructor draws from the global random state
            layer: nn.Linear = nn.utils.skip_init(nn.Linear, n_in, n_out, device="cpu", dtype=torch.float32)  # type: ignore[no-untyped-call]
            if generator is not None:
                bound = 1 / math.sqrt(n_in)
                nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
                nn.init.uniform_(layer.bias, -bound, bound, generator=generator)
            layers += [layer, nn.PReLU(device="cpu", dtype=torch.float32)]
        self.layers = nn.ModuleList(layers[:-1])

    def forward(self, features: Tensor) -> Tensor:
        """Map features to outputs."""
        first, *rest = self.layers
        hidden = _sparse_linear(first, features) if features.layout is torch.sparse_csr else first(features)
        for layer in rest:
            hidden = layer(hidden)
        return hidden


def _sparse_linear(layer: nn.Module, features: Tensor) -> Tensor:
    weight, bias = layer.get_parameter("weight"), layer.get_parameter("bias")
    return features @ weight.T + bias
