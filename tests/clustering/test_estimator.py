"""The estimator end to end: what it accepts, what it promises, what it refuses."""

import warnings

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.sparse import coo_array, csc_array, csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from orthonet import MultilayerGraph, OrthoNet, datasets, metrics

PAPER = {"assign_labels": "kmeans", "layer_weights": None}
"""The paper's way."""


@pytest.fixture(scope="module")
def fitted(request):
    clouds = request.getfixturevalue("clouds")
    return OrthoNet(3, random_state=0).fit(clouds.graph)


@pytest.fixture(scope="module")
def plain(clouds):
    """A model of features and layers that were passed one by one."""
    return OrthoNet(3, random_state=0).fit(clouds.graph.features, layers=clouds.graph.layers)


def test_finds_the_clusters_and_places_new_nodes(clouds):
    features, labels = clouds.graph.features, clouds.labels
    known = np.arange(len(labels)) % 4 > 0
    layers = [layer[known][:, known] for layer in clouds.graph.layers]
    model = OrthoNet(3, random_state=0).fit(features[known], layers=layers)
    assert metrics.nmi(labels[known], model.labels_) > 0.95
    assert metrics.nmi(labels[~known], model.predict(features[~known])) > 0.9


def test_fitted_attributes(fitted, clouds):
    assert fitted.labels_.shape == (150,)
    assert fitted.embedding_.shape == (150, 3)
    assert fitted.cluster_centers_.shape == (3, 3)
    assert fitted.n_features_in_ == 6
    assert fitted.layer_names_ == (*clouds.graph.layer_names, "features")  # the features' own layer included
    assert fitted.layer_weights_.sum() == pytest.approx(1)
    assert (fitted.layer_weights_ > 0).all()
    assert fitted.source_names_ == (
        *clouds.graph.layer_names,
        "features",
    )  # all groups together show what none shows alone
    assert fitted.evidence_.shape == (150, 4)
    assert fitted.corroboration_.shape == (4,)
    assert fitted.edge_evidence_.shape == (3, 3, 3)
    assert len(fitted.history_["loss"]) == fitted.n_iter_
    assert fitted.aggregation_["method"] == "geometric"


@pytest.mark.parametrize(("n_clusters", "scale"), [(3, 1.0), (40, 1.0), (8, 1e-3)])
def test_the_embedding_is_orthonormal(clouds, n_clusters, scale):
    graph = MultilayerGraph(clouds.graph.layers, clouds.graph.features * scale)
    model = OrthoNet(n_clusters, random_state=0, feature_scaling="none", training={"max_iter": 30}).fit(graph)
    np.testing.assert_allclose(model.embedding_.T @ model.embedding_, np.eye(n_clusters), atol=1e-4)


@pytest.mark.parametrize("options", [{}, PAPER], ids=["default", "paper"])
def test_too_few_different_nodes_for_so_many_clusters(rng, options):
    features = np.repeat(rng.standard_normal((4, 3)), 10, axis=0)
    with pytest.warns(UserWarning) as told:
        model = OrthoNet(8, random_state=0, training={"max_iter": 10}, **options).fit(features)
    messages = " ".join(str(one.message) for one in told)
    assert "outputs span 4 of 8 dimensions" in messages
    found = len(np.unique(model.labels_))
    assert f"only {found} of 8 clusters could be told apart" in messages
    # In the embedding equal nodes are one point; as evidence they differ in their neighbours, which are chosen among equals.
    assert found == 4 if options else 4 <= found < 8
    assert all(one.filename == __file__ for one in told)


def test_known_nodes_are_predicted_as_labelled(fitted, clouds):
    np.testing.assert_array_equal(fitted.predict(clouds.graph.features), fitted.labels_)
    np.testing.assert_allclose(fitted.transform(clouds.graph.features), fitted.embedding_)
    # Features and edges place a node that lies between clusters by less than all that the fit knew of it.
    assert np.mean(fitted.predict(clouds.graph) == fitted.labels_) > 0.99


def test_cluster_0_is_the_largest(rng):
    features = np.vstack([rng.normal(0, 0.3, (20, 2)), rng.normal(5, 0.3, (50, 2)), rng.normal(-5, 0.3, (30, 2))])
    model = OrthoNet(3, random_state=0).fit(features)
    assert np.bincount(model.labels_).tolist() == [50, 30, 20]


def test_three_ways_to_pass_the_same_data(fitted, plain, clouds):
    relations = MultilayerGraph(clouds.graph.layers, clouds.graph.features)
    np.testing.assert_array_equal(plain.embedding_, OrthoNet(3, random_state=0).fit(relations).embedding_)
    np.testing.assert_array_equal(OrthoNet(3, random_state=0).fit_predict(clouds.graph), fitted.labels_)
    np.testing.assert_array_equal(OrthoNet(3, random_state=0).fit_transform(clouds.graph), fitted.embedding_)


def test_layers_weigh_the_same_in_the_papers_way(clouds):
    model = OrthoNet(3, random_state=0, training={"max_iter": 2}, **PAPER).fit(clouds.graph)
    np.testing.assert_allclose(model.layer_weights_, [0.8 / 3] * 3 + [0.2])


def test_features_beside_relations_are_averaged_for_their_layer_but_not_for_the_net(rng):
    labels = np.arange(120) % 3
    same = labels[:, None] == labels
    relation = np.triu(rng.random((120, 120)) < np.where(same, 0.15, 0.01), 1).astype(float)
    features = 0.4 * np.eye(3)[labels] + rng.normal(size=(120, 3))  # too noisy to tell the classes alone
    graph = MultilayerGraph([relation + relation.T], features)
    model = OrthoNet(3, random_state=0, **PAPER).fit(graph)
    assert model.aggregation_["layer_weights"]["features"] == pytest.approx(0.5)
    by_features = OrthoNet(3, random_state=0, **PAPER).fit(features).labels_
    assert metrics.nmi(labels, model.labels_) > metrics.nmi(labels, by_features)
    assert len(model.predict(features[:5])) == 5  # new nodes need no edges
    made = MultilayerGraph(graph.layers, features, layers_from_features=True)
    weights = OrthoNet(3, random_state=0, **PAPER).fit(made).aggregation_["layer_weights"]
    assert weights["features"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    "convert", [np.asfortranarray, pd.DataFrame, lambda x: x.astype(np.float32), lambda x: x.tolist()]
)
def test_kinds_of_features(clouds, plain, convert):
    features, layers = clouds.graph.features, clouds.graph.layers
    model = OrthoNet(3, random_state=0).fit(convert(features), layers=layers)
    assert metrics.adjusted_rand(model.labels_, plain.labels_) == 1


@pytest.mark.parametrize("convert", [csr_array, csc_array, coo_array])
def test_sparse_features_stay_sparse_and_give_the_same(rng, convert):
    topic = np.arange(90) % 3
    counts = rng.poisson(0.2, (90, 30)) + rng.poisson(3, (90, 30)) * (np.arange(30) // 10 == topic[:, None])
    model = OrthoNet(3, random_state=0).fit(convert(counts))
    assert metrics.adjusted_rand(topic, model.labels_) == 1
    dense = OrthoNet(3, random_state=0, feature_scaling="unit").fit(counts)
    # Words and values are not the same evidence, so that clusters of equal size may have other numbers.
    assert metrics.adjusted_rand(dense.labels_, model.labels_) == 1
    np.testing.assert_array_equal(model.predict(convert(counts)), model.labels_)


def test_same_seed_same_labels_whatever_ran_before_and_global_state_untouched(fitted, clouds):
    np.random.seed(7)  # noqa: NPY002
    torch.manual_seed(7)
    before_numpy, before_torch = np.random.get_state()[1].copy(), torch.get_rng_state()  # noqa: NPY002
    again = OrthoNet(3, random_state=0).fit(clouds.graph)
    short = OrthoNet(3, training={"max_iter": 2})
    short.fit(clouds.graph)  # random_state=None draws fresh entropy, not the global state
    np.testing.assert_array_equal(again.embedding_, fitted.embedding_)
    np.testing.assert_array_equal(again.labels_, fitted.labels_)
    np.testing.assert_array_equal(np.random.get_state()[1], before_numpy)  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), before_torch)


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, lambda: torch.autocast("cpu", torch.bfloat16)])
def test_the_callers_torch_modes_change_nothing(fitted, clouds, mode):
    with mode():
        model = OrthoNet(3, random_state=0).fit(clouds.graph)
        np.testing.assert_array_equal(model.predict(clouds.graph.features), fitted.labels_)
    np.testing.assert_array_equal(model.embedding_, fitted.embedding_)


def test_other_seeds_and_generators_differ_but_agree_on_clusters(fitted, clouds):
    for random_state in (1, np.random.default_rng(5), np.random.RandomState(5)):
        other = OrthoNet(3, random_state=random_state).fit(clouds.graph)
        assert not np.allclose(other.embedding_, fitted.embedding_)
        assert metrics.adjusted_rand(other.labels_, fitted.labels_) > 0.95


def test_permuting_the_nodes_permutes_the_labels(fitted, clouds, rng):
    order = rng.permutation(150)
    permuted = OrthoNet(3, random_state=0).fit(clouds.graph.subgraph(order))
    np.testing.assert_array_equal(permuted.labels_, fitted.labels_[order])


@pytest.mark.parametrize("options", [{}, PAPER], ids=["default", "paper"])
@pytest.mark.parametrize("seed", range(3))
def test_permuting_the_nodes_permutes_the_partition(seed, options):
    """Also where clusters overlap and K-means has many optima; clusters of nearly equal size may swap their names there."""
    data = datasets.make_multilayer_gaussians(200, 3, 6, 2, separation=2.5, n_neighbors=10, random_state=seed)
    order = np.random.default_rng(seed).permutation(200)
    plain = OrthoNet(6, random_state=0, **options).fit(data.graph)
    permuted = OrthoNet(6, random_state=0, **options).fit(data.graph.subgraph(order))
    # A node halfway between two clusters may fall either way with the rounding of sums.
    assert metrics.adjusted_rand(permuted.labels_, plain.labels_[order]) > 0.95


def test_one_layer_three_times_equals_once(clouds):
    features, layer = clouds.graph.features, clouds.graph.layers[0]
    once = OrthoNet(3, random_state=0, **PAPER).fit(features, layers=[layer])
    thrice = OrthoNet(3, random_state=0, **PAPER).fit(features, layers=[layer] * 3)
    np.testing.assert_array_equal(once.labels_, thrice.labels_)
    np.testing.assert_allclose(once.history_["loss"], thrice.history_["loss"], rtol=1e-4)


def test_layers_without_features_use_one_hot_vectors(rng):
    truth = np.arange(120) % 3
    layers = []
    for _ in range(2):
        chosen = np.triu(rng.random((120, 120)) < np.where(truth[:, None] == truth, 0.3, 0.03), 1)
        layers.append(chosen | chosen.T)
    model = OrthoNet(3, random_state=0).fit(None, layers=layers)
    assert metrics.nmi(truth, model.labels_) > 0.95
    assert model.n_features_in_ == 0
    for method in (model.predict, model.transform):
        with pytest.raises(ValueError, match="fitted on layers without features"):
            method(np.eye(120))


def test_a_node_missing_from_a_layer_is_placed_by_the_others(clouds):
    graph = clouds.graph
    held = np.arange(150) >= 10
    mask = held[:, None] & held
    layers = [graph.layers[0].multiply(mask), *graph.layers[1:]]
    partial = MultilayerGraph(layers, graph.features, present=[held, None, None])
    model = OrthoNet(3, random_state=0).fit(partial)
    assert metrics.nmi(clouds.labels, model.labels_) > 0.95


def test_features_keep_their_names(clouds):
    frame = pd.DataFrame(clouds.graph.features, columns=list("abcdef"))
    model = OrthoNet(3, random_state=0, training={"max_iter": 3}).fit(MultilayerGraph(clouds.graph.layers, frame))
    assert model.feature_names_in_.tolist() == list("abcdef")
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[list("fedcba")])
    model.fit(clouds.graph)
    assert not hasattr(model, "feature_names_in_")


def test_works_in_a_pipeline_and_a_grid_search(clouds):
    features, labels = clouds.graph.features, clouds.labels
    pipeline = make_pipeline(StandardScaler(), OrthoNet(3, random_state=0))
    assert metrics.nmi(labels, pipeline.fit_predict(features)) > 0.9
    search = GridSearchCV(
        OrthoNet(random_state=0, training={"max_iter": 40}), {"n_clusters": [2, 3]}, scoring="adjusted_rand_score", cv=2
    )
    search.fit(features, labels)
    assert search.best_params_ == {"n_clusters": 3}


def test_clone_keeps_parameters_and_forgets_the_fit(fitted):
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        copy.predict(np.zeros((2, 6)))


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_clusters": 1}, ValueError, "n_clusters must be an integer >= 2, got 1"),
        ({"n_clusters": 2.5}, TypeError, "n_clusters must be an integer >= 2, got 2.5 of type float"),
        ({"n_clusters": 151}, ValueError, "n_clusters=151 is more than the 150 nodes"),
        ({"aggregation": "median"}, ValueError, "aggregation must be one of"),
        ({"epsilon": -1}, ValueError, "epsilon must be a finite number > 0, got -1"),
        ({"training": {"learning_rate": 0}}, ValueError, "learning_rate must be a finite number > 0"),
        ({"training": {"max_iter": 0}}, ValueError, "max_iter must be an integer >= 1"),
        ({"training": {"tol": -0.1}}, ValueError, "tol must be a finite number >= 0"),
        ({"network": {"hidden_layers": 100}}, TypeError, "hidden_layers must be a sequence of integers, got 100"),
        ({"network": {"hidden_layers": (100, 0)}}, ValueError, r"hidden_layers\[1\] must be an integer >= 1, got 0"),
        ({"feature_scaling": "minmax"}, ValueError, "feature_scaling must be one of"),
        ({"random_state": "seed"}, TypeError, "random_state must be an integer >= 0, got 'seed'"),
        (
            {"network": {"hidden_layers": (9, 1)}},
            ValueError,
            r"n_clusters=3 outputs cannot be independent.*hidden_layers=\(9, 3\)",
        ),
        (
            {"layer_weights": "abc"},
            TypeError,
            "layer_weights must be 'auto', None or numbers >= 0, one for each of the layers, got 'abc'",
        ),
        ({"layer_weights": [1]}, ValueError, "layer_weights must hold one number for each of the 3 layers"),
    ],
)
def test_bad_parameters_are_named(clouds, parameters, error, message):
    with pytest.raises(error, match=message):
        OrthoNet(**{"n_clusters": 3, **parameters}).fit(clouds.graph)


def test_bad_data_is_named(clouds, fitted):
    features, layers = clouds.graph.features, clouds.graph.layers
    hole = features.copy()
    hole[7, 2] = np.nan
    cases = [
        (lambda: OrthoNet(3).fit(None), "needs a MultilayerGraph, features X, or layers="),
        (lambda: OrthoNet(3).fit(clouds.graph, layers=layers), "not both"),
        (lambda: OrthoNet(3).fit(features[:9], layers=layers), "features has 9 rows, but the graph has 150 nodes"),
        (lambda: OrthoNet(3).fit(hole), "X contains NaN or infinity: 1 entries, the first NaN at row 7, column 2"),
        (lambda: OrthoNet(3).fit(np.ones((20, 3))), "all 3 columns are constant"),
        (lambda: fitted.predict(features[:, :4]), "4 features, but OrthoNet is expecting 6 features"),
        (lambda: fitted.predict(None), "X is None; pass features"),
        (lambda: OrthoNet(3).fit(features, layers=clouds.graph), "not both"),
    ]
    for call, message in cases:
        with pytest.raises(ValueError, match=message):
            call()


def test_some_constant_features_warn_and_change_nothing(fitted, clouds):
    widened = np.hstack([clouds.graph.features, np.full((150, 2), 3.0)])
    with pytest.warns(UserWarning, match=r"2 of 8 columns are constant \(column 6, 7\)"):
        model = OrthoNet(3, random_state=0).fit(widened, layers=clouds.graph.layers)
    assert metrics.adjusted_rand(model.labels_, fitted.labels_) > 0.95


def test_a_fit_that_fails_or_is_interrupted_leaves_the_earlier_one(clouds, monkeypatch):
    frame = pd.DataFrame(clouds.graph.features, columns=list("abcdef"))
    model = OrthoNet(3, random_state=0, training={"max_iter": 5}).fit(frame)
    before = model.labels_.copy()
    with pytest.raises(ValueError, match="features has 150 rows, but the graph has 3 nodes"):
        model.fit(clouds.graph.features[:, :4], layers=[np.ones((3, 3))])

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    for step in ("search_partitions", "aggregate", "train", "judge", "train_head"):
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(f"orthonet.clustering.fit.{step}", interrupt)
            model.fit(clouds.graph.features[:, :4])
    model.set_params(**PAPER)
    for step in ("aggregate", "train", "assign"):
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(f"orthonet.clustering.fit.{step}", interrupt)
            model.fit(clouds.graph.features[:, :4])
    np.testing.assert_array_equal(model.predict(frame), before)


def test_frames_in_another_order_are_refused(clouds):
    names = [f"node {index}" for index in range(150)]
    frame = pd.DataFrame(clouds.graph.features, index=names)
    layer = pd.DataFrame(clouds.graph.layers[0].toarray(), index=names, columns=names)
    OrthoNet(3, training={"max_iter": 2}).fit(frame, layers=[layer])
    with pytest.raises(ValueError, match="the index of features differs from the node ids at position 0"):
        OrthoNet(3).fit(frame.iloc[::-1], layers=[layer])


def test_predicting_on_a_graph_compares_names_and_numbers(fitted, clouds):
    graph = clouds.graph
    named = MultilayerGraph(graph.layers, pd.DataFrame(graph.features, columns=list("abcdef")))
    renamed = MultilayerGraph(graph.layers, pd.DataFrame(graph.features, columns=list("uvwxyz")))
    model = OrthoNet(3, random_state=0, training={"max_iter": 3}).fit(named)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(named)
    with pytest.raises(ValueError, match="not those that the model was fitted on"):
        model.predict(renamed)
    with pytest.raises(ValueError, match=r"features of the graph \(4\) are not those .* \(6\)"):
        fitted.predict(MultilayerGraph(graph.layers, graph.features[:, :4]))
    with pytest.raises(ValueError, match="the graph has no features"):
        fitted.predict(MultilayerGraph(graph.layers))


def test_output_as_a_frame(fitted, clouds):
    frame = clone(fitted).set_output(transform="pandas").fit(clouds.graph.features).transform(clouds.graph.features)
    assert frame.columns.tolist() == ["orthonet0", "orthonet1", "orthonet2"]
