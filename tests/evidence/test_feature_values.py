"""Values of dense features as evidence: which columns are numbers and which categories, and what categories say."""

from __future__ import annotations

import numpy as np
import pytest

from orthonet import MultilayerGraph, OrthoNet, metrics
from orthonet.evidence.feature_source import FeatureSource
from orthonet.evidence.feature_values import MOST_CATEGORIES, MOST_VALUES, category_words, values_of
from orthonet.evidence.gaussian import OBSERVATIONS, GaussianSource
from orthonet.evidence.graph_sources import sources_of
from orthonet.evidence.search import search_partitions
from orthonet.evidence.sources import UNSEEN, LayerSource, WordSource


def one_hot(values):
    return (values[:, None] == np.unique(values)).astype(np.float64)


def planted_categories(rng, noise, n_nodes=200, n_clusters=3, n_columns=8, n_values=4):
    """Draw categories that have a value of their own in each cluster, but for some noise; and what could be known at best."""
    labels = np.arange(n_nodes) % n_clusters
    typical = np.array([rng.permutation(n_values)[:n_clusters] for _ in range(n_columns)]).T
    drawn = rng.integers(0, n_values, (n_nodes, n_columns))
    values = np.where(rng.random(drawn.shape) < noise, drawn, typical[labels])
    knowing_all = (values[:, None, :] == typical).sum(axis=2).argmax(axis=1)
    return values, labels, metrics.nmi(labels, knowing_all)


def test_a_category_says_how_much_commoner_a_value_is_in_the_cluster(rng):
    columns, labels = rng.integers(0, 3, (60, 4)).astype(np.float64), rng.integers(0, 3, 60)
    words, n_categories = category_words(columns)
    scores = WordSource(words, "", 2.0).node_scores(labels, 3)
    node, own, other = 7, labels[7], (labels[7] + 1) % 3

    def expected(cluster, others):
        among = (labels == cluster) & others
        counts = [((columns[:, f] == columns[node, f]) & among).sum() for f in range(4)]
        shares = [(columns[:, f] == columns[node, f]).mean() for f in range(4)]
        nats = [np.log((n + UNSEEN) / (among.sum() * p + UNSEEN)) for n, p in zip(counts, shares, strict=True)]
        return 2.0 / n_categories * sum(nats)

    everybody = np.ones(60, dtype=bool)
    assert scores[node, other] == pytest.approx(expected(other, everybody))
    assert scores[node, own] == pytest.approx(expected(own, np.arange(60) != node))


def test_a_column_for_each_value_says_what_one_column_of_codes_says(rng):
    first, second, labels = rng.integers(0, 3, 80), rng.integers(0, 4, 80), rng.integers(0, 3, 80)
    as_codes = np.column_stack([first, second]).astype(np.float64)
    as_columns = np.column_stack([one_hot(first), one_hot(second)])
    without_one = np.column_stack([one_hot(first)[:, 1:], one_hot(second)[:, 1:]])
    names = np.column_stack([first * 10 - 3, -second]).astype(np.float64)
    expected = values_of(as_codes, 3, "").parts[0].node_scores(labels, 3)
    for table in (as_columns, without_one, names):
        (part,) = values_of(table, 3, "").parts
        np.testing.assert_allclose(part.node_scores(labels, 3), expected)


def test_numbers_and_categories_count_for_four_observations_together(rng):
    numbers, kinds = rng.standard_normal((90, 3)), rng.integers(0, 4, 90)
    values = values_of(np.column_stack([numbers, one_hot(kinds)]), 3, "")
    gaussian, words = values.parts
    assert isinstance(gaussian, GaussianSource) and isinstance(words, WordSource)
    assert (gaussian.observations, words.observations) == (0.75 * OBSERVATIONS, 0.25 * OBSERVATIONS)
    assert not values.only_categories
    labels = rng.integers(0, 3, 90)
    alone = GaussianSource.from_features(numbers, 3, "").node_scores(labels, 3)
    np.testing.assert_allclose(gaussian.node_scores(labels, 3), 0.75 * alone)


def test_amounts_that_are_mostly_zero_are_no_categories(rng):
    amounts = rng.exponential(size=(200, 4)) * (rng.random((200, 4)) < 0.5)
    assert values_of(amounts, 3, "").parts == ()
    grades = np.minimum(rng.geometric(0.3, (200, 4)), MOST_VALUES).astype(np.float64)
    assert values_of(grades, 3, "").only_categories


def test_many_categories_are_numbers(rng):
    kinds, labels, _ = planted_categories(rng, noise=0.7, n_columns=MOST_CATEGORIES + 1)
    values = values_of(kinds, 3, "")
    (part,) = values.parts
    assert isinstance(part, GaussianSource) and not values.only_categories
    assert (part.node_scores(labels, 3).argmax(axis=1) == labels).mean() > 0.95


def test_constant_columns_do_not_count(rng):
    kinds = rng.integers(0, 3, (60, 2)).astype(np.float64)
    values = values_of(np.column_stack([kinds, np.ones(60)]), 3, "")
    assert values.only_categories and values.parts[0].observations == OBSERVATIONS


def test_categories_speak_for_themselves_and_numbers_beside_their_neighbours(rng):
    kinds, *_ = planted_categories(rng, noise=0.3)
    numbers = rng.standard_normal((200, 2))

    def source_of(table, **layers):
        graph = MultilayerGraph.from_views([table]) if not layers else MultilayerGraph(layers, table)
        own_layer = LayerSource.from_layer(graph.layers[0], "", rng)._edges
        return sources_of(graph, own_layer, 3, rng)[-1]

    assert isinstance(source_of(kinds), WordSource)
    assert isinstance(source_of(np.column_stack([kinds, numbers])), FeatureSource)
    relation = MultilayerGraph.from_views([numbers]).layers[0]
    beside = source_of(kinds, knows=relation)
    assert isinstance(beside, WordSource) and beside.name == "features"


def test_clusters_of_categories_are_found(rng):
    kinds, labels, at_best = planted_categories(rng, noise=0.4, n_nodes=600)
    found = search_partitions(MultilayerGraph.from_views([kinds]), 3, rng).best.labels
    assert metrics.nmi(labels, found) > at_best - 0.03


def test_a_fit_of_a_table_of_categories_labels_explains_and_predicts(rng):
    kinds, labels, at_best = planted_categories(rng, noise=0.3)
    table = np.column_stack([one_hot(column) for column in kinds.T])
    model = OrthoNet(3, random_state=0).fit(table[:180])
    assert metrics.nmi(labels[:180], model.labels_) > at_best - 0.03
    assert metrics.clustering_accuracy(labels[180:], model.predict(table[180:])) > 0.9
    assert model.evidence_.shape == (180, 1) and (model.evidence_ > 0).mean() > 0.9
    assert len(model.explain_clusters().table) == 3
