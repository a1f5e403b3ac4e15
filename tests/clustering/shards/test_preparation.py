"""Who reads which shards, and when nobody does."""

import shutil

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from orthonet import MultilayerGraph, OrthoNet
from orthonet.clustering.shards.preparation import own_share
from orthonet.embedding.processes import Processes
from orthonet.files import Shards, write_shards


class Second(Processes):
    """The second of two processes, of which the first sees another manifest."""

    def from_first(self, value):
        return "another"

    def sum(self, tensors):
        return list(tensors)


@pytest.fixture
def shards(tmp_path):
    ring = np.roll(np.eye(12), 1, axis=1)
    write_shards(MultilayerGraph([csr_array(ring + ring.T)]), tmp_path / "net", 6)
    return Shards.of(tmp_path / "net")


@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_shards_are_dealt_out_in_order(shards, monkeypatch, size):
    monkeypatch.setattr(Processes, "from_first", lambda self, value: value)
    monkeypatch.setattr(Processes, "sum", lambda self, tensors: [torch.zeros_like(one) for one in tensors])
    found = [own_share(shards, Processes(rank, size)) for rank in range(size)]
    assert [one for _, own in found for one in range(*own)] == list(range(6))
    for processes, own in found:
        share = processes.share(12)
        assert (share.start, share.stop) == (2 * own[0], 2 * own[1])


@pytest.mark.parametrize("size", [4, 5, 7, 12])
def test_processes_that_do_not_divide_the_shards(shards, size):
    with pytest.raises(
        ValueError, match=f"has 6 shards, which {size} processes cannot share evenly; start 1 or 2 or 3 or 6"
    ):
        own_share(shards, Processes(0, size))


def test_shards_of_two_data_sets_are_noticed(shards):
    with pytest.raises(ValueError, match="is not the same folder of shards for all processes: process 1 sees another"):
        own_share(shards, Second(1, 2))


def test_shards_come_alone(shards):
    with pytest.raises(ValueError, match="fit takes Shards alone, which have layers of their own"):
        OrthoNet(2).fit(shards, layers=[np.eye(12)])


def test_a_fit_that_fails_leaves_the_earlier_one(shards, tmp_path):
    model = OrthoNet(2, random_state=0, training={"max_iter": 2}).fit(shards)
    labels = model.labels_
    shutil.rmtree(shards.path)
    with pytest.raises(FileNotFoundError, match=r"there is no such file, but shards.json names it"):
        model.fit(shards)
    assert model.labels_ is labels
