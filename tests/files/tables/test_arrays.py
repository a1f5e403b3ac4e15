"""Features without names: .npy files stay on the disk, sparse archives stay sparse, and what is wrong is named."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array, issparse, save_npz

from orthonet.files import read_features, read_views


@pytest.fixture
def values(rng):
    return rng.normal(size=(6, 3)).astype(np.float32)


def test_an_array_of_floats_stays_on_the_disk(tmp_path, values):
    np.save(tmp_path / "a.npy", values)
    table = read_features(tmp_path / "a.npy")
    assert isinstance(table.features, np.memmap)
    assert (table.node_ids, table.feature_names) == (None, None)
    np.testing.assert_array_equal(table.features, values)


def test_an_array_of_integers_becomes_floats(tmp_path):
    np.save(tmp_path / "counts.npy", np.arange(6).reshape(3, 2))
    assert read_features(tmp_path / "counts.npy").features.dtype == np.float64


HOLES = np.array([[1, np.nan], [3, 4], [np.nan, np.nan]])


def test_missing_values_of_an_array_are_filled_with_the_mean(tmp_path):
    np.save(tmp_path / "holes.npy", HOLES)
    assert read_features(tmp_path / "holes.npy").features.tolist() == [[1, 4], [3, 4], [2, 4]]


def test_an_empty_row_of_a_view_stays_empty(tmp_path):
    np.save(tmp_path / "holes.npy", HOLES)
    (view,) = read_views(tmp_path / "holes.npy").views.values()
    np.testing.assert_array_equal(view, [[1, 4], [3, 4], [np.nan, np.nan]])


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_a_sparse_matrix_stays_sparse(tmp_path, values, kind):
    save_npz(tmp_path / "s.npz", csr_array(values * (values > 0)).asformat(kind))
    sparse = read_features(tmp_path / "s.npz").features
    assert issparse(sparse)
    np.testing.assert_array_equal(sparse.toarray(), values * (values > 0))


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([[{}]], dtype=object), "is not an array of numbers"),
        (np.arange(3.0), "must hold a table, nodes x features; got shape 3"),
        (np.empty((0, 2)), "got shape 0 x 2"),
        (np.ones((2, 2)) * 1j, "must hold real numbers, got dtype complex128"),
        (np.array([[1, 2], [np.inf, 1]]), "row 2: column 0 holds an infinite number"),
        (np.array([[np.nan, 1], [np.nan, 2]]), "column 0 has no value in any row"),
    ],
    ids=["objects", "vector", "none", "complex", "infinite", "void"],
)
def test_a_wrong_array_is_named(tmp_path, array, message):
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    with pytest.raises(ValueError, match=rf"a\.npy.*{message}"):
        read_features(tmp_path / "a.npy")


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[:-1],
        lambda whole: whole[:30],
        lambda whole: whole.replace(b"(9, 9)", b"(9**9)"),
        lambda whole: whole.replace(b"(9, 9)", b"(9,9000)"),
    ],
    ids=["cut at the end", "cut in the heading", "a formula", "too large"],
)
def test_a_damaged_array_is_named(tmp_path, damage):
    np.save(tmp_path / "a.npy", np.ones((9, 9)))
    (tmp_path / "cut.npy").write_bytes(damage((tmp_path / "a.npy").read_bytes()))
    with pytest.raises(ValueError, match=r"cut\.npy is not an array of numbers"):
        read_features(tmp_path / "cut.npy")


def test_an_array_has_no_column_of_ids(tmp_path):
    np.save(tmp_path / "a.npy", np.ones((9, 9)))
    with pytest.raises(ValueError, match=r"a\.npy has no names of columns, and so no column 'id'"):
        read_features(tmp_path / "a.npy", id_column="id")


def test_an_archive_of_other_arrays_is_named(tmp_path):
    np.savez(tmp_path / "dense.npz", x=np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"dense\.npz is not an archive of one sparse matrix .*it holds 'x'"):
        read_features(tmp_path / "dense.npz")


def test_a_matrix_that_promises_too_much_is_refused(tmp_path):
    save_npz(tmp_path / "huge.npz", coo_array(([1.0], ([0], [1])), shape=(10**12, 3)))
    with pytest.raises(ValueError, match=r"huge\.npz has a matrix of 1,000,000,000,000 x 3 with only 1 entries"):
        read_features(tmp_path / "huge.npz")


def test_indices_out_of_bounds_are_refused(tmp_path):
    beyond = csr_array(np.eye(3))
    beyond.indices[-1] = 10**9
    save_npz(tmp_path / "beyond.npz", beyond)
    with pytest.raises(ValueError, match=r"beyond\.npz: the file is damaged"):
        read_features(tmp_path / "beyond.npz")


def test_a_sparse_matrix_with_nan_is_refused(tmp_path):
    save_npz(tmp_path / "nan.npz", csr_array([[np.nan, 1.0], [1, 0]]))
    with pytest.raises(ValueError, match=r"nan\.npz: the matrix contains NaN or infinity"):
        read_features(tmp_path / "nan.npz")
