"""A trained map from features to the embedding, applied in blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from orthonet.embedding.networks import Ensemble, GraphConvolution
from orthonet.embedding.nodes import Nodes
from orthonet.embedding.tensors import as_tensor
from orthonet.graph.features import FeatureScaler

Array = npt.NDArray[np.float64]


@dataclass
class Embedder:
    """Scaling, nets, and the linear map from their outputs to the embedding.

    The nets compute in float64 here, so that a node's embedding does not depend on the batch it comes in.
    """

    network: Ensemble
    scaler: FeatureScaler | None
    n_clusters: int
    to_embedding: Array | None = None

    def __post_init__(self) -> None:
        self.network.to(device="cpu", dtype=torch.float64).eval()

    @property
    def needs_graph(self) -> bool:
        """Whether nets average over the graph of the nodes they embed."""
        return any(isinstance(member, GraphConvolution) for member in self.network.members)

    def outputs(self, nodes: Nodes, neighbours: Any = None) -> Tensor:
        """Return the outputs of all members for the nodes."""
        nodes = Nodes(nodes.features, nodes.scale, nodes.share, torch.device("cpu"), torch.float64)
        with torch.no_grad(), torch.autocast("cpu", enabled=False):
            if not self.needs_graph:
                return torch.cat([self.network(block) for block in nodes.blocks()])
            self.network.use_graph(as_tensor(neighbours, torch.float64))
            try:
                return self.network(nodes.all())
            finally:
                self.network.use_graph(None)

    def embed(self, features: Any, neighbours: Any = None, scaled: bool = False) -> Array:
        """Embed nodes by their features, in blocks."""
        if self.to_embedding is None:
            raise RuntimeError("the embedder has not been fitted")
        nodes = self.nodes(features, slice(0, features.shape[0]), scaled)
        return self.outputs(nodes, neighbours).numpy() @ self.to_embedding

    def nodes(self, features: Any, share: slice, scaled: bool = False) -> Nodes:
        """Return the rows ``share`` of some features as the nets take them."""
        scale = (lambda rows: rows) if scaled or self.scaler is None else self.scaler.transform
        return Nodes(features, scale, share, torch.device("cpu"), torch.float64)
