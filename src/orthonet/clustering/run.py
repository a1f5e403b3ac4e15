"""What all steps of one fit need: parameters, processes, and the seed that all of them share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from orthonet.clustering.choosing import check_range
from orthonet.clustering.parameters import Parameters
from orthonet.clustering.preparation import averages_over_graph
from orthonet.embedding.processes import Processes
from orthonet.support.checks import random_generator

FULL_BATCH_UP_TO, AUTO_BATCH, EXACT_BATCH = 50_000, 4096, 20_000
"""Nodes up to which ``batch_size="auto"`` takes all in each step, and how many of more, the last for an exact output."""


@dataclass(frozen=True)
class Run:
    """What all steps of one fit need."""

    parameters: Parameters
    """With what "auto" comes to for the nets."""
    processes: Processes
    batch_size: int | None
    """How many nodes a training step sees, None for all."""
    seed: int
    """Of the initial weights and of the batches, the same in all processes."""
    rng: np.random.Generator

    @classmethod
    def start(cls, n_nodes: int, parameters: Parameters, processes: Processes) -> Self:
        """Compare the parameters with the number of nodes, and draw the seed."""
        k = parameters.n_clusters
        if parameters.cluster_range is not None:
            check_range(parameters.cluster_range, n_nodes)
        if k > n_nodes:
            raise ValueError(f"n_clusters={k} is more than the {n_nodes} nodes there are")
        if processes.size > n_nodes:
            raise ValueError(f"{processes.size} processes are more than the {n_nodes} nodes they would share")
        parameters = parameters.decided()
        batch_size = _batch_size(n_nodes, parameters, processes)
        drawn = int(random_generator(parameters.random_state).integers(2**63 - 1))
        rng = random_generator(processes.from_first(drawn))
        return cls(parameters, processes, batch_size, int(rng.integers(2**63 - 1)), rng)

    def in_full(self, n_nodes: int, parameters: Parameters) -> Self:
        """Return a run whose nets are trained as where labels come from the embedding alone."""
        decided = parameters.decided(by_evidence=False)
        return replace(self, parameters=decided, batch_size=_batch_size(n_nodes, decided, self.processes))


def _batch_size(n_nodes: int, parameters: Parameters, processes: Processes) -> int | None:
    size = parameters.training.batch_size
    if size == "auto":
        of_more = EXACT_BATCH if parameters.training.output_layer == "exact" else AUTO_BATCH
        size = None if n_nodes <= FULL_BATCH_UP_TO else of_more
    if size is not None and size >= n_nodes:
        size = None
    if averages_over_graph(parameters) and (size is not None or processes.size > 1):
        where = "distributed=False" if processes.size > 1 else "batch_size=None"
        raise ValueError(
            "network='gcn' averages over neighbours, which a batch, or the share of one process, does not contain; pass "
            f"training.{where}, or smooth the features once instead: smoothing=2"
        )
    return size
