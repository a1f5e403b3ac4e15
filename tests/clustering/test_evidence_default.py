"""The default, assign_labels="evidence" and layer_weights="auto": right where one kind of data is poor, and honest about it."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet import MultilayerGraph, OrthoNet, datasets, metrics

QUICK = {"max_iter": 5, "n_networks": 1}
DISAGREE = r"the sources \(.*\) do not agree on anything"
FEATURES_ARE_POOR = r"features alone give \d+% of the nodes their cluster"


def company(**options):
    """Draw the tutorial's company: 240 people, three relations, four teams."""
    teams = {"p_in": 0.15, "p_out": 0.02, "n_features": 3, "feature_noise": 0.5, "random_state": 1}
    return datasets.make_multilayer_sbm(240, 3, 4, **teams | options)


def reversed_company(random_state):
    """Draw one whose relations are nearly random, and whose features tell the teams apart by themselves."""
    return company(p_in=0.055, p_out=0.05, n_features=8, feature_noise=0.3, random_state=random_state)


def quick(n_clusters=4, **options):
    return OrthoNet(n_clusters, training=QUICK, random_state=0, **options)


def with_category(graph, seed):
    """Add a one-hot category of five values that says nothing."""
    category = np.eye(5)[np.random.default_rng(seed).integers(0, 5, graph.n_nodes)]
    return MultilayerGraph(graph.layers, np.hstack([graph.features, category]), graph.layer_names)


def topics(n_nodes=150, n_words=400, seed=0):
    """Draw counts of words as 3sources has them, nearly all 0: each topic has words of its own, and all share some."""
    rng, topic = np.random.default_rng(seed), np.arange(n_nodes) % 3
    own = (np.arange(n_words) % 8)[None, :] == topic[:, None]
    counts = rng.poisson(np.where(own, 0.3, 0.02)).astype(float)
    return counts[:, counts.any(axis=0)], topic


@pytest.fixture(scope="module")
def data():
    return company()


@pytest.fixture(scope="module")
def fitted(data):
    return quick().fit(data.graph)


# Right where one kind of data is poor


def test_the_company_comes_out_right(data, fitted):
    assert metrics.nmi(data.labels, fitted.labels_) >= 0.95


@pytest.mark.parametrize("seed", range(1, 4))
def test_poor_features_do_no_harm_and_are_said_to_be_poor(seed):
    data = company(feature_noise=5.0, random_state=seed)
    with pytest.warns(UserWarning, match=FEATURES_ARE_POOR):
        model = quick().fit(data.graph)
    assert metrics.nmi(data.labels, model.labels_) >= 0.95
    weights = dict(zip(model.layer_names_, model.layer_weights_, strict=True))
    assert weights["features"] < 0.25  # 0.5 without a look at the data


def test_good_features_are_not_said_to_be_poor(data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quick().fit(data.graph)


@pytest.mark.parametrize("seed", range(3))
def test_a_useless_category_does_no_harm(data, seed):
    model = quick().fit(with_category(data.graph, seed))
    assert metrics.nmi(data.labels, model.labels_) >= 0.95


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.filterwarnings("ignore:features alone give", "ignore:layer 'features'. 5 components")
def test_a_useless_category_beside_poor_features_does_no_harm(seed):
    data = company(feature_noise=5.0)
    model = quick().fit(with_category(data.graph, seed))
    assert metrics.nmi(data.labels, model.labels_) >= 0.95


@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.filterwarnings(f"ignore:{DISAGREE}")
def test_poor_relations_beside_good_features_do_no_harm(seed):
    data = reversed_company(seed)
    assert metrics.nmi(data.labels, quick().fit(data.graph.features).labels_) == pytest.approx(1)
    assert metrics.nmi(data.labels, quick().fit(data.graph).labels_) >= 0.95


# What it says of its labels


def test_labels_are_where_probabilities_are_largest(fitted):
    assert fitted.probabilities_.shape == (240, 4)
    np.testing.assert_allclose(fitted.probabilities_.sum(axis=1), 1)
    np.testing.assert_array_equal(fitted.probabilities_.argmax(axis=1), fitted.labels_)
    np.testing.assert_array_equal(fitted.confidence_, fitted.probabilities_.max(axis=1))


def test_clusters_are_numbered_by_falling_size(fitted):
    assert (np.diff(np.bincount(fitted.labels_, minlength=4)) <= 0).all()
    assert fitted.n_clusters_ == 4


def test_evidence_has_a_column_per_source_and_speaks_for_the_labels(data, fitted):
    assert fitted.source_names_ == (*data.graph.layer_names, "features")
    assert fitted.evidence_.shape == (240, len(fitted.source_names_))
    assert (fitted.evidence_.sum(axis=1) >= 0).mean() >= 0.95


def test_corroboration_lies_between_0_and_1_and_noise_has_none(data, fitted, rng):
    assert fitted.corroboration_.shape == (4,)
    assert ((fitted.corroboration_ >= 0) & (fitted.corroboration_ <= 1)).all()
    noise = np.triu(rng.random((240, 240)) < 0.05, 1).astype(float)
    layers = [*data.graph.layers, noise + noise.T]
    model = quick().fit(data.graph.features, layers=layers)
    found = dict(zip(model.source_names_, model.corroboration_, strict=True))
    assert found["layer 3"] == min(found.values()) < 0.1
    weights = dict(zip(model.layer_names_, model.layer_weights_, strict=True))
    assert weights["layer 3"] == min(weights.values())
    assert metrics.nmi(data.labels, model.labels_) >= 0.95


def test_layer_weights_sum_to_1_with_the_features_own_layer(data, fitted):
    assert fitted.layer_names_ == (*data.graph.layer_names, "features")
    assert fitted.layer_weights_.shape == (4,)
    assert fitted.layer_weights_.sum() == pytest.approx(1)
    assert (fitted.layer_weights_ > 0).all()
    assert dict(zip(fitted.layer_names_, fitted.layer_weights_, strict=True)) == pytest.approx(
        fitted.aggregation_["layer_weights"]
    )


def test_relations_of_nothing_are_not_called_sure(rng):
    noise = [np.triu(rng.random((240, 240)) < 0.05, 1).astype(float) for _ in range(3)]
    with pytest.warns(UserWarning, match=DISAGREE):
        model = quick().fit(None, layers=[layer + layer.T for layer in noise])
    assert model.confidence_.mean() < 0.7
    assert model.stability_ < 0.7


def test_nodes_whose_sources_contradict_each_other_are_less_sure(rng):
    """Nodes 0 to 19 have the edges of one cluster in the first layer, and those of the next cluster in the second."""
    torn = np.arange(200) < 20
    one = np.arange(200) % 4
    layers = []
    for cluster in (one, np.where(torn, (one + 1) % 4, one)):
        chosen = np.triu(rng.random((200, 200)) < np.where(cluster[:, None] == cluster, 0.2, 0.01), 1)
        layers.append(chosen | chosen.T)
    model = quick().fit(None, layers=layers)
    assert metrics.nmi(one[~torn], model.labels_[~torn]) >= 0.95
    assert np.median(model.confidence_[~torn]) > 0.98
    assert model.confidence_[torn].mean() < 0.8
    for_and_against = np.abs(model.evidence_).sum(axis=1) - np.abs(model.evidence_.sum(axis=1))
    assert (for_and_against[torn] > 0).mean() >= 0.95
    assert np.median(for_and_against[~torn]) == pytest.approx(0)


# What changes nothing


@pytest.mark.parametrize("seed", range(3))
def test_permuting_the_nodes_permutes_the_partition(data, fitted, seed):
    order = np.random.default_rng(seed).permutation(240)
    permuted = quick().fit(data.graph.subgraph(order))
    assert metrics.adjusted_rand(permuted.labels_, fitted.labels_[order]) >= 0.98


@pytest.mark.parametrize("order", [(2, 0, 1), (1, 0, 2), (2, 1, 0)])
def test_the_order_of_the_layers_does_not_matter(data, fitted, order):
    graph = data.graph
    layers, names = [graph.layers[one] for one in order], [graph.layer_names[one] for one in order]
    model = quick().fit(MultilayerGraph(layers, graph.features, names))
    assert metrics.adjusted_rand(model.labels_, fitted.labels_) >= 0.98
    expected = dict(zip(fitted.layer_names_, fitted.layer_weights_, strict=True))
    assert dict(zip(model.layer_names_, model.layer_weights_, strict=True)) == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize("scales", [(1000, 1, 1), (1, 1000, 0.001), (1000, 1000, 1000)], ids=str)
def test_the_scale_of_a_layers_weights_does_not_matter(data, fitted, scales):
    graph = data.graph
    layers = [layer * scale for layer, scale in zip(graph.layers, scales, strict=True)]
    model = quick().fit(MultilayerGraph(layers, graph.features, graph.layer_names))
    np.testing.assert_array_equal(model.labels_, fitted.labels_)
    np.testing.assert_allclose(model.evidence_, fitted.evidence_, rtol=1e-6, atol=1e-9)


def test_the_scale_of_the_given_weights_does_not_matter(data):
    models = [quick(layer_weights=weights).fit(data.graph) for weights in ([1, 2, 1], [10, 20, 10])]
    np.testing.assert_array_equal(models[0].labels_, models[1].labels_)
    np.testing.assert_allclose(models[0].evidence_, models[1].evidence_)


def test_same_seed_same_result(data, fitted):
    again = quick().fit(data.graph)
    for name in ("labels_", "probabilities_", "evidence_", "corroboration_", "layer_weights_", "embedding_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(fitted, name))


def test_a_layer_of_weight_0_is_as_if_it_were_not_there(data, rng):
    graph = data.graph
    noise = np.triu(rng.random((240, 240)) < 0.1, 1).astype(float)
    widened = MultilayerGraph([*graph.layers, noise + noise.T], graph.features, [*graph.layer_names, "noise"])
    model = quick(layer_weights=[1, 1, 1, 0]).fit(widened)
    plain = quick(layer_weights=[1, 1, 1]).fit(graph)
    assert metrics.adjusted_rand(model.labels_, plain.labels_) >= 0.98
    assert not model.evidence_[:, model.source_names_.index("noise")].any()


# Words


def test_dense_counts_make_the_layers_that_sparse_ones_make():
    rng = np.random.default_rng(0)
    first, second = topics(seed=0)[0], topics(n_words=300, seed=1)[0]
    # Words of different weights: nodes at equal distances would be chosen by the rounding of sums.
    first, second = (counts * rng.uniform(0.5, 1.5, counts.shape) for counts in (first, second))
    assert (np.hstack([first, second]) == 0).mean() > 0.9
    dense = MultilayerGraph.from_views([first, second])
    sparse = MultilayerGraph.from_views([csr_array(first), csr_array(second)])
    for one, other in zip(dense.layers, sparse.layers, strict=True):
        np.testing.assert_allclose(one.toarray(), other.toarray(), atol=1e-9)


def test_dense_counts_are_clustered_as_words():
    (first, topic), second = topics(seed=0), topics(n_words=300, seed=1)[0]
    dense = quick(3).fit(MultilayerGraph.from_views([first, second]))
    sparse = quick(3).fit(MultilayerGraph.from_views([csr_array(first), csr_array(second)]))
    for model in (dense, sparse):
        assert metrics.nmi(topic, model.labels_) >= 0.95
        assert np.bincount(model.labels_).max() < 75
        assert model.source_names_ == ("layer 0", "layer 1", "words")
    assert metrics.adjusted_rand(dense.labels_, sparse.labels_) >= 0.98


def test_dense_counts_alone_are_clustered_as_words():
    counts, topic = topics()
    model = quick(3).fit(counts)
    assert metrics.nmi(topic, model.labels_) >= 0.95
    np.testing.assert_array_equal(quick(3).fit(csr_array(counts)).labels_, model.labels_)
    assert metrics.nmi(topic, model.predict(counts)) >= 0.95
