"""The parameters: all are checked before any work, options of a parameter travel with it, and mistakes are named."""

import inspect
import json

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from orthonet import MultilayerGraph, OrthoNet, aggregate
from orthonet.aggregation import AGGREGATIONS
from orthonet.clustering import fit as fit_module
from orthonet.clustering.parameters import (
    CONSTRAINTS,
    DEFAULTS,
    OPTION_GROUPS,
    LabelAssignment,
    Network,
    Training,
    check_parameters,
    nested,
    without_defaults,
)

WRONG = {
    "n_clusters": 1,
    "aggregation": "median",
    "aggregation.method": "median",
    "aggregation.solver": "fast",
    "aggregation.p": np.inf,
    "aggregation.alpha": -1,
    "aggregation.step": 0,
    "aggregation.max_iter": 0,
    "aggregation.tol": -1,
    "aggregation.dtype": "float16",
    "aggregation.n_steps": 0,
    "laplacian": "signed",
    "epsilon": 0,
    "layer_weights": [1, -1],
    "n_neighbors": 0,
    "feature_layer": 1,
    "feature_scaling": "minmax",
    "smoothing": -1,
    "network": "transformer",
    "network.kind": "transformer",
    "network.hidden_layers": 100,
    "network.activation": "softmax",
    "network.n_inputs": 0,
    "training.learning_rate": 0,
    "training.max_iter": 0,
    "training.tol": -1,
    "training.batch_size": 1,
    "training.output_layer": "guessed",
    "training.n_networks": 0,
    "training.device": "abacus",
    "training.dtype": "float16",
    "training.n_jobs": 0,
    "training.checkpoint_dir": 5,
    "training.distributed": "yes",
    "assign_labels": "dbscan",
    "assign_labels.method": "dbscan",
    "assign_labels.normalize_rows": 2,
    "assign_labels.n_init": -1,
    "random_state": "seed",
    "verbose": "yes",
}


def test_every_parameter_and_every_option_has_one_constraint():
    parameters = set(inspect.signature(OrthoNet.__init__).parameters) - {"self"}
    assert {name.split(".")[0] for name in CONSTRAINTS} == parameters
    assert len(parameters) <= 14
    for group, options in DEFAULTS.items():
        assert {f"{group}.{option}" for option in options} <= CONSTRAINTS.keys()
    assert set(WRONG) == CONSTRAINTS.keys() | {group for group, main in OPTION_GROUPS.items() if main}


def test_every_option_of_an_aggregation_has_a_constraint():
    for function in AGGREGATIONS.values():
        options = set(inspect.signature(function).parameters) - {"problem", "verbose"}
        assert {f"aggregation.{option}" for option in options} <= CONSTRAINTS.keys()


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_value_is_named_before_any_work(clouds, monkeypatch, name):
    def work(*args, **kwargs):
        raise AssertionError("the fit began")

    monkeypatch.setattr(fit_module, "prepare", work)
    with pytest.raises((TypeError, ValueError), match=rf"^{name}\b.*\b(must|all 0)"):
        OrthoNet(**{"n_clusters": 3} | nested({name: WRONG[name]})).fit(clouds.graph)


@pytest.mark.parametrize("group", OPTION_GROUPS)
def test_a_mistyped_option_is_named_with_the_right_ones(clouds, group):
    right = ", ".join(name.removeprefix(f"{group}.") for name in CONSTRAINTS if name.startswith(f"{group}."))
    with pytest.raises(ValueError, match=f"^{group} has no option 'max_steps'; it takes {right}$"):
        OrthoNet(3, **{group: {"max_steps": 5}}).fit(clouds.graph)
    with pytest.raises(ValueError, match=f"^{group} has no option 'max_steps'; it takes {right}$"):
        OrthoNet(3).set_params(**{f"{group}__max_steps": 5})


def test_an_option_of_another_aggregation_is_named(clouds):
    with pytest.raises(TypeError, match=r"unknown option 'p': aggregation.method 'projection' takes alpha"):
        OrthoNet(3, aggregation={"method": "projection", "p": 3}).fit(clouds.graph)


def test_training_that_is_no_mapping_is_named(clouds):
    with pytest.raises(TypeError, match=r"training must be None or a mapping of its options, learning_rate, .*, got 5"):
        OrthoNet(3, training=5).fit(clouds.graph)


def test_checking_draws_nothing_from_the_callers_generators():
    for make in (np.random.default_rng, np.random.RandomState):
        parameters = OrthoNet(random_state=make(7)).get_params(deep=False)
        check_parameters(parameters)
        assert parameters["random_state"].random() == make(7).random()


def test_the_same_by_name_by_mapping_and_by_object(clouds):
    short = {"max_iter": 5, "n_networks": 1}
    plain = OrthoNet(3, training=short, random_state=0).fit(clouds.graph)
    others = [
        {"training": Training(**short), "network": Network(), "assign_labels": LabelAssignment()},
        {"training": short, "network": {"kind": "mlp"}, "assign_labels": {"n_init": 20}, "aggregation": {}},
        {"training": short, "aggregation": {"method": "geometric", "solver": "exact"}},
    ]
    for options in others:
        model = OrthoNet(3, random_state=0, **options).fit(clouds.graph)
        np.testing.assert_array_equal(model.embedding_, plain.embedding_)
        np.testing.assert_array_equal(model.labels_, plain.labels_)


@pytest.mark.parametrize(
    "aggregation",
    [
        {"method": "power", "p": -3, "solver": "exact"},
        {"method": "projection", "alpha": 0.9},
        {"method": "geometric", "step": 1.0, "max_iter": 2},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore")
def test_options_reach_the_aggregation(clouds, aggregation):
    graph = MultilayerGraph(clouds.graph.layers)
    alike = {"layer_weights": None, "training": {"max_iter": 2}, "random_state": 0}
    model = OrthoNet(3, aggregation=aggregation, **alike).fit(graph)
    expected = aggregate(graph, **aggregation, n_components=3).info
    rounded = {"seconds": 0, "residual": pytest.approx(expected.get("residual"))}  # a fit computes on one thread
    assert {**rounded, **model.aggregation_, "seconds": 0} == {**expected, **rounded}


def test_options_of_the_aggregation_change_the_embedding(clouds):
    first, second = (
        OrthoNet(3, aggregation={"method": "power", "p": p}, training={"max_iter": 5}, random_state=0).fit(clouds.graph)
        for p in (-10, 2)
    )
    assert not np.allclose(first.embedding_, second.embedding_)


def test_two_underscores_lead_to_an_option_and_keep_the_others():
    model = OrthoNet(training={"tol": 0.1}, network="gcn")
    model.set_params(training__max_iter=5, network__activation="relu", aggregation__p=3, n_clusters=4)
    assert model.training == {"tol": 0.1, "max_iter": 5}
    assert model.network == {"kind": "gcn", "activation": "relu"}
    assert model.aggregation == {"method": "geometric", "p": 3}
    assert model.n_clusters == 4
    with pytest.raises(ValueError, match="Invalid parameter 'max_iter'"):
        model.set_params(max_iter=3)


def test_nothing_the_user_passed_is_changed(clouds):
    training, network = {"max_iter": 2}, {"hidden_layers": [20]}
    model = OrthoNet(3, training=training, network=network).fit(clouds.graph)
    model.set_params(training__max_iter=3)
    assert (training, network) == ({"max_iter": 2}, {"hidden_layers": [20]})


def test_a_grid_over_options(clouds):
    search = GridSearchCV(
        OrthoNet(3, random_state=0), {"training__max_iter": [1, 40]}, scoring="adjusted_rand_score", cv=2
    )
    assert search.fit(clouds.graph.features, clouds.labels).best_params_["training__max_iter"] in (1, 40)


@pytest.mark.parametrize("training", [None, {"max_iter": 3}, Training(max_iter=3)], ids=str)
def test_clones_have_the_same_options(training):
    model = OrthoNet(3, training=training, network={"hidden_layers": (9,)})
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("given", "loaded"),
    [
        ({"training": {"max_iter": 2, "tol": 0.1}}, {"training": {"max_iter": 2, "tol": 0.1}}),
        ({"network": {"kind": "mlp", "hidden_layers": [9, 5]}}, {"network": {"kind": "mlp", "hidden_layers": (9, 5)}}),
        ({"aggregation": {"method": "power", "p": np.float64(2)}}, {"aggregation": {"method": "power", "p": 2.0}}),
        ({"assign_labels": {"normalize_rows": np.True_}}, {"assign_labels": {"normalize_rows": True}}),
    ],
    ids=str,
)
def test_options_are_saved_and_loaded(clouds, tmp_path, given, loaded):
    options = {"training": {"max_iter": 2}} | given
    model = OrthoNet(3, random_state=0, **options).fit(clouds.graph)
    model.save(tmp_path / "model")
    again = OrthoNet.load(tmp_path / "model")
    assert again.get_params() == {**model.get_params(), **loaded}
    np.testing.assert_array_equal(again.predict_proba(clouds.graph), model.predict_proba(clouds.graph))


def test_a_training_object_is_saved_as_a_mapping(clouds, tmp_path):
    model = OrthoNet(3, training=Training(max_iter=2), random_state=0).fit(clouds.graph)
    model.save(tmp_path / "model")
    again = OrthoNet.load(tmp_path / "model")
    assert Training(**again.training) == Training(max_iter=2)


def test_a_model_trained_on_a_device_that_is_not_here_can_be_used(clouds, tmp_path):
    model = OrthoNet(3, training={"max_iter": 2, "device": "cpu"}, random_state=0).fit(clouds.graph)
    model.save(tmp_path / "model")
    index = json.loads((tmp_path / "model" / "model.json").read_text())
    index["parameters"]["training"]["device"] = "cuda:99"
    (tmp_path / "model" / "model.json").write_text(json.dumps(index))
    again = OrthoNet.load(tmp_path / "model")
    assert again.training["device"] == "cuda:99"
    np.testing.assert_array_equal(again.predict(clouds.graph), model.predict(clouds.graph))


def test_changing_a_parameter_after_the_fit_changes_no_prediction(clouds):
    model = OrthoNet(3, training={"max_iter": 5}, random_state=0).fit(clouds.graph)
    model.set_params(smoothing=2, assign_labels={"normalize_rows": False}, layer_weights=[1, 2, 3])
    np.testing.assert_array_equal(model.predict(clouds.graph.features), model.labels_)


def test_options_with_their_defaults_are_left_out():
    given = {
        "n_clusters": 4,
        "aggregation": {"method": "power", "solver": "auto"},
        "network": {"hidden_layers": "auto"},
        "assign_labels": {"method": "cluster_qr", "n_init": 3},
        "training": {"max_iter": "auto", "device": "auto", "tol": 0.1},
    }
    assert without_defaults(given) == {
        "n_clusters": 4,
        "aggregation": "power",
        "network": "mlp",
        "assign_labels": {"method": "cluster_qr", "n_init": 3},
        "training": {"tol": 0.1},
    }
    module = torch.nn.Linear(2, 3)
    assert without_defaults({"network": module}) == {"network": module}


def test_auto_is_the_papers_training_where_labels_come_from_the_embedding_alone():
    paper, evidence = (
        check_parameters(OrthoNet(3, assign_labels=how).get_params(deep=False)) for how in ("kmeans", "evidence")
    )
    training, network = paper.decided().training, paper.decided().network
    assert (training.output_layer, training.learning_rate, training.max_iter, training.n_networks) == (
        "trained",
        1e-3,
        200,
        3,
    )
    assert network.hidden_layers == (400, 200, 100)
    training, network = evidence.decided().training, evidence.decided().network
    assert (training.output_layer, training.learning_rate, training.max_iter, training.n_networks) == (
        "exact",
        1e-2,
        20,
        1,
    )
    assert network.hidden_layers == (256, 128)


@pytest.mark.parametrize(
    "given", [{"network": "gcn"}, {"training": {"batch_size": 50}}, {"training": {"output_layer": "trained"}}]
)
def test_auto_trains_the_last_layer_where_it_cannot_or_shall_not_be_solved_for(given):
    assert check_parameters(OrthoNet(3, **given).get_params(deep=False)).decided().training.output_layer == "trained"


def test_as_many_units_as_clusters_and_no_exact_output_of_other_nets():
    many = check_parameters(OrthoNet(300).get_params(deep=False)).decided()
    assert many.network.hidden_layers == (256, 300)
    other = check_parameters(OrthoNet(3, network="gcn", training={"output_layer": "exact"}).get_params(deep=False))
    with pytest.raises(ValueError, match="output_layer='exact' is for network='mlp', but network is 'gcn'"):
        other.decided()
