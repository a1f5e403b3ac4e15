"""Views of the same nodes: matched by ids or by order, named, and built into layers."""

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csr_array, save_npz

from orthonet import MultilayerGraph
from orthonet.files import read_views


@pytest.fixture
def two_views(write_table):
    """Two tables with ids that overlap."""
    first = write_table("id,x,y\na,1,2\nb,3,4\nc,5,7\n", "first.csv")
    return {"one": first, "two": write_table("name;z;town\nd;10;Ulm\nc;20;Bonn\na;;Kiel\n", "second.csv")}


def test_views_are_matched_by_ids(two_views):
    content, nan = read_views(two_views), np.nan
    assert content.node_ids.tolist() == ["a", "b", "c", "d"]
    np.testing.assert_array_equal(content.views["one"], [[1, 2], [3, 4], [5, 7], [nan, nan]])
    np.testing.assert_array_equal(content.views["two"], [[nan], [nan], [20], [10]])


def test_views_keep_their_names_files_and_attributes(two_views):
    content = read_views(two_views)
    assert content.feature_names == {"one": ("x", "y"), "two": ("z",)}
    assert content.attributes["town"].tolist() == ["Kiel", "", "Bonn", "Ulm"]
    assert content.paths == tuple(two_views.values())
    assert list(read_views(list(two_views.values())).views) == ["first", "second"]


@pytest.mark.parametrize("name", ["one", "two"])
def test_nodes_that_a_view_lacks_are_counted(two_views, name):
    assert any(note.endswith(f"view {name!r} lacks 1 of 4 nodes") for note in read_views(two_views).notes)


def test_ids_that_are_numbers_here_and_text_there_are_the_same(write_table):
    whole = write_table("id,x\n1,5\n2,6\n", "whole.csv")
    mixed = write_table("id,y\n2,7\nx,8\n", "mixed.csv")
    assert read_views([whole, mixed]).node_ids.tolist() == ["1", "2", "x"]
    assert read_views([whole]).node_ids.tolist() == [1, 2]


def test_the_order_of_rows_does_not_matter(write_table):
    rng = np.random.default_rng(0)
    values, order = rng.normal(size=(30, 4)), rng.permutation(30)
    lines = [f"n{index}," + ",".join(map(repr, map(float, row))) for index, row in enumerate(values)]
    plain = write_table("\n".join(["id,a,b,c,d", *lines]), "plain.csv")
    mixed = write_table("\n".join(["id,a,b,c,d", *(lines[index] for index in order)]), "mixed.csv")
    graph = read_views({"one": plain, "two": mixed}).graph(n_neighbors=4)
    wanted = MultilayerGraph.from_views([values, values], 4)
    assert abs(graph.layers[0] - graph.layers[1]).max() == 0
    assert abs(graph.layers[1] - wanted.layers[1]).max() < 1e-12
    assert graph.node_ids.tolist() == [f"n{index}" for index in range(30)]
    assert graph.feature_names == tuple(f"{view}: {name}" for view in ("one", "two") for name in "abcd")


def test_only_names_that_two_views_share_say_their_view(write_table):
    first, second = (
        write_table("id,age,size\na,1,2\nb,2,1\nc,4,4\n", "f.csv"),
        write_table("id,size,pay\na,1,2\nb,5,1\nc,2,2\n", "s.csv"),
    )
    assert read_views([first, second]).graph(1).feature_names == ("age", "f: size", "s: size", "pay")


def test_a_missing_node_is_missing_from_its_layer(write_table):
    rows = "".join(f"n{index},{index},{index % 3}\n" for index in range(8))
    whole = write_table("id,x,y\n" + rows, "whole.csv")
    holed = write_table("id,x,y\n" + rows.replace("n3,3,0", "n3,,"), "holed.csv")
    for missing in ("mean", "refuse"):
        content = read_views([whole, holed], missing_features=missing)
        assert content.notes == (f"{holed}: 1 row without any number: nodes that this view lacks",)
        graph = content.graph(2)
        assert [mask.sum() for mask in graph.present] == [8, 7]
        assert not graph.present[1][3]


@pytest.fixture
def without_ids(write_table, tmp_path, rng):
    """An array, a sparse matrix and a table, of five rows each."""
    values = rng.normal(size=(5, 2))
    np.save(tmp_path / "array.npy", values)
    save_npz(tmp_path / "words.npz", csr_array(np.eye(5)))
    table = write_table("x,y\n" + "".join(f"{a!r},{b!r}\n" for a, b in values.tolist()))
    return [tmp_path / "array.npy", tmp_path / "words.npz", table]


def test_views_without_ids_are_matched_by_order(without_ids):
    content = read_views(without_ids)
    assert (content.node_ids, list(content.views)) == (None, ["array", "words", "table"])
    np.testing.assert_array_equal(content.views["array"], content.views["table"])
    assert content.graph(2).node_ids.tolist() == list(range(5))


def test_views_without_names_of_features_get_some_beside_others_that_have(without_ids):
    assert read_views(without_ids).graph(2).feature_names[-2:] == ("x", "y")


def test_views_without_ids_must_be_equally_long(without_ids, write_table):
    short = write_table("1,2\n3,4\n", "short.csv")
    with pytest.raises(ValueError, match=r"same number of rows: 'array' \(.*array\.npy\) has 5, 'short' \(.*\) has 2"):
        read_views([without_ids[0], short])


NAMED = "id,x\na,1\nb,2\n"


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("x\n1\n2\n", r"other\.csv has no column of ids, but .*named\.csv has one"),
        (
            "id,x\nu,1\nv,2\n",
            r"other\.csv shares no node with the views before it: its first id is 'u', theirs is 'a'",
        ),
    ],
)
def test_views_that_do_not_go_together(write_table, other, message):
    with pytest.raises(ValueError, match=message):
        read_views([write_table(NAMED, "named.csv"), write_table(other, "other.csv")])


def test_views_need_different_names(write_table):
    named = write_table(NAMED, "named.csv")
    with pytest.raises(ValueError, match=r"are both called 'named'; pass \{name: path\}"):
        read_views([named, named])


def test_no_views():
    with pytest.raises(ValueError, match="paths is empty"):
        read_views([])


def test_a_column_to_ignore_must_be_in_some_view(write_table):
    with pytest.raises(ValueError, match=r"ignore='z' is a column of none of .*named\.csv"):
        read_views([write_table(NAMED, "named.csv")], ignore=["z"])


def test_an_error_about_a_view_names_its_file(write_table):
    constant = write_table("id,x\na,1\nb,1\nc,1\n", "constant.csv")
    with pytest.raises(ValueError, match=r"view 'constant' \(.*constant\.csv\): all 1 columns are constant"):
        read_views([constant]).graph(1)


@pytest.mark.parametrize("name", ["ids", "missing_features"])
def test_choices_are_checked(write_table, name):
    with pytest.raises(ValueError, match=f"{name} must be one of"):
        read_views([write_table(NAMED, "named.csv")], **{name: "sideways"})


def test_columns_to_ignore_need_not_be_in_every_view(write_table):
    first, second = write_table("id,x,year\na,1,1\nb,2,2\n", "first.csv"), write_table("id,y\na,1\nb,2\n", "second.csv")
    content = read_views([first, second], ignore=["year"])
    assert (content.feature_names, list(content.attributes)) == ({"first": ("x",), "second": ("y",)}, ["year"])


@pytest.fixture
def matlab_file(tmp_path, rng):
    file = tmp_path / "set.mat"
    savemat(file, {"X1": rng.random((12, 3)), "X2": rng.random((12, 4)), "gnd": np.arange(12) % 3})
    return file


def test_a_matlab_file_gives_all_its_views_and_labels(matlab_file):
    content = read_views(matlab_file)
    assert (list(content.views), content.node_ids) == (["X1", "X2"], None)
    assert content.labels.tolist() == [0, 1, 2] * 4
    assert content.graph(3).layer_names == ("X1", "X2")


def test_a_matlab_file_of_several_views_cannot_be_one_view(matlab_file):
    with pytest.raises(ValueError, match=r"set\.mat has 2 views, but is to be the one view 'mine'"):
        read_views({"mine": matlab_file})


def test_a_matlab_file_goes_together_with_others(matlab_file, tmp_path, rng):
    np.save(tmp_path / "more.npy", rng.random((12, 2)))
    assert list(read_views([matlab_file, tmp_path / "more.npy"]).views) == ["X1", "X2", "more"]


def test_a_cut_matlab_file_is_named(matlab_file, write_table):
    with pytest.raises(ValueError, match=r"cut\.mat"):
        read_views(write_table(matlab_file.read_bytes()[:200], "cut.mat"))


def test_two_tables_of_mfeat_are_the_views_they_were_made_from(data_home, tmp_path):
    views = list(read_views(data_home / "mfeat" / "Mfeat.mat").views.values())
    for index in (1, 4):
        rows = "".join(f"{node}," + ",".join(map(repr, row)) + "\n" for node, row in enumerate(views[index].tolist()))
        (tmp_path / f"view{index}.csv").write_text("," + ",".join(map(str, range(views[index].shape[1]))) + "\n" + rows)
    content = read_views([tmp_path / "view1.csv", tmp_path / "view4.csv"])
    for index in (1, 4):
        np.testing.assert_array_equal(content.views[f"view{index}"], views[index])
    assert content.node_ids.tolist() == list(range(2000))
