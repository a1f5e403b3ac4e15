"""Known classes: in the order of the nodes, or an error that says which nodes have none."""

import numpy as np
import pytest

from orthonet.files import read_labels


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    ("content", "options", "labels"),
    [
        ("name,label\nc,blue\na,red\nb,red\nstranger,green\n", {}, ["red", "red", "blue"]),
        ("label,id\n2,c\n1,a\n1,b\n", {}, [1, 1, 2]),
        ("c;2\na;1\nb;1\n", {}, [1, 1, 2]),
        ("red\nred\nblue\n", {}, ["red", "red", "blue"]),
        ("species\nred\nred\nblue\n", {}, ["red", "red", "blue"]),
        (
            "x,species\n1,red\n2,red\n3,blue\n",
            {"id_column": "x", "column": "species"},
            ["red", "red", "blue"],
        ),
        ("x,y,class\n.5,1,01\n.5,2,1\n.5,3,2\n", {}, ["01", "1", "2"]),
        ("id,x,team\nc,1,0\nb,1,1\na,1,2\n", {"column": "team"}, [2, 1, 0]),
        (",truth\na,x\nb,y\nc,x\n\n", {}, ["x", "y", "x"]),
    ],
)
def test_labels_come_in_the_order_of_the_nodes(write_table, content, options, labels):
    nodes = [1, 2, 3] if "id_column" in options else ["a", "b", "c"]
    assert read_labels(write_table(content), nodes, **options).tolist() == labels


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,label\na,1\nb,2\n", r"has no label for 1 of 3 nodes, such as 'c'"),
        ("id,label\na,1\nb,\nc,\n", r"column 'label' is empty for 2 nodes, such as 'b'"),
        ("id,label\na,1\nb,2\nc,3\na,3\n", r"node 'a' has several rows, in column 'id'"),
        ("1\n2\n", r"has 2 rows without ids, but there are 3 nodes"),
        ("id,x,y\na,1,2\n", r"several columns that may be the labels: column 'x', column 'y'; name one with column"),
        ("", r"is empty \(0 bytes\)"),
    ],
)
def test_labels_that_do_not_fit(write_table, content, message):
    with pytest.raises(ValueError, match=r"table\.csv.*" + message):
        read_labels(write_table(content), ["a", "b", "c"])


def test_labels_of_an_array(tmp_path):
    np.save(tmp_path / "labels.npy", np.array([2, 0, 1]))
    assert read_labels(tmp_path / "labels.npy", [5, 6, 7]).tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([2, 0, 1]), r"labels\.npy must hold 2 labels, one per node; got shape \(3,\)"),
        (np.array([0.5, 1]), r"labels\.npy must hold whole numbers or text, got dtype float64"),
    ],
)
def test_wrong_arrays_of_labels(tmp_path, array, message):
    np.save(tmp_path / "labels.npy", array)
    with pytest.raises(ValueError, match=message):
        read_labels(tmp_path / "labels.npy", [5, 6])
