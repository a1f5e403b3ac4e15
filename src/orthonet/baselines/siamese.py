"""For SpectralNet: features that a Siamese net learns, near for neighbours and at least a margin of 1 apart for others.

    loss = mean over pairs of  d²  (neighbours)  or  max(0, 1 − d)²  (others),   d = ‖g(x_i) − g(x_j)‖

Neighbours are the k nearest of each node; as many others are drawn at random.

References
----------
.. [1] R. Hadsell, S. Chopra, Y. LeCun, `"Dimensionality reduction by learning an invariant mapping"
       <https://doi.org/10.1109/CVPR.2006.100>`_, CVPR 2006.
.. [2] U. Shaham, K. Stanton, H. Li, B. Nadler, R. Basri, Y. Kluger, `"SpectralNet: spectral clustering using deep
       neural networks" <https://arxiv.org/abs/1801.01587>`_, ICLR 2018.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sklearn.neighbors import NearestNeighbors
from torch import Tensor
from torch.optim.lr_scheduler import ReduceLROnPlateau

from orthonet.embedding.networks import Perceptron
from orthonet.embedding.nodes import Batches, Nodes
from orthonet.graph.features import Features
from orthonet.support.progress import progress

SIZES = (1024, 1024, 512, 10)
"""Units of the layers (the authors'),"""
LEARNING_RATE, DECAY, PATIENCE, MIN_LEARNING_RATE = 1e-3, 0.1, 10, 1e-7
"""the learning rate, by what it is multiplied after how many epochs without progress, and where training ends,"""
BATCH = 128
"""and pairs in a batch."""
HELD_OUT = 10
"""One in so many pairs judges the others."""


@dataclass(frozen=True)
class SiameseOptions:
    """Options of the Siamese net; the defaults are the authors'.

    Parameters
    ----------
    n_neighbors : int, default=2
        Neighbours of a node that are pairs, and as many that are not.
    epochs : int, default=30
        Times all pairs are seen, at most.
    """

    n_neighbors: int = 2
    epochs: int = 30


def siamese_features(
    features: Features,
    nodes: Nodes,
    rng: np.random.Generator,
    *,
    n_neighbors: int = 2,
    epochs: int = 30,
    verbose: bool | None = None,
) -> Tensor:
    """Train the net and return what it makes of all nodes.

    Parameters
    ----------
    features : array or sparse array of shape (N, M)
        Scaled; among these the neighbours are searched.
    nodes : Nodes
        The same, as the net takes them.
    rng : numpy.random.Generator
    n_neighbors : int, default=2
        Neighbours of a node that are pairs, and as many that are not (the authors').
    epochs : int, default=30
        Times all pairs are seen, at most (the authors').
    verbose : bool, optional
        See `orthonet.support.progress`.
    """
    first, second, alike = neighbour_pairs(features, n_neighbors, rng)
    generator = torch.Generator().manual_seed(int(rng.integers(2**31 - 1)))
    net = Perceptron((features.shape[1], *SIZES), generator, "relu").to(nodes.device)
    order = rng.permutation(len(first))
    held_out, seen = order[: len(order) // HELD_OUT], order[len(order) // HELD_OUT :]
    held_out = held_out if len(held_out) else seen
    batches = Batches(len(seen), BATCH, (int(rng.integers(2**31 - 1)),))
    n_batches = max(-(-len(seen) // BATCH), 1)
    optimiser = torch.optim.Adam(net.parameters(), lr=LEARNING_RATE)
    schedule = ReduceLROnPlateau(optimiser, factor=DECAY, patience=PATIENCE)

    def loss_of(pairs: npt.NDArray[Any]) -> Tensor:
        both = torch.relu(net(nodes.batch(np.concatenate([first[pairs], second[pairs]])).to_dense()))
        return contrastive_loss(both[: len(pairs)], both[len(pairs) :], torch.from_numpy(alike[pairs]).to(both))

    with progress("Siamese net", epochs, verbose) as report:
        for epoch in range(epochs):
            for step in range(n_batches):
                optimiser.zero_grad()
                loss_of(seen[batches.at(epoch * n_batches + step)]).backward()  # type: ignore[no-untyped-call]
                optimiser.step()
            with torch.no_grad():
                judged = float(loss_of(held_out))
            schedule.step(judged)
            report(epoch + 1, f"loss {judged:.4g}")
            if optimiser.param_groups[0]["lr"] <= MIN_LEARNING_RATE:
                break
    with torch.no_grad():
        return torch.cat([torch.relu(net(block.to_dense())) for block in nodes.blocks()])


def neighbour_pairs(
    features: Features, n_neighbors: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return pairs of nodes and whether they are neighbours, half of each kind."""
    n_nodes = features.shape[0]
    near = NearestNeighbors(n_neighbors=n_neighbors).fit(features).kneighbors(return_distance=False)
    taken = np.sort(np.column_stack([near, np.arange(n_nodes)]), axis=1)
    # A draw among the nodes that are left becomes a node by stepping over the taken ones, in order.
    other = rng.integers(n_nodes - taken.shape[1], size=near.shape)
    for column in taken.T:
        other += other >= column[:, None]
    one = np.repeat(np.arange(n_nodes), near.shape[1])
    alike = np.repeat([True, False], len(one))
    return np.tile(one, 2), np.concatenate([near.ravel(), other.ravel()]).astype(np.int64), alike


def contrastive_loss(one: Tensor, other: Tensor, alike: Tensor) -> Tensor:
    """Return the mean of d² over like pairs and max(0, 1 − d)² over unlike ones.

    Shapes
    ------
    one, other : (P, D); alike : (P,) of 0 and 1; returns a scalar.
    """
    distances = torch.nn.functional.pairwise_distance(one, other)
    return torch.mean(alike * distances**2 + (1 - alike) * torch.clamp(1 - distances, min=0) ** 2)
