"""Fit once undisturbed, and once with `kill -9` at ten moments of the run; keep what both found, a folder per setting.

Each attempt is a process of its own, forked so that torch is imported once. A moment is a number of checkpoints that the
attempt has written, none at first, and a little random time after that: while it computes, or while it writes.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from orthonet import OrthoNet, datasets
from orthonet.embedding import checkpoints

KILLS = 10


def model_of(setting: str) -> OrthoNet:
    batch_size = 40 if setting == "batches" else None
    return OrthoNet(
        3,
        random_state=0,
        network={"hidden_layers": (30, 20)},
        training={"n_networks": 2, "max_iter": 300, "tol": 0.0, "n_jobs": 1, "batch_size": batch_size},
    )


def graph_of(setting: str):
    n_nodes = 1100 if setting == "compressed" else 150
    return datasets.make_multilayer_gaussians(n_nodes, 3, 3, 2, separation=4.0, n_neighbors=10, random_state=1).graph


def start_fit(setting: str, state: Path | None, found: Path) -> int:
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        model = model_of(setting).set_params(training__checkpoint_dir=state).fit(graph_of(setting))
        np.savez(found, loss=model.history_["loss"], labels=model.labels_, embedding=model.embedding_)
        status = 0
    except BaseException as error:
        sys.stderr.write(f"{setting}: {type(error).__name__}: {error}\n")
    finally:
        sys.stderr.flush()
        os._exit(status)


def wait_for_writes(file: Path, times: int, child: int) -> None:
    seen = {file.stat().st_mtime_ns} if file.exists() else set()
    wanted = len(seen) + times
    while len(seen) < wanted and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if file.exists():
            seen.add(file.stat().st_mtime_ns)
        time.sleep(0.0005)


def kill_and_resume(folder: Path, setting: str) -> int:
    if os.waitpid(start_fit(setting, None, folder / "undisturbed.npz"), 0)[1]:
        return 1
    rng = np.random.default_rng(0)
    state, found = folder / "state", folder / "resumed.npz"
    killed_at = []
    for kill in range(KILLS):
        child = start_fit(setting, state, found)
        wait_for_writes(state / checkpoints.STATE, 0 if kill < 2 else int(rng.integers(1, 6)), child)
        time.sleep(rng.uniform(0, 0.02))
        os.kill(child, signal.SIGKILL)
        if not os.WIFSIGNALED(os.waitpid(child, 0)[1]):
            sys.stderr.write(f"{setting}: attempt {kill} had ended before it was killed\n")
            return 1
        killed_at.append(steps_of(state / checkpoints.STATE))
    np.save(folder / "killed_at.npy", killed_at)
    return os.waitpid(start_fit(setting, state, found), 0)[1]


def main(folder: Path, *settings: str) -> int:
    checkpoints.SECONDS_BETWEEN = 0.0  # after every step
    model_of("dense").set_params(training__max_iter=2).fit(
        graph_of("dense")
    )  # so that what is imported late is imported once
    for setting in settings:
        (folder / setting).mkdir()
        if kill_and_resume(folder / setting, setting):
            return 1
    return 0


def steps_of(file: Path) -> int:
    if not file.exists():
        return 0
    import safetensors

    with safetensors.safe_open(file, framework="np") as content:
        return len(content.get_tensor("losses"))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
