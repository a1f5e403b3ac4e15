"""Node features: what is accepted, and the laws of their scaling."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from orthonet import MultilayerGraph
from orthonet.graph.features import FeatureScaler, check_features, exclusive_columns

RNG = np.random.default_rng(0)
DENSE = RNG.normal(size=(20, 3)) * [1, 100, 0.01] + [0, 50, 1e3]
SPARSE = sp.random_array((20, 15), density=0.3, rng=RNG, format="csr")


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        ("int8", np.float64),
        ("bool", np.float64),
        ("float16", np.float64),
        ("float32", np.float32),
        (object, np.float64),
    ],
)
def test_numbers_become_floats_and_float32_stays(given, dtype):
    numbers = np.array([[1, 0], [0, 1], [1, 1]], dtype=given)
    result = check_features(numbers)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, [[1, 0], [0, 1], [1, 1]])


@pytest.mark.parametrize("convert", [np.asfortranarray, np.asmatrix, pd.DataFrame, np.ndarray.tolist])
def test_dense_features_are_copied_to_c_order(convert):
    given = convert(DENSE)
    result = check_features(given)
    assert type(result) is np.ndarray
    assert result.flags.c_contiguous
    assert result.flags.owndata or not np.shares_memory(result, DENSE)
    np.testing.assert_array_equal(result, DENSE)


@pytest.mark.parametrize("convert", [sp.coo_matrix, sp.csc_array, sp.csr_matrix, sp.csr_array])
def test_sparse_features_become_a_csr_copy(convert):
    given = convert(SPARSE)
    result = check_features(given)
    assert isinstance(result, sp.csr_array)
    result.data[:] = 0
    np.testing.assert_array_equal(given.toarray(), SPARSE.toarray())


def test_the_name_is_the_callers():
    with pytest.raises(ValueError, match=r"^X has 20 rows, but the graph has 7 nodes"):
        check_features(DENSE, "X", n_nodes=7)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_standard_gives_zero_mean_and_unit_variance(dtype):
    features = DENSE.astype(dtype)
    scaled = FeatureScaler.fit(features).transform(features)
    tolerance = 1e-9 if dtype == np.float64 else 1e-3
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=tolerance)
    np.testing.assert_allclose(scaled.std(axis=0), 1, rtol=tolerance)


def test_new_nodes_are_scaled_as_the_old_ones():
    scaler = FeatureScaler.fit(DENSE)
    np.testing.assert_allclose(scaler.transform(DENSE[[4, 2]]), scaler.transform(DENSE)[[4, 2]], rtol=1e-12)


@pytest.mark.parametrize("features", [DENSE, SPARSE], ids=["dense", "sparse"])
def test_unit_gives_rows_of_length_one(features):
    scaled = FeatureScaler.fit(features, "unit").transform(features)
    assert sp.issparse(scaled) == sp.issparse(features)
    rows = scaled.toarray() if sp.issparse(scaled) else scaled
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1)


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_unit_leaves_an_empty_row_empty(convert):
    features = convert(np.array([[3.0, 4.0], [0.0, 0.0], [1.0, 0.0]]))
    scaled = FeatureScaler.fit(features, "unit").transform(features)
    rows = scaled.toarray() if sp.issparse(scaled) else scaled
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0, 0], [1, 0]])


def test_unit_of_entries_stored_in_two_halves():
    halves = sp.csr_array((np.array([3.0, 3.0, 8.0]), np.array([0, 0, 1]), np.array([0, 3, 3])), shape=(2, 2))
    features = MultilayerGraph([[[0, 1], [1, 0]]], halves).features
    scaled = FeatureScaler.fit(features).transform(features)
    np.testing.assert_allclose(scaled.toarray(), [[0.6, 0.8], [0, 0]])


def test_auto_standardises_dense_and_normalises_sparse():
    assert FeatureScaler.fit(DENSE).kind == "standard"
    assert FeatureScaler.fit(SPARSE).kind == "unit"


def test_none_changes_nothing():
    np.testing.assert_array_equal(FeatureScaler.fit(DENSE, "none").transform(DENSE), DENSE)


@pytest.mark.parametrize("kind", ["standard", "unit", "none"])
def test_the_input_is_not_changed(kind):
    features = DENSE.copy()
    FeatureScaler.fit(features, kind).transform(features)
    np.testing.assert_array_equal(features, DENSE)


def test_sparse_features_are_never_made_dense():
    with pytest.raises(ValueError, match=r"feature_scaling='standard' would make sparse features dense; pass.*'unit'"):
        FeatureScaler.fit(SPARSE, "standard")


def test_unknown_scaling():
    with pytest.raises(ValueError, match=r"feature_scaling must be one of 'auto'.*got 'robust'"):
        FeatureScaler.fit(DENSE, "robust")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("constant", [0.0, 0.1, 1e9])
def test_constant_columns_are_counted_and_become_zero(constant, dtype):
    features = np.insert(DENSE, 1, constant, axis=1).astype(dtype)
    with pytest.warns(UserWarning, match=r"X: 1 of 4 columns are constant \(column 1\).*drop them"):
        scaler = FeatureScaler.fit(features, name="X")
    np.testing.assert_allclose(scaler.transform(features)[:, 1], 0, atol=1e-6)


@pytest.mark.filterwarnings("error")
def test_a_small_spread_on_a_large_offset_is_not_constant():
    timestamps = 1.7e9 + np.arange(20.0).reshape(-1, 1)
    np.testing.assert_allclose(FeatureScaler.fit(timestamps).transform(timestamps).std(), 1)


def test_many_constant_columns_are_not_all_listed():
    features = np.hstack([DENSE, np.ones((20, 9))])
    with pytest.warns(UserWarning, match=r"9 of 12 columns are constant \(column 3, 4, 5, 6, 7, …\)"):
        FeatureScaler.fit(features)


@pytest.mark.parametrize("kind", ["standard", "unit", "none"])
def test_only_constant_columns_is_an_error(kind):
    with pytest.raises(ValueError, match=r"X: all 2 columns are constant.*pass features that vary"):
        FeatureScaler.fit(np.full((5, 2), 0.1), kind, name="X")


def test_the_columns_of_a_category_have_unit_variance_together(rng):
    kinds, number = rng.integers(0, 4, 300), rng.standard_normal(300)
    table = np.column_stack([np.eye(4)[kinds], number, rng.integers(0, 2, 300)])
    variances = FeatureScaler.fit(table).transform(table).var(axis=0)
    np.testing.assert_allclose([variances[:4].sum(), *variances[4:]], 1.0)


def test_columns_of_which_a_node_has_two_are_no_category():
    table = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=float)
    assert exclusive_columns(table) == [[0, 1], [2]]
    assert exclusive_columns(table[:, [0, 2]]) == [[0], [1]]
    assert exclusive_columns(np.array([[0.0, 2.0], [1.0, 0.0]])) == [[0], [1]]
