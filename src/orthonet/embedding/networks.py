"""The map f from features to outputs.

    mlp      the paper's 400-200-100-K perceptron with PReLU activations
    linear   one linear map: with one-hot features, spectral clustering itself
    gcn      a perceptron whose hidden layers average over the graph, S = D^{-1/2} (W + I) D^{-1/2} of the mean graph [1]_

Several nets trained side by side are one `Ensemble`.

References
----------
.. [1] T. Kipf, M. Welling, "Semi-supervised classification with graph convolutional networks", ICLR 2017.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from orthonet.embedding.prelu import QuickPReLU
from orthonet.embedding.tensors import as_tensor
from orthonet.graph.features import Features

NetworkKind = Literal["mlp", "linear", "gcn"]
NETWORK_KINDS: tuple[NetworkKind, ...] = get_args(NetworkKind)
ACTIVATIONS: dict[str, type[nn.Module]] = {
    "prelu": QuickPReLU,
    "relu": nn.ReLU,
    "gelu": nn.GELU,
    "silu": nn.SiLU,
    "tanh": nn.Tanh,
}


def _empty_linear(n_in: int, n_out: int, device: torch.device, dtype: torch.dtype) -> nn.Linear:
    """Return a linear layer whose parameters are yet to be set.

    The usual constructor draws from the global random state; ``nn.utils.skip_init`` does not, but loads sympy on the way.
    """
    layer = nn.Linear(n_in, n_out, device="meta", dtype=dtype)
    layer.weight = nn.Parameter(torch.empty(n_out, n_in, device=device, dtype=dtype))
    layer.bias = nn.Parameter(torch.empty(n_out, device=device, dtype=dtype))
    return layer


class Perceptron(nn.Module):
    """Fully connected layers with an activation between them.

    Parameters
    ----------
    sizes : sequence of int
        Number of inputs, of units of each hidden layer, and of outputs.
    generator : torch.Generator, optional
        Draws the initial weights: uniform in ±1/√(inputs of the layer), torch's own default. Without one they are
        left unset, to be loaded.
    activation : {"prelu", "relu", "gelu", "silu", "tanh"}, default="prelu"
        Between the layers.

    Shapes
    ------
    input : (N, sizes[0]), dense or sparse CSR; output : (N, sizes[-1]).
    """

    kind: NetworkKind = "mlp"

    def __init__(
        self, sizes: Sequence[int], generator: torch.Generator | None = None, activation: str = "prelu"
    ) -> None:
        super().__init__()
        self.sizes = tuple(int(size) for size in sizes)
        self.activation = activation
        layers: list[nn.Module] = []
        for n_in, n_out in pairwise(self.sizes):
            layer = _empty_linear(n_in, n_out, torch.device("cpu"), torch.float32)
            if generator is not None:
                bound = 1 / math.sqrt(n_in)
                nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
                nn.init.uniform_(layer.bias, -bound, bound, generator=generator)
            layers += [layer, _activation(activation)]
        self.layers = nn.ModuleList(layers[:-1])

    def forward(self, features: Tensor) -> Tensor:
        """Map features to outputs."""
        return self._through(features, len(self.layers))

    def hidden(self, features: Tensor) -> Tensor:
        """Map features to the units before the last layer, and a constant: what outputs are linear in."""
        units = self._through(features, len(self.layers) - 1)
        return torch.cat([units, units.new_ones(len(units), 1)], dim=1)

    def set_output(self, weights: Tensor) -> None:
        """Let the outputs be `hidden` times ``weights``, (units + 1, K)."""
        last = self.layers[-1]
        with torch.no_grad():
            last.get_parameter("weight").copy_(weights[:-1].T)
            last.get_parameter("bias").copy_(weights[-1])

    def _through(self, features: Tensor, n_layers: int) -> Tensor:
        if not n_layers:
            return features.to_dense() if features.layout is torch.sparse_csr else features
        first, *rest = self.layers[:n_layers]
        units = _first_linear(first, features)
        for layer in rest:
            units = layer(units)
        return units

    def absorb(self, basis: Tensor) -> None:
        """Take inputs x where it took x · ``basis``: the map becomes part of the first layer."""
        first = self.layers[0]
        weight, bias = first.get_parameter("weight"), first.get_parameter("bias")
        wider = _empty_linear(len(basis), len(bias), weight.device, weight.dtype)
        with torch.no_grad():
            wider.weight.copy_(weight @ basis.T.to(weight))
            wider.bias.copy_(bias)
        self.layers[0] = wider
        self.sizes = (len(basis), *self.sizes[1:])


class GraphConvolution(Perceptron):
    """A perceptron that averages over neighbours after each hidden linear layer: h ← activation(S h W + b).

    `neighbours` is S, sparse, of the nodes whose features come in; it belongs to the graph, not to the net.
    """

    kind: NetworkKind = "gcn"
    neighbours: Tensor | None = None

    def forward(self, features: Tensor) -> Tensor:
        """Map the features of all nodes of the graph to outputs."""
        if self.neighbours is None:
            raise ValueError("a graph-convolutional net needs the graph of the nodes it embeds")
        first, *rest = self.layers
        hidden = _first_linear(first, features)
        if rest:
            hidden = self.neighbours @ hidden
        for index, layer in enumerate(rest):
            hidden = layer(hidden)
            if isinstance(layer, nn.Linear) and index < len(rest) - 1:
                hidden = self.neighbours @ hidden
        return hidden


class Ensemble(nn.Module):
    """Nets of the same form side by side; their outputs stand next to each other."""

    def __init__(self, members: Iterable[nn.Module]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)

    def forward(self, features: Tensor) -> Tensor:
        """Return the outputs of all members, (N, members · K)."""
        return torch.cat([member(features) for member in self.members], dim=1)

    def hidden(self, features: Tensor) -> Tensor:
        """Return what the outputs of each member are linear in, side by side; members are perceptrons."""
        return torch.cat([member.hidden(features) for member in self._perceptrons()], dim=1)

    def set_outputs(self, weights: Iterable[Tensor]) -> None:
        """Set the last layer of each member, see `Perceptron.set_output`."""
        for member, own in zip(self._perceptrons(), weights, strict=True):
            member.set_output(own)

    def _perceptrons(self) -> list[Perceptron]:
        found = [member for member in self.members if isinstance(member, Perceptron)]
        if len(found) < len(self.members) or any(isinstance(member, GraphConvolution) for member in found):
            raise TypeError("only the last layer of a perceptron can be set")
        return found

    def absorb(self, basis: Tensor) -> None:
        """Let members take inputs x where they took x · ``basis``."""
        for member in self.members:
            if isinstance(member, Perceptron):
                member.absorb(basis)

    def use_graph(self, neighbours: Tensor | None) -> None:
        """Tell graph-convolutional members which graph they average over."""
        for member in self.members:
            if isinstance(member, GraphConvolution):
                member.neighbours = neighbours


def build_ensemble(
    network: NetworkKind | nn.Module,
    sizes: Sequence[int],
    n_members: int,
    generator: torch.Generator | None,
    activation: str = "prelu",
) -> Ensemble:
    """Return ``n_members`` nets with weights of their own, or one copy of a module that the user made."""
    if isinstance(network, nn.Module):
        return Ensemble([deepcopy(network)])
    form = GraphConvolution if network == "gcn" else Perceptron
    ends = (sizes[0], sizes[-1]) if network == "linear" else tuple(sizes)
    return Ensemble([form(ends, generator, activation) for _ in range(n_members)])


def check_module(network: Ensemble, inputs: Features, n_outputs: int) -> None:
    """Try a module that the user made on two nodes: it must have parameters, and ``n_outputs`` outputs per node."""
    parameters = list(network.parameters())
    if not parameters:
        raise ValueError("network is a module without parameters; there is nothing to train")
    rows = inputs[:2]
    network.eval()  # so that it learns nothing from them
    try:
        with torch.no_grad():
            outputs = network(as_tensor(rows, parameters[0].dtype))
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        raise ValueError(f"network fails on features of shape {rows.shape}: {error}") from error
    if outputs.shape != (rows.shape[0], n_outputs):
        raise ValueError(
            f"network maps {rows.shape[0]} nodes to an array of shape {tuple(outputs.shape)}; it must have n_clusters="
            f"{n_outputs} outputs per node"
        )


def _activation(name: str) -> nn.Module:
    if name == "prelu":
        return QuickPReLU(device="cpu", dtype=torch.float32)
    return ACTIVATIONS[name]()


def _first_linear(layer: nn.Module, features: Tensor) -> Tensor:
    if features.layout is not torch.sparse_csr:
        return layer(features)
    return features @ layer.get_parameter("weight").T + layer.get_parameter("bias")
