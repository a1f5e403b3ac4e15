"""Annealing finds what mending from the same start misses, and leaves alone what is too small or too large for it."""

import numpy as np
import pytest

from orthonet.datasets import make_multilayer_sbm
from orthonet.evidence.annealing import NODES_IN_ALL_ROUNDS, annealed
from orthonet.evidence.mending import SHAKEN_UP_TO, Partition, mend
from orthonet.evidence.search import search_partitions
from orthonet.evidence.sources import LayerSource, support

K = 6


def planted_layers(seed, n_nodes=1200):
    """Return two layers with planted clusters as sources, and the clusters."""
    data = make_multilayer_sbm(n_nodes, 2, K, p_in=0.05, p_out=0.006, random_state=seed)
    rng, graph = np.random.default_rng(seed), data.graph
    named = zip(graph.layers, graph.layer_names, strict=True)
    return [LayerSource.from_layer(layer, name, rng) for layer, name in named], data.labels.astype(np.int64)


def misled(truth, rng):
    """Join two clusters, and cut a third in two."""
    labels = np.where(truth == 1, 0, truth)
    labels[(truth == 2) & (rng.random(len(truth)) < 0.5)] = 1
    return labels


def test_annealing_finds_what_mending_misses():
    by_mending, by_annealing = 0, 0
    for seed in range(5):
        sources, truth = planted_layers(seed)
        rng, planted = np.random.default_rng(seed), support(sources, truth, K)
        mended = mend(sources, misled(truth, rng), K, rng)
        found = annealed(sources, mended, K, rng)
        assert found.support == pytest.approx(support(sources, found.labels, K))
        by_mending += mended.support >= planted
        by_annealing += found.support >= planted
    assert by_mending <= 1
    assert by_annealing >= 3


def test_annealing_draws_the_same_from_the_same_seed_and_changes_nothing_that_it_is_given():
    sources, truth = planted_layers(0)
    start = Partition(misled(truth, np.random.default_rng(0)), 0.0, "start")
    before = start.labels.copy()
    first, second = (annealed(sources, start, K, np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(first.labels, second.labels)
    assert np.array_equal(start.labels, before)
    assert first.origin == "start"


def test_a_source_of_weight_0_is_absent():
    sources, truth = planted_layers(0)
    start = Partition(misled(truth, np.random.default_rng(0)), 0.0, "")
    without = annealed(sources[:1], start, K, np.random.default_rng(7), [0.5])
    with_it = annealed(sources, start, K, np.random.default_rng(7), [0.5, 0.0])
    assert np.array_equal(without.labels, with_it.labels)


def test_an_empty_cluster_stays_empty():
    sources, truth = planted_layers(0)
    joined = Partition(np.where(truth == 1, 0, truth), 0.0, "")
    assert 1 not in annealed(sources, joined, K, np.random.default_rng(0)).labels


@pytest.mark.parametrize("n_nodes", [SHAKEN_UP_TO, NODES_IN_ALL_ROUNDS])
def test_few_nodes_are_shaken_instead_and_many_take_too_long(n_nodes):
    labels = np.zeros(n_nodes, dtype=np.int64)
    start = Partition(labels, 0.0, "")
    assert annealed([], start, 2, np.random.default_rng(0)) is start


def test_the_search_anneals_where_proposals_disagree(monkeypatch):
    data = make_multilayer_sbm(1200, 2, K, p_in=0.03, p_out=0.006, n_features=0, random_state=3)
    search = search_partitions(data.graph, K, np.random.default_rng(0))
    monkeypatch.setattr("orthonet.evidence.search.annealed", lambda sources, start, *given: start)
    without = search_partitions(data.graph, K, np.random.default_rng(0))
    assert search.annealed
    assert not without.annealed
    assert search.best.support > without.best.support
