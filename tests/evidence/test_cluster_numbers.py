"""How many clusters: laws of the parts, and the number that planted partitions have."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import mutual_info_score

from orthonet import MultilayerGraph, TwoMode, datasets
from orthonet.evidence.cluster_numbers import (
    ALL_UP_TO,
    choose_number,
    entropy,
    mutual_information,
    numbers_between,
    partitions_by_number,
    worth,
)
from orthonet.evidence.merging import merge, merge_path
from orthonet.evidence.search import search_partitions
from orthonet.evidence.sources import support


def chosen(graph, smallest=2, largest=None, seed=0):
    rng = np.random.default_rng(seed)
    return choose_number(search_partitions(graph, min(8, graph.n_nodes // 4), rng), smallest, largest, rng)


def planted(n_clusters, seed, **options):
    n_nodes = max(200, 40 * n_clusters)
    return datasets.make_multilayer_sbm(
        n_nodes,
        3,
        n_clusters,
        kind="informative",
        p_in=10 * n_clusters / n_nodes,
        p_out=4 / n_nodes,
        random_state=seed,
        **options,
    ).graph


def test_information_of_partitions_is_that_of_scikit_learn(rng):
    first, second = rng.integers(0, 5, 200), rng.integers(0, 7, 200)
    assert mutual_information(first, second) == pytest.approx(mutual_info_score(first, second))
    assert mutual_information(first, first) == pytest.approx(entropy(first))
    assert entropy(np.repeat(np.arange(4), 25)) == pytest.approx(np.log(4))


def test_worth_rises_while_a_cluster_brings_half_of_what_others_did():
    before = worth(10.0, 2.0, 1.0)
    rate = 10.0 / 2.0
    assert worth(10.0 + 0.6 * rate * 0.01, 2.01, 1.0) > before
    assert worth(10.0 + 0.4 * rate * 0.01, 2.01, 1.0) < before
    assert worth(10.0, 2.0, 0.5) == pytest.approx(before / 4)


def test_every_small_number_is_looked_at_and_large_ones_in_small_steps():
    numbers = numbers_between(3, 200)
    assert numbers[: ALL_UP_TO - 2] == list(range(3, ALL_UP_TO + 1))
    assert numbers[-1] == 200
    assert all(1 <= later - earlier <= max(1, 0.1 * earlier) for earlier, later in pairwise(numbers))


def test_path_of_merges_passes_all_numbers_and_ends_where_merging_does():
    graph = planted(6, 1)
    rng = np.random.default_rng(0)
    search = search_partitions(graph, 12, rng)
    path = dict(merge_path(search.sources, search.best.labels, 3))
    assert sorted(path) == list(range(3, 12))
    assert all(len(np.unique(labels)) == k for k, labels in path.items())
    np.testing.assert_array_equal(path[3], merge(search.sources, search.best.labels, 3))
    for k in range(3, 11):
        pairs = set(zip(path[k + 1].tolist(), path[k].tolist(), strict=True))
        assert len(pairs) == k + 1  # each cluster of the finer partition is in one of the coarser


def test_partitions_on_the_way_down_are_whole():
    search = search_partitions(planted(5, 2), 8, np.random.default_rng(0))
    found = partitions_by_number(search, 2, 16, np.random.default_rng(0))
    assert set(range(2, 8)) <= set(found)
    for k, one in found.items():
        assert len(np.unique(one.labels)) == k
        assert one.support == pytest.approx(support(search.sources, one.labels, k, search.weights))


@pytest.mark.parametrize(("n_clusters", "n_features"), [(2, 8), (3, 0), (6, 8), (12, 0)])
def test_planted_clusters_are_counted(n_clusters, n_features):
    found = chosen(planted(n_clusters, n_clusters, n_features=n_features))
    assert found.chosen == n_clusters
    assert found.pays
    assert found.reliability >= 0.5


def test_more_clusters_than_were_looked_at_first_are_found():
    found = chosen(planted(40, 0, n_features=0))
    assert found.chosen == pytest.approx(40, rel=0.1)


def test_choice_is_within_the_range():
    found = chosen(planted(6, 1), 3, 4)
    assert [row.n_clusters for row in found.candidates] == [3, 4]
    assert found.chosen in (3, 4)


def test_one_cloud_does_not_pay():
    graph = datasets.make_multilayer_sbm(
        300, 3, 2, kind="informative", p_in=0.05, p_out=0.0499, n_features=0, random_state=1
    ).graph
    found = chosen(graph)
    assert not found.pays
    assert "nothing speaks for more than one cluster" in found.sentence


def test_pieces_of_a_network_are_counted():
    ring = np.roll(np.eye(30), 1, axis=1) + np.roll(np.eye(30), 2, axis=1) + np.roll(np.eye(30), 3, axis=1)
    layer = np.kron(np.eye(4), ring + ring.T)
    assert chosen(MultilayerGraph([layer])).chosen == 4


def test_memberships_alone_are_enough():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(4), 40)
    own = rng.random((160, 40)) < np.where(np.arange(40) // 10 == labels[:, None], 0.5, 0.03)
    found = chosen(MultilayerGraph(two_mode={"club": TwoMode(csr_array(own.astype(float)))}))
    assert found.chosen == 4


def test_table_has_a_row_for_each_number_and_marks_the_choice():
    found = chosen(planted(3, 3), 2, 6)
    rows = found.table.to_dicts()
    assert [row["clusters"] for row in rows] == [2, 3, 4, 5, 6]
    assert [row["clusters"] for row in rows if row[""] == "chosen"] == [found.chosen]
    assert sum(row["votes"] for row in rows) == pytest.approx(1.0)
    assert str(found).splitlines()[0] == found.sentence
    assert "<table" in found._repr_html_()
