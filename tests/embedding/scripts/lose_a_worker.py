"""Started by `torchrun --max-restarts 1`: the second worker is killed in the middle of training, once."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np

from orthonet import OrthoNet, datasets
from orthonet.embedding import checkpoints


def kill_this_process_when_written(file: Path, times: int) -> None:
    seen = set()
    while len(seen) < times:
        if file.exists():
            seen.add(file.stat().st_mtime_ns)
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGKILL)


def main(folder: Path) -> None:
    checkpoints.SECONDS_BETWEEN = 0.0  # after every step
    graph = datasets.make_multilayer_gaussians(150, 3, 3, 2, separation=4.0, n_neighbors=10, random_state=1).graph
    model = OrthoNet(
        3,
        random_state=0,
        network={"hidden_layers": (30, 20)},
        training={"n_networks": 2, "max_iter": 80, "tol": 0.0, "n_jobs": 1, "distributed": True},
    )
    attempt = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
    if os.environ["RANK"] == "1" and attempt == 0:
        file = folder / "state" / checkpoints.STATE
        threading.Thread(target=kill_this_process_when_written, args=(file, 5), daemon=True).start()
    resumed = model.set_params(training__checkpoint_dir=folder / "state").fit(graph)
    found = {"attempt": attempt, "loss": resumed.history_["loss"], "labels": resumed.labels_}
    undisturbed = model.set_params(training__checkpoint_dir=None).fit(graph)
    if os.environ["RANK"] == "0":
        np.savez(
            folder / "found.npz",
            undisturbed_loss=undisturbed.history_["loss"],
            undisturbed=undisturbed.labels_,
            **found,
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
