"""OrthoNet on two-mode relations: fit, place by memberships, save and load."""

import json
import warnings

import numpy as np
import pytest

from orthonet import MultilayerGraph, OrthoNet, TwoMode, metrics
from orthonet.datasets.sbm import block_layer

QUICK = {"max_iter": 5, "n_networks": 1}
N_NODES, N_GROUPS, N_CLUSTERS = 150, 30, 3
TRUTH = np.arange(N_NODES) % N_CLUSTERS
NAMES = [f"group {index}" for index in range(N_GROUPS)]


def counts(seed, truth=TRUTH):
    rng = np.random.default_rng(seed)
    own = np.arange(N_GROUPS) % N_CLUSTERS == truth[:, None]
    found = rng.poisson(np.where(own, 0.8, 0.05)).astype(float)
    found[np.arange(len(truth)), truth] += 1  # nobody is in no group
    return found


def graph_of(names=NAMES, **options):
    two_mode = {"visits": TwoMode(counts(0), names), "buys": TwoMode(counts(1), names)}
    return MultilayerGraph(two_mode=two_mode, node_ids=[f"n{index}" for index in range(N_NODES)], **options)


def quick(**options):
    return OrthoNet(N_CLUSTERS, training=QUICK, random_state=0, **options)


@pytest.fixture(scope="module")
def fitted():
    return quick().fit(graph_of())


def test_a_fit_on_two_mode_relations_alone(fitted):
    assert metrics.nmi(TRUTH, fitted.labels_) > 0.95
    assert fitted.source_names_ == fitted.layer_names_ == ("visits", "buys")
    assert fitted.evidence_.shape == (N_NODES, 2)
    assert (fitted.corroboration_ > 0.5).all()
    assert fitted.layer_weights_.sum() == pytest.approx(1)
    assert fitted.edge_evidence_.shape == (0, N_CLUSTERS, N_CLUSTERS)
    assert fitted.membership_evidence_.shape == (N_CLUSTERS, 2 * N_GROUPS)
    assert fitted.group_counts_.tolist() == [N_GROUPS, N_GROUPS]
    assert fitted.history_["loss"].size == 5


def test_each_group_speaks_for_its_cluster_in_the_order_of_the_relations(fitted):
    wanted = [np.bincount(fitted.labels_[one == TRUTH]).argmax() for one in range(N_CLUSTERS)]
    for relation in np.split(fitted.membership_evidence_, 2, axis=1):
        assert (relation.argmax(axis=0) == np.array(wanted)[np.arange(N_GROUPS) % N_CLUSTERS]).all()


def test_new_nodes_are_placed_by_memberships_in_known_groups(fitted):
    truth = np.random.default_rng(5).integers(0, N_CLUSTERS, 60)
    order = np.random.default_rng(6).permutation(N_GROUPS)
    known = TwoMode(
        np.hstack([counts(7, truth)[:, order], np.ones((60, 1))]), [*(NAMES[one] for one in order), "never seen"]
    )
    new = MultilayerGraph(two_mode={"visits": known}, node_ids=[f"new {index}" for index in range(60)])
    probabilities = fitted.predict_proba(new)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert metrics.nmi(truth, fitted.predict(new)) > 0.8


def test_groups_without_names_must_be_the_same_columns():
    model = quick().fit(graph_of(names=None))
    assert (model.predict(graph_of(names=None)) == model.labels_).mean() > 0.95
    fewer = MultilayerGraph(two_mode={"visits": counts(0)[:, :5]})
    with pytest.raises(
        ValueError, match="has 5 groups without names, the model was fitted on 30; pass the same columns"
    ):
        model.predict(fewer)


def test_unnamed_groups_for_a_model_with_names(fitted):
    with pytest.raises(ValueError, match="without names, the model was fitted on 30 with names"):
        fitted.predict(graph_of(names=None))


def test_features_alone_do_not_place_nodes_of_a_model_without_features(fitted):
    with pytest.raises(ValueError, match="memberships in known groups"):
        fitted.predict(np.ones((2, 3)))


def test_relations_beside_layers_and_features():
    rng = np.random.default_rng(3)
    layer = block_layer(TRUTH, 0.2, 0.02, rng)
    features = np.eye(3)[TRUTH] + 0.3 * rng.standard_normal((N_NODES, 3))
    graph = graph_of(layers={"edges": layer}, features=features)
    model = quick().fit(graph)
    assert metrics.nmi(TRUTH, model.labels_) > 0.95
    assert model.source_names_ == ("edges", "visits", "buys", "features")
    assert model.layer_names_ == ("edges", "visits", "buys", "features")
    assert metrics.nmi(model.labels_, model.predict(graph)) > 0.95
    weighted = quick(layer_weights=[1, 0, 3]).fit(graph)
    assert weighted.layer_weights_[1] == 0
    with pytest.raises(ValueError, match="one number for each of the 3 layers"):
        quick(layer_weights=[1]).fit(graph)


def test_labels_do_not_depend_on_how_nodes_and_relations_are_ordered(fitted):
    order = np.random.default_rng(0).permutation(N_NODES)
    given = graph_of()
    turned = MultilayerGraph(two_mode=dict(reversed(given.two_mode.items()))).subgraph(order)
    other = quick().fit(turned)
    assert other.source_names_ == ("buys", "visits")
    assert metrics.nmi(fitted.labels_[order], other.labels_) > 0.99


def test_nodes_in_no_group_get_a_label():
    sparse = counts(0)
    sparse[:5] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of isolated nodes
        model = quick().fit(MultilayerGraph(two_mode={"visits": sparse}))
    assert metrics.nmi(TRUTH[5:], model.labels_[5:]) > 0.8
    np.testing.assert_array_equal(model.evidence_[:5], 0)


def test_saved_and_loaded(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    loaded = OrthoNet.load(tmp_path / "model")
    graph = graph_of()
    np.testing.assert_array_equal(loaded.predict_proba(graph), fitted.predict_proba(graph))
    np.testing.assert_array_equal(loaded.membership_evidence_, fitted.membership_evidence_)


def test_group_names_that_do_not_fit_the_arrays(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    index = json.loads(file.read_text())
    index["fitted"]["groups"][0][1].pop()
    file.write_text(json.dumps(index))
    with pytest.raises(ValueError, match="names of groups and the numbers of groups do not agree"):
        OrthoNet.load(tmp_path / "model")


def test_the_papers_way_explains_its_labels_by_memberships_too():
    model = OrthoNet(N_CLUSTERS, assign_labels="kmeans", layer_weights=None, random_state=0).fit(graph_of())
    assert metrics.nmi(TRUTH, model.labels_) > 0.9
    assert model.source_names_ == ("visits", "buys")
