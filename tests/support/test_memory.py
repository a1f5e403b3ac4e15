"""A stage that needs more memory than there is says so, and names the option that avoids it."""

import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import random_array

from orthonet import OrthoNet, aggregate, datasets
from orthonet.files import read_network
from orthonet.graph import knn
from orthonet.graph.knn import knn_layer
from orthonet.support import memory

GIB = 2**30


@pytest.fixture
def tiny_machine(monkeypatch):
    """A machine with a hundred bytes, on which every stage is looked at."""
    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setattr(memory, "available_bytes", lambda: 100)


@pytest.fixture(scope="module")
def graph():
    return datasets.make_multilayer_gaussians(60, 3, 3, random_state=0).graph


def test_what_is_available_is_known_and_small_needs_are_not_looked_at(monkeypatch):
    assert memory.available_bytes() > 0
    monkeypatch.setattr(memory, "available_bytes", lambda: pytest.fail("looked at"))
    memory.check_memory(memory.SMALL, "this", "do that")


def test_an_unknown_amount_refuses_nothing(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: None)
    memory.check_memory(1e30, "this", "do that")


def test_the_message_says_what_is_needed_and_what_is_there(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 3 * GIB)
    memory.check_memory(3 * GIB, "this", "do that")
    with pytest.raises(MemoryError, match=r"^this needs about 3\.5 GiB, but 3\.0 GiB are available; do that$"):
        memory.check_memory(3.5 * GIB, "this", "do that")


@pytest.mark.parametrize(
    ("solver", "message"),
    [
        ("exact", "the exact geometric mean of 3 layers of 60 nodes needs .* pass solver='compressed'"),
        ("compressed", "the compressed mean of 3 layers of 60 nodes needs .* pass aggregation='arithmetic'"),
    ],
)
def test_means(tiny_machine, graph, solver, message):
    with pytest.raises(MemoryError, match=message):
        aggregate(graph, solver=solver, n_components=3)
    aggregate(graph, "arithmetic", n_components=3)


def test_evidence_and_training(tiny_machine, graph):
    wanted = "evidence on 60 nodes and 3 clusters needs .* pass assign_labels='kmeans' and layer_weights=None"
    with pytest.raises(MemoryError, match=wanted):
        OrthoNet(3).fit(graph)
    options = {"assign_labels": "kmeans", "layer_weights": None, "aggregation": "arithmetic"}
    with pytest.raises(
        MemoryError, match=r"training on all of 60 nodes at once needs .* pass training.batch_size=4096"
    ):
        OrthoNet(3, **options).fit(graph)
    OrthoNet(3, training={"batch_size": 20, "max_iter": 2}, **options).fit(graph)


def test_reading_and_the_search_for_neighbours(tiny_machine, tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\n")
    wanted = "reading edges.csv needs .* free some memory, or convert the file to .npz where there is more"
    with pytest.raises(MemoryError, match=wanted):
        read_network(tmp_path / "edges.csv")
    pytest.importorskip("pynndescent")
    features = np.random.default_rng(0).normal(size=(60, 9))
    with pytest.raises(
        MemoryError, match=r"the approximate search for neighbours of 60 nodes needs .* reduce the features"
    ):
        knn_layer(features, search="approximate")
    knn_layer(features, search="exact")


def test_distances_are_found_in_blocks_that_fit(monkeypatch):
    features = random_array((3000, 50), density=0.2, rng=np.random.default_rng(0), format="csr")
    expected = knn_layer(features, metric="cosine")
    monkeypatch.setattr(memory, "available_bytes", lambda: 2**24)
    monkeypatch.setattr(knn, "available_bytes", lambda: 2**24)
    tracemalloc.start()
    found = knn_layer(features, metric="cosine")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**25  # all distances are 72 MB
    np.testing.assert_allclose(found.toarray(), expected.toarray())


# What is available


@pytest.fixture
def system(monkeypatch, tmp_path):
    """A system without limits of which tests write what it says of itself."""
    monkeypatch.setattr(memory, "MACHINE", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(memory, "OWN_GROUPS", tmp_path / "own")
    (tmp_path / "meminfo").write_text("MemTotal: 9000000 kB\nMemAvailable: 4000000 kB\nSwapFree: 1000 kB\n")
    return tmp_path


def group(folder, **sizes):
    folder.mkdir(parents=True, exist_ok=True)
    for name, size in sizes.items():
        (folder / name.replace("memory_", "memory.")).write_text(f"{size}\n")


def test_the_memory_of_the_machine(system):
    assert memory.available_bytes() == 4_000_000 * 1024


def test_a_limit_of_the_group_or_of_one_above_it_counts_and_copies_of_files_do_not(system):
    (system / "own").write_text("0::/user/app\n")
    group(system / "cgroup" / "user", memory_max=3 * GIB, memory_current=GIB, memory_stat="anon 5\ninactive_file 1000")
    group(system / "cgroup" / "user" / "app", memory_max="max", memory_current=GIB, memory_stat="anon 5")
    assert memory.available_bytes() == 2 * GIB + 1000
    group(system / "cgroup" / "user" / "app", memory_max=2 * GIB)
    assert memory.available_bytes() == GIB


def test_groups_of_the_first_version_count_too_seen_from_within_a_container(system):
    (system / "own").write_text("7:cpu,cpuacct:/\n4:memory:/docker/0123\n0::/\n")
    sizes = {"memory_limit_in_bytes": 3 * GIB, "memory_usage_in_bytes": GIB, "memory_stat": "total_inactive_file 7"}
    group(system / "cgroup" / "memory", **sizes)
    assert memory.available_bytes() == 2 * GIB + 7


def test_a_group_that_says_nonsense_limits_nothing(system):
    (system / "own").write_text("0::/\nnonsense\n")
    group(system / "cgroup", memory_max="much", memory_current=5, memory_stat="")
    assert memory.available_bytes() == 4_000_000 * 1024


# Held to what is available


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="limits of memory are those of Linux")
def test_within_what_is_available_more_is_refused_and_afterwards_it_is_not(system, monkeypatch):
    monkeypatch.setattr(memory, "GRAPHICS", system / "none")
    monkeypatch.delenv(memory.SWITCH, raising=False)
    (system / "meminfo").write_text("MemAvailable: 300000 kB\nSwapFree: 0 kB\n")
    with memory.within_available_memory():
        np.empty(2**27, dtype=np.uint8)
        with pytest.raises(MemoryError):
            np.empty(2**29, dtype=np.uint8)
        assert memory.available_bytes() < 400_000 * 1024
    np.empty(2**29, dtype=np.uint8)


def test_who_sets_the_switch_is_not_held(system, monkeypatch):
    (system / "meminfo").write_text("MemAvailable: 100 kB\n")
    monkeypatch.setenv(memory.SWITCH, "0")
    with memory.within_available_memory():
        np.empty(2**29, dtype=np.uint8)


def test_a_limit_of_the_process_counts():
    code = (
        "import resource\n"
        "from orthonet.support.memory import available_bytes, check_memory\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30))\n"
        "assert 0 < available_bytes() < 2 * 2**30\n"
        "try: check_memory(3 * 2**30, 'this', 'do that')\n"
        "except MemoryError as error: print(error)"
    )
    pytest.importorskip("resource")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "this needs about 3.0 GiB" in done.stdout
