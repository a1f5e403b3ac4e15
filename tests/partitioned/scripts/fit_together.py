"""Fit shards with one, two and four processes that talk over the loopback interface, and keep what each found.

Arguments: the folder for what was found, and folders of shards. Processes are forks, so that torch is imported once; each joins
the others as those of `torchrun` do.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from orthonet import OrthoNet
from orthonet.embedding.processes import joined
from orthonet.files import Shards
from orthonet.partitioned.relations import Relations
from orthonet.partitioned.rows import Rows

SECONDS = 240
"""A process that takes longer is ended, and has failed."""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def forked(rank: int, size: int, work: Callable[[], None]) -> int:
    """Start a process that does something as one of ``size``; return its id."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(SECONDS)
        os.environ |= {"MASTER_ADDR": "127.0.0.1", "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(size)}
        work()
        status = 0
    except SystemExit as ending:
        status = ending.code if isinstance(ending.code, int) else 0 if ending.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def fit(folder: Path, size: int, rank: int, out: Path) -> None:
    training = {"max_iter": 10, "tol": 0.0, "n_jobs": 1, "dtype": "float64", "distributed": size > 1}
    model = OrthoNet(3, network={"hidden_layers": (30, 20)}, training=training, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(Shards.of(folder))
    np.savez(
        out / f"{folder.name}-{size}-{rank}.npz",
        labels=model.labels_,
        embedding=model.embedding_,
        probabilities=model.probabilities_,
        corroboration=model.corroboration_,
        evidence=model.evidence_,
        loss=model.history_["loss"],
        ids=model.node_ids_,
        bytes_sent=sum(stage["bytes_sent"] for stage in model.aggregation_["stages"].values()),
    )


def multiply(folder: Path, size: int, rank: int, out: Path) -> None:
    """Keep what own rows of the Laplacians make of a block of vectors, and own draws."""
    shards = Shards.of(folder)
    with joined(size > 1) as processes:
        each = shards.n_shards // size
        processes.bounds = (*shards.manifest.bounds[:-1:each], shards.n_nodes)
        rows = Rows(processes, shards.n_nodes)
        relations = Relations.of(shards.read(rank * each, (rank + 1) * each), rows)
        block = rows.uniform(np.random.default_rng(5), 3)
        weights = np.full(len(relations.each), 1 / len(relations.each))
        before = processes.bytes_sent
        _ = relations.laplacians("joint", 1e-3, weights)[0] @ block
        sent = processes.bytes_sent - before
        images = {
            f"{kind} {index}": rows.gather(one @ block)
            for kind in ("joint", "normalized", "combinatorial")
            for index, one in enumerate(relations.laplacians(kind, 1e-3, weights))
        }
        target = out / f"{folder.name}-{size}-{rank}-products.npz"
        np.savez(target, block=rows.gather(block), bytes_of_a_product=sent, **images)


def jobs_of(folder: Path) -> Sequence[Callable[[Path, int, int, Path], None]]:
    """Of nodes in another order only what a product sends is asked for."""
    return (multiply,) if folder.name == "shuffled" else (multiply, fit)


def work(folders: Sequence[Path], ports: Sequence[int], size: int, rank: int, out: Path) -> None:
    jobs = [(folder, job) for folder in folders for job in jobs_of(folder)]
    for (folder, job), port in zip(jobs, ports, strict=True):
        os.environ["MASTER_PORT"] = str(port)
        job(folder, size, rank, out)


def main(out: Path, *folders: Path) -> int:
    failed = 0
    for size in (1, 2, 4):
        ports = [free_port() for folder in folders for _ in jobs_of(folder)]
        children = [
            forked(rank, size, lambda rank=rank, ports=ports, size=size: work(folders, ports, size, rank, out))
            for rank in range(size)
        ]
        failed += sum(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0 for child in children)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
