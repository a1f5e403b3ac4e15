"""What every aggregation method is given: the Laplacians that count, their weights, and the nodes present in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.graph.laplacian import LAPLACIAN_KINDS, LaplacianKind, degrees_of, joint_laplacians, laplacian
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.linalg.scaling import with_diagonal_added
from orthonet.support.checks import check_choice, check_number, check_weights
from orthonet.support.sentences import Argument, Sentence
from orthonet.support.warn import warn_user


@dataclass(frozen=True)
class AggregationProblem:
    """Shifted Laplacians L_s = L̄_s + ε I of the layers with a positive weight.

    The shift reaches the nodes that are present in a layer; rows and columns of missing nodes are empty. Epsilon is relative
    to the mean degree for combinatorial Laplacians, so that it means the same whatever the unit of the weights.
    """

    laplacians: tuple[csr_array, ...]
    present: tuple[npt.NDArray[np.bool_], ...]
    weights: npt.NDArray[np.float64]
    """Positive, summing to 1."""
    layer_weights: npt.NDArray[np.float64]
    """The weights of all layers of the graph, those at 0 included."""
    shifts: npt.NDArray[np.float64]
    """ε of each layer, in the unit of its Laplacian."""
    null_vectors: tuple[npt.NDArray[np.float64], ...]
    """For each layer a vector that L̄_s annihilates on every connected component."""
    n_components: int
    """How many of the lowest eigenvectors matter."""
    rng: np.random.Generator
    starts: tuple[npt.NDArray[np.float64], ...] = ()
    """About the lowest eigenvectors of each layer and, last, of their mean, where they are known."""

    @classmethod
    def of(
        cls,
        graph: MultilayerGraph,
        kind: LaplacianKind,
        epsilon: float,
        layer_weights: npt.ArrayLike | None,
        n_components: int,
        rng: np.random.Generator,
        starts: Sequence[npt.NDArray[np.float64]] | None = None,
    ) -> Self:
        """Choose the layers that count, and shift their Laplacians."""
        check_number(epsilon, "epsilon", above=0)
        check_choice(kind, "laplacian", LAPLACIAN_KINDS)
        weights = check_weights(layer_weights, graph.n_layers)
        counted = np.flatnonzero(weights)
        layers = [graph.layers[index] for index in counted]
        present = tuple(graph.present[index] for index in counted)
        nowhere = np.flatnonzero(~np.any(present, axis=0))
        if nowhere.size:
            raise ValueError(
                f"the layers with a weight > 0 do not contain all nodes: {nowhere.size} are missing from each of them, the "
                f"first {graph.node_ids.tolist()[nowhere[0]]!r}; give another layer a weight > 0 in layer_weights"
            )
        if kind == "joint":
            laplacians, present, degrees = joint_laplacians(layers, present, weights[counted])
            null_vectors = [np.sqrt(degrees)] * len(layers)
        else:
            laplacians = tuple(laplacian(layer, kind, mask) for layer, mask in zip(layers, present, strict=True))
            null_vectors = [
                np.sqrt(degrees_of(layer)) if kind == "normalized" else np.ones(graph.n_nodes) for layer in layers
            ]
        units = [
            one.diagonal()[mask].mean() if kind == "combinatorial" else 1.0
            for one, mask in zip(laplacians, present, strict=True)
        ]
        shifts = epsilon * np.array(units)
        shifted = tuple(
            with_diagonal_added(one, shift * mask) for one, mask, shift in zip(laplacians, present, shifts, strict=True)
        )
        known = () if starts is None else (*(starts[int(index)] for index in counted), starts[-1])
        return cls(shifted, present, weights[counted], weights, shifts, tuple(null_vectors), n_components, rng, known)

    @property
    def n_nodes(self) -> int:
        """Number of nodes N."""
        return int(self.laplacians[0].shape[0])

    @property
    def node_weights(self) -> npt.NDArray[np.float64]:
        """C_ii: the sum of the weights of the layers in which each node is present."""
        return self.weights @ np.array(self.present, dtype=np.float64)

    @property
    def complete(self) -> bool:
        """Whether every node is present in every layer."""
        return all(mask.all() for mask in self.present)


def warn_about_components(graph: MultilayerGraph, layer_weights: npt.NDArray[Any], n_components: int) -> None:
    """Warn of layers that fall into more components than there are clusters to find."""
    for layer, weight in zip(graph.summary().layers, layer_weights, strict=True):
        if weight > 0 and layer.n_components > n_components:
            warn_user(
                Sentence(
                    f"layer {layer.name!r}: {layer.n_components} components, {layer.n_isolated} isolated nodes, but "
                    f"{n_components} clusters wanted; its lowest eigenvectors mark components, not clusters. Raise ",
                    Argument("n_neighbors"),
                    " if it was built from features; else lower its weight in ",
                    Argument("layer_weights"),
                )
            )
