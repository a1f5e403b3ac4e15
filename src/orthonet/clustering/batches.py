"""How many nodes a training step sees."""

from __future__ import annotations

from orthonet.clustering.parameters import Parameters
from orthonet.clustering.preparation import averages_over_graph
from orthonet.embedding.processes import Processes

FULL_BATCH_UP_TO, AUTO_BATCH = 50_000, 4096
"""Nodes up to which ``batch_size="auto"`` takes all in each step, and how many it takes of more."""


def batch_size_of(n_nodes: int, parameters: Parameters, processes: Processes) -> int | None:
    """Return how many nodes a training step sees, None for all."""
    size = parameters.training.batch_size
    if size == "auto":
        size = None if n_nodes <= FULL_BATCH_UP_TO else AUTO_BATCH
    if size is not None and size >= n_nodes:
        size = None
    if averages_over_graph(parameters) and (size is not None or processes.size > 1):
        where = "distributed=False" if processes.size > 1 else "batch_size=None"
        raise ValueError(
            "network='gcn' averages over neighbours, which a batch, or the share of one process, does not contain; pass "
            f"training.{where}, or smooth the features once instead: smoothing=2"
        )
    return size
