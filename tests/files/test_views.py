"""Tables of features from all kinds of files: read as they were written, matched by ids, and told of where they are wrong."""

import csv
import gzip
import io

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scipy.io import savemat
from scipy.sparse import coo_array, csr_array, issparse, save_npz

from orthonet import MultilayerGraph
from orthonet.files import read_features, read_labels, read_views, source
from orthonet.files.tables import columns as columns_module
from orthonet.support.optional import is_installed

RELAXED = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def write(write):
    return lambda content, name="table.csv": write(content, name)


def told(table):
    ids = None if table.node_ids is None else table.node_ids.tolist()
    return ids, table.feature_names, table.features.tolist(), {k: v.tolist() for k, v in table.attributes.items()}


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
def test_the_tables_that_programs_write_are_understood(write, content, ids, names):
    for packed in (False, True):
        data = content.encode()
        table = read_features(write(gzip.compress(data) if packed else data))
        assert (None if table.node_ids is None else table.node_ids.tolist()) == ids
        assert table.feature_names == names
        wanted = [[*row, 1.0] for row in PLAIN] if table.features.shape[1] == 3 else PLAIN
        assert table.features.tolist() == wanted


@pytest.mark.usefixtures("reader")
def test_columns_that_are_no_features_are_kept_and_noted(write):
    file = write("name,town,x,class,empty,year\na,Ulm,1,0,,2001\nb,Bonn,2,1,,2002\nc,Ulm,3,1,,2003\n")
    table = read_features(file, ignore=["year"])
    assert told(table) == (
        ["a", "b", "c"],
        ("x",),
        [[1], [2], [3]],
        {"town": ["Ulm", "Bonn", "Ulm"], "class": ["0", "1", "1"], "year": ["2001", "2002", "2003"]},
    )
    notes = "\n".join(table.notes)
    assert "columns of text, not features: 'town'" in notes
    assert "columns left out of the features: 'class', 'year'" in notes
    assert "column 'empty' has no values and was left out" in notes
    assert read_features(file, id_column="year").node_ids.tolist() == [2001, 2002, 2003]
    assert read_features(file, id_column="year", ids="text").node_ids.tolist() == ["2001", "2002", "2003"]
    assert read_features(file, id_column=5).node_ids.tolist() == [2001, 2002, 2003]
    with pytest.raises(ValueError, match=r"table\.csv: ignore='weather' is not a column"):
        read_features(file, ignore=["weather"])


@pytest.mark.usefixtures("reader")
def test_missing_values_are_filled_with_the_mean_or_refused(write):
    file = write("id,x,y\na,1,NA\nb,,3\nc,3,5\nd,,\n")
    table = read_features(file)
    assert table.features.tolist() == [[1, 4], [2, 3], [3, 5], [2, 4]]
    assert [note.split(": ", 1)[1] for note in table.notes] == [
        "column 'x': 2 missing values filled with the mean",
        "column 'y': 2 missing values filled with the mean",
    ]
    with pytest.raises(ValueError, match=r"table\.csv, row 1: column 'y' has no value; pass missing_features='mean'"):
        read_features(file, missing_features="refuse")
    wide = write("\n".join(["a,b,c,d,e", "1,2,3,4,5", ",,,,6", "1,2,3,4,7"]), "wide.csv")
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
def test_wrong_tables_are_told_in_one_line(write, content, message):
    if isinstance(content, bytes) and content.startswith(b"PAR1") and not is_installed("polars"):
        pytest.skip("needs polars")
    with pytest.raises(ValueError, match=message) as caught:
        read_features(write(content))
    assert "\n" not in str(caught.value)


def test_what_is_no_file_and_what_is_a_bomb(write, tmp_path, monkeypatch):
    with pytest.raises(IsADirectoryError, match="is a directory"):
        read_features(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv"):
        read_features(tmp_path / "nowhere.csv")
    monkeypatch.setattr(source, "UNPACKED_LIMIT", 2**20)
    with pytest.raises(ValueError, match=r"bomb\.csv unpacks to"):
        read_features(write(gzip.compress(b"1,2\n" * 2**20), "bomb.csv"))
    buffer = io.BytesIO()
    np.savez_compressed(buffer, data=np.zeros(2**20), format=b"csr", shape=[1, 1], indices=[0], indptr=[0, 1])
    with pytest.raises(ValueError, match=r"bomb\.npz unpacks to"):
        read_features(write(buffer.getvalue(), "bomb.npz"))
    cell = np.empty((1, 1), dtype=object)
    cell[0, 0] = np.zeros((1000, 1000))
    savemat(tmp_path / "bomb.mat", {"X": cell}, do_compression=True)
    with pytest.raises(ValueError, match=r"bomb\.mat unpacks to"):
        read_views(tmp_path / "bomb.mat")


def test_arrays_are_mapped_and_sparse_ones_stay_sparse(tmp_path):
    values = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
    np.save(tmp_path / "a.npy", values)
    table = read_features(tmp_path / "a.npy")
    assert isinstance(table.features, np.memmap)
    assert (table.node_ids, table.feature_names) == (None, None)
    np.testing.assert_array_equal(table.features, values)
    np.save(tmp_path / "counts.npy", np.arange(6).reshape(3, 2))
    assert read_features(tmp_path / "counts.npy").features.dtype == np.float64
    holes = np.array([[1, np.nan], [3, 4], [np.nan, np.nan]])
    np.save(tmp_path / "holes.npy", holes)
    assert read_features(tmp_path / "holes.npy").features.tolist() == [[1, 4], [3, 4], [2, 4]]
    (view,) = read_views(tmp_path / "holes.npy").views.values()
    np.testing.assert_array_equal(view, [[1, 4], [3, 4], [np.nan, np.nan]])
    for kind in ("csr", "csc", "coo"):
        save_npz(tmp_path / "s.npz", csr_array(values * (values > 0)).asformat(kind))
        sparse = read_features(tmp_path / "s.npz").features
        assert issparse(sparse)
        np.testing.assert_array_equal(sparse.toarray(), values * (values > 0))


def test_wrong_arrays(tmp_path):
    wrong = {
        "objects": (np.array([[{}]], dtype=object), "is not an array of numbers"),
        "vector": (np.arange(3.0), "must hold a table, nodes x features; got shape 3"),
        "none": (np.empty((0, 2)), "got shape 0 x 2"),
        "complex": (np.ones((2, 2)) * 1j, "must hold real numbers, got dtype complex128"),
        "infinite": (np.array([[1, 2], [np.inf, 1]]), "row 2: column 0 holds an infinite number"),
        "void": (np.array([[np.nan, 1], [np.nan, 2]]), "column 0 has no value in any row"),
    }
    for name, (array, message) in wrong.items():
        np.save(tmp_path / f"{name}.npy", array, allow_pickle=True)
        with pytest.raises(ValueError, match=rf"{name}\.npy.*{message}"):
            read_features(tmp_path / f"{name}.npy")
    np.save(tmp_path / "a.npy", np.ones((9, 9)))
    whole = (tmp_path / "a.npy").read_bytes()
    for content in (whole[:-1], whole[:30], whole.replace(b"(9, 9)", b"(9**9)"), whole.replace(b"(9, 9)", b"(9,9000)")):
        (tmp_path / "cut.npy").write_bytes(content)
        with pytest.raises(ValueError, match=r"cut\.npy is not an array of numbers"):
            read_features(tmp_path / "cut.npy")
    with pytest.raises(ValueError, match=r"a\.npy has no names of columns, and so no column 'id'"):
        read_features(tmp_path / "a.npy", id_column="id")
    np.savez(tmp_path / "dense.npz", x=np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"dense\.npz is not an archive of one sparse matrix .*it holds 'x'"):
        read_features(tmp_path / "dense.npz")
    save_npz(tmp_path / "huge.npz", coo_array(([1.0], ([0], [1])), shape=(10**12, 3)))
    with pytest.raises(ValueError, match=r"huge\.npz is 1000000000000 x 3, but has only 1 entries"):
        read_features(tmp_path / "huge.npz")
    beyond = csr_array(np.eye(3))
    beyond.indices[-1] = 10**9
    save_npz(tmp_path / "beyond.npz", beyond)
    with pytest.raises(ValueError, match=r"beyond\.npz: the file is damaged"):
        read_features(tmp_path / "beyond.npz")
    save_npz(tmp_path / "nan.npz", csr_array([[np.nan, 1.0], [1, 0]]))
    with pytest.raises(ValueError, match=r"nan\.npz: the matrix contains NaN or infinity"):
        read_features(tmp_path / "nan.npz")


WORDS = st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=6)


@st.composite
def tables(draw):
    n_rows, n_columns = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    ids = [f"n{word}" for word in draw(st.lists(WORDS, min_size=n_rows, max_size=n_rows, unique=True))]
    names = [f"f{word}" for word in draw(st.lists(WORDS, min_size=n_columns, max_size=n_columns, unique=True))]
    number = st.floats(-1e300, 1e300)
    return ids, names, [[draw(number) for _ in names] for _ in ids]


@RELAXED
@given(tables(), st.sampled_from(["csv", "tsv", "csv.gz", "parquet", "npy"]))
def test_what_was_written_is_read(tmp_path, table, kind):
    ids, names, values = table
    file = tmp_path / f"table.{kind}"
    if kind == "npy":
        np.save(file, np.array(values))
    elif kind == "parquet":
        polars = pytest.importorskip("polars")
        columns = {name: np.array(values)[:, index] for index, name in enumerate(names)}
        polars.DataFrame({"id": ids, **columns}).write_parquet(file)
    else:
        text = io.StringIO()
        rows = csv.writer(text, delimiter="\t" if kind == "tsv" else ",", quoting=csv.QUOTE_NONNUMERIC)
        rows.writerows([["id", *names], *([node, *row] for node, row in zip(ids, values, strict=True))])
        file.write_bytes(gzip.compress(text.getvalue().encode()) if kind == "csv.gz" else text.getvalue().encode())
    # Where words hold other delimiters, a small table may be taken for one parted by these.
    said = {"csv": ",", "csv.gz": ",", "tsv": "\t"}.get(kind) if set("".join(names + ids)) & set(",;|") else None
    read = read_features(file, delimiter=said)
    np.testing.assert_array_equal(read.features, values)
    if kind != "npy":
        assert (read.node_ids.tolist(), list(read.feature_names)) == (ids, names)


CELL = st.one_of(
    st.sampled_from(
        ["a", "b", "1", "2", "007", "", " ", "NA", "nan", "-1", "1e400", "0", '"', "id", "label", "#", "é"]
    ),
    st.text(max_size=4),
    st.integers(-3, 10**20).map(str),
    st.floats().map(repr),
)
TABLE = st.lists(st.lists(CELL, min_size=1, max_size=4), max_size=8)
NUMBERS = st.lists(st.lists(st.floats(-9, 9).map(repr), min_size=3, max_size=3), max_size=5)


def read_or_refused(read, file):
    try:
        read(file)
    except (ValueError, OSError) as error:
        assert file.name in str(error), error
        assert "\n" not in str(error)


@RELAXED
@given(
    NUMBERS, TABLE, st.sampled_from([",", "\t", ";", " ", ", "]), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans()
)
def test_any_table_is_read_or_refused(tmp_path, numbers, table, delimiter, end, heading):
    rows = ([["id", "x", "y"]] if heading else []) + numbers + table
    file = tmp_path / "generated.csv"
    file.write_bytes(end.join(delimiter.join(row) for row in rows).encode("utf-8", "surrogatepass"))
    read_or_refused(read_features, file)
    read_or_refused(read_views, file)
    read_or_refused(lambda file: read_labels(file, ["a", "b"]), file)


@pytest.mark.skipif(not is_installed("polars"), reason="needs polars")
@RELAXED
@given(NUMBERS, TABLE, st.booleans())
@example([["1", "2", "3"]], [[""], ["4", "5", ""]], True)
def test_both_readers_say_the_same_of_any_table(tmp_path, numbers, table, heading):
    rows = ([["id", "x", "y"]] if heading else []) + numbers + table
    file = tmp_path / "generated.csv"
    file.write_bytes("\n".join(",".join(row) for row in rows).encode("utf-8", "surrogatepass"))
    results = []
    for fast in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            if not fast:
                patch.setattr(columns_module, "is_installed", lambda module: False)
            try:
                found = read_features(file)
                results.append((*told(found), found.notes))
            except (ValueError, OSError) as error:
                results.append(str(error))
    assert results[0] == results[1]


@RELAXED
@given(
    st.binary(max_size=60),
    st.sampled_from(
        [b"", b"PAR1", b"PK\x03\x04", b"\x1f\x8b\x08", b"\x89HDF", b"\x93NUMPY\x01\x00v\x00", b"MATLAB 5.0"]
    ),
    st.sampled_from(["x", "x.csv", "x.npz", "x.npy", "x.parquet", "x.mat", "x.csv.gz"]),
)
def test_any_bytes_are_read_or_refused(tmp_path, content, start, name):
    file = tmp_path / f"generated{name}"
    file.write_bytes(start + content)
    read_or_refused(read_features, file)
    read_or_refused(read_views, file)
    read_or_refused(lambda file: read_labels(file, ["a", "b"]), file)


def test_views_are_matched_by_ids(write):
    first = write("id,x,y\na,1,2\nb,3,4\nc,5,7\n", "first.csv")
    second = write("name;z;town\nd;10;Ulm\nc;20;Bonn\na;;Kiel\n", "second.csv")
    content = read_views({"one": first, "two": second})
    assert content.node_ids.tolist() == ["a", "b", "c", "d"]
    nan = np.nan
    np.testing.assert_array_equal(content.views["one"], [[1, 2], [3, 4], [5, 7], [nan, nan]])
    np.testing.assert_array_equal(content.views["two"], [[nan], [nan], [20], [10]])
    assert content.feature_names == {"one": ("x", "y"), "two": ("z",)}
    assert content.attributes["town"].tolist() == ["Kiel", "", "Bonn", "Ulm"]
    assert content.paths == (first, second)
    assert any(note.endswith("view 'one' lacks 1 of 4 nodes") for note in content.notes)
    assert any(note.endswith("view 'two' lacks 1 of 4 nodes") for note in content.notes)
    assert list(read_views([first, second]).views) == ["first", "second"]


def test_ids_that_are_numbers_here_and_text_there_are_the_same(write):
    whole = write("id,x\n1,5\n2,6\n", "whole.csv")
    mixed = write("id,y\n2,7\nx,8\n", "mixed.csv")
    assert read_views([whole, mixed]).node_ids.tolist() == ["1", "2", "x"]
    assert read_views([whole]).node_ids.tolist() == [1, 2]


def test_the_order_of_rows_does_not_matter(write):
    rng = np.random.default_rng(0)
    values, order = rng.normal(size=(30, 4)), rng.permutation(30)
    lines = [f"n{index}," + ",".join(map(repr, map(float, row))) for index, row in enumerate(values)]
    plain = write("\n".join(["id,a,b,c,d", *lines]), "plain.csv")
    mixed = write("\n".join(["id,a,b,c,d", *(lines[index] for index in order)]), "mixed.csv")
    graph = read_views({"one": plain, "two": mixed}).graph(n_neighbors=4)
    wanted = MultilayerGraph.from_views([values, values], 4)
    assert abs(graph.layers[0] - graph.layers[1]).max() == 0
    assert abs(graph.layers[1] - wanted.layers[1]).max() < 1e-12
    assert graph.node_ids.tolist() == [f"n{index}" for index in range(30)]
    assert graph.feature_names == tuple(f"{view}: {name}" for view in ("one", "two") for name in "abcd")


def test_only_names_that_two_views_share_say_their_view(write):
    first, second = (
        write("id,age,size\na,1,2\nb,2,1\nc,4,4\n", "f.csv"),
        write("id,size,pay\na,1,2\nb,5,1\nc,2,2\n", "s.csv"),
    )
    assert read_views([first, second]).graph(1).feature_names == ("age", "f: size", "s: size", "pay")


def test_blanks_around_numbers_far_down_are_no_text(write):
    file = write("x,y\n" + "1,2\n" * 40_000 + "3 ,4\n")
    assert read_features(file).features[-1].tolist() == [3, 4]


def test_a_missing_node_is_missing_from_its_layer(write):
    rows = "".join(f"n{index},{index},{index % 3}\n" for index in range(8))
    whole = write("id,x,y\n" + rows, "whole.csv")
    holed = write("id,x,y\n" + rows.replace("n3,3,0", "n3,,"), "holed.csv")
    for missing in ("mean", "refuse"):
        content = read_views([whole, holed], missing_features=missing)
        assert content.notes == (f"{holed}: 1 row without any number: nodes that this view lacks",)
        graph = content.graph(2)
        assert [mask.sum() for mask in graph.present] == [8, 7]
        assert not graph.present[1][3]


def test_views_without_ids_are_matched_by_order(write, tmp_path):
    values = np.random.default_rng(0).normal(size=(5, 2))
    np.save(tmp_path / "array.npy", values)
    save_npz(tmp_path / "words.npz", csr_array(np.eye(5)))
    table = write("x,y\n" + "".join(f"{a!r},{b!r}\n" for a, b in values.tolist()))
    content = read_views([tmp_path / "array.npy", tmp_path / "words.npz", table])
    assert (content.node_ids, list(content.views)) == (None, ["array", "words", "table"])
    np.testing.assert_array_equal(content.views["array"], content.views["table"])
    graph = content.graph(2)
    assert graph.node_ids.tolist() == list(range(5))
    assert graph.feature_names[-2:] == ("x", "y")
    short = write("1,2\n3,4\n", "short.csv")
    with pytest.raises(ValueError, match=r"same number of rows: 'array' \(.*array\.npy\) has 5, 'short' \(.*\) has 2"):
        read_views([tmp_path / "array.npy", short])


def test_views_that_do_not_go_together(write, tmp_path):
    named = write("id,x\na,1\nb,2\n", "named.csv")
    with pytest.raises(ValueError, match=r"bare\.csv has no column of ids, but .*named\.csv has one"):
        read_views([named, write("x\n1\n2\n", "bare.csv")])
    with pytest.raises(
        ValueError, match=r"others\.csv shares no node with the views before it: its first id is 'u', theirs is 'a'"
    ):
        read_views([named, write("id,x\nu,1\nv,2\n", "others.csv")])
    with pytest.raises(ValueError, match=r"are both called 'named'; pass \{name: path\}"):
        read_views([named, named])
    with pytest.raises(ValueError, match="paths is empty"):
        read_views([])
    with pytest.raises(ValueError, match=r"ignore='z' is a column of none of .*named\.csv"):
        read_views([named], ignore=["z"])
    constant = write("id,x\na,1\nb,1\nc,1\n", "constant.csv")
    with pytest.raises(ValueError, match=r"view 'constant' \(.*constant\.csv\): all 1 columns are constant"):
        read_views([constant]).graph(1)
    for name in ("ids", "missing_features"):
        with pytest.raises(ValueError, match=f"{name} must be one of"):
            read_views([named], **{name: "sideways"})


def test_columns_to_ignore_need_not_be_in_every_view(write):
    first, second = write("id,x,year\na,1,1\nb,2,2\n", "first.csv"), write("id,y\na,1\nb,2\n", "second.csv")
    content = read_views([first, second], ignore=["year"])
    assert (content.feature_names, list(content.attributes)) == ({"first": ("x",), "second": ("y",)}, ["year"])


def test_a_matlab_file_gives_all_its_views_and_labels(tmp_path, write):
    rng = np.random.default_rng(0)
    file = tmp_path / "set.mat"
    savemat(file, {"X1": rng.random((12, 3)), "X2": rng.random((12, 4)), "gnd": np.arange(12) % 3})
    content = read_views(file)
    assert (list(content.views), content.node_ids) == (["X1", "X2"], None)
    assert content.labels.tolist() == [0, 1, 2] * 4
    assert content.graph(3).layer_names == ("X1", "X2")
    with pytest.raises(ValueError, match=r"set\.mat has 2 views, but is to be the one view 'mine'"):
        read_views({"mine": file})
    np.save(tmp_path / "more.npy", rng.random((12, 2)))
    assert list(read_views([file, tmp_path / "more.npy"]).views) == ["X1", "X2", "more"]
    with pytest.raises(ValueError, match=r"cut\.mat"):
        read_views(write(file.read_bytes()[:200], "cut.mat"))


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
def test_labels_come_in_the_order_of_the_nodes(write, content, options, labels):
    nodes = [1, 2, 3] if "id_column" in options else ["a", "b", "c"]
    assert read_labels(write(content), nodes, **options).tolist() == labels


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
def test_labels_that_do_not_fit(write, content, message):
    with pytest.raises(ValueError, match=r"table\.csv.*" + message):
        read_labels(write(content), ["a", "b", "c"])


def test_labels_of_an_array(tmp_path):
    np.save(tmp_path / "labels.npy", np.array([2, 0, 1]))
    assert read_labels(tmp_path / "labels.npy", [5, 6, 7]).tolist() == [2, 0, 1]
    with pytest.raises(ValueError, match=r"labels\.npy must hold 2 labels, one per node; got shape \(3,\)"):
        read_labels(tmp_path / "labels.npy", [5, 6])
    np.save(tmp_path / "floats.npy", np.array([0.5, 1]))
    with pytest.raises(ValueError, match=r"floats\.npy must hold whole numbers or text, got dtype float64"):
        read_labels(tmp_path / "floats.npy", [5, 6])


def test_two_tables_of_mfeat_are_the_views_they_were_made_from(data_home, tmp_path):
    views = list(read_views(data_home / "mfeat" / "Mfeat.mat").views.values())
    for index in (1, 4):
        rows = "".join(f"{node}," + ",".join(map(repr, row)) + "\n" for node, row in enumerate(views[index].tolist()))
        (tmp_path / f"view{index}.csv").write_text("," + ",".join(map(str, range(views[index].shape[1]))) + "\n" + rows)
    content = read_views([tmp_path / "view1.csv", tmp_path / "view4.csv"])
    for index in (1, 4):
        np.testing.assert_array_equal(content.views[f"view{index}"], views[index])
    assert content.node_ids.tolist() == list(range(2000))


def test_categories_are_a_feature_each(tmp_path):
    (tmp_path / "people.csv").write_text("id,age,town,rank\na,1,Ulm,2\nb,2,,1\nc,3,Bonn,2\n")
    table = read_features(tmp_path / "people.csv", categories=["town", "rank"])
    assert table.feature_names == ("age", "town=Bonn", "town=Ulm", "rank=1", "rank=2")
    np.testing.assert_array_equal(table.features, [[1, 0, 1, 0, 1], [2, 0, 0, 1, 0], [3, 1, 0, 0, 1]])
    assert table.attributes["town"].tolist() == ["Ulm", "", "Bonn"]
    with pytest.raises(ValueError, match=r"column 'town' is to be ignored and to be a category"):
        read_features(tmp_path / "people.csv", categories=["town"], ignore=["town"])
    with pytest.raises(ValueError, match=r"people\.csv.*city"):
        read_features(tmp_path / "people.csv", categories=["city"])


def test_a_column_of_ids_is_no_category(tmp_path):
    (tmp_path / "people.csv").write_text("id,x,code\n" + "".join(f"{i},1,c{i}\n" for i in range(1200)))
    with pytest.raises(ValueError, match=r"column 'code' has 1,200 different values, too many for categories"):
        read_features(tmp_path / "people.csv", categories=["code"])
