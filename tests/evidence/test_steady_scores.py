"""Scores between looks at all nodes, and races of several partitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet import datasets
from orthonet.evidence.feature_source import FeatureSource
from orthonet.evidence.feature_values import category_words
from orthonet.evidence.gaussian import GaussianSource
from orthonet.evidence.mending import mend
from orthonet.evidence.racing import race
from orthonet.evidence.sources import LayerSource, WordSource, node_scores
from orthonet.evidence.steady_scores import SteadyScores

K = 4


@pytest.fixture
def data():
    return datasets.make_multilayer_sbm(240, 3, K, n_features=3, p_in=0.12, random_state=0)


@pytest.fixture
def sources(data, rng):
    first, second, third = (LayerSource.from_layer(layer, "", rng) for layer in data.graph.layers)
    values = GaussianSource(np.asarray(data.graph.features, dtype=np.float64), "")
    kinds = np.column_stack([(data.labels + (rng.random(240) < 0.3)) % K, rng.integers(0, 3, 240)]).astype(float)
    categories = WordSource(category_words(kinds)[0], "", 2.0)
    words = csr_array((rng.random((240, 30)) < 0.2 + 0.3 * (np.arange(30) % K == data.labels[:, None])).astype(float))
    return [first, second, FeatureSource(third, [values, categories]), WordSource.from_counts(words, "", rng)]


@pytest.mark.parametrize("n_clusters", [K, 60])
def test_a_look_at_all_nodes_is_the_sum_of_what_layers_and_words_say(sources, rng, n_clusters):
    labels, weights = rng.integers(0, n_clusters, 240), [1.0, 0.3, 2.0, 0.5]
    sources[2] = sources[2].neighbours
    found = SteadyScores(sources, n_clusters, weights).look(labels)
    np.testing.assert_allclose(found, node_scores(sources, labels, n_clusters, weights), atol=1e-10)


@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("n_clusters", [K, 20])
def test_with_values_a_look_knows_own_clusters_and_those_that_beat_them(sources, data, rng, n_clusters, noise):
    labels, each = np.where(rng.random(240) < noise, rng.integers(0, n_clusters, 240), data.labels), np.arange(240)
    found, exact = SteadyScores(sources, n_clusters).look(labels), node_scores(sources, labels, n_clusters)
    present = np.bincount(labels, minlength=n_clusters) > 0
    found[:, ~present] = exact[:, ~present] = -np.inf
    np.testing.assert_allclose(found[each, labels], exact[each, labels], atol=1e-10)
    np.testing.assert_allclose(found.max(axis=1), exact.max(axis=1), atol=1e-10)
    np.testing.assert_array_equal(found.argmax(axis=1), exact.argmax(axis=1))


def test_sources_of_weight_zero_are_absent(sources, data):
    found = SteadyScores(sources, K, [0.0, 1.0, 0.0, 1.0]).look(data.labels)
    np.testing.assert_allclose(found, node_scores([sources[1], sources[3]], data.labels, K), atol=1e-10)


def test_scores_of_some_nodes_are_those_of_the_look_until_a_neighbour_moves(sources, data):
    scores = SteadyScores(sources, K)
    whole, some = scores.look(data.labels), np.array([3, 77, 200])
    np.testing.assert_allclose(scores.scores(data.labels, some), whole[some], atol=1e-10)
    moved = data.labels.copy()
    moved[5] = (moved[5] + 1) % K
    near = scores.neighbours(np.array([5]))
    far, everybody = np.flatnonzero(~near), np.arange(len(moved))
    changed = np.abs(scores.scores(moved, everybody) - whole).max(axis=1) > 1e-9
    assert near.any() and changed[near].all() and not changed[far].any()


def test_after_few_moves_nodes_want_what_they_want_after_a_new_look(sources, data, rng):
    scores, moved = SteadyScores(sources, K), data.labels.copy()
    scores.look(data.labels)
    nodes = rng.choice(240, 3, replace=False)
    moved[nodes] = (moved[nodes] + 1) % K
    wanted = scores.scores(moved, np.arange(240)).argmax(axis=1)
    assert (wanted == node_scores(sources, moved, K).argmax(axis=1)).mean() > 0.98
    assert (wanted[nodes] == data.labels[nodes]).all()


def test_a_race_finds_what_mending_each_finds(sources, data, rng):
    starts = [np.where(rng.random(240) < noise, rng.integers(0, K, 240), data.labels) for noise in (0.3, 0.6, 0.9)]
    raced = race(sources, [(str(index), start) for index, start in enumerate(starts)], K, rng)
    alone = [mend(sources, start, K, rng) for start in starts]
    assert [one.origin for one in raced] == ["0", "1", "2"]
    assert max(one.support for one in raced) == pytest.approx(max(one.support for one in alone), rel=1e-3)


def test_who_is_clearly_behind_is_left_on_the_way(sources, data, rng):
    start = np.where(rng.random(240) < 0.3, rng.integers(0, K, 240), data.labels)
    to_the_end = race(sources, [("", start)], K, rng)[0]
    given_up = race(sources, [("", start)], K, rng, to_beat=100.0, max_rounds=8)[0]
    assert given_up.support <= to_the_end.support


def test_a_race_without_runners_has_no_winner(sources, rng):
    assert race(sources, [], K, rng) == []


@pytest.mark.parametrize("n_moved", [0, 2, 20, 200])
def test_edges_that_are_brought_up_to_date_are_those_counted_anew_to_the_last_digit(sources, data, rng, n_moved):
    scores, anew, labels = SteadyScores(sources, K), SteadyScores(sources, K), data.labels
    scores.look(labels)
    for _ in range(5):
        nodes = rng.choice(240, n_moved, replace=False)
        labels = labels.copy()
        labels[nodes] = rng.integers(0, K, n_moved)
        np.testing.assert_array_equal(scores.look(labels), anew.for_another().look(labels))
