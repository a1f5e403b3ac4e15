"""Many runs at once, and runs with little memory: ``python tests/attack/load.py FOLDER predict 100``, or ``… memory 64 128``.

Each run is a fork of this process, which has imported everything: what is tried is many runs on one model, not many imports.
How each ended, and what it said, is printed as JSON.
"""

import json
import os
import resource
import signal
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import numpy as np

from orthonet import MultilayerGraph, OrthoNet
from orthonet.cli import main
from orthonet.cli.app import app  # noqa: F401 - imported once

SECONDS = 600


def start(arguments, said, memory=None):
    """Start a command in a fork, with so many more bytes of memory than it has now."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(SECONDS)
        descriptor = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        if memory is not None:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            limit = pages * resource.getpagesize() + memory
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        sys.argv = ["orthonet", *map(str, arguments)]
        main()
        status = 0
    except SystemExit as ending:
        status = ending.code if isinstance(ending.code, int) else 0 if ending.code is None else 1
    except BaseException as error:
        os.write(2, f"Traceback: {type(error).__name__}: {error}".encode())
    finally:
        os._exit(status)


def ended(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def predict(folder, runs):
    """Label the nodes of nodes.csv with the run in ``run``, so many times at once, each into a file of its own."""
    targets = [folder / f"labels-{run}.csv" for run in range(runs)]
    children = [
        start(["predict", folder / "run", folder / "nodes.csv", "-o", target], target.with_suffix(".said"))
        for target in targets
    ]
    return {str(target): ended(child) for target, child in zip(targets, children, strict=True)}


def with_little_memory(folder, megabytes):
    """Cluster edges.csv over the run in ``run``, with so much memory left; one after the other."""
    files = [folder / "edges.csv", "-f", folder / "nodes.csv"]
    settings = [
        "-k",
        "3",
        "--steps",
        "3",
        "--no-report",
        "--set",
        "aggregation.solver=exact",
        "--set",
        "assign_labels=kmeans",
    ]
    found = {}
    for size in megabytes:
        said = folder / f"said-{size}.txt"
        child = start(["cluster", *files, *settings, "-o", folder / "run"], said, memory=size * 2**20)
        found[size] = [ended(child), said.read_text()]
    return found


def warm_up():
    """Import what is imported late, so that it is not imported where memory is lacking, nor again in every fork."""
    for module in ("polars", "pydantic", "orthonet.cli.predict"):
        with suppress(ImportError):
            import_module(module)
    weights = np.kron(np.eye(2), np.ones((6, 6))) + 0.01
    np.fill_diagonal(weights, 0)
    model = OrthoNet(
        2, random_state=0, training={"max_iter": 2}, aggregation={"method": "geometric", "solver": "exact"}
    )
    model.fit(MultilayerGraph([weights], np.random.default_rng(0).random((12, 2))))


if __name__ == "__main__":
    what, numbers = sys.argv[2], list(map(int, sys.argv[3:]))
    warm_up()
    result = (
        predict(Path(sys.argv[1]), *numbers) if what == "predict" else with_little_memory(Path(sys.argv[1]), numbers)
    )
    print(json.dumps(result))  # noqa: T201
