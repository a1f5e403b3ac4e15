"""What a large or long fit needs: sparse and mapped features are left as they are, blocks change nothing, Ctrl-C is heard."""

import signal
import tracemalloc

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array, random_array
from sklearn.cluster import KMeans

from orthonet import MultilayerGraph, OrthoNet, datasets, metrics
from orthonet.clustering import preparation
from orthonet.graph.features import block_rows

PAPER = {"assign_labels": "kmeans", "layer_weights": None}
"""The paper's way."""


def quick(network=None, way=None, **training):
    network = {"hidden_layers": (20, 10)} if network is None else network
    training = {"n_networks": 1, "max_iter": 20} | training
    return OrthoNet(3, network=network, training=training, random_state=0, **way or {})


class Watching(torch.nn.Module):
    """A linear map that tells which tensors it was given, and sends this process Ctrl-C at one of its steps."""

    def __init__(self, n_inputs, seen=None, interrupt_at=None):
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        self.weight = torch.nn.Parameter(torch.randn(n_inputs, 3, generator=generator))
        self.seen, self.interrupt_at, self.step = seen, interrupt_at, 0

    def forward(self, features):
        if self.seen is not None:
            self.seen.append((features.layout, tuple(features.shape)))
        self.step += self.training
        if self.training and self.step == self.interrupt_at:
            signal.raise_signal(signal.SIGINT)
        return features @ self.weight

    def __deepcopy__(self, memo):
        copy = Watching(len(self.weight), self.seen, self.interrupt_at)
        copy.load_state_dict(self.state_dict())
        return copy


@pytest.mark.parametrize("batch_size", [None, 50])
def test_sparse_features_reach_the_net_sparse(clouds, batch_size):
    seen = []
    features = random_array((150, 400), density=0.05, rng=np.random.default_rng(0), format="csr")
    graph = MultilayerGraph(clouds.graph.layers, features)
    model = quick(network=Watching(400, seen), batch_size=batch_size).fit(graph)
    model.predict(features)
    assert {layout for layout, _ in seen} == {torch.sparse_csr}
    assert (50 if batch_size else 150, 400) in {shape for _, shape in seen}


@pytest.mark.parametrize("way", [{}, PAPER], ids=["default", "paper"])
@pytest.mark.parametrize("kind", ["map", "blocks"])
@pytest.mark.filterwarnings("ignore:features alone give")
def test_wide_features_on_disk_are_never_in_memory_as_a_whole(clouds, tmp_path, kind, way):
    rng, parts = np.random.default_rng(0), np.array_split(np.arange(150), 10)
    features = np.lib.format.open_memmap(tmp_path / "features.npy", "w+", np.float32, (150, 200_000))
    for rows in parts:
        features[rows] = rng.standard_normal((len(rows), 200_000), dtype=np.float32)
    mapped = np.load(tmp_path / "features.npy", mmap_mode="r")
    given = mapped if kind == "map" else (mapped[rows] for rows in parts)
    options = {"network": {"hidden_layers": (4,)}, "way": way, "batch_size": 15, "max_iter": 3}
    quick(**options, checkpoint_dir=tmp_path / "warm").fit(clouds.graph)  # what is imported late takes memory too
    tracemalloc.start()
    graph = MultilayerGraph(clouds.graph.layers, given)
    quick(**options, checkpoint_dir=tmp_path / "state").fit(graph).predict(mapped)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < features.nbytes * 0.8


@pytest.mark.parametrize("convert", [np.asarray, csr_array], ids=["dense", "sparse"])
def test_nodes_are_embedded_alike_alone_in_blocks_and_together(clouds, convert, monkeypatch):
    features = convert(np.abs(clouds.graph.features))
    model = quick().fit(MultilayerGraph(clouds.graph.layers, features))
    together = model.transform(features)
    one_by_one = np.vstack([model.transform(features[[node]]) for node in range(0, 150, 10)])
    np.testing.assert_allclose(one_by_one, together[::10], atol=1e-9)
    monkeypatch.setattr("orthonet.graph.features.BLOCK_ROWS", 7)
    assert block_rows(features) == 7
    np.testing.assert_allclose(model.transform(features), together, atol=1e-9)
    again = quick().fit(MultilayerGraph(clouds.graph.layers, features))
    np.testing.assert_allclose(again.embedding_, model.embedding_, atol=1e-6)
    np.testing.assert_array_equal(again.labels_, model.labels_)


def test_blocks_are_bounded_in_rows_and_in_bytes():
    assert block_rows(np.empty((10, 1))) == 65_536
    assert block_rows(np.empty((1, 2**18))) == 8
    assert block_rows(np.empty((1, 2**23))) == 1
    assert block_rows(csr_array((10, 2**30))) == 65_536


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_during_training_leaves_a_usable_model_that_says_so(clouds, tmp_path):
    features = clouds.graph.features
    with pytest.warns(UserWarning, match="training was interrupted after 7 of 20 steps; the model is incomplete"):
        model = quick(network=Watching(6, interrupt_at=8)).fit(clouds.graph)
    assert not model.complete_
    assert model.n_iter_ == len(model.history_["loss"]) == 7
    np.testing.assert_array_equal(model.predict(features), model.labels_)
    model.save(tmp_path / "model")
    assert not OrthoNet.load(tmp_path / "model", network=Watching(6)).complete_
    assert quick(network=Watching(6)).fit(clouds.graph).complete_


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_before_the_first_step_raises_and_leaves_the_earlier_fit(clouds):
    model = quick(network=Watching(6)).fit(clouds.graph)
    before = model.labels_.copy()
    model.set_params(network=Watching(6, interrupt_at=1))
    with pytest.raises(KeyboardInterrupt):
        model.fit(clouds.graph.features[:100])
    np.testing.assert_array_equal(model.predict(clouds.graph.features), before)


@pytest.mark.usefixtures("interruptible")
def test_a_run_that_was_interrupted_goes_on_from_its_last_whole_step(clouds, tmp_path):
    whole = quick(network=Watching(6)).fit(clouds.graph)
    with pytest.warns(UserWarning, match="interrupted"):
        quick(network=Watching(6, interrupt_at=8), checkpoint_dir=tmp_path).fit(clouds.graph)
    resumed = quick(network=Watching(6), checkpoint_dir=tmp_path).fit(clouds.graph)
    np.testing.assert_array_equal(resumed.history_["loss"], whole.history_["loss"])
    np.testing.assert_array_equal(resumed.labels_, whole.labels_)


@pytest.mark.parametrize("n_networks", [1, 3])
def test_nets_trained_side_by_side_tell_how_far_they_agree(clouds, n_networks):
    model = quick(n_networks=n_networks).fit(clouds.graph)
    if n_networks == 1:
        assert model.history_["agreement"] == pytest.approx(1)
    else:
        assert 1 / n_networks < model.history_["agreement"] < 1
    np.testing.assert_allclose(model.embedding_.T @ model.embedding_, np.eye(3), atol=1e-8)


@pytest.mark.parametrize(("aggregation", "batch_size"), [("geometric", 64), ("arithmetic", 64), ("arithmetic", None)])
def test_many_nodes_without_features_are_seen_by_spectral_coordinates(monkeypatch, tmp_path, aggregation, batch_size):
    """No layer of the net has a weight for each node, and the clusters are found as with one-hot vectors."""
    data = datasets.make_multilayer_sbm(240, 3, 3, kind="informative", n_features=0, random_state=0)
    monkeypatch.setattr(preparation, "ONE_HOT_UP_TO", 100)
    training = {"batch_size": batch_size, "max_iter": 40}
    model = OrthoNet(3, aggregation=aggregation, training=training, random_state=0).fit(data.graph)
    assert metrics.nmi(data.labels, model.labels_) == 1
    assert metrics.nmi(data.labels, KMeans(3, n_init=5, random_state=0).fit_predict(model.embedding_)) > 0.9
    model.save(tmp_path / "model")
    assert sum(file.stat().st_size for file in (tmp_path / "model").rglob("*")) < 2e6
    np.testing.assert_array_equal(OrthoNet.load(tmp_path / "model").labels_, model.labels_)


def test_the_papers_way_sees_one_hot_vectors_of_any_number_of_nodes(monkeypatch):
    seen = []
    monkeypatch.setattr(preparation, "ONE_HOT_UP_TO", 100)
    data = datasets.make_multilayer_sbm(240, 3, 3, n_features=0, random_state=0)
    quick(network=Watching(240, seen), way=PAPER).fit(data.graph)
    assert {columns for _, (_, columns) in seen} == {240}
