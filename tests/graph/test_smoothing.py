"""Averages over neighbours: the matrix as its equation says, and what it does to features."""

import numpy as np
import pytest
import scipy.sparse as sp

from orthonet import MultilayerGraph
from orthonet.graph.features import FeatureScaler
from orthonet.graph.smoothing import averaging_matrix, smooth

PATH = np.array([[0, 1, 0, 0], [1, 0, 2, 0], [0, 2, 0, 3], [0, 0, 3, 0]], float)
PAIRS = np.array([[0, 5, 0, 0], [5, 0, 0, 0], [0, 0, 0, 7], [0, 0, 7, 0]], float)
FEATURES = np.array([[0.5, 1], [2, 3], [4, 5], [6, 8]])
AS_THEY_ARE = FeatureScaler("none")


def ring(n_nodes):
    return sp.csr_array(np.roll(np.eye(n_nodes), 1, axis=0) + np.roll(np.eye(n_nodes), -1, axis=0))


def test_the_matrix_is_that_of_the_equation():
    mean = 0.25 * PATH / PATH.sum(axis=1).mean() + 0.75 * PAIRS / PAIRS.sum(axis=1).mean() + np.eye(4)
    scale = np.diag(mean.sum(axis=1) ** -0.5)
    found = averaging_matrix(MultilayerGraph([PATH, PAIRS]), [1, 3])
    assert isinstance(found, sp.csr_array)
    np.testing.assert_allclose(found.toarray(), scale @ mean @ scale)


def test_it_is_symmetric_and_its_largest_eigenvalue_is_1():
    found = averaging_matrix(MultilayerGraph([PATH, PAIRS])).toarray()
    np.testing.assert_allclose(found, found.T)
    values = np.linalg.eigvalsh(found)
    assert values[-1] == pytest.approx(1)
    assert values[0] > -1


def test_where_all_degrees_are_equal_the_rows_sum_to_1():
    found = averaging_matrix(MultilayerGraph([ring(7)]))
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_allclose(found.diagonal(), 0.5)  # a node counts as much as its neighbours together


def test_the_unit_of_a_layer_does_not_matter_and_weight_0_is_absence():
    one = averaging_matrix(MultilayerGraph([PATH, PAIRS])).toarray()
    np.testing.assert_allclose(averaging_matrix(MultilayerGraph([PATH, 1000 * PAIRS])).toarray(), one)
    alone = averaging_matrix(MultilayerGraph([PATH])).toarray()
    np.testing.assert_allclose(averaging_matrix(MultilayerGraph([PATH, PAIRS]), [1, 0]).toarray(), alone)


def test_an_isolated_node_averages_over_itself():
    lonely = np.zeros((5, 5))
    lonely[:4, :4] = PATH
    np.testing.assert_array_equal(averaging_matrix(MultilayerGraph([lonely])).toarray()[4], [0, 0, 0, 0, 1])


@pytest.mark.parametrize("hops", [0, 1, 3])
@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_hops_are_powers_of_the_matrix(hops, convert):
    averaging = averaging_matrix(MultilayerGraph([PATH, PAIRS]))
    found = smooth(convert(FEATURES), AS_THEY_ARE, averaging, hops)
    found = found.toarray() if sp.issparse(found) else found
    np.testing.assert_allclose(found, np.linalg.matrix_power(averaging.toarray(), hops) @ FEATURES)


def test_the_features_are_scaled_first():
    averaging = averaging_matrix(MultilayerGraph([PATH]))
    scaler = FeatureScaler.fit(FEATURES, "standard")
    expected = averaging @ ((FEATURES - FEATURES.mean(axis=0)) / FEATURES.std(axis=0))
    np.testing.assert_allclose(smooth(FEATURES, scaler, averaging, 1), expected)


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_unit_rows_are_of_unit_length_again(convert):
    averaging = averaging_matrix(MultilayerGraph([PATH]))
    features = convert(np.eye(4, 30))
    found = smooth(features, FeatureScaler("unit"), averaging, 1)
    found = found.toarray() if sp.issparse(found) else found
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1)
    np.testing.assert_array_equal(features.toarray() if sp.issparse(features) else features, np.eye(4, 30))


def test_sparse_stays_sparse_until_a_tenth_is_filled():
    averaging = averaging_matrix(MultilayerGraph([ring(60)]))
    one_hot = sp.eye_array(60, format="csr")
    narrow = smooth(one_hot, AS_THEY_ARE, averaging, 2)  # 5 of 60 entries a row
    assert isinstance(narrow, sp.csr_array)
    wide = smooth(one_hot, AS_THEY_ARE, averaging, 3)  # 7 of 60
    assert isinstance(wide, np.ndarray)
    np.testing.assert_allclose(wide, averaging @ narrow.toarray())
