"""A run that is killed goes on where it was, and ends as if nothing had happened."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from orthonet import OrthoNet
from orthonet.embedding.checkpoints import STATE

SCRIPT = Path(__file__).parent / "scripts" / "fit_with_checkpoints.py"
QUICK = {"hidden_layers": (20, 10), "n_init": 1, "max_steps": 12, "random_state": 0}


def start(folder, batch_size=0):
    command = [sys.executable, str(SCRIPT), str(folder), str(batch_size)]
    return subprocess.Popen(command, env=os.environ | {"OMP_NUM_THREADS": "1"}, stderr=subprocess.PIPE)


def stop_after(process, folder, n_checkpoints, how):
    """Send a signal once the checkpoint has been replaced so many times, plus a moment that falls anywhere in a step."""
    file, seen = folder / "state" / STATE, set()
    while len(seen) < n_checkpoints and process.poll() is None:
        if file.exists():
            seen.add(file.stat().st_mtime_ns)
        time.sleep(0.0005)
    process.send_signal(how)
    process.wait()


@pytest.mark.parametrize("batch_size", [0, 60])
def test_killed_at_any_moment_it_ends_as_if_it_had_not_been(tmp_path, batch_size):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    assert start(whole, batch_size).wait() == 0
    for n_checkpoints in (1, 7, 40):
        stop_after(start(broken, batch_size), broken, n_checkpoints, signal.SIGKILL)
    assert not (broken / "found.npz").exists()
    assert start(broken, batch_size).wait() == 0
    expected, found = np.load(whole / "found.npz"), np.load(broken / "found.npz")
    np.testing.assert_array_equal(found["loss"], expected["loss"])
    np.testing.assert_array_equal(found["labels"], expected["labels"])


def test_ctrl_c_gives_a_usable_model_that_says_it_is_incomplete(tmp_path):
    process = start(tmp_path)
    stop_after(process, tmp_path, 5, signal.SIGINT)
    assert process.returncode == 0, process.stderr.read().decode()
    found = np.load(tmp_path / "found.npz")
    assert not found["complete"]
    assert 5 <= len(found["loss"]) < 300
    assert len(found["labels"]) == 150


def test_a_finished_run_gives_the_same_again(clouds, tmp_path):
    first, again = (OrthoNet(3, **QUICK, checkpoint_dir=tmp_path).fit(clouds.graph) for _ in range(2))
    np.testing.assert_array_equal(first.history_["loss"], again.history_["loss"])
    np.testing.assert_array_equal(first.labels_, again.labels_)
    assert not [file for file in tmp_path.iterdir() if file.name.endswith(".part")]


def test_checkpoints_change_nothing(clouds, tmp_path):
    plain, kept = (OrthoNet(3, **QUICK, checkpoint_dir=folder).fit(clouds.graph) for folder in (None, tmp_path))
    np.testing.assert_array_equal(plain.labels_, kept.labels_)
    np.testing.assert_array_equal(plain.history_["loss"], kept.history_["loss"])


@pytest.mark.parametrize("other", [{"random_state": 1}, {"learning_rate": 0.01}, {"n_init": 2}])
def test_a_run_with_other_settings_is_refused_and_nothing_is_lost(clouds, tmp_path, other):
    OrthoNet(3, **QUICK, checkpoint_dir=tmp_path).fit(clouds.graph)
    before = (tmp_path / STATE).read_bytes()
    with pytest.raises(ValueError, match="belongs to a run with other data or settings; pass another checkpoint_dir"):
        OrthoNet(3, **(QUICK | other), checkpoint_dir=tmp_path).fit(clouds.graph)
    assert (tmp_path / STATE).read_bytes() == before


def test_other_data_is_refused(clouds, tmp_path):
    OrthoNet(3, **QUICK, checkpoint_dir=tmp_path).fit(clouds.graph)
    with pytest.raises(ValueError, match="other data or settings"):
        OrthoNet(3, **QUICK, checkpoint_dir=tmp_path).fit(clouds.graph.subgraph(np.arange(149)))


def test_a_damaged_checkpoint_is_told(clouds, tmp_path):
    OrthoNet(3, **QUICK, checkpoint_dir=tmp_path).fit(clouds.graph)
    (tmp_path / STATE).write_bytes((tmp_path / STATE).read_bytes()[:200])
    with pytest.raises(ValueError, match=r"is no checkpoint, or a damaged one .*; delete it to start anew"):
        OrthoNet(3, **QUICK, checkpoint_dir=tmp_path).fit(clouds.graph)


def test_a_file_is_no_folder(clouds, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError, match="is a file; checkpoints go into a folder"):
        OrthoNet(3, **QUICK, checkpoint_dir=tmp_path / "file").fit(clouds.graph)
