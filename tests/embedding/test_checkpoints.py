"""A run that is killed goes on where it was, and ends as if nothing had happened."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import safetensors
from safetensors.torch import save_file

from orthonet import MultilayerGraph, OrthoNet
from orthonet.embedding.checkpoints import LAPLACIAN, STATE

SCRIPTS = Path(__file__).parent / "scripts"


def fit(graph, folder, random_state=0, verbose=None, **training):
    """Fit a small net, with checkpoints in the folder."""
    training = {"n_networks": 1, "max_iter": 12, "checkpoint_dir": folder} | training
    network = {"hidden_layers": (20, 10)}
    return OrthoNet(3, network=network, training=training, random_state=random_state, verbose=verbose).fit(graph)


def start(folder):
    command = [sys.executable, str(SCRIPTS / "fit_with_checkpoints.py"), str(folder)]
    return subprocess.Popen(command, env=os.environ | {"OMP_NUM_THREADS": "1"}, stderr=subprocess.PIPE)


def stop_after(process, folder, n_checkpoints, how):
    """Send a signal once the checkpoint has been written so many times."""
    file, seen = folder / "state" / STATE, set()
    while len(seen) < n_checkpoints and process.poll() is None:
        if file.exists():
            seen.add(file.stat().st_mtime_ns)
        time.sleep(0.0005)
    process.send_signal(how)
    process.wait()


SETTINGS = ["dense", "batches", "compressed"]


@pytest.fixture(scope="module")
def killed_runs(tmp_path_factory):
    """A folder in which every setting was tried, by one process that loaded torch once."""
    folder = tmp_path_factory.mktemp("killed")
    command = [sys.executable, str(SCRIPTS / "kill_and_resume.py"), str(folder), *SETTINGS]
    done = subprocess.run(
        command, env=os.environ | {"OMP_NUM_THREADS": "1"}, capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the processes that are killed are forked")
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.slow
def test_killed_at_ten_moments_it_ends_as_if_it_had_not_been(killed_runs, setting):
    folder = killed_runs / setting
    killed_at = np.load(folder / "killed_at.npy")
    assert len(killed_at) == 10
    assert len(set(killed_at[killed_at > 0])) >= 5  # it went on from where it was, and was killed again
    expected, found = np.load(folder / "undisturbed.npz"), np.load(folder / "resumed.npz")
    assert len(expected["loss"]) == 300
    for name in ("loss", "labels", "embedding"):
        np.testing.assert_array_equal(found[name], expected[name])
    assert {file.name for file in (folder / "state").iterdir()} <= {STATE, LAPLACIAN}  # nothing half-written


@pytest.mark.usefixtures("interruptible")
@pytest.mark.slow
def test_ctrl_c_gives_a_usable_model_that_says_it_is_incomplete(tmp_path):
    process = start(tmp_path)
    stop_after(process, tmp_path, 5, signal.SIGINT)
    assert process.returncode == 0, process.stderr.read().decode()
    found = np.load(tmp_path / "found.npz")
    assert not found["complete"]
    assert 5 <= len(found["loss"]) < 300
    assert len(found["labels"]) == 150
    assert start(tmp_path).wait() == 0  # it goes on to the end
    assert np.load(tmp_path / "found.npz")["complete"]
    rerun = np.load(tmp_path / "found.npz")["loss"]
    assert len(rerun) == 300
    np.testing.assert_array_equal(rerun[: len(found["loss"])], found["loss"])


def test_a_finished_run_gives_the_same_again(clouds, tmp_path):
    first, again = (fit(clouds.graph, tmp_path) for _ in range(2))
    np.testing.assert_array_equal(first.history_["loss"], again.history_["loss"])
    np.testing.assert_array_equal(first.labels_, again.labels_)
    assert not [file for file in tmp_path.iterdir() if file.name.endswith(".part")]


def test_checkpoints_change_nothing(clouds, tmp_path):
    plain, kept = (fit(clouds.graph, folder) for folder in (None, tmp_path))
    np.testing.assert_array_equal(plain.labels_, kept.labels_)
    np.testing.assert_array_equal(plain.history_["loss"], kept.history_["loss"])


@pytest.mark.parametrize("other", [{"random_state": 1}, {"learning_rate": 0.02}, {"n_networks": 2}])
def test_a_run_with_other_settings_is_refused_and_nothing_is_lost(clouds, tmp_path, other):
    fit(clouds.graph, tmp_path)
    before = (tmp_path / STATE).read_bytes()
    with pytest.raises(ValueError, match="belongs to a run with other data or settings; pass another checkpoint_dir"):
        fit(clouds.graph, tmp_path, **other)
    assert (tmp_path / STATE).read_bytes() == before


def test_other_data_is_refused(clouds, tmp_path):
    graph = clouds.graph
    fit(graph, tmp_path)
    moved = graph.features.copy()
    moved[70, 3] += 1e-6
    heavier = [2 * graph.layers[0], *graph.layers[1:]]
    for other in (
        graph.subgraph(np.arange(149)),
        MultilayerGraph(graph.layers, moved),
        MultilayerGraph(heavier, graph.features),
    ):
        with pytest.raises(ValueError, match="other data or settings"):
            fit(other, tmp_path)


def test_where_and_how_it_runs_may_change(clouds, tmp_path):
    first = fit(clouds.graph, tmp_path)
    elsewhere = {"n_jobs": 1, "device": "cpu", "verbose": False}
    again = fit(clouds.graph, tmp_path, **elsewhere)
    np.testing.assert_array_equal(first.labels_, again.labels_)


def test_what_a_killed_run_left_half_written_is_cleared_away(clouds, tmp_path):
    (tmp_path / f".{STATE}.x1y2.part").write_bytes(b"half")
    (tmp_path / "thesis.part").write_text("precious")
    fit(clouds.graph, tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {STATE, "thesis.part"}


def test_a_damaged_checkpoint_is_reported(clouds, tmp_path):
    fit(clouds.graph, tmp_path)
    (tmp_path / STATE).write_bytes((tmp_path / STATE).read_bytes()[:200])
    with pytest.raises(ValueError, match=r"is not a checkpoint, or a damaged one .*; delete it to start anew"):
        fit(clouds.graph, tmp_path)


def test_a_checkpoint_with_other_numbers_or_without_some_is_reported(clouds, tmp_path):
    fit(clouds.graph, tmp_path)
    with safetensors.safe_open(tmp_path / STATE, framework="pt") as content:
        about, tensors = content.metadata(), {name: content.get_tensor(name) for name in content.keys()}  # noqa: SIM118
    weight = next(name for name, tensor in tensors.items() if tensor.dim() == 2)
    without = {name: tensor for name, tensor in tensors.items() if name != weight}
    for wrong in (
        {**tensors, weight: tensors[weight] + 1},
        without,
        {**without, weight: tensors[weight].T.contiguous()},
    ):
        save_file(wrong, tmp_path / STATE, metadata=about)
        with pytest.raises(
            ValueError, match=r"is not a checkpoint, or a damaged one .*; delete it to start anew"
        ) as caught:
            fit(clouds.graph, tmp_path)
        assert str(caught.value).isprintable()


def test_a_file_is_no_folder(clouds, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError, match="is a file; checkpoints go into a folder"):
        fit(clouds.graph, tmp_path / "file")
