"""Tables of features as programs write them: what becomes a feature, what is filled, and what is refused, in one line."""

import gzip

import numpy as np
import pytest

from orthonet.files import read_features
from orthonet.support.optional import is_installed

PLAIN = [[0.5, 2.0], [1.5, -3.0], [0.25, 4e-3]]


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    ("content", "ids", "names"),
    [
        ("id,x,y\na,.5,2\nb,1.5,-3\nc,0.25,4e-3\n", ["a", "b", "c"], ("x", "y")),
        ("x;Node ID;y\r\n.5;a;2\r\n1.5;b;-3\r\n0.25;c;4e-3\r\n", ["a", "b", "c"], ("x", "y")),
        ("\ufefftown\tx\ty\na\t.5\t2\nb\t1.5\t-3\nc\t0.25\t4e-3", ["a", "b", "c"], ("x", "y")),
        ("a,.5,2\nb,1.5,-3\nc,0.25,4e-3\n", ["a", "b", "c"], None),
        ("# made by hand\n .5   2\n1.5  -3 \n0.25\t4e-3\n", None, None),
        ("x,y\n.5,2\n1.5,-3\n0.25,4e-3\n\n\n", None, ("x", "y")),
        ("1.0\n".join(["x,y,z\n.5,2,", "1.5,-3,", "0.25,4e-3,", ""]), None, ("x", "y", "z")),
        # pandas: an index without a name, columns without names, both, and an index that went through a file twice
        (",x,y\n7,.5,2\n8,1.5,-3\n9,0.25,4e-3\n", [7, 8, 9], ("x", "y")),
        ("0,1,2\n.5,2,1\n1.5,-3,1\n0.25,4e-3,1\n", None, ("0", "1", "2")),
        (",0,1\n0,.5,2\n1,1.5,-3\n2,0.25,4e-3\n", [0, 1, 2], ("0", "1")),
        ("Unnamed: 0,id,x,y\n0,a,.5,2\n1,b,1.5,-3\n2,c,0.25,4e-3\n", ["a", "b", "c"], ("x", "y")),
        # R: the heading has one name less than the rows have cells
        ('"x" "y"\n"a" .5 2\n"b" 1.5 -3\n"c" 0.25 4e-3\n', ["a", "b", "c"], ("x", "y")),
        ("country,2001,2002,2003\na,.5,2,1\nb,1.5,-3,1\nc,0.25,4e-3,1\n", ["a", "b", "c"], ("2001", "2002", "2003")),
        ("sample_id,x,y\n007,.5,2\n8,1.5,-3\n9,0.25,4e-3\n", ["007", "8", "9"], ("x", "y")),
        (".5,2,\n1.5,-3,\n0.25,4e-3,\n", None, None),
    ],
)
def test_the_tables_that_programs_write_are_understood(write_table, content, ids, names):
    for packed in (False, True):
        data = content.encode()
        table = read_features(write_table(gzip.compress(data) if packed else data))
        assert (None if table.node_ids is None else table.node_ids.tolist()) == ids
        assert table.feature_names == names
        wanted = [[*row, 1.0] for row in PLAIN] if table.features.shape[1] == 3 else PLAIN
        assert table.features.tolist() == wanted


PEOPLE = "name,town,x,class,empty,year\na,Ulm,1,0,,2001\nb,Bonn,2,1,,2002\nc,Ulm,3,1,,2003\n"


@pytest.mark.usefixtures("reader")
def test_columns_that_are_not_features_are_attributes(write_table):
    table = read_features(write_table(PEOPLE), ignore=["year"])
    assert (table.node_ids.tolist(), table.feature_names) == (["a", "b", "c"], ("x",))
    assert table.features.tolist() == [[1], [2], [3]]
    assert {name: column.tolist() for name, column in table.attributes.items()} == {
        "town": ["Ulm", "Bonn", "Ulm"],
        "class": ["0", "1", "1"],
        "year": ["2001", "2002", "2003"],
    }


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "note",
    [
        "columns of text, not features: 'town'",
        "columns left out of the features: 'class', 'year'",
        "column 'empty' has no values and was left out",
    ],
)
def test_columns_that_are_not_features_are_noted(write_table, note):
    assert note in "\n".join(read_features(write_table(PEOPLE), ignore=["year"]).notes)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    ("options", "ids"),
    [
        ({"id_column": "year"}, [2001, 2002, 2003]),
        ({"id_column": "year", "ids": "text"}, ["2001", "2002", "2003"]),
        ({"id_column": 5}, [2001, 2002, 2003]),
    ],
)
def test_the_column_of_ids_can_be_named_or_counted(write_table, options, ids):
    assert read_features(write_table(PEOPLE), **options).node_ids.tolist() == ids


@pytest.mark.usefixtures("reader")
def test_a_column_to_ignore_must_be_there(write_table):
    with pytest.raises(ValueError, match=r"table\.csv: ignore='weather' is not a column"):
        read_features(write_table(PEOPLE), ignore=["weather"])


HOLES = "id,x,y\na,1,NA\nb,,3\nc,3,5\nd,,\n"


@pytest.mark.usefixtures("reader")
def test_missing_values_are_filled_with_the_mean_and_counted(write_table):
    table = read_features(write_table(HOLES))
    assert table.features.tolist() == [[1, 4], [2, 3], [3, 5], [2, 4]]
    assert [note.split(": ", 1)[1] for note in table.notes] == [
        "column 'x': 2 missing values filled with the mean",
        "column 'y': 2 missing values filled with the mean",
    ]


@pytest.mark.usefixtures("reader")
def test_missing_values_can_be_refused(write_table):
    with pytest.raises(ValueError, match=r"table\.csv, row 1: column 'y' has no value; pass missing_features='mean'"):
        read_features(write_table(HOLES), missing_features="refuse")


@pytest.mark.usefixtures("reader")
def test_missing_values_in_many_columns_have_one_note(write_table):
    wide = write_table("\n".join(["a,b,c,d,e", "1,2,3,4,5", ",,,,6", "1,2,3,4,7"]), "wide.csv")
    assert read_features(wide).notes[-1].endswith("4 missing values in 4 columns filled with the mean")


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"table\.csv is empty \(0 bytes\)"),
        ("id,x\n", r"table\.csv names no nodes"),
        ("x,y\n", r"table\.csv has no (rows|column of numbers)"),
        (
            "id,x\na,1\nb,2\nc,1.2x\n",
            r"table\.csv, row 3: column 'x' must hold numbers, as 2 of its 3 cells do; got '1\.2x'",
        ),
        ("1.2x,3,4\n4,5,6\n7,8,9\n", r"table\.csv, row 1: column 0 must hold numbers, .*; got '1\.2x'"),
        ("1,2\n3,4\n5,x\n6,7\n", r"table\.csv, row 3: column 1 must hold numbers, .* got 'x'"),
        ("x,y\n1,2\n3\n4,5\n", r"table\.csv, row 2: 1 cells, but the table has 2 columns"),
        ("id,x,y\na,1,2\nb,3,4\nc", r"table\.csv, row 3: 1 cells, but the table has 3 columns"),
        ("x,y\n1,2\n3,4,5\n", r"table\.csv, row 2: 3 cells, but the table has 2 columns"),
        ("x,y\n1,2\n3,inf\n", r"table\.csv, row 2: column 'y' holds an infinite number"),
        ("x,y\n1,2\n3,1e999\n", r"table\.csv, row 2: column 'y' holds an infinite number"),
        ("x,x\n1,2\n3,4\n", r"table\.csv: two columns are called 'x'"),
        (
            "id,x\na,1\na,2\n",
            r"table\.csv, row 2: node 'a' was named before; if column 'id' holds no ids, .* id_column",
        ),
        ("id,x\na,1\n,2\n", r"table\.csv, row 2: no id in column 'id'"),
        ("id,x\na,red\nb,blue\n", r"table\.csv has no column of numbers; its first row was read as 'a', 'red'"),
        (
            "x;y\n1,5;2,5\n3,5;4,5\n",
            r"column 'x' has decimal commas \('1,5'\); write decimal points",
        ),
        ("x:y\n1:2\n", r"no column of numbers; its first row was read as '1:2' .* delimiter names"),
        (b"x,y\n1,2\n3,\xe9\n", r"table\.csv, line 3: not a text file in UTF-8"),
        (b"x,y\n" + b"1,2\n" * 30000 + b"\xe9,2\n", r"table\.csv is not a text file in UTF-8"),
        (b"PK\x03\x04....", r"table\.csv is cut or damaged"),
        (gzip.compress(b"1,2\n" * 1000, mtime=0)[:-20], r"table\.csv is cut or damaged"),
        (
            "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 1\n",
            r"table\.csv is a Matrix Market file; save features as \.npz",
        ),
        (b"MATLAB 5.0 MAT-file", r"table\.csv is a Matlab file, .* read it with read_views"),
        (b"PAR1 and then nothing", r"table\.csv is not a whole Parquet file"),
    ],
)
def test_a_wrong_table_is_named_in_one_line(write_table, content, message):
    if isinstance(content, bytes) and content.startswith(b"PAR1") and not is_installed("polars"):
        pytest.skip("needs polars")
    with pytest.raises(ValueError, match=message) as caught:
        read_features(write_table(content))
    assert "\n" not in str(caught.value)


def test_blanks_around_numbers_far_down_are_not_text(write_table):
    file = write_table("x,y\n" + "1,2\n" * 40_000 + "3 ,4\n")
    assert read_features(file).features[-1].tolist() == [3, 4]


@pytest.fixture
def people(write_table):
    return write_table("id,age,town,rank\na,1,Ulm,2\nb,2,,1\nc,3,Bonn,2\n", "people.csv")


def test_each_category_is_a_feature_of_zeros_and_ones(people):
    table = read_features(people, categories=["town", "rank"])
    assert table.feature_names == ("age", "town=Bonn", "town=Ulm", "rank=1", "rank=2")
    np.testing.assert_array_equal(table.features, [[1, 0, 1, 0, 1], [2, 0, 0, 1, 0], [3, 1, 0, 0, 1]])


def test_a_column_of_categories_is_an_attribute_too(people):
    assert read_features(people, categories=["town"]).attributes["town"].tolist() == ["Ulm", "", "Bonn"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"categories": ["town"], "ignore": ["town"]}, r"column 'town' is to be ignored and to be a category"),
        ({"categories": ["city"]}, r"people\.csv: categories='city' is not a column"),
    ],
)
def test_wrong_categories(people, options, message):
    with pytest.raises(ValueError, match=message):
        read_features(people, **options)


def test_a_column_of_ids_is_not_a_category(tmp_path):
    (tmp_path / "people.csv").write_text("id,x,code\n" + "".join(f"{i},1,c{i}\n" for i in range(1200)))
    with pytest.raises(ValueError, match=r"column 'code' has 1,200 different values, too many for categories"):
        read_features(tmp_path / "people.csv", categories=["code"])


def test_gaps_can_stay(write_table, reader):
    table = read_features(write_table("id,x,y,z\na,1,,\nb,,,\n"), missing_features="keep")
    assert table.feature_names == ("x", "y", "z")
    np.testing.assert_array_equal(table.features, [[1, np.nan, np.nan], [np.nan, np.nan, np.nan]])
