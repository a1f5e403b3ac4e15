"""Mending, merging and recombining lead from a partition that is nearly right to the right one, and never away from it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from orthonet.evidence.mending import Partition, mend
from orthonet.evidence.merging import merge
from orthonet.evidence.recombination import distinct, intersection, move_cells, recombine
from orthonet.evidence.sources import LayerSource, WordSource, information, support

SEEDS = settings(max_examples=15, deadline=None)


def flipped(labels, share, rng, n_clusters=4):
    """Give a share of the nodes another cluster."""
    wrong = rng.choice(len(labels), int(share * len(labels)), replace=False)
    changed = labels.copy()
    changed[wrong] = (labels[wrong] + rng.integers(1, n_clusters, wrong.size)) % n_clusters
    return changed


def partition(sources, labels, origin="", n_clusters=4):
    return Partition(labels, support(sources, labels, n_clusters), origin)


@SEEDS
@given(st.integers(0, 10_000))
def test_mending_never_ends_below_its_start(random_sources, seed):
    rng = np.random.default_rng(seed)
    sources, labels = random_sources(rng), rng.integers(0, 3, 30)
    mended = mend(sources, labels, 3, rng)
    assert mended.support >= support(sources, labels, 3)
    assert mended.support == pytest.approx(support(sources, mended.labels, 3))
    assert mended.labels.min() >= 0
    assert mended.labels.max() < 3


def test_mending_recovers_a_planted_partition(planted, rng):
    sources, truth = planted
    mended = mend(sources, flipped(truth, 0.1, rng), 4, rng, origin="here")
    np.testing.assert_array_equal(mended.labels, truth)
    assert mended.origin == "here"


def test_mending_leaves_the_planted_partition_alone(planted, rng):
    sources, truth = planted
    np.testing.assert_array_equal(mend(sources, truth, 4, rng).labels, truth)


def test_mending_does_not_change_its_input_and_repeats_itself(planted, rng):
    sources, truth = planted
    start = flipped(truth, 0.4, rng)
    before = start.copy()
    one, other = (mend(sources, start, 4, np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(start, before)
    np.testing.assert_array_equal(one.labels, other.labels)
    assert one.support == other.support


@SEEDS
@given(st.integers(0, 10_000))
def test_more_rounds_never_give_less_support(random_sources, seed):
    rng = np.random.default_rng(seed)
    sources, labels = random_sources(rng), rng.integers(0, 3, 30)
    supports = [mend(sources, labels, 3, np.random.default_rng(seed), max_rounds=n).support for n in range(1, 8)]
    assert supports == sorted(supports)


@SEEDS
@given(st.integers(0, 10_000))
def test_mending_moves_no_node_into_an_empty_cluster(random_sources, seed):
    rng = np.random.default_rng(seed)
    sources, labels = random_sources(rng), rng.integers(0, 3, 30)
    assert set(mend(sources, labels, 5, rng).labels) <= {0, 1, 2}


def test_merging_gives_split_clusters_back(planted, rng):
    sources, truth = planted
    split = 3 * truth + rng.integers(0, 3, len(truth))
    merged = merge(sources, split, 4)
    assert adjusted_rand_score(merged, truth) == 1
    assert set(merged) == set(range(4))


def test_merging_keeps_what_is_coarse_enough(rng, random_sources):
    sources, labels = random_sources(rng), rng.integers(0, 3, 30)
    for wanted in (3, 5):
        assert adjusted_rand_score(merge(sources, labels, wanted), labels) == 1


@SEEDS
@given(st.integers(0, 10_000))
def test_merging_joins_first_what_loses_least(random_layer, random_words, seed):
    rng = np.random.default_rng(seed)
    sources = [LayerSource(random_layer(rng), "layer", 6.0), WordSource(random_words(rng), "words", 0.5)]
    labels = rng.permutation(np.arange(30) % 5)
    left = {
        (a, b): information(sources, np.where(labels == b, a, labels), 5) for a in range(5) for b in range(a + 1, 5)
    }
    a, b = max(left, key=left.get)
    assert adjusted_rand_score(merge(sources, labels, 4), np.where(labels == b, a, labels)) == 1


@SEEDS
@given(st.integers(0, 10_000))
def test_moving_cells_raises_information_keeps_cells_whole_and_empties_no_cluster(random_sources, seed):
    rng = np.random.default_rng(seed)
    sources, labels = random_sources(rng), rng.permutation(np.arange(30) % 3)
    cells = intersection(labels, rng.integers(0, 3, 30))
    moved = move_cells(sources, cells, labels, 3, rng)
    assert information(sources, moved, 3) >= information(sources, labels, 3) - 1e-12
    assert intersection(cells, moved).max() == cells.max()
    assert set(moved) == {0, 1, 2}


def test_moving_cells_stops_where_no_single_move_raises_information(rng, random_sources):
    sources, labels = random_sources(rng), rng.permutation(np.arange(30) % 3)
    cells = intersection(labels, rng.integers(0, 3, 30))
    moved = move_cells(sources, cells, labels, 3, rng)
    reached = information(sources, moved, 3)
    for cell in range(cells.max() + 1):
        if len(set(moved[cells != cell])) == 3:  # the last cell of a cluster stays
            for cluster in range(3):
                assert information(sources, np.where(cells == cell, cluster, moved), 3) <= reached + 1e-8


def test_two_partitions_each_right_on_one_half_give_the_right_one(planted, rng):
    # In one, half of cluster 0 and half of cluster 1 have changed places; in the other, of clusters 2 and 3.
    sources, truth = planted
    half = rng.random(len(truth)) < 0.5
    first = np.where(half & (truth < 2), 1 - truth, truth)
    second = np.where(half & (truth >= 2), 5 - truth, truth)
    found = recombine(sources, [partition(sources, first), partition(sources, second)], 4, rng)
    assert adjusted_rand_score(found[0].labels, truth) == 1


def test_recombining_keeps_the_most_supported_first_and_loses_none(planted, rng):
    sources, truth = planted
    given_ones = [partition(sources, flipped(truth, share, rng), str(share)) for share in (0.3, 0.1, 0.2)]
    found = recombine(sources, given_ones, 4, rng)
    supports = [one.support for one in found]
    assert supports == sorted(supports, reverse=True)
    assert {one.origin for one in given_ones} <= {one.origin for one in found}


def test_one_partition_under_two_numberings_is_kept_once(planted):
    sources, truth = planted
    same = np.array([1, 2, 3, 0])[truth]
    worse = np.where(truth == 3, 2, truth)
    kept = distinct([partition(sources, one) for one in (worse, truth, same)])
    assert len(kept) == 2
    np.testing.assert_array_equal(kept[0].labels, truth)


def test_an_intersection_keeps_together_what_both_do(rng):
    first, second = rng.integers(0, 3, 40), rng.integers(0, 4, 40)
    cells = intersection(first, second)
    together = (first[:, None] == first) & (second[:, None] == second)
    np.testing.assert_array_equal(cells[:, None] == cells, together)
    assert set(cells) == set(range(cells.max() + 1))
