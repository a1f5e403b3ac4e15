"""Fit with checkpoints after every step, and keep what was found; the test kills this process."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

from orthonet import OrthoNet, datasets
from orthonet.embedding import checkpoints


def main(folder: Path) -> None:
    checkpoints.SECONDS_BETWEEN = 0.0
    graph = datasets.make_multilayer_gaussians(150, 3, 3, 2, separation=4.0, n_neighbors=10, random_state=1).graph
    options = {"hidden_layers": (30, 20), "n_init": 2, "max_steps": 300, "tol": 0.0, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = OrthoNet(3, **options, checkpoint_dir=folder / "state").fit(graph)
    np.savez(folder / "found.npz", loss=model.history_["loss"], labels=model.labels_, complete=model.complete_)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
