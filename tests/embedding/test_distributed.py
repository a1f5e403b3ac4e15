"""Real processes that train together over the loopback interface find what one finds alone."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from orthonet import OrthoNet
from orthonet.embedding.processes import Processes

SCRIPTS = Path(__file__).parent / "scripts"
LOOPBACK = "lo0" if sys.platform == "darwin" else "lo"
EXACT = ["compressed", "dense", "sparse", "sparse and low rank", "sparse features"]


def run(*command):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": LOOPBACK}
    done = subprocess.run(
        [sys.executable, *map(str, command)], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What each process of each group found, by setting, number of processes and rank."""
    folder = tmp_path_factory.mktemp("together")
    settings = [*EXACT, "batches"]
    run(SCRIPTS / "train_together.py", folder, *settings)
    return {
        (setting, size, rank): dict(np.load(folder / f"{setting}-{size}-{rank}.npz"))
        for setting in settings
        for size in (1, 2, 4)
        for rank in range(size)
    }


NEEDS_FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("setting", EXACT)
@pytest.mark.slow
@NEEDS_FORK
def test_together_they_find_what_one_finds_alone(found, setting, size):
    alone = found[setting, 1, 0]
    for rank in range(size):
        together = found[setting, size, rank]
        assert len(together["loss"]) == 40
        np.testing.assert_allclose(together["loss"], alone["loss"], rtol=1e-4)
        np.testing.assert_array_equal(together["labels"], alone["labels"])
        np.testing.assert_allclose(together["embedding"], alone["embedding"], atol=1e-4)


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.slow
@NEEDS_FORK
def test_with_batches_all_have_the_same_and_the_loss_falls(found, size):
    first = found["batches", size, 0]
    assert first["loss"][-1] < 0.5 * first["loss"][0]
    for rank in range(1, size):
        for name, values in first.items():
            np.testing.assert_array_equal(found["batches", size, rank][name], values)


@pytest.mark.parametrize("setting", ["compressed", "batches"])
@pytest.mark.slow
@NEEDS_FORK
def test_what_crosses_the_network_does_not_grow_with_the_processes(found, setting):
    two, four = (found[setting, size, 0]["bytes_per_step"] for size in (2, 4))
    assert two == four > 0
    assert found[setting, 1, 0]["bytes_per_step"] == 0


@pytest.mark.slow
def test_a_killed_worker_is_restarted_and_nothing_is_lost(tmp_path):
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "--max-restarts=1"]
    run(*launch, SCRIPTS / "lose_a_worker.py", tmp_path)
    found = np.load(tmp_path / "found.npz")
    assert found["attempt"] == 1
    np.testing.assert_array_equal(found["loss"], found["undisturbed_loss"])
    np.testing.assert_array_equal(found["labels"], found["undisturbed"])


@pytest.mark.slow
@NEEDS_FORK
def test_the_first_process_may_take_longer_than_torch_waits():
    assert run(SCRIPTS / "wait_for_first.py", 2, "default", 6).stdout == "heard"


@pytest.mark.slow
@NEEDS_FORK
def test_a_process_that_has_waited_too_long_says_so():
    said = run(SCRIPTS / "wait_for_first.py", 2, 2, 6).stdout
    assert said.startswith("nothing came from another process of this fit for 0:00:02; ")
    assert "init_process_group" in said


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_each_node_belongs_to_one_process(size):
    shares = [Processes(rank, size).share(10) for rank in range(size)]
    assert np.concatenate([np.arange(10)[share] for share in shares]).tolist() == list(range(10))
    assert sum(Processes(rank, size).length(10) for rank in range(size)) == 10


def test_without_torchrun_it_says_how_to_start(clouds, monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    with pytest.raises(RuntimeError, match="nobody started several processes; run the script with: torchrun"):
        OrthoNet(3, training={"distributed": True}).fit(clouds.graph)
