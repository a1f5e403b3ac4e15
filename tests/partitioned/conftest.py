"""Small networks of every kind that shards hold, and real processes to fit them with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet import MultilayerGraph
from orthonet.files import write_shards

SCRIPTS = Path(__file__).parent / "scripts"
LOOPBACK = "lo0" if sys.platform == "darwin" else "lo"
N_NODES, N_CLUSTERS, N_SHARDS = 241, 3, 4
"""The nodes do not divide by four: shards differ in length."""


def started(script, *arguments, timeout=600):
    """Run a script of this folder to its end."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": LOOPBACK}
    command = [sys.executable, str(SCRIPTS / script), *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return done


def block_layer(labels, inside, outside, rng):
    """A layer in which nodes of one cluster are joined with one chance, others with another."""
    chance = np.where(labels[:, None] == labels, inside, outside)
    upper = np.triu(rng.random(chance.shape) < chance, k=1) * rng.integers(1, 4, chance.shape)
    return csr_array((upper + upper.T).astype(np.float64))


def memberships(labels, per_cluster, each, rng):
    """Memberships in groups of one's own cluster, and sometimes of others."""
    rows = np.repeat(np.arange(len(labels)), each)
    own = labels[rows] * per_cluster + rng.integers(0, per_cluster, len(rows))
    anywhere = rng.integers(0, per_cluster * (labels.max() + 1), len(rows))
    columns = np.where(rng.random(len(rows)) < 0.8, own, anywhere)
    shape = (len(labels), per_cluster * int(labels.max() + 1))
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)


def made(kind):
    """Return a graph and its clusters."""
    rng = np.random.default_rng(3)
    labels = np.sort(rng.integers(0, N_CLUSTERS, N_NODES)) if kind == "sorted" else rng.integers(0, N_CLUSTERS, N_NODES)
    good, poor = block_layer(labels, 0.15, 0.02, rng), block_layer(labels, 0.03, 0.03, rng)
    names = [f"NA{node}" for node in range(N_NODES)]
    if kind == "layers":
        return MultilayerGraph({"work": good, "noise": poor, "lunch": block_layer(labels, 0.1, 0.02, rng)}), labels
    if kind == "sorted":
        return MultilayerGraph({"work": good}, rng.normal(size=(N_NODES, 3)) + labels[:, None]), labels
    if kind == "two-mode":
        clubs, shops = memberships(labels, 9, 4, rng), memberships(labels, 7, 3, rng)
        return MultilayerGraph((), two_mode={"clubs": clubs, "shops": shops}, node_ids=names), labels
    if kind == "words":
        return MultilayerGraph({"work": good}, memberships(labels, 50, 8, rng), node_ids=names), labels
    features = rng.normal(size=(N_NODES, 4)) + 2.0 * np.eye(4)[labels]
    present = np.ones(N_NODES, dtype=bool)
    present[:17] = False
    good = good.tolil()
    good[:17], good[:, :17] = 0, 0
    return MultilayerGraph(
        {"work": csr_array(good), "lunch": block_layer(labels, 0.1, 0.02, rng)},
        features,
        present=[present, None],
        feature_names=list("abcd"),
        two_mode={"clubs": memberships(labels, 9, 4, rng)},
    ), labels


KINDS = ("layers", "sorted", "two-mode", "words", "mixed")


@pytest.fixture(scope="session")
def networks():
    """Graphs and their clusters, by kind."""
    return {kind: made(kind) for kind in KINDS}


@pytest.fixture(scope="session")
def folders(networks, tmp_path_factory):
    """The same as folders of four shards, and the sorted one once more with its nodes in a random order."""
    home = tmp_path_factory.mktemp("shards")
    for kind, (graph, _) in networks.items():
        write_shards(graph, home / kind, N_SHARDS)
    graph, order = networks["sorted"][0], np.random.default_rng(4).permutation(N_NODES)
    shuffled = {"work": csr_array(graph.layers[0][order][:, order])}
    write_shards(MultilayerGraph(shuffled, graph.features[order]), home / "shuffled", N_SHARDS)
    return home
