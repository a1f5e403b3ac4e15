"""`orthonet cluster` in two processes, one of which is killed (kill -9) at a stage; in forks, so that torch is imported once.

Arguments: a folder with edges.csv, nodes.csv and ``old``, the folder of an earlier run, and cases such as ``training-1``, the
stage and the process that is lost. For each case a folder with ``out``, what both said, and ``codes.json``, how they ended.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import numpy as np

from orthonet import MultilayerGraph, OrthoNet
from orthonet.cli import cluster, main
from orthonet.cli.app import app  # noqa: F401 - imported once
from orthonet.clustering import fit
from orthonet.embedding.amsgrad import AMSGrad
from orthonet.support import files

SECONDS = 120
"""A process that takes longer is ended, and has failed; gloo itself would wait for half an hour."""


def kill_this_process(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at(stage: str) -> None:
    """Put the end of this process in the place of what the stage does."""
    if stage == "search":
        fit.weigh = kill_this_process
    elif stage == "merging":
        fit.aggregate_layers = kill_this_process
    elif stage == "training":
        step, steps = AMSGrad.step, 0

        def step_and_die(*arguments, **options):
            nonlocal steps
            steps += 1
            return kill_this_process() if steps == 3 else step(*arguments, **options)

        AMSGrad.step = step_and_die
    elif stage == "evidence":
        fit.judge_clusters = kill_this_process
    elif stage == "placement":
        fit.place = kill_this_process
    elif stage == "results":
        cluster.labels_table = kill_this_process
    elif stage == "writing":
        files.os.fsync = kill_this_process


def start(rank: int, port: int, folder: Path, stage: str, victim: str) -> int:
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(SECONDS)
        meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2"}
        os.environ |= meeting | {"RANK": str(rank), "LOCAL_RANK": str(rank)}
        said = os.open(folder / f"said-{rank}.txt", os.O_WRONLY | os.O_CREAT)
        os.dup2(said, 2)
        os.dup2(said, 1)
        if victim == str(rank):
            kill_at(stage)
        home = folder.parent
        command = ["cluster", home / "edges.csv", "-f", home / "nodes.csv", "-k", "3", "--steps", "5", "--no-report"]
        sys.argv = ["orthonet", *map(str, command), "-o", str(folder / "out")]
        main()
        status = 0
    except SystemExit as ending:
        status = ending.code if isinstance(ending.code, int) else 0 if ending.code is None else 1
    finally:
        sys.stderr.flush()
        os._exit(status)


def warm_up() -> None:
    """Import what a fit imports late once, not in every fork; no table is read here, the threads of polars do not fork."""
    with suppress(ImportError):
        import_module("polars")
    weights = np.kron(np.eye(2), np.ones((6, 6))) + 0.01
    np.fill_diagonal(weights, 0)
    model = OrthoNet(2, random_state=0, training={"max_iter": 2})
    model.fit(MultilayerGraph([weights], np.random.default_rng(0).random((12, 2))))


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


if __name__ == "__main__":
    home = Path(sys.argv[1])
    warm_up()
    for case in sys.argv[2:]:
        folder = home / case
        shutil.copytree(home / "old", folder / "out", dirs_exist_ok=True)
        port = free_port()
        children = [start(rank, port, folder, *case.split("-")) for rank in range(2)]
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        (folder / "codes.json").write_text(json.dumps(codes))
