"""Each way a file can be wrong, in each format that can meet it: one line that names the file and the place."""

import re
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, save_npz

from orthonet import MultilayerGraph
from orthonet.files import read_network, source, write_network
from orthonet.support.optional import is_installed

FORMATS = {
    "n.csv": "csv",
    "n.tsv": "tsv",
    "n.csv.gz": "csv",
    "n.parquet": "parquet",
    "n.npz": "npz",
    "n.mtx": "matrix-market",
    "n.graphml": "graphml",
    "n.gexf": "gexf",
    "n.gml": "gml",
    "n.mpx": "mpx",
    "n.edges": "multiplex",
    "n.net": "pajek",
    "n.txt": "infomap",
}
TEXT = [name for name in FORMATS if name not in ("n.csv.gz", "n.parquet", "n.npz")]
MATRIX = "%%MatrixMarket matrix coordinate real general\n"
GRAPHML = '<graphml>\n<key id="w" for="edge" attr.name="weight" attr.type="double"/>\n<graph>\n'
PAIR = (
    "<node id='a'/>\n<node id='b'/>\n<edge source='a' target='b'><data key='w'>much</data></edge>\n</graph></graphml>"
)


GEXF = "<gexf><graph><nodes><node id='1'/><node id='2'/></nodes><edges><edge source='1' target='2' {}/></edges></graph></gexf>"


def good_file(folder, name, ids="abcdef"):
    if name == "n.parquet" and not is_installed("polars"):
        pytest.skip("needs polars")
    weights = np.triu(np.random.default_rng(0).random((6, 6)), 1)
    graph = MultilayerGraph([weights + weights.T], node_ids=list(ids), layer_names=["n"])
    return write_network(graph, folder / name, format=FORMATS[name])[0]


def refused(file, **options):
    with pytest.raises((ValueError, OSError)) as caught:
        read_network(file, **options).graph()
    assert file.name in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", FORMATS)
def test_files_of_0_bytes(tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    assert refused(tmp_path / name).endswith(f"{name} is empty (0 bytes)")


@pytest.mark.parametrize("name", FORMATS)
def test_directories(tmp_path, name):
    (tmp_path / name).mkdir()
    assert "is a directory, not a file" in refused(tmp_path / name)


@pytest.mark.parametrize("name", ["n.csv", "n.csv.gz", "n.parquet", "n.npz", "n.mtx", "n.graphml", "n.gexf", "n.gml"])
def test_files_cut_in_the_middle(tmp_path, name):
    file = good_file(tmp_path, name)
    whole = file.read_bytes()
    end = whole.index(b",n,", len(whole) // 2) + 1 if name == "n.csv" else len(whole) // 2
    file.write_bytes(whole[:end])
    wanted = {
        "n.csv": r", row \d+: no layer",
        "n.graphml": r", line \d+: not GraphML",
        "n.gexf": r", line \d+: not GEXF",
        "n.gml": r", line \d+: not GML",
        "n.parquet": "whole Parquet file",
    }
    assert re.search(wanted.get(name, "is cut or damaged"), refused(file))


@pytest.mark.parametrize("name", TEXT)
def test_text_that_is_not_utf_8(tmp_path, name):
    file = good_file(tmp_path, name)
    lines = file.read_bytes().split(b"\n")
    lines[4] += b"\xe9"
    file.write_bytes(b"\n".join(lines))
    assert re.search(r"\bline 5\b", refused(file))
    file.write_text(good_file(tmp_path, name).read_text(), encoding="utf-16")
    assert re.search("UTF-8|not a text file", refused(file))


@pytest.mark.parametrize("name", FORMATS)
def test_a_layer_that_names_unknown_nodes(tmp_path, name):
    file, nodes = good_file(tmp_path, name), tmp_path / "nodes.csv"
    nodes.write_text("id\na\nb\nc\nd\ne\n")
    told = refused(file, features=nodes)
    if name == "n.mtx":  # it counts its nodes, and does not name them
        assert re.search(r"n\.mtx has 6 nodes, but .*nodes\.csv has 5", told)
    else:
        assert re.search(r"(row|line|edge) \d+.*: node 'f' is not in .*nodes\.csv \(5 rows name such nodes\)", told)
        assert read_network(file, features=nodes, unknown_nodes="drop").report.dropped == {"unknown node": 5}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("n.csv", "a:b:1\nb:c:2\n", r"n\.csv, line 1: expected at least 2 columns separated by tab"),
        ("n.edges", "1,1,2\n1,2,3\n", r"n\.edges, line 1: expected at least 3 columns separated by ' '"),
        ("n.mpx", "#EDGES\na;b;x\n", r"n\.mpx, line 2: expected an edge: actor,actor,layer; got 'a;b;x'"),
        ("n.net", '*Vertices 2\n1;"a"\n', r"n\.net, line 2: expected a vertex"),
        ("n.net", "*Vertices 2\n*Arcs\n1,2\n", r"n\.net, line 3: expected an edge: source target"),
        ("n.txt", "*Intra\n1,1,2,1\n", r"n\.txt, line 2: expected layer node node \[weight\]; got '1,1,2,1'"),
        ("n.mtx", MATRIX + "2,2,1\n1 2 1\n", r"n\.mtx, line 2: expected rows, columns and entries; got '2,2,1'"),
        ("n.mtx", MATRIX + "2 2 1\n1,2,1\n", r"n\.mtx, row 1: a row or column must be a number, got '1,2,1'"),
    ],
)
def test_the_wrong_delimiter(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    assert re.search(message, refused(tmp_path / name))


@pytest.mark.parametrize("word", ["much", "1_0", "-1", "inf", "٣"])
@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("n.csv", "source,target,weight\na,b,1\nb,c,much\n", "row 2"),
        ("n.mtx", MATRIX + "2 2 2\n1 2 1\n2 1 much\n", "row 2|row 1, column 0"),
        ("n.graphml", GRAPHML + PAIR, "edge 1"),
        ("n.gexf", GEXF.format("weight='much'"), "edge 1"),
        ("n.gml", 'graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 weight "much" ] ]', "edge 1"),
        ("n.mpx", "#EDGE ATTRIBUTES\nweight,NUMERIC\n#EDGES\na,b,x,much\n", "line 4"),
        ("n.edges", "1 1 2 1\n1 2 3 much\n", "row 2"),
        ("n.net", "*Vertices 2\n*Arcs\n1 2 much\n", "line 3"),
        ("n.txt", "*Intra\n1 1 2 much\n", "line 2"),
    ],
)
def test_what_is_no_weight(tmp_path, name, content, place, word):
    (tmp_path / name).write_text(content.replace("much", word), encoding="utf-8")
    wanted = r"must be finite and >= 0, got (-1|inf)" if word in ("-1", "inf") else f"must be a number, got '{word}'"
    assert re.search(rf"({place}).*: a weight {wanted}", refused(tmp_path / name))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("n.csv", "source,target\n"),
        ("n.csv", "\n \n"),
        ("n.mtx", MATRIX + "2 2 0\n"),
        ("n.graphml", GRAPHML + "<node id='a'/></graph></graphml>"),
        ("n.gexf", "<gexf><graph><nodes><node id='a'/></nodes></graph></gexf>"),
        ("n.gml", "graph [ node [ id 1 ] ]"),
        ("n.mpx", "#LAYERS\nx,UNDIRECTED\n#EDGES\n"),
        ("n.edges", "\n\n"),
        ("n.net", "*Vertices 2\n*Arcs\n"),
        ("n.txt", "*Vertices 2\n*Intra\n"),
    ],
)
def test_tables_without_rows(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    assert re.search(r"has no (edge|row)", refused(tmp_path / name))


def test_matrices_and_parquet_tables_without_rows(tmp_path):
    save_npz(tmp_path / "n.npz", csr_array((3, 3)))
    assert "has no edge" in refused(tmp_path / "n.npz")
    polars = pytest.importorskip("polars")
    for column in ([], [None, None]):
        table = polars.DataFrame({"source": column, "target": column}, schema=dict.fromkeys(["source", "target"], str))
        table.write_parquet(tmp_path / "n.parquet")
        assert refused(tmp_path / "n.parquet").endswith("n.parquet has no edges")


def test_entities_that_grow_without_bound_are_refused_before_they_grow(tmp_path):
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    bomb = f'<!DOCTYPE x [<!ENTITY e0 "ha">{entities}]><graphml><graph><node id="&e11;"/></graph></graphml>'
    for start in (
        "",
        '<?xml version="1.0"?>',
        "<!-- " + "x" * (2**16 - 10) + " -->",
    ):  # the last: over the end of a chunk
        for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
            (tmp_path / "n.graphml").write_bytes((start + bomb).encode(encoding))
            assert "UTF-8 and has no document type definition" in refused(tmp_path / "n.graphml")
            (tmp_path / "n.gexf").write_bytes((start + bomb).encode(encoding))
            assert "UTF-8 and has no document type definition" in refused(tmp_path / "n.gexf")
    (tmp_path / "n.graphml").write_bytes(b'<?xml version="1.0" encoding="cp037"?>' + bomb.encode("cp037"))
    assert "not GraphML" in refused(tmp_path / "n.graphml")


def test_a_short_parquet_file_of_many_rows_is_refused(tmp_path, monkeypatch):
    polars = pytest.importorskip("polars")
    monkeypatch.setattr(source, "UNPACKED_LIMIT", 2**20)
    row = polars.DataFrame({"source": [1], "target": [2]})
    row.select(polars.all().repeat_by(10**6).explode()).write_parquet(tmp_path / "n.parquet")
    assert "n.parquet unpacks to 16,000,000 bytes or more" in refused(tmp_path / "n.parquet")


def archive(folder, **changed):
    file = good_file(folder, "n.npz")
    with np.load(file) as arrays:
        np.savez(folder / "n.npz", **{**arrays, **changed})
    return file


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"layer_names": np.array("n")}, "its node ids or layer names are not a list"),
        ({"layer_names": np.array([], dtype=str)}, "it needs layers of different names, got none"),
        ({"node_ids": np.array(list("aabcde"))}, "node_ids must be unique, but 'a' occurs more than once"),
        ({"node_ids": np.arange(5)}, "is not an archive of a graph"),
        ({"layer_0_indices": np.linspace(0, 5, 30)}, "layer_0_indices and layer_0_indptr must be whole numbers"),
        ({"layer_0_indices": np.arange(30)}, "indices must be < 6"),
        ({"layer_0_data": np.array(["x"] * 30)}, "layer 'n' must hold real numbers, got dtype <U1"),
        ({"layer_0_data": np.full(30, np.nan)}, "layer 'n', row 0, column 1: no weight"),
        ({"present": np.ones((1, 3), dtype=bool)}, r"present has shape \(1, 3\)"),
        ({"present": np.array(True)}, r"present has shape \(\)"),
        ({"features": np.ones((5, 2))}, "features has 5 rows, but the graph has 6 nodes"),
        ({"features": np.ones((6, 2)), "feature_names": np.array(["x"])}, "it names 1 features"),
    ],
)
def test_archives_whose_parts_do_not_fit(tmp_path, changed, message):
    assert re.search(message, refused(archive(tmp_path, **changed)))


def test_archives_that_promise_too_much_or_are_locked(tmp_path):
    file = archive(tmp_path)
    for heading in (b"{'descr': '<f8', 'fortran_order': False, 'shape': (10**15,)}", b"(" * 900, b"-" * 9000 + b"1"):
        heading = heading.replace(b"10**15", b"1" + b"0" * 15) + b"\n"
        with zipfile.ZipFile(file, "w") as packed:
            packed.writestr("layer_names.npy", b"\x93NUMPY\x01\x00" + len(heading).to_bytes(2, "little") + heading)
        assert "is not an archive of a graph" in refused(file)
    content = bytearray(archive(tmp_path).read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        for found in re.finditer(re.escape(mark), bytes(content)):
            content[found.start() + offset] |= 1  # says that the part is encrypted
    file.write_bytes(content)
    assert "is encrypted" in refused(file)


CHANGE = st.tuples(
    st.floats(0, 1), st.integers(0, 8), st.binary(max_size=6) | st.sampled_from([b"-1", b"nan", b"\n", b'"'])
)
RELAXED = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("name", FORMATS)
@RELAXED
@given(st.lists(CHANGE, min_size=1, max_size=3))
def test_a_file_with_any_bytes_changed_is_read_or_refused(read_or_refused, tmp_path, name, changes):
    file = good_file(tmp_path, name)
    content = file.read_bytes()
    for place, n_lost, put in changes:
        start = round(place * len(content))
        content = content[:start] + put + content[start + n_lost :]
    file.write_bytes(content)
    read_or_refused(file)


CELL = st.one_of(
    st.sampled_from(["a", "b", "1", "2", "3", "0.5", "", " ", "NA", "-1", "1e308", "0", '"', "<", "&", "1_0", "é"]),
    st.text(max_size=3),
    st.integers(-2, 10**19).map(str),
)
LINES = {
    "n.mtx": (MATRIX + "3 3 2\n", "{0} {1} {2}\n"),
    "n.mpx": ("#EDGE ATTRIBUTES\nweight,NUMERIC\n#EDGES\n", "{0},{1},{3},{2}\n"),
    "n.edges": ("", "{3} {0} {1} {2}\n"),
    "n.net": ('*Vertices 3\n1 "a"\n*Edges\n', "{0} {1} {2}\n"),
    "n.txt": ("*Multilayer\n", "{3} {0} {3} {1} {2}\n"),
    "n.graphml": (
        GRAPHML + "<node id='1'/><node id='2'/>",
        "<edge source='{0}' target='{1}'><data key='w'>{2}</data></edge>",
    ),
    "n.gexf": (
        "<gexf><graph><nodes><node id='1'/><node id='2'/></nodes><edges>",
        "<edge source='{0}' target='{1}' weight='{2}' kind='{3}'/>",
    ),
    "n.gml": ("graph [ node [ id 1 ] node [ id 2 ]\n", "edge [ source {0} target {1} weight {2} layer {3} ]\n"),
}


@pytest.mark.parametrize("name", LINES)
@RELAXED
@given(st.lists(st.tuples(CELL, CELL, CELL, CELL), max_size=4))
def test_any_edges_are_read_or_refused_in_each_format(read_or_refused, tmp_path, name, rows):
    start, line = LINES[name]
    end = {"n.graphml": "</graph></graphml>", "n.gexf": "</edges></graph></gexf>", "n.gml": "]"}.get(name, "")
    text = start + "".join(line.format(*row) for row in rows) + end
    (tmp_path / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    read_or_refused(tmp_path / name)


COLUMN = st.one_of(
    st.lists(st.sampled_from(["a", "b", "", None, "1"]), min_size=3, max_size=3),
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), min_size=3, max_size=3),
    st.lists(st.none() | st.floats(), min_size=3, max_size=3),
    st.lists(st.booleans(), min_size=3, max_size=3),
    st.lists(st.none() | st.dates(), min_size=3, max_size=3),
    st.lists(st.binary(max_size=2), min_size=3, max_size=3),
    st.lists(st.lists(st.integers(0, 2), max_size=2), min_size=3, max_size=3),
)


@RELAXED
@given(st.dictionaries(st.sampled_from(["source", "target", "layer", "weight", "x"]), COLUMN, max_size=5))
def test_any_parquet_table_is_read_or_refused(read_or_refused, tmp_path, columns):
    polars = pytest.importorskip("polars")
    polars.DataFrame(columns, strict=False).write_parquet(tmp_path / "n.parquet")
    read_or_refused(tmp_path / "n.parquet", missing_weights="one")
