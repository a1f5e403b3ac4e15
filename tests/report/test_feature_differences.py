"""Differences of features between clusters obey their laws, and small cases worked by hand."""

import numpy as np
from scipy.sparse import csr_array

from orthonet.report.feature_differences import feature_contrasts, feature_table, telling_features


def test_contrasts_of_a_case_worked_by_hand():
    features = np.array([[0.0, 5.0], [0.0, 5.0], [2.0, 5.0], [2.0, 5.0]])
    table = feature_table(features, np.array([0, 0, 1, 1]), 2)
    first, second = feature_contrasts(table)
    assert [(one.feature, one.difference, one.mean_inside, one.mean_outside) for one in first] == [(0, -2.0, 0.0, 2.0)]
    assert [one.difference for one in second] == [2.0]  # the constant column sets nobody apart
    np.testing.assert_allclose(table.between_share, [1, 0])
    assert telling_features(table).tolist() == [0]


def test_contrasts_do_not_depend_on_the_unit_or_the_offset(rng):
    features, labels = rng.normal(size=(60, 4)), rng.integers(0, 3, 60)
    plain = feature_table(features, labels, 3)
    moved = feature_table(features * [1, 1e-3, 50, 1e6] + [0, 1, -1e6, 1e8], labels, 3)
    np.testing.assert_allclose(moved.differences, plain.differences, atol=1e-6)
    np.testing.assert_allclose(moved.between_share, plain.between_share, atol=1e-6)


def test_of_two_clusters_one_is_the_mirror_of_the_other(rng):
    table = feature_table(rng.normal(size=(50, 3)), rng.integers(0, 2, 50), 2)
    np.testing.assert_allclose(table.differences[0], -table.differences[1])


def test_sparse_and_dense_features_tell_the_same(rng):
    features, labels = rng.random((50, 6)) * (rng.random((50, 6)) < 0.3), rng.integers(0, 3, 50)
    dense, sparse = (feature_table(matrix, labels, 4) for matrix in (features, csr_array(features)))
    for name in ("means", "overall", "deviation", "differences", "outside", "between_share"):
        np.testing.assert_allclose(getattr(dense, name), getattr(sparse, name), atol=1e-12)


def test_a_constant_column_is_constant_whatever_its_size():
    features = np.full((30, 2), 0.1)
    features[:, 1] = 1e9 + 0.1
    for matrix in (features, csr_array(features)):
        table = feature_table(matrix, np.arange(30) % 3, 3)
        assert not table.deviation.any()
        assert feature_contrasts(table) == [[], [], []]


def test_nothing_passed_is_changed(rng):
    features, labels = rng.normal(size=(20, 3)), rng.integers(0, 2, 20)
    before = features.copy(), labels.copy()
    feature_contrasts(feature_table(features, labels, 2))
    np.testing.assert_array_equal(features, before[0])
    np.testing.assert_array_equal(labels, before[1])
