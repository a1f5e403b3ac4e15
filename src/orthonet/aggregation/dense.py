"""When a mean that has no sparse form is taken densely, and what its dense form is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.aggregation.compressed import VECTORS_PER_CLUSTER
from orthonet.aggregation.problem import AggregationProblem
from orthonet.support.memory import check_memory
from orthonet.support.sentences import Argument, Sentence

Array = npt.NDArray[np.float64]

EXACT_UP_TO = 1000
"""Nodes up to which solver="auto" is exact: a few seconds for a handful of layers."""
KNOWN_FROM = 500
"""Nodes from which on it is not, where eigenvectors of the layers are known: the basis is there."""
EXACT_AT_MOST = 12_000
"""Nodes up to which solver="exact" is tried: beyond, four layers need more than 12 GB and the better part of a day."""


def is_compressed(problem: AggregationProblem, solver: str) -> bool:
    """Return whether a mean is to be taken in a small basis: asked for, or many nodes and a basis of less than half of them."""
    if solver != "auto":
        return solver == "compressed"
    if problem.starts and problem.n_nodes > KNOWN_FROM:
        return True
    first_basis = VECTORS_PER_CLUSTER * problem.n_components * (len(problem.laplacians) + 1)
    small = first_basis <= problem.n_nodes / 2
    return problem.n_nodes > EXACT_AT_MOST or (problem.n_nodes > EXACT_UP_TO and small)


def partial_presence(problem: AggregationProblem) -> Sequence[npt.NDArray[np.bool_]] | None:
    """Return which nodes are present in each layer, None if all are present everywhere."""
    return None if problem.complete else problem.present


def embedded(block: npt.NDArray[np.floating[Any]], mask: npt.NDArray[np.bool_] | None) -> Array:
    """Return a block in the rows and columns of its own nodes, with zeros elsewhere."""
    if mask is None or mask.all():
        return np.asarray(block, dtype=np.float64)
    whole = np.zeros((len(mask), len(mask)))
    whole[np.ix_(mask, mask)] = block
    return whole


def scaled_by_presence(
    total: Array, weights: npt.NDArray[np.float64], present: Sequence[npt.NDArray[np.bool_]] | None
) -> Array:
    """C^{-1/2} T C^{-1/2}: every node counts the same, in however few of the layers it is present."""
    if present is None:
        return total
    scale = (weights @ np.array(present, dtype=np.float64)) ** -0.5
    return scale[:, None] * total * scale


def dense_layers(
    problem: AggregationProblem, mean_name: str, report: Callable[[int, str], None] = lambda done, message: None
) -> Iterator[Array]:
    """Yield the Laplacians one by one as dense arrays, each of the nodes present in its layer."""
    if problem.n_nodes > EXACT_AT_MOST:
        raise ValueError(
            Sentence(
                f"the exact {mean_name} mean is dense and takes O(N³) time; {problem.n_nodes:,} nodes are more than the "
                f"{EXACT_AT_MOST:,} it is made for. Pass ",
                Argument("solver", "compressed"),
            )
        )
    n_layers = len(problem.laplacians)
    check_memory(
        (3 * n_layers + 4) * 8.0 * problem.n_nodes**2,
        f"the exact {mean_name} mean of {n_layers} layers of {problem.n_nodes:,} nodes",
        "pass ",
        Argument("solver", "compressed"),
    )
    for index, (layer, mask) in enumerate(zip(problem.laplacians, problem.present, strict=True)):
        yield (layer if mask.all() else layer[mask][:, mask]).toarray()
        report(index + 1, f"layer {index + 1}")
