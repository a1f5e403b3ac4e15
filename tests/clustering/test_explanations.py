"""Explanations agree with the fitted arrays, survive saving, and answer what they are asked."""

import json

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet import MultilayerGraph, OrthoNet, TwoMode, datasets
from orthonet.clustering.explanations import NodeExplanation, position_of

SHORT = {"max_iter": 10}


@pytest.fixture(scope="module")
def graph():
    data = datasets.make_multilayer_sbm(120, 3, 3, n_features=4, random_state=3)
    groups = csr_array((np.ones(120), (np.arange(120), data.labels * 2 + np.arange(120) % 2)), shape=(120, 6))
    return MultilayerGraph(
        data.graph.layers,
        data.graph.features,
        node_ids=[f"n{node}" for node in range(120)],
        two_mode={"club": TwoMode(groups, [f"club {group}" for group in range(6)])},
        feature_names=["a", "b", "c", "d"],
    )


@pytest.fixture(scope="module")
def model(graph):
    return OrthoNet(3, training=SHORT, random_state=0).fit(graph)


def test_what_sources_say_of_a_node_is_its_evidence(model):
    for node in (0, 50, 119):
        why = model.explain(node)
        assert [one.source for one in why.sources] == list(model.source_names_)
        np.testing.assert_allclose([one.difference for one in why.sources], model.evidence_[node])
        np.testing.assert_allclose([one.own - one.runner_up for one in why.sources], model.evidence_[node])
        assert why.cluster == model.labels_[node]
        assert why.confidence == model.confidence_[node]
        others = np.delete(model.probabilities_[node], why.cluster)
        assert why.runner_up_probability == pytest.approx(others.max())


def test_left_out_source_moves_the_nodes_that_it_alone_holds(model):
    movers = 0
    for node in range(len(model.labels_)):
        why = model.explain(node)
        total = sum(one.difference for one in why.sources)
        for one in why.sources:
            if total - one.difference < -1e-6:
                assert one.without != why.cluster
                movers += 1
    assert sum(one.movers for cluster in model.explain_clusters() for one in cluster.sources) >= movers


def test_groups_and_features_of_a_node_are_named(model, graph):
    why = model.explain("n7")
    kinds = {term.name: term for term in why.terms}
    club = next(term for name, term in kinds.items() if name.startswith("club: "))
    assert club.kind == "group"
    assert club.value == 1
    assert club.difference == pytest.approx(why.sources[model.source_names_.index("club")].difference)
    features = [term for term in why.terms if term.kind == "feature"]
    assert features
    for term in features:
        assert term.value == graph.features[7, "abcd".index(term.name)]


def test_clusters_are_whole_and_their_members_theirs(model):
    clusters = model.explain_clusters()
    assert sum(one.size for one in clusters) == 120
    for one in clusters:
        members = np.flatnonzero(model.labels_ == one.cluster)
        assert one.confidence == pytest.approx(model.confidence_[members].mean())
        assert {member.position for member in (*one.typical, *one.odd)} <= set(members.tolist())
        by_name = {source.source: source.evidence for source in one.sources}
        np.testing.assert_allclose(
            [by_name[name] for name in model.source_names_], model.evidence_[members].mean(axis=0)
        )
        groups = [term for term in one.terms if term.kind == "group"]
        assert groups[0].inside == pytest.approx(0.5, abs=0.1)
        assert groups[0].outside < 0.1
        assert one.name


def test_saved_model_explains_the_same(model, tmp_path):
    model.save(tmp_path / "model")
    loaded = OrthoNet.load(tmp_path / "model")
    assert loaded.explain("n7") == model.explain("n7")
    assert loaded.explain_clusters() == model.explain_clusters()


def test_explanations_are_plain_data_tables_and_frames(model):
    why, clusters = model.explain(3), model.explain_clusters()
    assert json.loads(json.dumps(why.to_dict()))["cluster"] == why.cluster
    assert len(json.loads(json.dumps(clusters.to_dict()))["clusters"]) == 3
    assert str(why).startswith("node n3: cluster ")
    assert "<table" in why._repr_html_()
    assert "<table" in clusters._repr_html_()
    pytest.importorskip("pandas")
    assert len(why.to_pandas()) == len(why.sources) + len(why.terms)
    assert clusters.to_pandas()["nodes"].sum() == 120


def test_numbering_of_the_nodes_does_not_matter(model, graph, rng):
    order = rng.permutation(graph.n_nodes)
    other = OrthoNet(3, training=SHORT, random_state=0).fit(graph.subgraph(order))
    here, there = model.explain("n7"), other.explain("n7")
    assert there.position == int(np.flatnonzero(order == 7)[0])
    np.testing.assert_allclose(
        sorted(one.difference for one in there.sources), sorted(one.difference for one in here.sources), atol=1e-6
    )


def test_words_explain_nodes_and_name_clusters(rng):
    labels = np.repeat([0, 1], 40)
    rates = np.full((2, 20), 0.05)
    rates[0, :5] = rates[1, 5:10] = 1.5
    words = csr_array(rng.poisson(rates[labels]).astype(float))
    layer = np.kron(np.eye(2), np.ones((40, 40))) * (rng.random((80, 80)) < 0.2)
    layer = np.triu(layer, 1) + np.triu(layer, 1).T
    names = [f"word{column}" for column in range(20)]
    model = OrthoNet(2, training=SHORT, random_state=0).fit(MultilayerGraph([layer], words, feature_names=names))
    why = model.explain(3)
    assert {term.kind for term in why.terms} == {"word"}
    own = {f"word{column}" for column in range(5)}
    assert why.terms[0].name in own
    assert set(model.explain_clusters()[why.cluster].name.split(", ")) <= own


def test_labels_found_in_the_embedding_are_explained_too(clouds):
    model = OrthoNet(3, assign_labels="kmeans", layer_weights=None, training=SHORT, random_state=0).fit(clouds.graph)
    why = model.explain(0)
    assert isinstance(why, NodeExplanation)
    np.testing.assert_allclose([one.difference for one in why.sources], model.evidence_[0])
    assert len(model.explain_clusters()) == 3


def test_nodes_are_found_by_id_by_text_and_by_position():
    assert position_of(np.array(["b", "a"]), "a") == 1
    assert position_of(np.array([10, 5, 0]), 5) == 1
    assert position_of(np.array([10, 5, 0]), "10") == 0
    assert position_of(np.array(["b", "a"]), np.int64(0)) == 0
    with pytest.raises(ValueError, match="node is 'c', which is no id of the 2 nodes"):
        position_of(np.array(["b", "a"]), "c")
