"""From a graph to its partition: the planted clusters are found, whichever source shows them."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import normalized_mutual_info_score

from orthonet import MultilayerGraph
from orthonet.datasets.sbm import block_layer
from orthonet.evidence import search as searching
from orthonet.evidence.confidence import tempered_probabilities
from orthonet.evidence.graph_sources import AVERAGED, WORDS, has_surroundings, sources_of
from orthonet.evidence.mending import Partition
from orthonet.evidence.proposals.inputs import ProposalInputs
from orthonet.evidence.search import Search, search_partitions
from orthonet.evidence.sources import LayerSource, support

N_NODES, N_CLUSTERS = 150, 3


@pytest.fixture
def truth(rng):
    return rng.permutation(np.arange(N_NODES) % N_CLUSTERS)


@pytest.fixture
def good_layers(truth, rng):
    return [block_layer(truth, 0.3, 0.03, rng) for _ in range(3)]


@pytest.fixture
def noise_layers(truth, rng):
    return [block_layer(np.zeros_like(truth), 0.12, 0.0, rng) for _ in range(2)]


def words_of(labels, rng, rare=0.1):
    return csr_array(rng.poisson(np.where(np.arange(30) % 3 == labels[:, None], 1.0, rare)).astype(float))


def noise_of(kind, rng):
    if kind == "dense":
        return rng.standard_normal((N_NODES, 4))
    return csr_array(rng.poisson(0.3, (N_NODES, 30)).astype(float))


def found_in(layers, features=None, seed=0, **options):
    return search_partitions(MultilayerGraph(layers, features), N_CLUSTERS, np.random.default_rng(seed), **options)


def agreement(search, truth):
    return normalized_mutual_info_score(search.best.labels, truth)


def test_of_few_nodes_all_proposals_are_made_and_mended(good_layers, truth, monkeypatch):
    few = found_in(good_layers)
    monkeypatch.setattr("orthonet.evidence.search.SHAKEN_UP_TO", 100)
    many = found_in(good_layers)  # where the cheap ones agree, the costly ones are left out
    assert {"mean, merged", "spectrum"} <= set(few.proposed) - set(many.proposed)
    assert agreement(few, truth) == agreement(many, truth) == 1


def test_few_nodes_are_searched_again_while_that_finds_more(good_layers, monkeypatch):
    made = []
    propose = searching.propose
    monkeypatch.setattr(
        searching, "propose", lambda inputs, costly: made.append(costly) or propose(inputs, costly=costly)
    )
    found_in(good_layers)
    assert made == [False, True, False, True]  # the planted clusters were found at once, and nothing better after that
    made.clear()
    monkeypatch.setattr(searching, "is_gain", lambda found, known: True)
    found_in(good_layers)
    assert len(made) == 2 * (1 + searching.MADE_AGAIN)


@pytest.mark.parametrize("kind", ["dense", "words"])
def test_useless_features_do_not_hide_what_layers_agree_on(kind, good_layers, truth, rng):
    search = found_in(good_layers, noise_of(kind, rng))
    assert agreement(search, truth) > 0.95
    assert search.weights[3] < 0.2 < 0.8 < search.weights[:3].min()
    assert search.source_names[3] == {"dense": "features", "words": "words"}[kind]


def test_useless_layers_do_not_hide_what_words_say(noise_layers, truth, rng):
    assert agreement(found_in(noise_layers, words_of(truth, rng)), truth) > 0.9


def test_useless_layers_do_not_hide_what_dense_features_say(noise_layers, truth, rng):
    features = 3 * np.eye(3, 4)[truth] + rng.standard_normal((N_NODES, 4))
    assert agreement(found_in(noise_layers, features), truth) > 0.7


@pytest.mark.parametrize("kind", ["dense", "words"])
def test_useless_features_do_not_hide_what_one_layer_says(kind, good_layers, truth, rng):
    assert agreement(found_in(good_layers[:1], noise_of(kind, rng)), truth) > 0.95


def test_a_source_of_next_to_no_weight_does_not_choose(good_layers, truth, rng):
    graph = MultilayerGraph(good_layers[:1], noise_of("words", rng))
    sources, weights = sources_of(graph, None, 3, rng), np.array([1.0, 1e-4])
    shuffled = [np.where(rng.random(N_NODES) < 0.3, rng.permutation(truth), truth) for _ in range(20)]
    worse = max(shuffled, key=lambda labels: support(sources[1:], labels, 3))  # the words say less against it
    partitions = [Partition(labels, support(sources, labels, 3, weights), "") for labels in (truth, worse)]
    inputs = ProposalInputs(graph.layers, None, None, True, N_CLUSTERS, sources, rng)
    search = Search(inputs, sources, weights, np.ones(2), partitions, {})
    np.testing.assert_array_equal(search.best.labels, truth)


def test_a_layer_of_noise_loses_its_weight(good_layers, noise_layers, truth):
    search = found_in([*good_layers, noise_layers[0]])
    assert agreement(search, truth) > 0.95
    assert search.weights[3] < 0.2
    assert found_in([*good_layers, noise_layers[0]], weigh=False).weights[3] == 1


def test_a_layer_of_weight_0_is_not_used(good_layers, noise_layers, truth):
    search = found_in([good_layers[0], *noise_layers], layer_weights=[1, 0, 0])
    np.testing.assert_array_equal(search.weights[1:], 0)
    assert agreement(search, truth) > 0.95


def test_only_the_ratios_of_layer_weights_matter(good_layers):
    one, other = (found_in(good_layers, layer_weights=np.array([1.0, 2.0, 3.0]) * unit) for unit in (1, 50))
    np.testing.assert_allclose(one.weights, other.weights)
    np.testing.assert_array_equal(one.best.labels, other.best.labels)


def test_a_seed_gives_one_result(good_layers, truth, rng):
    words = words_of(truth, rng, 0.5)
    one, other = (found_in(good_layers, words, seed=3) for _ in range(2))
    np.testing.assert_array_equal(one.best.labels, other.best.labels)
    np.testing.assert_array_equal(one.weights, other.weights)
    assert one.proposed.keys() == other.proposed.keys()


def test_partitions_come_most_supported_first_and_each_says_where_it_came_from(good_layers, truth, rng):
    search = found_in(good_layers, noise_of("dense", rng))
    supports = [one.support for one in search.partitions]
    assert supports == sorted(supports, reverse=True)
    assert {one.origin for one in search.partitions} <= search.proposed.keys()


def test_an_embedding_may_propose_later(good_layers, truth):
    search = found_in(good_layers)
    before = search.partitions[0].support
    search.add_embedding("net", np.eye(3)[truth] + 0.01)
    assert {"net", "net, merged"} <= search.proposed.keys()
    assert search.partitions[0].support >= before


def test_costly_proposals_are_left_out_where_cheap_ones_agree(good_layers, truth, rng, monkeypatch):
    monkeypatch.setattr("orthonet.evidence.search.SHAKEN_UP_TO", 100)  # of fewer nodes all are made at once
    steps = []
    search = found_in(good_layers, words_of(truth, rng), report=lambda done, what: steps.append(what))
    assert "spectrum" not in search.proposed
    assert steps[:2] == ["proposals", "mending"]


def test_sources_are_what_was_observed_independently(good_layers, truth, rng):
    dense, words = noise_of("dense", rng), noise_of("words", rng)

    def names(graph):
        return [source.name for source in sources_of(graph, good_layers[2], 3, rng)]

    two = {"words": good_layers[0], "other": good_layers[1]}
    assert names(MultilayerGraph(two)) == ["words", "other", "features"]
    assert names(MultilayerGraph(two, words)) == ["words", "other", "words (all)"]
    assert names(MultilayerGraph(two, words, layers_from_features=True)) == ["words", "other", "words (all)"]
    assert names(MultilayerGraph(two, dense, layers_from_features=True)) == ["words", "other", "features"]
    assert names(MultilayerGraph({"one": two["words"]}, dense, layers_from_features=True)) == ["one"]


def path(n_nodes):
    steps = np.ones(n_nodes - 1)
    return np.diag(steps, 1) + np.diag(steps, -1)


def small_cases():
    rng = np.random.default_rng(0)
    planted = block_layer(np.arange(60) % 3, 0.4, 0.03, rng)
    counts = rng.poisson(0.3, (60, 30)).astype(float)
    counts[5] = 0.0
    signed = counts.copy()
    signed[3, 3] = -1.0
    return {
        "3 nodes": ([path(3)], None, 2),
        "3 nodes with features": ([path(3)] * 3, rng.random((3, 2)), 2),
        "as many clusters as nodes": ([path(5)] * 2, rng.random((5, 3)), 5),
        "as many clusters as nodes, words": ([path(5)] * 2, csr_array(np.eye(5)), 5),
        "5 nodes": ([path(5)], rng.random((5, 1)), 2),
        "one column": ([planted], rng.standard_normal((60, 1)), 3),
        "one word": ([planted], csr_array(np.arange(60.0)[:, None] % 2), 3),
        "a node without words": ([planted], csr_array(counts), 3),
        "dense words": ([planted], counts * (rng.random(counts.shape) < 0.3), 3),
        "negative sparse features": ([planted], csr_array(signed), 3),
        "few edges": ([planted, np.pad(path(2), (0, 58))], None, 3),
        "a complete layer": ([np.ones((20, 20)) - np.eye(20)], None, 3),
        "pairs": ([np.kron(np.eye(10), path(2))], None, 10),
        "one cluster": ([path(6)], rng.random((6, 2)), 1),
    }


@pytest.mark.parametrize("case", small_cases())
def test_small_and_odd_graphs_are_clustered(case, rng):
    layers, features, n_clusters = small_cases()[case]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search = search_partitions(MultilayerGraph(layers, features), n_clusters, rng)
        best = search.best
        proposed = list(search.proposed.values())
        found = tempered_probabilities(search.sources, best.labels, proposed, n_clusters, rng, search.weights)
    n_nodes = layers[0].shape[0]
    assert best.labels.shape == (n_nodes,)
    assert 0 <= best.labels.min() <= best.labels.max() < n_clusters
    assert np.isfinite(best.support)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)


def neighbour_search(corroborations, relations=False, joint=(False, False)):
    """A search over neighbour layers with given corroborations, as far as its verdict on itself goes."""
    edges = csr_array(np.ones((4, 4)))
    sources = [LayerSource(edges, str(index), 1.0, joint=one) for index, one in enumerate(joint)]
    inputs = ProposalInputs([edges], None, None, relations, 2, sources, np.random.default_rng(0))
    return Search(inputs, sources, np.ones(len(joint)), np.array(corroborations), [], {"net": np.array([0, 0, 1, 1])})


def test_groups_of_features_that_corroborate_nothing_cannot_judge():
    assert neighbour_search([0.01, 0.0]).cannot_judge
    assert not neighbour_search([0.01, 0.3]).cannot_judge
    assert neighbour_search([0.01, 0.0, 0.9], joint=(False, False, True)).cannot_judge  # which only repeats them
    assert not neighbour_search([0.01, 0.0], relations=True).cannot_judge  # edges that somebody observed
    assert not neighbour_search([1.0], joint=(False,)).cannot_judge  # one source has nobody to ask


def test_what_was_proposed_can_be_had_before_mending():
    search = neighbour_search([0.0, 0.0])
    found = search.as_proposed("net")
    assert (found.labels.tolist(), found.origin) == ([0, 0, 1, 1], "net")
    assert found.support == pytest.approx(support(search.sources, found.labels, 2))


def averaged_of(search):
    """Return the weight of the source of averaged words; None if there is none."""
    return dict(zip(search.source_names, search.weights, strict=True)).get(AVERAGED)


def test_words_averaged_over_relations_count_where_both_tell_the_same(good_layers, truth, rng):
    agreeing = found_in(good_layers[:2], words_of(truth, rng))
    useless = found_in(good_layers[:2], noise_of("words", rng))
    assert averaged_of(agreeing) > 0.7
    assert averaged_of(useless) < 0.5
    for search in (agreeing, useless):
        assert agreement(search, truth) > 0.95


def test_averaged_words_corroborate_nothing_and_need_both_words_and_relations(good_layers, truth, rng):
    words = words_of(truth, rng)
    with_words = found_in(good_layers[:2], words)
    assert with_words.sources[-1].joint
    assert with_words.sources[-1].averages == WORDS
    assert averaged_of(found_in(good_layers[:2], noise_of("dense", rng))) is None
    alone = MultilayerGraph(good_layers[:2], words, layers_from_features=True)
    assert averaged_of(search_partitions(alone, N_CLUSTERS, rng)) is None


def test_words_are_not_averaged_over_relations_that_join_most_pairs(good_layers, truth, rng):
    words, halves = words_of(truth, rng), csr_array(np.eye(2)[np.arange(N_NODES) % 2])
    everybody = csr_array(np.ones((N_NODES, N_NODES)) - np.eye(N_NODES))
    assert has_surroundings(MultilayerGraph(good_layers))
    assert not has_surroundings(MultilayerGraph([good_layers[0], everybody]))
    assert not has_surroundings(MultilayerGraph(good_layers, two_mode={"half": np.tile(halves.toarray(), (1, 75))}))
    assert averaged_of(found_in([good_layers[0], everybody], words)) is None
