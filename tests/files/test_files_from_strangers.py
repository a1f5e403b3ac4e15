"""Files from others cannot crash the program or take its memory: parts are checked before compiled code follows them."""

import io
import struct
import tracemalloc
import warnings
import zipfile
import zlib

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import bsr_array, coo_array, csc_array, csr_array, dia_array, random_array, save_npz

from orthonet.files import isolation, read_features, read_multiview_mat, read_network, read_views

MATRIX = csr_array(random_array((12, 12), density=0.4, rng=np.random.default_rng(0)) + random_array((12, 12), rng=1))


def changed(file, **arrays):
    """Save the archive again with other arrays in it."""
    with np.load(file) as content:
        np.savez(file, **{**content, **arrays})
    return file


def refused(read, file):
    with pytest.raises(ValueError) as caught:
        read(file)
    said = str(caught.value)
    assert str(file) in said
    assert "\n" not in said
    return said


def with_member(file, name, content):
    """Put bytes in the place of an array."""
    with zipfile.ZipFile(file) as old:
        kept = {one: old.read(one) for one in old.namelist() if one != f"{name}.npy"}
    with zipfile.ZipFile(file, "w") as new:
        for one, whole in kept.items():
            new.writestr(one, whole)
        new.writestr(f"{name}.npy", content)
    return file


@pytest.mark.parametrize("dtype", ["<,f8", "<f8,", "(,)f8", "1" * 200])
def test_an_array_whose_type_is_no_type_is_refused(tmp_path, dtype):
    np.save(tmp_path / "f.npy", np.ones((6, 2)))
    content = (tmp_path / "f.npy").read_bytes()
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': (6, 2), }}".encode().ljust(309) + b"\n"
    (tmp_path / "f.npy").write_bytes(content[:8] + struct.pack("<H", len(header)) + header + content[128:])
    refused(read_features, tmp_path / "f.npy")


@pytest.mark.parametrize("kind", [csr_array, csc_array, bsr_array, coo_array, dia_array])
def test_each_format_of_scipy_is_read_as_it_was_saved(tmp_path, kind):
    symmetric = MATRIX + MATRIX.T
    save_npz(tmp_path / "m.npz", kind(symmetric))
    expected = symmetric.toarray()
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(read_network(tmp_path / "m.npz").graph().layers[0].toarray(), expected)
    np.testing.assert_allclose(read_features(tmp_path / "m.npz").features.toarray(), symmetric.toarray())


@pytest.mark.parametrize("read", [read_network, read_features])
@pytest.mark.parametrize(
    ("kind", "part", "change", "words"),
    [
        (csr_array, "indptr", lambda a: np.r_[a[:1], np.full(5, 3_000_000), a[6:]], "does not rise|ends at"),
        (csr_array, "indptr", lambda a: -a, "does not rise"),
        (csr_array, "indptr", lambda a: a[:-1], "wanted 13"),
        (csr_array, "indptr", lambda a: a + 1, "does not rise from 0"),
        (csr_array, "indptr", lambda a: a.astype(float), "whole numbers"),
        (csr_array, "indptr", lambda a: a[0], "not lists"),
        (csr_array, "indices", lambda a: a + 12, "indices must be < 12"),
        (csr_array, "indices", lambda a: a - 12, "indices must be >= 0"),
        (csr_array, "indices", lambda a: a.astype(float), "whole numbers"),
        (csr_array, "data", lambda a: a[:3], "3 entries"),
        (csr_array, "data", lambda a: a[:, None, None], "wanted a list"),
        (csr_array, "shape", lambda a: np.array([-12, 12]), "shape must be two whole numbers"),
        (csr_array, "shape", lambda a: np.array([2**63 - 1, 12]), "shape must be two whole numbers"),
        (csr_array, "shape", lambda a: np.array([12.0, 12.0]), "shape must be two whole numbers"),
        (csr_array, "format", lambda a: np.array(b"lil"), "the format 'lil' is unknown"),
        (csr_array, "format", lambda a: np.array([1, 2]), "the format None is unknown"),
        (csc_array, "indices", lambda a: a * 10**6, "indices must be < 12"),
        (bsr_array, "indices", lambda a: a + 12, "indices must be < 12"),
        (bsr_array, "data", lambda a: a.repeat(5, axis=1), "do not fit"),
        (coo_array, "row", lambda a: a + 12, "row must be < 12"),
        (coo_array, "col", lambda a: a.astype(float), "whole numbers"),
        (dia_array, "offsets", lambda a: a + 10**9, "different diagonals"),
        (dia_array, "offsets", lambda a: a * 0, "different diagonals"),
    ],
)
def test_a_sparse_matrix_with_false_parts_is_refused(tmp_path, read, kind, part, change, words):
    save_npz(tmp_path / "m.npz", kind(MATRIX))
    with np.load(tmp_path / "m.npz") as content:
        false = change(content[part])
    said = refused(read, changed(tmp_path / "m.npz", **{part: false}))
    assert any(word in said for word in words.split("|")), said


def npy(header, body=b""):
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + body


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"junk",
        b"\x93NUMPY",
        b"\x93NUMPY\x09\x00" + bytes(50),
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (3,)"),
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", bytes(8)),
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (-3,), }", bytes(24)),
        npy(b"{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", bytes(24)),
        npy(b"{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000000,), }"),
        npy(b"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }", bytes(24)),
        npy(b"{'descr': '<U4000000000', 'fortran_order': False, 'shape': (3,), }"),
        npy(b"(" * 3000),
    ],
)
def test_members_that_are_no_arrays_are_refused(tmp_path, content):
    save_npz(tmp_path / "m.npz", MATRIX)
    for read in (read_network, read_features):
        assert "m.npz" in refused(read, with_member(tmp_path / "m.npz", "data", content))
    (tmp_path / "m.npy").write_bytes(content.ljust(8, b"\0"))
    refused(read_features, tmp_path / "m.npy")


def test_members_that_are_packed_otherwise_are_refused(tmp_path):
    buffer = io.BytesIO()
    np.save(buffer, MATRIX.data)
    save_npz(tmp_path / "m.npz", MATRIX)
    with_member(tmp_path / "m.npz", "data", b"")
    with zipfile.ZipFile(tmp_path / "m.npz", "a", zipfile.ZIP_LZMA) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the name is there twice
        archive.writestr("data.npy", buffer.getvalue())
    assert "packed in a way that numpy does not write" in refused(read_network, tmp_path / "m.npz")


# Matlab files, written by hand where scipy would write no such thing.


def element(kind, content):
    return struct.pack("<II", kind, len(content)) + content + bytes(-len(content) % 8)


def matrix_element(matlab_class, dims, name=b"X", body=b""):
    flags = element(6, struct.pack("<II", matlab_class, 0))
    shape = element(5, struct.pack(f"<{len(dims)}i", *dims))
    return element(14, flags + shape + element(1, name) + body)


def mat(*elements, packed=False):
    header = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
    parts = [
        struct.pack("<II", 15, len(zlib.compress(one))) + zlib.compress(one) if packed else one for one in elements
    ]
    return header + b"".join(parts)


CELL, CHAR, SPARSE, DOUBLE = 1, 4, 5, 6


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    "content",
    [
        matrix_element(CELL, (10_000, 20_000)),
        matrix_element(CHAR, (1, 2_000_000_000), body=element(16, b"")),
        matrix_element(CHAR, (50_000, 50_000), body=element(16, b"")),
        matrix_element(SPARSE, (2**31 - 1, 2**31 - 1), body=element(5, b"") * 3),
    ],
)
def test_a_matlab_file_that_claims_gigabytes_is_refused_within_its_limits(tmp_path, content, packed):
    (tmp_path / "set.mat").write_bytes(mat(content, packed=packed))
    assert (tmp_path / "set.mat").stat().st_size < 400
    for read in (read_views, lambda file: read_multiview_mat(file, views=["X"])):
        assert "set.mat" in refused(read, tmp_path / "set.mat")


@pytest.mark.parametrize(("matlab_class", "kind"), [(0, 9), (CHAR, 0)])
def test_a_matlab_value_of_no_class_or_no_type_is_refused(tmp_path, matlab_class, kind):
    """On the first scipy raises an UnboundLocalError, on the second it crashes."""
    value = matrix_element(matlab_class, (1, 3), body=element(kind, b"abcdefgh" * 3))
    (tmp_path / "set.mat").write_bytes(mat(value))
    refused(lambda file: read_multiview_mat(file, views=["X"]), tmp_path / "set.mat")


@pytest.mark.parametrize("labels", [False, True])
def test_a_sparse_matrix_of_a_matlab_file_has_about_as_many_rows_as_entries(tmp_path, labels):
    """Rows without entries take no room in a file, and a kilobyte of it took a gigabyte here."""
    shape = (3000, 3000) if labels else (2**27, 4)
    claimed = csc_array((np.ones(4), np.arange(4), np.minimum(np.arange(shape[1] + 1), 4)), shape=shape)
    views = {"X1": np.ones((5, 2)), "Y": claimed} if labels else {"X1": claimed, "X2": claimed}
    savemat(tmp_path / "set.mat", views)
    tracemalloc.start()
    try:
        assert "with only 4 entries" in refused(read_multiview_mat, tmp_path / "set.mat")
        assert tracemalloc.get_traced_memory()[1] < 2**26
    finally:
        tracemalloc.stop()


def test_a_small_matlab_file_that_unpacks_to_a_gigabyte_is_refused_by_name(tmp_path):
    packer, parts = zlib.compressobj(9), []
    parts.append(packer.compress(struct.pack("<II", 14, 2**30)))
    parts.extend(packer.compress(bytes(2**20)) for _ in range(300))
    body = b"".join([*parts, packer.flush()])
    header = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
    (tmp_path / "set.mat").write_bytes(header + struct.pack("<II", 15, len(body)) + body)
    assert "set.mat unpacks to" in refused(read_views, tmp_path / "set.mat")


def test_bits_flipped_in_a_matlab_file_never_end_the_program(tmp_path):
    values = np.empty(2, dtype=object)
    values[:] = [np.ones((6, 2)), csc_array(np.eye(6, 3))]
    savemat(tmp_path / "good.mat", {"X": values, "Y": np.arange(6)})
    good, rng = (tmp_path / "good.mat").read_bytes(), np.random.default_rng(0)
    outcomes = {"read": 0, "refused": 0}
    for _ in range(400):
        content = bytearray(good)
        for place in rng.integers(128, len(good), rng.integers(1, 4)):
            content[place] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, content[place] ^ (1 << int(rng.integers(8)))])
        (tmp_path / "set.mat").write_bytes(content)
        try:
            read_multiview_mat(tmp_path / "set.mat")
            outcomes["read"] += 1
        except ValueError as error:
            assert "set.mat" in str(error)
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 20


def test_a_reader_that_crashes_is_a_sentence_and_the_next_file_is_read(tmp_path, monkeypatch):
    savemat(tmp_path / "set.mat", {"X1": np.ones((5, 2)), "X2": np.ones((5, 3)), "Y": np.arange(5) % 2})
    crashing = tmp_path / "crashing.py"
    crashing.write_text("import os, signal, sys\nsys.stdin.readline()\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    isolation._close_idle()
    with monkeypatch.context() as patch:
        patch.setattr(isolation, "READER", crashing)
        assert "its reader crashed" in refused(read_multiview_mat, tmp_path / "set.mat")
    assert len(read_multiview_mat(tmp_path / "set.mat").views) == 2


def test_a_reader_that_never_answers_is_ended(tmp_path, monkeypatch):
    savemat(tmp_path / "set.mat", {"X1": np.ones((5, 2))})
    waiting = tmp_path / "waiting.py"
    waiting.write_text("import time\ntime.sleep(600)\n")
    isolation._close_idle()
    monkeypatch.setattr(isolation, "READER", waiting)
    monkeypatch.setattr(isolation, "SPARE_SECONDS", 0.2)
    assert "its reader crashed, or took more than" in refused(read_multiview_mat, tmp_path / "set.mat")
