"""A stage that needs more memory than there is says so, and names the option that avoids it."""

import subprocess
import sys

import pytest

from orthonet import OrthoNet, aggregate, datasets
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
