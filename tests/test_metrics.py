"""Metrics on hand-counted cases."""

import pytest

from orthonet import metrics

ALL = [metrics.purity, metrics.nmi, metrics.adjusted_rand, metrics.rand, metrics.clustering_accuracy]


@pytest.mark.parametrize("metric", ALL)
def test_renamed_labels_are_perfect_agreement(metric):
    assert metric(["a", "a", "b", "c"], [7, 7, 1, 0]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        # classes 000 111, clusters 001 222: {0,0}, {0}, {1,1,1}
        (metrics.purity, 1.0),
        (metrics.clustering_accuracy, 5 / 6),
        # of 15 pairs: 1 + 3 together in both, 9 apart in both
        (metrics.rand, 13 / 15),
        # index 4, expected 6 * 4 / 15, maximum (6 + 4) / 2
        (metrics.adjusted_rand, (4 - 24 / 15) / (5 - 24 / 15)),
    ],
)
def test_a_split_class(metric, expected):
    assert metric([0, 0, 0, 1, 1, 1], [0, 0, 1, 2, 2, 2]) == pytest.approx(expected)


def test_independent_partitions():
    truth, found = [0, 0, 1, 1], [0, 1, 0, 1]
    assert metrics.nmi(truth, found) == pytest.approx(0.0, abs=1e-12)
    assert metrics.rand(truth, found) == pytest.approx(2 / 6)
    assert metrics.adjusted_rand(truth, found) < 0


@pytest.mark.parametrize("metric", ALL)
@pytest.mark.parametrize(("truth", "found"), [([0, 1], [0, 1, 1]), ([[0, 1]], [[0, 1]]), ([], [])])
def test_bad_labels_are_named(metric, truth, found):
    with pytest.raises(ValueError, match="labels_true and labels_pred"):
        metric(truth, found)
