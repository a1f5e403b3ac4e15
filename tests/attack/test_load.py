"""Many predictions side by side on one model; clusterings with little memory."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from orthonet import datasets
from orthonet.cli.app import app
from orthonet.files import write_network

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="limits of memory are those of Linux"),
]


@pytest.fixture(scope="module")
def first_run(tmp_path_factory):
    """A folder with the files and the run of a network of 300 nodes, which tests copy: one fit for all of them."""
    folder = tmp_path_factory.mktemp("first")
    run("cluster", *files_of(300, folder), "-k", 2, "--steps", 3, "--no-report", "-o", folder / "run")
    return folder


@pytest.fixture
def home(first_run, tmp_path):
    """A copy of that folder for each test."""
    return shutil.copytree(first_run, tmp_path / "home")


@pytest.fixture(scope="module")
def large_files(tmp_path_factory):
    """A folder with the files of a network of 6,000 nodes."""
    folder = tmp_path_factory.mktemp("large")
    files_of(6000, folder)
    return folder


def files_of(n_nodes, folder):
    """Write a network to a folder; return the arguments that name its files."""
    graph = datasets.make_multilayer_gaussians(n_nodes, 2, 3, 2, separation=4.0, n_neighbors=10, random_state=1).graph
    write_network(graph, folder / "edges.csv", nodes=folder / "nodes.csv")
    return [folder / "edges.csv", "-f", folder / "nodes.csv"]


def run(*arguments):
    """Run a command in this process, which has loaded torch already."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output


def loaded(*arguments):
    """Return what tests/attack/load.py found."""
    command = [sys.executable, str(Path(__file__).with_name("load.py")), *map(str, arguments)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_many_predictions_at_once(home):
    run("predict", home / "run", home / "nodes.csv", "-o", home / "alone.csv")
    found = loaded(home, "predict", 20)
    assert len(found) == 20
    assert set(found.values()) == {0}
    contents = {Path(target).read_bytes() for target in found}
    assert contents == {(home / "alone.csv").read_bytes()}
    assert not [path.name for path in home.iterdir() if path.name.startswith(".")]


def test_a_clustering_with_little_memory_ends_with_a_sentence_and_keeps_the_earlier_run(home):
    before = {file.name: file.read_bytes() for file in (home / "run").iterdir() if file.is_file()}
    files_of(3000, home)
    for code, said in loaded(home, "memory", 256).values():
        assert code == 2, said
        assert "memory" in said.splitlines()[-1]
        assert "Traceback" not in said
    assert {file.name: file.read_bytes() for file in (home / "run").iterdir() if file.is_file()} == before
    assert not [path.name for path in home.iterdir() if path.name.startswith(".")]
    assert np.loadtxt(home / "run" / "labels.csv", delimiter=",", skiprows=1).shape == (300, 3)


ON_A_SMALL_MACHINE = {
    "exact mean": (700, ["--set", "aggregation.solver=exact", "--set", "assign_labels=kmeans"]),
    "search": (335, []),
    "default training": (348, []),
    "wide net": (700, ["--set", "network.hidden_layers=[20000]", "--set", "assign_labels=kmeans"]),
}
"""Megabytes that are left, and settings with which a fit of 6,000 nodes needs more than that; it takes 370 by default."""


@pytest.mark.parametrize("stage", ON_A_SMALL_MACHINE)
def test_a_clustering_that_needs_more_than_the_machine_has_ends_with_a_sentence_before_the_system_kills_it(
    home, large_files, stage
):
    before = {file.name: file.read_bytes() for file in (home / "run").iterdir() if file.is_file()}
    megabytes, settings = ON_A_SMALL_MACHINE[stage]
    files = [large_files / "edges.csv", "-f", large_files / "nodes.csv"]
    command = ["cluster", *files, "-k", 3, "--no-report", "-o", home / "run"]
    done = subprocess.run(
        [
            sys.executable,
            str(Path(__file__).with_name("small_machine.py")),
            *map(str, [megabytes, *command, *settings]),
        ],
        env=os.environ | {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    said, took = done.stderr.splitlines()[-2:]
    assert said.startswith("orthonet cluster: there is not enough memory")
    assert "Traceback" not in done.stderr
    taken, there_was = (int(word) for word in took.split() if word.isdigit())
    assert taken <= there_was
    assert {file.name: file.read_bytes() for file in (home / "run").iterdir() if file.is_file()} == before
    assert not [path.name for path in home.iterdir() if path.name.startswith(".")]
