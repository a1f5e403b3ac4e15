"""The information of a partition and each node's scores obey their laws, and equal what plain loops give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics import mutual_info_score

from orthonet.evidence.mending import mend
from orthonet.evidence.merging import merge
from orthonet.evidence.sources import UNSEEN, LayerSource, WordSource, information, node_scores, own_support, support

SEEDS = settings(max_examples=25, deadline=None)


def permuted(matrix, order, *, both):
    dense = matrix.toarray()[order]
    return csr_array(dense[:, order] if both else dense)


def test_clusters_have_no_numbers(rng, random_sources):
    sources, labels = random_sources(rng), rng.integers(0, 4, 30)
    numbers = np.array([2, 0, 3, 1])
    assert information(sources, numbers[labels], 4) == pytest.approx(information(sources, labels, 4))
    np.testing.assert_allclose(
        node_scores(sources, numbers[labels], 4)[:, numbers], node_scores(sources, labels, 4), atol=1e-12
    )


def test_an_empty_cluster_changes_nothing(rng, random_sources):
    sources, labels = random_sources(rng), rng.integers(0, 4, 30)
    assert information(sources, labels, 9) == pytest.approx(information(sources, labels, 4))
    np.testing.assert_allclose(node_scores(sources, labels, 9)[:, :4], node_scores(sources, labels, 4), atol=1e-12)


def test_nodes_have_no_order(rng, random_layer, random_words):
    layer, words, labels, order = random_layer(rng), random_words(rng), rng.integers(0, 3, 30), rng.permutation(30)
    sources = [LayerSource(layer, "layer", 3.0), WordSource(words, "words", 2.0)]
    others = [
        LayerSource(permuted(layer, order, both=True), "layer", 3.0),
        WordSource(permuted(words, order, both=False), "words", 2.0),
    ]
    assert information(others, labels[order], 3) == pytest.approx(information(sources, labels, 3))
    np.testing.assert_allclose(
        node_scores(others, labels[order], 3), node_scores(sources, labels, 3)[order], atol=1e-12
    )


@pytest.mark.parametrize("unit", [1e-9, 0.2, 1000.0])
def test_the_unit_of_weights_does_not_matter(unit, rng, random_layer, random_words):
    labels = rng.integers(0, 3, 30)
    for kind, matrix in ((LayerSource, random_layer(rng)), (WordSource, random_words(rng))):
        one, other = kind(matrix, "", 2.0), kind(csr_array(matrix * unit), "", 2.0)
        assert other.information(labels, 3) == pytest.approx(one.information(labels, 3))
        for leave_out in (True, False):
            np.testing.assert_allclose(
                other.node_scores(labels, 3, leave_out=leave_out),
                one.node_scores(labels, 3, leave_out=leave_out),
                rtol=1e-9,
                atol=1e-9,
            )


def test_a_source_of_weight_0_is_as_if_absent(rng, random_sources):
    sources, labels = random_sources(rng), rng.integers(0, 4, 30)
    for index, alone in enumerate(sources):
        weights = np.eye(2)[index]
        assert information(sources, labels, 4, weights) == information([alone], labels, 4)
        np.testing.assert_array_equal(node_scores(sources, labels, 4, weights), node_scores([alone], labels, 4))
        np.testing.assert_array_equal(merge(sources, labels, 2, weights), merge([alone], labels, 2))
        both = mend(sources, labels, 4, np.random.default_rng(1), weights)
        one = mend([alone], labels, 4, np.random.default_rng(1))
        np.testing.assert_array_equal(both.labels, one.labels)
        assert both.support == one.support


def test_a_source_without_observations_says_nothing(rng, random_sources):
    labels = rng.integers(0, 3, 30)
    silent = [LayerSource(csr_array((30, 30)), "no edges", 0.0), WordSource(csr_array((30, 5)), "no words", 0.0)]
    assert information(silent, labels, 3) == 0
    np.testing.assert_array_equal(node_scores(silent, labels, 3), np.zeros((30, 3)))
    sources = random_sources(rng)
    assert information([*sources, *silent], labels, 3) == pytest.approx(information(sources, labels, 3))


@SEEDS
@given(st.integers(0, 10_000))
def test_information_is_not_negative_and_merging_never_raises_it(random_sources, seed):
    rng = np.random.default_rng(seed)
    sources, labels = random_sources(rng), rng.integers(0, 5, 30)
    merged = np.where(labels == 4, 3, labels)
    for source in sources:
        assert source.information(labels, 5) >= source.information(merged, 5) - 1e-12 >= -1e-9
        assert source.information(np.zeros(30, dtype=np.int64), 1) == pytest.approx(0)


def test_a_layer_is_explained_by_the_degree_corrected_block_model(rng, random_layer):
    # Karrer & Newman 2011, eq. 16: the profile log-likelihood is ½ Σ_ab m_ab ln( m_ab / (κ_a κ_b) ), up to a constant that no
    # partition changes; with shares of the edge ends for counts, per end.
    adjacency, labels = random_layer(rng, 20), rng.integers(0, 3, 20)
    dense = adjacency.toarray() / adjacency.sum()
    between, degrees = np.zeros((3, 3)), np.zeros(3)
    for i in range(20):
        for j in range(20):
            between[labels[i], labels[j]] += dense[i, j]
            degrees[labels[i]] += dense[i, j]
    expected = 0.0
    for a in range(3):
        for b in range(3):
            if between[a, b] > 0:
                expected += between[a, b] * np.log(between[a, b] / (degrees[a] * degrees[b]))
    assert LayerSource(adjacency, "", 1.0).information(labels, 3) == pytest.approx(expected)


def test_words_are_explained_by_the_mutual_information_of_clusters_and_words(rng, random_words):
    counts, labels = random_words(rng), rng.integers(0, 3, 30)
    dense = counts.toarray().astype(int)
    nodes, words = np.nonzero(dense)
    times = dense[nodes, words]
    expected = mutual_info_score(np.repeat(labels[nodes], times), np.repeat(words, times))
    assert WordSource(counts, "", 1.0).information(labels, 3) == pytest.approx(expected)


def test_information_counts_nats_per_node_and_an_edge_once(rng, random_sources):
    (layer, words), labels = random_sources(rng), rng.integers(0, 3, 30)
    expected = 3.0 / 2 * layer.information(labels, 3) + 2.0 * words.information(labels, 3)
    assert information([layer, words], labels, 3) == pytest.approx(expected)
    assert information([layer, words], labels, 3, [2.0, 0.5]) == pytest.approx(
        2.0 * information([layer], labels, 3) + 0.5 * information([words], labels, 3)
    )


@pytest.mark.parametrize("kind", ["layer", "words"])
def test_a_difference_of_scores_is_the_gain_of_moving_a_node_to_first_order(kind, rng, random_layer, random_words):
    # A node of little weight: what moving it adds to N · information is its score there less its score here.
    n_nodes, node, k = 400, 7, 3
    labels = rng.integers(0, k, n_nodes)
    light = np.ones(n_nodes)
    light[node] = 1e-3
    if kind == "layer":
        adjacency = random_layer(rng, n_nodes, 0.2).toarray() * light[:, None] * light
        source = LayerSource(csr_array(adjacency), "", 4.0)
    else:
        source = WordSource(csr_array(random_words(rng, n_nodes, 10, 3.0).toarray() * light[:, None]), "", 4.0)
    scores = source.node_scores(labels, k, leave_out=False)[node]
    before = information([source], labels, k)
    for cluster in range(k):
        moved = labels.copy()
        moved[node] = cluster
        gain = n_nodes * (information([source], moved, k) - before)
        assert gain == pytest.approx(scores[cluster] - scores[labels[node]], rel=0.05, abs=1e-8)


def test_a_node_is_left_out_of_its_layer_by_removing_its_row(rng, random_layer):
    adjacency, labels, k = random_layer(rng), rng.integers(0, 3, 30), 3
    source = LayerSource(adjacency, "", 2.0)
    scores = source.node_scores(labels, k)
    dense = adjacency.toarray() * (adjacency.nnz / adjacency.sum())
    total, indicator = dense.sum(), np.eye(k)[labels]
    for node in range(30):
        rest = dense.copy()
        rest[node] = 0.0
        blocks = indicator.T @ rest @ indicator
        own = labels[node]
        expected = blocks[own].sum() * (indicator.T @ dense).sum(axis=1) / total
        ratios = np.log((blocks[own] + UNSEEN) / (expected + UNSEEN))
        assert scores[node, own] == pytest.approx(dense[node] @ indicator @ ratios * 2.0 * 30 / total)


def test_a_node_is_left_out_of_the_words_by_removing_its_row(rng, random_words):
    counts, labels, k = random_words(rng), rng.integers(0, 3, 30), 3
    scores = WordSource(counts, "", 2.0).node_scores(labels, k)
    dense = counts.toarray() * (counts.nnz / counts.sum())
    total = dense.sum()
    for node in range(30):
        rest = dense.copy()
        rest[node] = 0.0
        in_own = rest[labels == labels[node]].sum(axis=0)
        ratios = np.log((in_own + UNSEEN) / (in_own.sum() * dense.sum(axis=0) / total + UNSEEN))
        assert scores[node, labels[node]] == pytest.approx(dense[node] @ ratios * 2.0 * 30 / total)


def test_only_the_score_for_a_nodes_own_cluster_leaves_the_node_out(rng, random_sources):
    labels = rng.integers(0, 3, 30)
    for source in random_sources(rng):
        left_out, counted = source.node_scores(labels, 3), source.node_scores(labels, 3, leave_out=False)
        own = np.eye(3, dtype=bool)[labels]
        np.testing.assert_array_equal(left_out[~own], counted[~own])
        assert (left_out[own] <= counted[own] + 1e-12).mean() > 0.9  # else each node would vouch for where it is


def test_a_node_alone_in_its_cluster_has_no_support(rng, random_sources):
    labels = np.append(np.arange(29) % 2, 2)
    for source in random_sources(rng):
        assert source.node_scores(labels, 3)[29, 2] == pytest.approx(0)


def test_support_is_the_mean_score_of_the_nodes_own_clusters(rng, random_sources):
    sources, labels = random_sources(rng), rng.integers(0, 3, 30)
    scores = node_scores(sources, labels, 3)
    expected = np.mean([scores[node, labels[node]] for node in range(30)])
    assert support(sources, labels, 3) == pytest.approx(expected)
    assert own_support(scores, labels) == pytest.approx(expected)
    for source in sources:
        own = source.node_scores(labels, 3)[np.arange(30), labels]
        np.testing.assert_allclose(source.own_scores(labels, 3), own, atol=1e-12)


def test_the_evidence_of_single_edges_and_words_adds_up_to_the_scores(rng, random_layer, random_words):
    labels = rng.integers(0, 3, 30)
    adjacency, counts = random_layer(rng), random_words(rng)
    layer, words = LayerSource(adjacency, "", 2.0), WordSource(counts, "", 2.0)
    edges = adjacency.toarray() * (adjacency.nnz / adjacency.sum())
    by_edge = edges @ layer.log_ratios(labels, 3)[:, labels].T
    np.testing.assert_allclose(by_edge, layer.node_scores(labels, 3, leave_out=False))
    tokens = counts.toarray() * (counts.nnz / counts.sum())
    by_word = tokens @ words.log_ratios(labels, 3).T
    np.testing.assert_allclose(by_word, words.node_scores(labels, 3, leave_out=False))


def test_reweighting_by_ones_changes_nothing_and_by_0_removes_the_node(rng, random_layer, random_words):
    labels = rng.integers(0, 3, 30)
    layer, words = LayerSource(random_layer(rng), "layer", 2.0), WordSource(random_words(rng), "words", 2.0)
    assert layer.reweighted(rng, np.ones(30)).information(labels, 3) == pytest.approx(layer.information(labels, 3))
    without = np.ones(30)
    without[4] = 0.0
    for source in (layer, words):
        resampled = source.reweighted(rng, without)
        assert (resampled.name, resampled.observations) == (source.name, source.observations)
        np.testing.assert_array_equal(resampled.node_scores(labels, 3)[4], np.zeros(3))
