"""The way of a fit: its steps in order, one result that fit and load install, and weights that are those that were used."""

import ast
from pathlib import Path

import numpy as np
import pytest

from orthonet import MultilayerGraph, OrthoNet, aggregate, clustering
from orthonet.clustering import fit as fit_module
from orthonet.clustering.result import ARRAYS, FitResult

PAPER = {"assign_labels": "kmeans", "layer_weights": None}
"""The paper's way."""
STEPS = [
    "prepare",
    "new_network",
    "open_checkpoints",
    "weigh",
    "aggregate_layers",
    "learn",
    "judge_clusters",
    "place",
]


def quick(**options):
    return OrthoNet(**{"n_clusters": 3, "training": {"max_iter": 3}, "random_state": 0} | options)


@pytest.mark.parametrize("options", [{}, PAPER], ids=["default", "paper"])
def test_the_steps_come_in_the_order_in_which_the_file_tells_them(clouds, monkeypatch, options):
    taken = []
    for name in [*STEPS, "assign_clusters"]:
        step = getattr(fit_module, name)
        monkeypatch.setattr(fit_module, name, lambda *args, _step=step: taken.append(_step.__name__) or _step(*args))
    quick(**options).fit(clouds.graph)
    # Only the paper's way finds the clusters in the embedding alone, as a part of judging.
    assert taken == ([*STEPS[:-1], "assign_clusters", "place"] if options else STEPS)


def test_no_module_that_the_estimator_imports_imports_it():
    for file in Path(clustering.__path__[0]).glob("*.py"):
        names = {
            node.module for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)
        }
        assert "orthonet.clustering.estimator" not in names, file.name


def test_fitted_arrays_are_those_of_the_result(clouds, tmp_path):
    model = quick().fit(clouds.graph)
    model.save(tmp_path / "model")
    for one in (model, OrthoNet.load(tmp_path / "model")):
        assert isinstance(one._result, FitResult)
        assert one._result.arrays.keys() == ARRAYS.keys()
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(one, f"{name}_"), getattr(model, f"{name}_"))


def test_a_further_array_is_an_attribute_and_is_saved_by_one_line_in_the_table(clouds, tmp_path, monkeypatch):
    monkeypatch.setitem(ARRAYS, "evidence", (("nodes", "layers"), np.float64))
    found = fit_module.FitResult

    def with_evidence(*, arrays, layer_names, **rest):
        evidence = np.arange(150.0 * len(layer_names)).reshape(150, len(layer_names))
        return found(arrays={**arrays, "evidence": evidence}, layer_names=layer_names, **rest)

    monkeypatch.setattr(fit_module, "FitResult", with_evidence)
    model = quick().fit(clouds.graph)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(OrthoNet.load(tmp_path / "model").evidence_, model.evidence_)
    assert model.evidence_.shape == (150, 4)


@pytest.mark.parametrize("features", [True, False])
def test_convex_weights_are_the_chosen_ones(clouds, rng, features):
    noise = np.triu(rng.random((150, 150)) < 0.05, 1).astype(float)
    layers = [clouds.graph.layers[0], noise + noise.T]
    graph = MultilayerGraph(layers, clouds.graph.features if features else None, ["clear", "noise"])
    model = quick(aggregation="convex", feature_layer=0.2 if features else 0).fit(graph)
    weights = dict(zip(model.layer_names_, model.layer_weights_, strict=True))
    assert list(weights) == ["clear", "noise", *["features"] * features]
    assert weights == pytest.approx(model.aggregation_["layer_weights"])
    assert sum(weights.values()) == pytest.approx(1)
    assert weights["noise"] < 0.1  # 0.4 or 0.5 was given
    if not features:
        assert weights == pytest.approx(aggregate(graph, "convex", n_components=3).info["layer_weights"])


def test_layer_weights_include_the_features_own_layer(clouds, tmp_path):
    model = quick(layer_weights=[1, 2, 1], feature_layer=0.2).fit(clouds.graph)
    assert model.layer_names_ == (*clouds.graph.layer_names, "features")
    np.testing.assert_allclose(model.layer_weights_, [0.2, 0.4, 0.2, 0.2])
    model.save(tmp_path / "model")
    loaded = OrthoNet.load(tmp_path / "model")
    assert loaded.layer_names_ == model.layer_names_
    np.testing.assert_array_equal(loaded.layer_weights_, model.layer_weights_)
    alone = quick().fit(clouds.graph.features)
    assert (alone.layer_names_, alone.layer_weights_.tolist()) == (("features",), [1.0])
