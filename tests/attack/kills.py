"""Kill trainings (kill -9) and let them go on from their checkpoints: ``python tests/attack/kills.py --kills 1000``.

A training is a fork, so that torch is imported once. It is killed before a file operation, or after some processor time, both
drawn at random; of three, one is killed again while it goes on. The labels, the losses and the embedding must be those of a
training that nobody disturbed, bit for bit. A kill counts once its training has ended so.
"""

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from killing import killed
from orthonet import OrthoNet, datasets
from orthonet.embedding import checkpoints

STEPS = 12
SETTINGS = {
    "dense": (60, {}, {}),
    "batches": (60, {"batch_size": 20}, {"aggregation": {"method": "geometric", "solver": "compressed"}}),
    "two nets": (60, {"n_networks": 2, "n_jobs": 1}, {}),
    "evidence": (60, {}, {"assign_labels": "evidence", "layer_weights": "auto"}),
}
"""Nodes, training and other parameters of what is trained."""


def fit(setting, state, found=None):
    """Train, with a checkpoint after every step if there is a folder for it, and keep what was found."""
    checkpoints.SECONDS_BETWEEN = 0.0
    n_nodes, training, options = SETTINGS[setting]
    data = datasets.make_multilayer_gaussians(n_nodes, 2, 3, 2, separation=4.0, n_neighbors=5, random_state=1)
    model = OrthoNet(
        3,
        random_state=0,
        network={"hidden_layers": (8,)},
        training={"n_networks": 1, "max_iter": STEPS, "tol": 0.0, "checkpoint_dir": state} | training,
        **({"assign_labels": "kmeans", "layer_weights": None} | options),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(data.graph)
    if found is not None:
        np.savez(found, labels=model.labels_, loss=model.history_["loss"], embedding=model.embedding_)
    return model


def same(found, expected):
    """Return whether two files hold the same labels, losses and embedding, bit for bit."""
    with np.load(found) as one, np.load(expected) as other:
        return all(np.array_equal(one[name], other[name]) for name in other.files)


def left_over(state):
    """Return the files of a folder that are no whole checkpoint."""
    return {file.name for file in state.iterdir()} - {checkpoints.STATE, checkpoints.LAPLACIAN}


class Course:
    """Trainings of one setting, in a folder of their own."""

    def __init__(self, setting, folder):
        self.setting, self.folder = setting, folder
        self.expected, self.found, self.state = folder / "expected.npz", folder / "found.npz", folder / "state"
        fit(setting, None)  # so that what is imported late is imported once
        begun = time.process_time()
        fit(setting, None, self.expected)
        self.seconds = time.process_time() - begun

    def train(self, last=0, after=None):
        """Train from what is there; return whether it was killed."""
        return killed(lambda: fit(self.setting, self.state, self.found), last, after=after)

    def ends_as_expected(self):
        """Let the training go on to its end, and say whether that is the one it would have had; then forget it."""
        was_killed = self.train()
        whole = not was_killed and same(self.found, self.expected) and not left_over(self.state)
        shutil.rmtree(self.state, ignore_errors=True)
        self.found.unlink(missing_ok=True)
        return whole


def kill_many(kills, seed, folder):
    """Kill so many trainings; return how many kills there were, by setting, and those that did not end as they should."""
    rng, counts, wrong = random.Random(seed), {}, []  # noqa: S311 - not for secrets
    courses = []
    for setting in SETTINGS:
        (folder / setting).mkdir()
        courses.append(Course(setting, folder / setting))
    done = 0
    while done < kills:
        course = courses[done % len(courses)]
        moments = []
        for _ in range(rng.choice([1, 1, 2])):
            moment = (
                {"last": rng.randint(1, 6 * STEPS)}
                if rng.random() < 0.5
                else {"last": 0, "after": rng.uniform(0.01, 1.3 * course.seconds)}
            )
            if course.train(**moment):
                moments.append(moment)
        if course.ends_as_expected():
            counts[course.setting] = counts.get(course.setting, 0) + len(moments)
        else:
            wrong.append((course.setting, moments))
        done += len(moments)
        if moments and done % 50 < len(moments):
            print(json.dumps({"killed": done, "wrong": len(wrong), **counts}), flush=True)  # noqa: T201
    return counts, wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        kills_of, went_wrong = kill_many(given.kills, given.seed, Path(home))
    print(json.dumps({"kills": sum(kills_of.values()), **kills_of, "wrong": went_wrong}))  # noqa: T201
    sys.exit(1 if went_wrong else 0)
