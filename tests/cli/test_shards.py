"""`orthonet convert --shards`, and `orthonet cluster` on what it wrote."""

import json

import numpy as np
import pytest

from orthonet import OrthoNet, read_network, write_network
from orthonet.files import Shards
from orthonet.files.shards import MANIFEST


@pytest.fixture(scope="module")
def net(tmp_path_factory, clouds):
    home = tmp_path_factory.mktemp("net")
    write_network(clouds.graph, home / "net.npz")
    return home / "net.npz"


@pytest.fixture(scope="module")
def shards(net, orthonet):
    done = orthonet("convert", net, "-o", net.parent / "shards", "--shards", 3)
    assert done.exit_code == 0, done.output
    assert "wrote 3 shards, 7 files, to" in done.output
    return net.parent / "shards"


@pytest.fixture(scope="module")
def run(shards, orthonet):
    done = orthonet("cluster", shards, "-k", 3, "--steps", 5, "-o", shards.parent / "out")
    assert done.exit_code == 0, done.output
    assert "150 nodes, 3 shards, layers: cloud 0, cloud 1, cloud 2" in done.output
    assert "report.html needs all nodes in one process" in done.output
    return shards.parent / "out"


def test_the_folder_of_a_run(run, shards, clouds, labels_of):
    assert sorted(path.name for path in run.iterdir()) == ["embedding.csv", "labels.csv", "model", "run.json"]
    record = json.loads((run / "run.json").read_text())
    assert list(record["checksums"]) == [str(shards / MANIFEST)]
    assert set(record["aggregation"]["stages"]) >= {"reading", "eigenvectors", "search", "aggregation", "training"}
    model = OrthoNet.load(run / "model")
    np.testing.assert_array_equal(labels_of(run), model.labels_)
    assert (model.predict(clouds.graph.features) == model.labels_).mean() > 0.95


def test_other_commands_know_the_run(run, orthonet):
    for command in (
        ["info", run],
        ["explain", run],
        ["explain", run, "7"],
        ["report", run, "-o", run.parent / "r.html"],
    ):
        done = orthonet(*command)
        assert done.exit_code == 0, done.output
    assert (run.parent / "r.html").stat().st_size > 10_000


def test_shards_convert_back(shards, orthonet, clouds, tmp_path):
    done = orthonet("convert", shards, "-o", tmp_path / "back.npz")
    assert done.exit_code == 0, done.output
    back = read_network(tmp_path / "back.npz").graph()
    assert all((one != other).nnz == 0 for one, other in zip(back.layers, clouds.graph.layers, strict=True))
    assert "150" in orthonet("info", shards).output


def test_shards_are_replaced_only_when_asked(shards, net, orthonet, tmp_path):
    done = orthonet("convert", net, "-o", shards, "--shards", 5)
    assert done.exit_code == 2
    assert "holds shards already; pass --force to replace them" in done.output
    assert Shards.of(shards).n_shards == 3
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    done = orthonet("convert", net, "-o", tmp_path / "full", "--shards", 5, "--force")
    assert done.exit_code == 2
    assert "is not empty and holds no shards" in done.output
    assert orthonet("convert", net, "-o", tmp_path / "new", "--shards", 2).exit_code == 0
    assert orthonet("convert", net, "-o", tmp_path / "new", "--shards", 5, "--force").exit_code == 0
    assert Shards.of(tmp_path / "new").n_shards == 5
    assert len(list((tmp_path / "new").iterdir())) == 11


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-k", "auto"], "n_clusters cannot be chosen from shards; pass a number"),
        (["-k", 3, "--aggregation", "projection"], "aggregation='projection' needs all layers in one process"),
        (["-k", 3, "--set", "network.kind=gcn"], "network='gcn' averages over neighbours, which are in other shards"),
        (["-k", 3, "--set", "smoothing=2"], "smoothing=2 averages over neighbours"),
        (["-k", 3, "--set", "feature_layer=0.5"], "no layer is built from the features of shards"),
        (["-k", 3, "--checkpoint-dir", "state"], "training.checkpoint_dir keeps no state of a fit of shards"),
        (["-k", 3, "--truth", "labels.csv"], "--truth: no process reads all nodes of shards"),
        (["-k", 3, "--directed"], "--directed: shards are read as they are"),
        (["-k", 200], "n_clusters=200 is more than the 150 nodes there are"),
    ],
)
def test_what_shards_cannot_do_is_a_sentence(shards, orthonet, tmp_path, options, sentence):
    done = orthonet("cluster", shards, *options, "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert sentence in " ".join(done.output.split())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "options", [["--aggregation", "power"], ["--set", "assign_labels.method=kmeans"], ["--layer-weight", "cloud 0=0"]]
)
def test_what_they_can(shards, orthonet, tmp_path, options, clouds, labels_of):
    done = orthonet("cluster", shards, "-k", 3, "--steps", 20, "-o", tmp_path / "out", *options)
    assert done.exit_code == 0, done.output
    from orthonet import metrics

    assert metrics.nmi(clouds.labels, labels_of(tmp_path / "out")) > 0.8
