"""Probabilities are high where the data would say the same again, and low where it would not."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet.datasets.sbm import block_layer
from orthonet.evidence import confidence
from orthonet.evidence.confidence import RESAMPLES, aligned, draw_resamples, resampled_agreement, tempered_probabilities
from orthonet.evidence.mending import mend
from orthonet.evidence.sources import LayerSource


def judged(sources, labels, rng, n_clusters=4):
    return tempered_probabilities(sources, labels, [labels], n_clusters, rng)


def test_clear_clusters_are_sure(planted, rng):
    sources, truth = planted
    found = judged(sources, truth, rng)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(found.probabilities.argmax(axis=1), truth)
    assert found.probabilities.max(axis=1).mean() > 0.95
    assert found.stability > 0.95


def test_noise_is_not_sure(rng):
    layers = [block_layer(np.zeros(200, dtype=np.int64), 0.06, 0.0, rng) for _ in range(2)]
    sources = [LayerSource.from_layer(layer, str(index), rng) for index, layer in enumerate(layers)]
    proposed = [rng.integers(0, 4, 200) for _ in range(3)]
    found = max((mend(sources, labels, 4, rng) for labels in proposed), key=lambda one: one.support)
    tempered = tempered_probabilities(sources, found.labels, proposed, 4, rng)
    assert tempered.probabilities.max(axis=1).mean() < 0.7
    assert tempered.temperature > 0


def test_a_nodes_own_cluster_has_the_largest_probability_even_where_it_is_wrong(planted, rng):
    sources, truth = planted
    wrong = truth.copy()
    wrong[:5] = (truth[:5] + 1) % 4
    found = judged(sources, wrong, rng)
    np.testing.assert_array_equal(found.probabilities.argmax(axis=1), wrong)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)
    assert (found.probabilities[:5].max(axis=1) < 0.6).all()  # it says that it is not sure


def test_a_node_on_which_layers_contradict_each_other_is_less_sure(planted_data, planted, rng):
    (first, second, _), truth = planted
    node, other = 0, int(np.flatnonzero(truth != truth[0])[0])
    swapped = np.arange(len(truth))
    swapped[[node, other]] = other, node
    edges = planted_data.graph.layers[1].toarray()[swapped][:, swapped]
    contradicting = LayerSource(csr_array(edges), "swapped", second.observations)
    probabilities = judged([first, contradicting], truth, rng).probabilities.max(axis=1)
    others = np.delete(probabilities, [node, other])
    assert probabilities[node] < np.quantile(others, 0.1)


def test_resampled_agreement_is_a_share_of_the_resampled_data_sets(planted, rng):
    sources, truth = planted
    kept = resampled_agreement(sources, truth, [truth], 4, rng)
    assert kept.shape == truth.shape
    assert ((kept >= 0) & (kept <= 1)).all()


def test_of_many_nodes_only_the_most_supported_start_is_mended(planted, rng, monkeypatch):
    sources, truth = planted
    proposed = [rng.integers(0, 4, len(truth)), truth, rng.integers(0, 4, len(truth))]
    mended = []
    race = confidence.race
    monkeypatch.setattr(confidence, "race", lambda *given, **how: mended.append(given[1]) or race(*given, **how))
    resampled_agreement(sources, truth, proposed, 4, rng)
    assert {len(starts) for starts in mended} == {3}
    monkeypatch.setattr(confidence, "MANY_NODES", len(truth) - 1)
    mended.clear()
    resampled_agreement(sources, truth, proposed, 4, rng)
    assert mended
    for [(_, start)] in mended:
        np.testing.assert_array_equal(start, truth)


def test_only_corroborated_sources_are_counted_by_random_weights(rng):
    weights, corroboration = np.array([1.0, 0.5, 0.8, 0.0]), np.array([0.9, 0.3, 0.0, 0.9])
    resamples = [one for _ in range(1000) for one in draw_resamples(weights, corroboration, 5, 2000, rng)]
    drawn = np.array([one.source_weights for one in resamples])
    np.testing.assert_array_equal(drawn[:, 2:], np.broadcast_to([0.8, 0.0], (len(drawn), 2)))
    np.testing.assert_allclose(drawn[:, :2].mean(axis=0), [1.0, 0.5], rtol=0.1)
    np.testing.assert_allclose(drawn[:, :2].std(axis=0), [1.0, 0.5], rtol=0.1)  # exponential: as large as the mean
    assert abs(np.corrcoef(drawn[:, :2].T)[0, 1]) < 0.1  # each source by itself


@pytest.mark.parametrize("seed", range(5))
def test_weights_and_starts_are_drawn_evenly(seed):
    drawn = draw_resamples(np.ones(3), np.ones(3), 6, 2000, np.random.default_rng(seed))
    assert len(drawn) == RESAMPLES
    shares = -np.expm1(-np.array([one.source_weights for one in drawn]))  # of the distribution that is below
    np.testing.assert_array_equal(
        np.sort((shares * RESAMPLES).astype(int), axis=0), np.arange(RESAMPLES)[:, None] * [1, 1, 1]
    )
    assert all(len(set(one.starts)) == 3 for one in drawn)
    np.testing.assert_array_equal(np.bincount(np.concatenate([one.starts for one in drawn])), [2] * 6)


@pytest.mark.parametrize(("n_proposed", "n_starts"), [(1, 1), (2, 2), (4, 3)])
def test_proposals_that_are_mended_on_one_resample_differ(n_proposed, n_starts, rng):
    drawn = draw_resamples(np.ones(1), np.ones(1), n_proposed, 100, rng)
    assert all(len(set(one.starts)) == n_starts == len(one.starts) for one in drawn)


def test_labels_that_hang_on_one_of_two_sources_are_less_sure_where_sources_are_resampled(rng):
    truth = np.repeat(np.arange(3), 60)
    disputed = np.arange(0, 180, 6)
    other = truth.copy()
    other[disputed] = (truth[disputed] + 1) % 3
    sources = [
        LayerSource.from_layer(block_layer(labels, 0.2, 0.01, rng), name, rng)
        for name, labels in (("one", truth), ("other", other))
    ]
    kept = [
        resampled_agreement(sources, truth, [truth], 3, np.random.default_rng(1), [1.0, 0.8], agreeing)[disputed].mean()
        for agreeing in ([0.0, 0.0], [1.0, 1.0])
    ]
    assert kept[1] < kept[0] - 0.1


@pytest.mark.parametrize("seed", range(5))
def test_aligned_labels_are_renumbered_only(seed):
    rng = np.random.default_rng(seed)
    labels, reference = rng.integers(0, 4, 50), rng.integers(0, 4, 50)
    found = aligned(labels, reference, 5)
    numbers = {(int(old), int(new)) for old, new in zip(labels, found, strict=True)}
    assert len(numbers) == len({old for old, _ in numbers}) == len({new for _, new in numbers})
    assert (found == reference).sum() >= (labels == reference).sum()
    np.testing.assert_array_equal(aligned(np.array([2, 0, 3, 1])[reference], reference, 4), reference)
