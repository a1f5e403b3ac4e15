"""Saved models come back whole, and files that are not whole are refused without running anything."""

import hashlib
import json
import pickle

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
from scipy.sparse import csr_array

from orthonet import MultilayerGraph, OrthoNet
from orthonet.clustering import persistence


@pytest.fixture(scope="module")
def fitted(request):
    clouds = request.getfixturevalue("clouds")
    frame = pd.DataFrame(clouds.graph.features, columns=list("abcdef"))
    graph = MultilayerGraph(clouds.graph.layers, frame)
    return OrthoNet(3, random_state=0, layer_weights=np.array([1, 2, 1]), training={"max_iter": 20}).fit(graph)


@pytest.fixture
def saved(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    return tmp_path / "model"


def change(folder, edit):
    index = json.loads((folder / "model.json").read_text())
    edit(index)
    (folder / "model.json").write_text(json.dumps(index))


def interrupting_at_the_index(write):
    def write_or_interrupt(path, content):
        if path.name == "model.json":
            raise KeyboardInterrupt
        write(path, content)

    return write_or_interrupt


@pytest.mark.parametrize(
    "name", ["labels_", "embedding_", "cluster_centers_", "layer_weights_", "feature_names_in_", "probabilities_"]
)
def test_a_loaded_model_has_the_same_arrays(fitted, saved, name):
    np.testing.assert_array_equal(getattr(OrthoNet.load(saved), name), getattr(fitted, name))


def test_a_loaded_model_has_the_same_counts_names_and_history(fitted, saved):
    loaded = OrthoNet.load(saved)
    assert loaded.n_features_in_ == 6
    assert loaded.n_iter_ == 20
    assert loaded.layer_names_ == fitted.layer_names_
    assert loaded.aggregation_ == fitted.aggregation_
    np.testing.assert_array_equal(loaded.history_["loss"], fitted.history_["loss"])


def test_a_loaded_model_places_nodes_in_the_same_way(fitted, saved, clouds):
    loaded = OrthoNet.load(saved)
    frame = pd.DataFrame(clouds.graph.features, columns=list("abcdef"))
    np.testing.assert_array_equal(loaded.transform(frame), fitted.transform(frame))
    np.testing.assert_array_equal(loaded.predict(frame), fitted.predict(frame))


def test_a_loaded_model_has_the_same_parameters(fitted, saved):
    assert OrthoNet.load(saved).get_params() == {**fitted.get_params(), "layer_weights": [1, 2, 1]}


@pytest.mark.parametrize("features", [None, "sparse"])
def test_models_without_dense_features_too(features, clouds, tmp_path):
    graph = clouds.graph
    if features == "sparse":
        graph = MultilayerGraph(graph.layers, csr_array(np.abs(graph.features)))
    else:
        graph = MultilayerGraph(graph.layers)
    model = OrthoNet(3, random_state=0, training={"max_iter": 5}).fit(graph)
    model.save(tmp_path / "model")
    loaded = OrthoNet.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.labels_, model.labels_)
    if features == "sparse":
        np.testing.assert_array_equal(loaded.predict(graph), model.labels_)
    else:
        with pytest.raises(ValueError, match="without features"):
            loaded.predict(np.eye(3))


def test_saving_again_replaces_the_model_and_leaves_one_tensor_file(saved, clouds):
    other = OrthoNet(4, random_state=1, training={"max_iter": 5}).fit(clouds.graph)
    other.save(saved)
    assert len(list(saved.iterdir())) == 2
    np.testing.assert_array_equal(OrthoNet.load(saved).labels_, other.labels_)


def test_a_save_cut_off_in_the_middle_leaves_the_old_model(saved, fitted, clouds, monkeypatch):
    monkeypatch.setattr(persistence, "write_atomically", interrupting_at_the_index(persistence.write_atomically))
    other = OrthoNet(4, random_state=1, training={"max_iter": 5}).fit(clouds.graph)
    with pytest.raises(KeyboardInterrupt):
        other.save(saved)
    np.testing.assert_array_equal(OrthoNet.load(saved).labels_, fitted.labels_)


def test_does_not_write_into_somebody_elses_folder(fitted, tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(FileExistsError, match="is not empty and does not contain a model"):
        fitted.save(tmp_path)
    with pytest.raises(FileExistsError, match="is a file"):
        fitted.save(tmp_path / "thesis.tex")
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_only_fitted_models_are_saved(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        OrthoNet(3).save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("keep", [0, 7, 100, 5000])
def test_truncated_tensors_are_refused(saved, keep):
    tensors = next(saved.glob("*.safetensors"))
    tensors.write_bytes(tensors.read_bytes()[:keep])
    with pytest.raises(ValueError, match="not a whole model: the checksum of tensors-"):
        OrthoNet.load(saved)


def test_missing_files_are_named(saved, tmp_path):
    next(saved.glob("*.safetensors")).unlink()
    with pytest.raises(ValueError, match=r"tensors-\w+\.safetensors is missing"):
        OrthoNet.load(saved)
    with pytest.raises(FileNotFoundError, match="does not contain a model"):
        OrthoNet.load(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "content", [b"", b'{"format": "orthonet-mod', b"[" * 100_000, b"\x80\x04", b"null", b'{"a": 1}']
)
def test_a_broken_index_is_refused(saved, content):
    (saved / "model.json").write_bytes(content)
    with pytest.raises(ValueError, match=r"model\.json"):
        OrthoNet.load(saved)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda index: index.update(version=99), "format version 99; this package reads version 6"),
        (lambda index: index["fitted"]["network"].update(sizes=[6, 10**12, 3]), "does not fit weights"),
        (lambda index: index["fitted"]["network"].update(sizes=[6, "400", 3]), "'400' is not a size"),
        (lambda index: index["fitted"]["network"].update(sizes=[]), "does not fit weights"),
        (lambda index: index["fitted"]["network"].update(members=10**12), "does not fit weights"),
        (lambda index: index["fitted"]["network"].update(members=2), "does not fit weights"),
        (lambda index: index["fitted"]["network"].update(kind="os.system"), "kind 'os.system'.*is unknown"),
        (lambda index: index["fitted"]["network"].update(activation="eval"), "activation 'eval' is unknown"),
        (lambda index: index["fitted"].update(network=[6, 400, 3]), "malformed"),
        (
            lambda index: index["fitted"].update(n_features=7),
            r"feature_\w+ should be .* \(7,\)|head_weights should be .* \(3, 7\)",
        ),
        (lambda index: index["fitted"].update(feature_scaling="eval"), "feature_scaling is 'eval'"),
        (lambda index: index["fitted"].update(layer_names=["a"]), "layer_weights should be finite"),
        (
            lambda index: (index["parameters"].update(n_clusters="auto"), index["fitted"].update(n_clusters=99)),
            r"should be finite numbers of shape \(.*\b99\b.*\)",
        ),
        (
            lambda index: index["fitted"].update(
                numbers={"candidates": [], "alternatives": [], "reliability": 1.0, "pays": True}
            ),
            "the table of numbers of clusters does not agree",
        ),
        (lambda index: index["parameters"].update(n_clusters=99), "n_clusters=99, but the fit found 3"),
        (lambda index: index["parameters"].update(n_clusters="3"), "n_clusters must be a whole number"),
        (lambda index: index["fitted"].update(feature_scaling="auto"), "feature_scaling is 'auto'"),
        (lambda index: index["tensors"].update(file=".."), "missing or cannot be read"),
        (lambda index: index["fitted"].update(feature_names=["a"]), "number of feature names"),
        (lambda index: index["parameters"].update(exec="import os"), "malformed"),
        (lambda index: index["fitted"].update(head="os.system"), "head_weights should be|a head on 'os.system'"),
        (lambda index: index["fitted"].update(head=["features"]), "malformed|head_weights should be"),
        (
            lambda index: index["fitted"].update(source_names=["a"]),
            "(evidence|own_evidence|corroboration|without) should be finite",
        ),
        (lambda index: index["fitted"].update(source_names=None), "malformed"),
        (lambda index: index["fitted"].update(node_ids=["a"]), "node_ids should be 150 ids, one per node"),
        (lambda index: index["fitted"].update(node_ids="a" * 150), "node_ids should be 150 ids, one per node"),
        (lambda index: index["fitted"].update(node_ids=[[0]] * 150), "node_ids should be 150 ids, one per node"),
        (lambda index: index["fitted"].pop("node_ids"), "malformed"),
        (lambda index: index.pop("tensors"), "malformed"),
        (lambda index: index["tensors"].update(file="/etc/passwd"), "missing|checksum"),
        (lambda index: index["tensors"].update(sha256="0" * 64), "checksum"),
    ],
)
def test_a_hostile_index_is_refused(saved, edit, message):
    change(saved, edit)
    with pytest.raises(ValueError, match=message):
        OrthoNet.load(saved)


def test_a_pickle_in_place_of_the_tensors_is_not_run(saved):
    class Bomb:
        def __reduce__(self):
            return (exec, ("raise SystemExit('executed')",))

    content = pickle.dumps(Bomb())
    tensors = next(saved.glob("*.safetensors"))
    tensors.write_bytes(content)
    change(saved, lambda index: index["tensors"].update(sha256=hashlib.sha256(content).hexdigest()))
    with pytest.raises(ValueError, match="malformed"):
        OrthoNet.load(saved)


def spoil(saved, edit):
    """Change the tensors and give them a checksum that fits."""
    tensors = next(saved.glob("*.safetensors"))
    arrays = safetensors.numpy.load_file(tensors)
    edit(arrays)
    content = safetensors.numpy.save(arrays)
    tensors.write_bytes(content)
    change(saved, lambda index: index["tensors"].update(sha256=hashlib.sha256(content).hexdigest()))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda arrays: arrays.update(labels=arrays["labels"] + 1), "do not agree on 3 clusters"),
        (lambda arrays: arrays.update(labels=arrays["labels"].astype(float)), "labels should be"),
        (
            lambda arrays: arrays["network.members.0.layers.0.weight"].fill(np.nan),
            r"network\.members\.0\.layers\.0\.weight should be finite",
        ),
        (lambda arrays: arrays.pop("network.members.0.layers.2.weight"), "does not fit weights"),
        (lambda arrays: arrays.update(to_embedding=arrays["to_embedding"][:2]), "do not agree"),
        (lambda arrays: arrays.update(spread=np.array([np.inf])), "spread should be finite"),
        (lambda arrays: arrays["feature_deviation"].fill(0), "feature_deviation should be positive"),
        (lambda arrays: arrays.update(feature_mean=np.zeros(3)), "feature_mean should be"),
        (lambda arrays: arrays.pop("history.loss"), "malformed"),
        (lambda arrays: arrays.pop("head_bias"), "malformed"),
        (lambda arrays: arrays.update(head_bias=np.zeros(4)), "head_bias should be finite"),
        (lambda arrays: arrays["head_weights"].fill(np.nan), "head_weights should be finite"),
        (lambda arrays: arrays.pop("edge_evidence"), "malformed"),
        (lambda arrays: arrays.update(edge_evidence=np.array(1.0)), "malformed"),
        (lambda arrays: arrays.update(edge_evidence=np.zeros((3, 3, 2))), "edge_evidence should be finite"),
        (lambda arrays: arrays.update(evidence=arrays["evidence"][:, :2]), "evidence should be finite"),
        (lambda arrays: arrays.pop("temperature"), "malformed"),
        (lambda arrays: arrays.update(temperature=np.array(np.inf)), "temperature should be finite"),
        (lambda arrays: arrays.update(temperature=np.array(0.0)), "temperature should be positive"),
    ],
)
def test_hostile_tensors_are_refused(saved, edit, message):
    spoil(saved, edit)
    with pytest.raises(ValueError, match=message):
        OrthoNet.load(saved)


def test_numpy_numbers_as_parameters_are_saved_as_numbers(clouds, tmp_path):
    model = OrthoNet(
        np.int64(3), epsilon=np.float64(0.1), network={"hidden_layers": np.array([20, 10])}, training={"max_iter": 2}
    ).fit(clouds.graph)
    model.save(tmp_path / "model")
    loaded = OrthoNet.load(tmp_path / "model")
    assert (loaded.n_clusters, loaded.network, loaded.epsilon) == (3, {"hidden_layers": (20, 10)}, 0.1)


def test_a_first_save_cut_off_does_not_block_the_folder(fitted, tmp_path, monkeypatch):
    write = persistence.write_atomically
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(persistence, "write_atomically", interrupting_at_the_index(write))
        fitted.save(tmp_path / "model")
    fitted.save(tmp_path / "model")
    assert OrthoNet.load(tmp_path / "model").n_clusters == 3
