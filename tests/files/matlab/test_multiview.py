"""Multi-view files in all the layouts of the research world are read alike, and what cannot be read is said."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.io import savemat
from scipy.sparse import csc_array, csr_array, issparse

from orthonet.datasets import load_multiview_mat
from orthonet.files import read_multiview_mat, read_views


def cells(values, column=False):
    held = np.empty(len(values), dtype=object)
    for index, value in enumerate(values):
        held[index] = value
    return held.reshape((-1, 1) if column else (1, -1))


def one_hot(labels, n_classes):
    return (labels[:, None] == np.arange(n_classes)).astype(float)


def save(path, **variables):
    savemat(path, variables, do_compression=True)
    return path


@pytest.fixture
def file(tmp_path):
    return tmp_path / "set.mat"


@pytest.fixture
def views(rng):
    return [rng.random((10, 3)), rng.random((10, 5))]


LABELS = np.array([3, 1, 2, 2, 1, 3, 1, 2, 3, 3])


@st.composite
def layouts(draw):
    """A way to write views and labels to a file, all of them unambiguous."""
    n_nodes = draw(st.integers(2, 8))
    dims = draw(st.lists(st.integers(1, 9).filter(lambda m: m != n_nodes), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    views = [np.round(rng.normal(size=(n_nodes, m)), 2) * (rng.random((n_nodes, m)) < 0.7) for m in dims]
    labels = rng.integers(0, 3, n_nodes) + draw(st.integers(0, 1))
    by_column, sparse = draw(st.booleans()), draw(st.booleans())
    written = [view.T if by_column else view for view in views]
    written = [csc_array(view) if sparse else view for view in written]
    content = {}
    if draw(st.booleans()):
        content[draw(st.sampled_from(["data", "X", "fea", "views", "Data", "x"]))] = cells(written, draw(st.booleans()))
    else:
        stem = draw(st.sampled_from(["X", "view", "fea_"]))
        content |= {f"{stem}{index}": view for index, view in enumerate(written, 1)}
    name = draw(st.sampled_from(["truelabel", "Y", "gt", "gnd", "label", "labels", "truth"]))
    form = draw(st.sampled_from(["row", "column", "float", "cell", "cells", "one-hot", "one-hot by column"]))
    content[name] = {
        "row": labels[None],
        "column": labels[:, None].astype(np.uint8),
        "float": labels.astype(float),
        "cell": cells([labels]),
        "cells": cells([labels[:, None]] * len(views)),
        "one-hot": one_hot(labels, 4),
        "one-hot by column": csc_array(one_hot(labels, 4).T),
    }[form]
    return views, labels, sparse, name, content


@settings(max_examples=150, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(layouts())
def test_any_layout_gives_back_what_was_written(tmp_path, layout):
    views, labels, sparse, name, content = layout
    read = read_multiview_mat(save(tmp_path / "set.mat", **content), n_views=len(views))
    assert read.labels_name == name
    np.testing.assert_array_equal(read.labels, labels)
    assert len(read.names) == len(views)
    for ours, given_view in zip(read.views, views, strict=True):
        assert issparse(ours) == sparse
        np.testing.assert_array_equal(ours.toarray() if sparse else ours, given_view)


@settings(max_examples=200, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0, 1, exclude_max=True), st.sampled_from(["cut", "cut, not compressed", *"01234567"]))
def test_a_damaged_file_is_refused_by_its_name_or_read(tmp_path, where, damage):
    # A flipped bit in a file that is not compressed is not among these: scipy itself may crash on that.
    file, variables = tmp_path / "set.mat", {"X": cells([np.ones((6, 2)), csc_array(np.eye(6, 3))]), "Y": np.arange(6)}
    savemat(file, variables, do_compression=damage != "cut, not compressed")
    content = bytearray(file.read_bytes())
    if damage.startswith("cut"):
        del content[int(where * len(content)) :]
    else:
        content[136 + int(where * (len(content) - 136))] ^= 1 << int(damage)
    file.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns of what it doubts
        try:
            read = read_multiview_mat(file)
        except ValueError as error:
            assert "set.mat" in str(error)
        else:
            assert len({view.shape[0] for view in read.views}) == 1


def test_numbered_variables_are_taken_in_the_order_of_their_numbers(file):
    content = {f"X{index}": np.full((4, 2), index) for index in (10, 2, 1)}
    read = read_multiview_mat(save(file, **content, Y=np.arange(4)))
    assert read.names == ("X1", "X2", "X10")
    assert [view[0, 0] for view in read.views] == [1, 2, 10]


def test_names_tell_where_things_were_found_and_can_be_given(file, views):
    save(file, stuff=cells(views), other=views[0], answer=LABELS, Y=LABELS[::-1].copy())
    read = read_multiview_mat(file, views="stuff", labels="answer")
    assert (read.names, read.labels_name) == (("stuff{1}", "stuff{2}"), "answer")
    np.testing.assert_array_equal(read.labels, LABELS)
    assert read_multiview_mat(file, views=["other"]).names == ("other",)
    with pytest.raises(
        ValueError, match=r"set\.mat has no variable 'nothing' for views; it has stuff, other, answer, Y"
    ):
        read_multiview_mat(file, views="nothing")
    with pytest.raises(
        ValueError, match=r"is not a multi-view file: none of its variables .* has a usual name of views"
    ):
        read_multiview_mat(file)
    with pytest.raises(TypeError, match="views must be a name or several, got 3"):
        read_multiview_mat(file, views=3)
    with pytest.raises(TypeError, match="labels must be the name of a variable, got 3"):
        read_multiview_mat(file, views="stuff", labels=3)


def test_several_candidates_are_listed(file, views):
    save(file, data=cells(views), X=cells(views), Y=LABELS)
    with pytest.raises(ValueError, match="several variables that may be the views: data; X; pass views="):
        read_multiview_mat(file)
    assert len(read_multiview_mat(file, views="X").views) == 2
    save(file, data=cells(views), Y=LABELS, gt=np.roll(LABELS, 1))
    with pytest.raises(ValueError, match="labels under several names that differ: Y, gt; pass labels="):
        read_multiview_mat(file)
    save(file, data=cells(views), Y=LABELS, gt=LABELS - 1, label=one_hot(LABELS, 4))
    np.testing.assert_array_equal(read_multiview_mat(file).labels, LABELS)


def test_the_number_of_views_is_checked(file, views):
    save(file, data=cells(views), Y=LABELS)
    with pytest.raises(ValueError, match=r"has 2 views \(data\{1\}, data\{2\}\), but 6 were expected"):
        read_multiview_mat(file, n_views=6)
    with pytest.raises(ValueError, match="n_views must be an integer >= 1"):
        read_multiview_mat(file, n_views=0)


def test_without_labels_the_shared_dimension_decides(file, views):
    save(file, X=cells([view.T for view in views]))
    read = read_multiview_mat(file)
    assert read.labels is None
    assert read.labels_name is None
    assert [view.shape for view in read.views] == [(10, 3), (10, 5)]
    with pytest.raises(ValueError, match=r"set\.mat has no labels under any usual name .*labels="):
        load_multiview_mat(file)


def test_what_cannot_be_known_is_asked_for(file):
    square = [np.arange(9.0).reshape(3, 3)] * 2
    save(file, X=cells(square), Y=np.arange(3))
    with pytest.raises(
        ValueError,
        match=r"a row or a column: X\{1\} is 3 x 3, X\{2\} is 3 x 3, and there are 3 labels; pass orientation=",
    ):
        read_multiview_mat(file)
    np.testing.assert_array_equal(read_multiview_mat(file, orientation="rows").views[0], square[0])
    np.testing.assert_array_equal(read_multiview_mat(file, orientation="columns").views[0], square[0].T)
    with pytest.raises(ValueError, match="orientation must be one of 'auto', 'rows', 'columns'"):
        read_multiview_mat(file, orientation="sideways")
    save(file, X=cells([np.ones((3, 4))]))
    with pytest.raises(ValueError, match=r"a row or a column: X\{1\} is 3 x 4; pass orientation="):
        read_multiview_mat(file)
    # One square view among others is no doubt.
    save(file, X=cells([np.arange(9.0).reshape(3, 3), np.ones((5, 3))]), Y=np.arange(3))
    np.testing.assert_array_equal(read_multiview_mat(file).views[0], square[0].T)


def test_views_that_do_not_fit_are_named_with_their_shapes(file):
    save(file, X=cells([np.ones((4, 10)), np.ones((5, 11))]), Y=np.arange(10))
    with pytest.raises(
        ValueError, match=r"not have the same nodes: X\{1\} is 4 x 10, X\{2\} is 5 x 11, and there are 10 labels"
    ):
        read_multiview_mat(file)
    with pytest.raises(
        ValueError, match=r"with orientation='columns' the views do not fit together: .* 4 x 10, .* 5 x 11"
    ):
        read_multiview_mat(file, orientation="columns")


def test_each_view_may_lie_its_own_way(file):
    save(file, X=cells([np.ones((4, 10)), np.ones((10, 5))]), Y=np.arange(10))
    assert [view.shape for view in read_multiview_mat(file).views] == [(10, 4), (10, 5)]


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (np.zeros((0, 0)), r"the view X\{2\} is empty \(0 x 0\)"),
        (np.array("words"), r"the view X\{2\} is text; wanted a matrix of numbers"),
        (
            {"a": 1, "b": 2},
            r"the view X\{2\} is a Matlab struct, object or function with the fields a, b; wanted a matrix",
        ),
        (np.ones((10, 2)) * 1j, r"the view X\{2\} holds complex128 values; wanted real numbers"),
        (np.ones((10, 2, 2)), r"the view X\{2\} is 10 x 2 x 2; wanted a matrix"),
        (cells([np.ones(2), np.ones(2)]), r"the view X\{2\} is a 1 x 2 cell; wanted a matrix of numbers"),
    ],
)
def test_a_view_that_is_no_matrix_is_named(file, second, words):
    save(file, X=cells([np.ones((10, 3)), second]), Y=LABELS)
    with pytest.raises(ValueError, match=r"set\.mat: " + words):
        read_multiview_mat(file)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.r_[np.nan, np.arange(9)], "hold 1 NaN or infinite of 10; wanted whole numbers"),
        (np.arange(10) + 0.5, "are not all whole numbers, such as 0.5"),
        (np.zeros((0, 0)), r"are empty \(0 x 0\)"),
        (np.array(["a", "b"] * 5, dtype=object), "'Y', cell 1, is text; wanted a vector of whole numbers"),
        (np.array("abab"), "is text"),
        ({"labels": LABELS}, "is a Matlab struct, object or function with the fields labels"),
        (np.ones((10, 2)), "are a 10 x 2 matrix; wanted a vector, or zeros and a single one for each node"),
        (cells([LABELS, LABELS[::-1].copy()]), "are 2 cells that differ; wanted the same labels in each"),
        (LABELS * 1j, "holds complex128 values"),
    ],
)
def test_labels_that_are_none_are_named(file, views, value, words):
    save(file, X=cells(views), Y=value)
    with pytest.raises(ValueError, match=r"set\.mat: the labels 'Y'.* " + words.removeprefix("'Y', ")):
        read_multiview_mat(file)


@pytest.mark.parametrize("name", ["X", "Y"])
def test_sparse_indices_out_of_bounds_are_refused(file, name):
    content = {"X": cells([csc_array(np.eye(6, 3))]), "Y": csc_array(np.ones((6, 1)))}
    damaged = content["X"][0, 0] if name == "X" else content["Y"]
    damaged.indices[-1] = 1_000_000_000
    with pytest.raises(ValueError, match=r"set\.mat: the .*: the file is damaged"):
        read_multiview_mat(save(file, **content))


def with_class(path, index, number):
    """Make the variable, or cell, at a position one of another of Matlab's classes; scipy writes none of these."""
    content = bytearray(path.read_bytes())
    place = 128
    for _ in range(index + 1):
        place = content.index(b"\x06\0\0\0\x08\0\0\0", place) + 8
    content[place] = number
    path.write_bytes(content)
    return path


FUNCTION, OPAQUE, OBJECT = 16, 17, 3


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (FUNCTION, "the Matlab function 'code'"),
        (OBJECT, "the Matlab object 'code'"),
        (OPAQUE, "an object of a Matlab class"),
    ],
)
def test_a_file_with_a_function_or_an_object_is_refused(file, views, kind, words):
    savemat(file, {"code": {"field": 1}, "X1": views[0], "X2": views[1], "Y": LABELS})
    assert len(read_multiview_mat(file).views) == 2
    with_class(file, 0, kind)
    with pytest.raises(ValueError, match=rf"set\.mat holds {words}.*; save the views and labels alone"):
        read_multiview_mat(file)
    if kind != OPAQUE:
        np.testing.assert_array_equal(read_multiview_mat(file, views=["X1", "X2"]).views[0], views[0])


def test_a_function_in_a_cell_is_refused(file, views):
    savemat(file, {"X": cells([cells([views[0]]), views[1]]), "Y": LABELS})
    np.testing.assert_array_equal(read_multiview_mat(file).views[0], views[0])
    with pytest.raises(ValueError, match=r"set\.mat: the view X\{1\} is a Matlab struct, object or function"):
        read_multiview_mat(with_class(file, 1, FUNCTION))


@pytest.mark.parametrize("start", ["matlab", "plain"])
def test_a_file_of_version_7_3_says_how_to_save_it(file, start):
    signature = b"\x89HDF\r\n\x1a\n"
    header = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM"
    file.write_bytes(header.ljust(512, b"\0") + signature if start == "matlab" else signature + bytes(600))
    with pytest.raises(ValueError, match=r"set\.mat is a Matlab file of version 7\.3 .*save\('name\.mat', '-v7'\)"):
        read_multiview_mat(file)


def test_old_files_are_read(file, views):
    savemat(file, {"X1": views[0], "X2": views[1], "gnd": LABELS.astype(float)}, format="4")
    read = read_multiview_mat(str(file))
    np.testing.assert_array_equal(read.views[1], views[1])
    np.testing.assert_array_equal(read.labels, LABELS)


def test_an_empty_file_is_refused_by_name(file):
    file.write_bytes(b"")
    with pytest.raises(ValueError, match=r"set\.mat is empty \(0 bytes\)"):
        read_multiview_mat(file)


@pytest.mark.parametrize("content", [b"MATLAB 5.0 MAT-file, cut off here", b"x,y\n1,2\n" * 100])
def test_other_files_are_refused_by_name(file, content):
    file.write_bytes(content)
    with pytest.raises(ValueError, match=r"set\.mat is not a multi-view file"):
        read_multiview_mat(file)


def test_what_is_no_file_is_refused_by_name(file):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read_multiview_mat(file.with_name("nowhere.mat"))
    with pytest.raises(IsADirectoryError, match=re.escape(str(file.parent))):
        read_multiview_mat(file.parent)


def test_any_file_becomes_a_data_set(file, rng):
    words = csr_array(rng.poisson(0.3, (40, 30)).astype(float))
    numbers = rng.normal(size=(40, 4))
    save(file, fea=cells([numbers.T, words.T]), gt=np.arange(40) % 4)
    data = load_multiview_mat(file, n_neighbors=5, weights="binary")
    assert (data.name, data.n_clusters, data.graph.layer_names) == ("set", 4, ("fea{1}", "fea{2}"))
    np.testing.assert_array_equal(data.views[0], numbers)
    assert issparse(data.views[1])
    assert all([data.source, data.license, data.description])
    assert set(data.graph.layers[0].data) == {1.0}


def test_square_matrices_beside_the_views_are_relations(file, rng):
    ring = np.roll(np.eye(10), 1, axis=1)
    content = {
        "feature": rng.random((10, 3)),
        "PAP": csc_array(ring),
        "PLP": np.triu(rng.random((10, 10)) > 0.5).astype(np.uint8) + np.eye(10),
        "again": ring * 2,
        "all": np.ones((10, 10)),
        "signed": -ring,
        "other": np.eye(4),
        "label": LABELS,
        "train_idx": np.arange(5),
    }
    network = read_views(save(file, **content))
    assert network.notes == (
        f"{file}: relations, layers as they are: PAP, PLP",
        f"{file}: not read: again (repeats PAP), all (joins 100% of all pairs alike), "
        "signed (weights must be finite and >= 0), other (4 x 4, but there are 10 nodes), train_idx",
    )
    graph = network.graph()
    assert graph.layer_names == ("PAP", "PLP")
    assert not graph.layers_from_features
    np.testing.assert_array_equal(graph.layers[0].toarray(), np.maximum(ring, ring.T))
    np.testing.assert_array_equal(graph.features, content["feature"])
    half = network.graph(symmetrize="mean").layers[0]
    np.testing.assert_array_equal(half.toarray(), (ring + ring.T) / 2)


def test_views_alone_are_read_as_before(file, views):
    content = read_multiview_mat(save(file, X1=views[0], X2=views[1], gnd=LABELS))
    assert (content.relations, content.notes) == ({}, ())
