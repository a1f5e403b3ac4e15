"""Fit the same graphs with one, two and four processes that talk over the loopback interface, and keep what each found.

Each process joins the others as those of `torchrun` do. They are forks, so that torch is imported once.
"""

from __future__ import annotations

import os
import socket
import sys
import traceback
import warnings
from pathlib import Path

import numpy as np

from orthonet import OrthoNet, datasets

SETTINGS = {
    "compressed": {},
    "dense": {},
    "sparse": {"aggregation": "arithmetic"},
    "sparse and low rank": {"aggregation": "projection"},
    "batches": {"training__batch_size": 60},
    "sparse features": {},
}


def graph_of(setting: str):
    from scipy.sparse import csr_array

    from orthonet import MultilayerGraph

    n_nodes = 1101 if setting == "compressed" else 151  # does not divide by two: shares differ in length
    graph = datasets.make_multilayer_gaussians(n_nodes, 3, 3, 2, separation=4.0, n_neighbors=10, random_state=1).graph
    if setting == "sparse features":
        return MultilayerGraph(graph.layers, csr_array(np.maximum(graph.features, 0)))
    return graph


def fit(setting: str, distributed: bool, steps: int = 40) -> OrthoNet:
    training = {"n_networks": 2, "max_iter": steps, "tol": 0.0, "n_jobs": 1, "distributed": distributed}
    training["dtype"] = "float64"  # so that what rounding does to each step stays rounding after forty of them
    model = OrthoNet(3, network={"hidden_layers": (30, 20)}, training=training, random_state=0)
    model.set_params(**SETTINGS[setting])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(graph_of(setting))


def forked(settings: tuple[str, ...], size: int, rank: int, ports: list[int], folder: Path) -> int:
    """Start a process that works as one of ``size``; return its id."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work(settings, size, rank, ports, folder)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def work(settings: tuple[str, ...], size: int, rank: int, ports: list[int], folder: Path) -> None:
    for setting, port in zip(settings, ports, strict=True):
        if size > 1:
            os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(size)}
            os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        model = fit(setting, distributed=size > 1)
        np.savez(
            folder / f"{setting}-{size}-{rank}.npz",
            loss=model.history_["loss"],
            bytes_per_step=model.history_["bytes_per_step"],
            labels=model.labels_,
            embedding=model.embedding_,
        )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main(folder: Path, *settings: str) -> int:
    fit("dense", distributed=False, steps=2)  # so that what is imported late is imported once
    for size in (1, 2, 4):
        ports = [free_port() for _ in settings]
        children = [forked(settings, size, rank, ports, folder) for rank in range(size)]
        failures = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        if any(failures):
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
