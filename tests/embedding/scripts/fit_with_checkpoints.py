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
    training = {"n_networks": 2, "max_iter": 300, "tol": 0.0, "checkpoint_dir": folder / "state"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = OrthoNet(3, network={"hidden_layers": (30, 20)}, training=training, random_state=0).fit(graph)
    np.savez(folder / "found.npz", loss=model.history_["loss"], labels=model.labels_, complete=model.complete_)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
