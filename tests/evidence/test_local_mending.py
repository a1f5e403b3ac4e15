"""What is counted node by node is what is counted at once, and mending by it ends where mending all nodes does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orthonet.evidence import corroboration as corroborating
from orthonet.evidence import local_mending, mending, racing, sameness
from orthonet.evidence.feature_source import FeatureSource
from orthonet.evidence.gaussian import GaussianSource
from orthonet.evidence.local_mending import judges, mend_locally, quick_support
from orthonet.evidence.local_scores import LocalSum, local_scores
from orthonet.evidence.mending import Partition, mend
from orthonet.evidence.sameness import agreement, distinct, is_same, relabelled, without_copies
from orthonet.evidence.sources import LayerSource, WordSource, node_scores, support

SEEDS = settings(max_examples=15, deadline=None)
SHARES = {"max_rounds": 25, "moving_share": 0.6, "restless_share": 0.0}


@pytest.fixture(scope="session")
def every_kind(random_layer, random_words):
    """Draw one source of each kind over 30 nodes."""

    def draw(rng):
        values = GaussianSource(rng.standard_normal((30, 2)), "values")
        layers = [LayerSource.from_layer(random_layer(rng), name, rng) for name in ("layer", "neighbours")]
        words = WordSource.from_counts(random_words(rng), "words", rng)
        return [layers[0], words, values, FeatureSource(layers[1], [values, words])]

    return draw


@SEEDS
@given(st.integers(0, 10_000))
def test_scores_after_moves_are_those_of_the_new_partition(every_kind, seed):
    rng = np.random.default_rng(seed)
    sources, labels, weights = every_kind(rng), rng.integers(0, 3, 30), rng.random(4)
    local = LocalSum(sources, 3, weights)
    np.testing.assert_allclose(local.begin(labels), node_scores(sources, labels, 3, weights), atol=1e-9)
    for _ in range(3):
        nodes = np.sort(rng.choice(30, 7, replace=False))
        before, labels = labels, labels.copy()
        labels[nodes] = rng.integers(0, 3, 7)
        touched = local.move(nodes, before, labels)
        some = np.sort(rng.choice(30, 11, replace=False))
        expected = node_scores(sources, labels, 3, weights)[some]
        np.testing.assert_allclose(local.scores(labels, some), expected, atol=1e-8)
    joined = sources[0]._edges[nodes].indices
    assert touched[joined].all()


def test_a_source_of_weight_zero_is_as_if_it_were_not_there(every_kind, rng):
    sources, labels = every_kind(rng), rng.integers(0, 3, 30)
    without = LocalSum(sources[:1], 3).begin(labels)
    np.testing.assert_allclose(LocalSum(sources, 3, [1, 0, 0, 0]).begin(labels), without)


def test_what_all_nodes_show_is_what_there_is(every_kind, rng):
    labels = rng.integers(0, 3, 30)
    for source in every_kind(rng):
        found = local_scores(source, 3).begin_from(labels, np.arange(30))
        np.testing.assert_allclose(found, source.node_scores(labels, 3), atol=1e-9)


def test_of_few_nodes_support_is_measured_on_all(every_kind, rng):
    labels = rng.integers(0, 3, 30)
    np.testing.assert_array_equal(judges(30), np.arange(30))
    for source in every_kind(rng):
        assert quick_support(source, labels, 3) == pytest.approx(support([source], labels, 3), rel=1e-12)


def test_of_many_nodes_some_stand_for_all(planted, monkeypatch):
    sources, truth = planted
    monkeypatch.setattr(local_mending, "MANY_NODES", 120)
    assert len(judges(len(truth))) == 120
    whole = support(sources[:1], truth, 4)
    assert quick_support(sources[0], truth, 4) == pytest.approx(whole, rel=0.2)


@SEEDS
@given(st.integers(0, 10_000))
def test_local_mending_never_ends_below_its_start(random_sources, seed):
    rng = np.random.default_rng(seed)
    sources, labels = random_sources(rng), rng.integers(0, 3, 30)
    found, value = mend_locally(sources, labels, 3, rng, None, **SHARES)
    assert value >= support(sources, labels, 3) - 1e-9
    assert value == pytest.approx(support(sources, found, 3))


def test_local_mending_ends_where_mending_does(planted, rng, monkeypatch):
    sources, truth = planted
    start = np.where(rng.random(len(truth)) < 0.1, rng.integers(0, 4, len(truth)), truth)
    expected = mend(sources, start, 4, rng)
    monkeypatch.setattr(mending, "MANY_NODES", 100)
    monkeypatch.setattr(local_mending, "MOST_AT_ONCE", 0.9)  # so that most rounds are local
    found = mend(sources, start, 4, rng, origin="here")
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert found.support == pytest.approx(expected.support)
    assert found.origin == "here"


def test_corroboration_of_many_nodes_is_about_that_of_all(planted, rng, monkeypatch):
    sources, truth = planted
    starts = [truth, np.where(rng.random(len(truth)) < 0.2, rng.integers(0, 4, len(truth)), truth)]
    expected = corroborating.corroboration(sources, starts, 4, rng)
    monkeypatch.setattr(racing, "SHAKEN_UP_TO", 200)
    for module in (mending, local_mending, racing, sameness):
        monkeypatch.setattr(module, "MANY_NODES", 200)
    found = corroborating.corroboration(sources, starts, 4, rng)
    np.testing.assert_allclose(found, expected, atol=0.1)


def test_of_many_nodes_a_start_that_is_like_another_is_not_mended(planted, rng, monkeypatch):
    sources, truth = planted
    nearly, merged = truth.copy(), np.where(truth == 3, 0, truth)
    nearly[:2] = (truth[:2] + 1) % 4
    merged[np.flatnonzero(truth == 1)[::2]] = 3  # as many clusters: one joined with another, one split
    monkeypatch.setattr(racing, "MANY_NODES", 100)
    mended = []
    monkeypatch.setattr(
        racing, "mend", lambda *given, origin, **how: mended.append(origin) or mend(*given, origin=origin, **how)
    )
    found = racing.race(sources, [("nearly", nearly), ("merged", merged), ("truth", truth)], 4, rng)
    assert mended == ["truth", "merged"]
    assert [one.origin for one in found] == ["nearly", "merged", "truth"]
    assert found[0].support == found[2].support
    np.testing.assert_array_equal(found[0].labels, found[2].labels)


def test_partitions_of_many_nodes_that_differ_by_a_few_are_one(monkeypatch):
    labels = np.repeat([0, 1, 2], 100)
    nearly, other = labels.copy(), np.tile([0, 1, 2], 100)
    nearly[0] = 1
    best, near, apart = Partition(labels, 5.0, ""), Partition(nearly, 4.999, ""), Partition(other, 4.999, "")
    assert not is_same(best, near)
    monkeypatch.setattr(sameness, "MANY_NODES", 100)
    assert is_same(best, near)
    assert not is_same(best, apart)
    assert not is_same(best, Partition(nearly, 4.9, ""))
    assert distinct([near, apart, best]) == [best, apart]


def test_copies_are_left_out_of_many_nodes_only(monkeypatch):
    labels = np.repeat([0, 1, 2], 100)
    renumbered, other = (labels + 1) % 3, np.tile([0, 1, 2], 100)
    assert agreement(labels, renumbered) == pytest.approx(1)
    assert len(without_copies([labels, renumbered, other], 0.8)) == 3
    monkeypatch.setattr(sameness, "MANY_NODES", 100)
    kept = without_copies([labels, renumbered, other], 0.8)
    assert [one is labels or one is other for one in kept] == [True, True]


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=30))
def test_relabelled_is_the_inverse_of_unique(values):
    given_values = np.array(values)
    np.testing.assert_array_equal(relabelled(given_values), np.unique(given_values, return_inverse=True)[1])
