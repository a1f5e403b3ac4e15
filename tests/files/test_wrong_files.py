"""Wrong files: each gives one line that names the file and, where there is one, the row; nothing else is ever raised."""

import gzip
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, save_npz

from orthonet import MultilayerGraph
from orthonet.files import read_network, write_network
from orthonet.files.registry import FORMATS
from orthonet.files.tables import columns as columns_module
from orthonet.support.optional import is_installed

HEAD = "source,target,layer,weight\n"


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"edges\.csv is empty \(0 bytes\)"),
        ("\n\n  \n", r"edges\.csv has no rows"),
        (HEAD, r"edges\.csv has no edges"),
        (HEAD + "a,b,work,1\na,c,wo", r"edges\.csv, row 2: no weight \(1 row has none\)"),
        (HEAD + "a,b,work,1\na,", r"edges\.csv, row 2: no target"),
        (HEAD + "a,b,work,1\na,b,,1\n", r"edges\.csv, row 2: no layer"),
        (HEAD + "a,b,work,1\n\nb,c,work,much\n", r"edges\.csv, row 3: a weight must be a number, got 'much'"),
        (HEAD + "a,b,work,1\nb,c,work,1,5\n", r"edges\.csv, row 2: 5 cells, but the table has 4 columns"),
        (HEAD + "a,b,work,1\nb,c,work,-2\n", r"edges\.csv, row 2: a weight must be finite and >= 0, got -2"),
        (HEAD + "a,b,work,inf\n", r"edges\.csv, row 1: a weight must be finite and >= 0, got inf"),
        (HEAD + "a,b,work,1_0\n", r"edges\.csv, row 1: a weight must be a number, got '1_0'"),
        ("a:b:1\nb:c:2\n", r"edges\.csv, line 1: expected at least 2 columns separated by tab, .*; got 'a:b:1'"),
        ("source,weight\na,1\n", r"edges\.csv: no column is called target, among 'source', 'weight'"),
        (b"a,b\nb,\xe9t\xe9\n", r"edges\.csv, line 2: not a text file in UTF-8"),
        (b"a,b\n" * 30000 + b"b,\xe9t\xe9\n", r"edges\.csv is not a text file in UTF-8 .* in line 30001"),
        ("a,b\nb,c\n".encode("utf-16"), r"edges\.csv.* not a text file"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", r"edges\.csv.* not a text file"),
        (b"PK\x03\x04....", r"edges\.csv is a zip archive; unpack it first"),
        (gzip.compress(b"a,b\n" * 1000, mtime=0)[:-20], r"edges\.csv is cut or damaged"),
        (b"\x1f\x8bjunk and more junk", r"edges\.csv is cut or damaged"),
        (b"PAR1 and then nothing", r"edges\.csv is not a whole Parquet file"),
    ],
)
def test_wrong_tables_of_edges(write, content, message):
    if isinstance(content, bytes) and content.startswith(b"PAR1") and not is_installed("polars"):
        pytest.skip("needs polars")
    with pytest.raises(ValueError, match=message) as caught:
        read_network(write(content)).graph()
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"nodes\.csv is empty"),
        ("id,x\n", r"nodes\.csv names no nodes"),
        ("id,x\na,1\nb,2\na,3\n", r"nodes\.csv, row 3: node 'a' was named before"),
        ("id,x\na,1\n,2\n", r"nodes\.csv, row 2: no id"),
        ("id,x,x\na,1,2\n", r"nodes\.csv: two columns are called 'x'"),
        ("id,x\na,1\nb,inf\nc,1\n", r"nodes\.csv, row 2: column 'x' holds an infinite number"),
        ("id,x\na,1\nb,2\n", r"edges\.csv, row 2: node 'c' is not in .*nodes\.csv \(1 row names such a node\)"),
        ("id,x\na,1\nb,2,3\n", r"nodes\.csv, row 2: 3 cells, but the table has 2 columns"),
    ],
)
def test_wrong_tables_of_nodes(write, content, message):
    with pytest.raises(ValueError, match=message):
        read_network(write("a,b\nb,c\n"), features=write(content, "nodes.csv"))


def test_one_layer_that_names_unknown_nodes(write):
    nodes, good, bad = (
        write("id\na\nb\n", "nodes.csv"),
        write("a,b\n", "good.csv"),
        write("a,b\na,stranger\n", "bad.csv"),
    )
    with pytest.raises(ValueError, match=r"bad\.csv, row 2: node 'stranger' is not in .*nodes\.csv"):
        read_network([good, bad], features=nodes)


GEXF = "<gexf><graph><nodes><node id='a'/></nodes><edges>{}</edges></graph></gexf>"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("n.mtx", "%%MatrixMarket matrix coordinate real general\n", "is cut: it says no size"),
        ("n.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1.0\n", "promises 2 entries and has 1"),
        (
            "n.mtx",
            "%%MatrixMarket matrix coordinate real general\n999999999 999999999 1\n1 2 1\n",
            "999,999,999 nodes are more than",
        ),
        ("n.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 2 1\n", "must be square .* got 2 x 3"),
        (
            "n.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -1\n",
            "row 0, column 1: a weight must be",
        ),
        (
            "n.mtx",
            "%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1 1\n",
            "line 1: expected one of real, .* got 'complex'",
        ),
        (
            "n.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n",
            "entry 1: expected a whole number from 1 to 2",
        ),
        ("n.mtx", "hello\n", "line 1: a Matrix Market file begins with"),
        ("n.graphml", "<graphml><graph><node id='a'/>", "line 1: not GraphML"),
        ("n.graphml", "<!DOCTYPE x [<!ENTITY a 'b'>]><graphml/>", "has no document type definition"),
        (
            "n.graphml",
            "<graphml><graph><node id='a'/><edge source='a' target='b'/></graph></graphml>",
            "node 'b' is not",
        ),
        (
            "n.graphml",
            "<graphml><graph><node id='a'/><node id='a'/></graph></graphml>",
            "node 2: 'a' is not an id, or was named before",
        ),
        ("n.graphml", "<graphml/>", "has no edges"),
        ("n.gexf", GEXF.format("<edge source='a' target='b'/>"), "edge 1: node 'b' is not declared"),
        ("n.gexf", "<gexf><graph><nodes><node id='a'/><node id='a'/>", "node 2: 'a' is not an id, or was named before"),
        ("n.xml", "<html><body/></html>", "is XML that begins with <html>; save the network as GraphML or GEXF"),
        ("n.gml", "hello\n", "not GML"),
        ("n.gml", "graph 1", r"not GML: wanted one graph \["),
        ("n.gml", "graph [ node [ id 1 ]\nnode [ id 1 ] ]", r"node 2: id 1 was named before|has no edges"),
        ("n.gml", "graph [\n] ]", "line 2: not GML: unexpected ']'"),
        ("n.gml", "graph " + "[ a " * 20000, "line 1: not GML"),
        ("n.gml", "graph [ node [ id 1 ] edge [ source 1 target 2 ] ]", "edge 1: node '2' is not declared"),
        ("n.h5ad", b"\x89HDF\r\n\x1a\n" + bytes(50), r"is an HDF5 file; read it with orthonet\.from_anndata"),
        ("n.h5", b"\x89HDF\r\n\x1a\n" + bytes(50), r"is an HDF5 file; of those, \.h5ad files .* are read"),
        ("n.net", '*Vertices 2\n1 "a"\n*Arcs\n1 two\n', "line 4: expected a vertex .* got 'two'"),
        ("n.net", '*Vertices 2\n1 "a"\n2 "a"\n*Arcs\n1 2\n', "vertices 1 and 2 are both called 'a'"),
        ("n.net", "*Vertices 999999999999\n*Arcs\n1 2\n", "line 1: .* vertices are more than this file can hold"),
        ("n.net", "*Vertices 2\n*Matrix\n0 1\n", "line 2: cannot read a section"),
        ("n.net", "*Vertices 2\n*Intra\n1 1\n", "line 3: expected layer node node"),
        ("n.net", "*Intra\n1 1 2 x\n", "line 2: a weight must be a number, got 'x'"),
        ("n.edges", "1 2\n", "line 1: expected at least 3 columns"),
        ("n.edges", "1 1 2 -4\n", "row 1: a weight must be finite and >= 0, got -4"),
        ("n.npz", "junk", "is cut or damaged"),
    ],
)
def test_wrong_files_of_other_formats(write, name, content, message):
    with pytest.raises(ValueError, match=rf"{name}.*{message}") as caught:
        read_network(write(content, name))
    assert "\n" not in str(caught.value)


def save_text(file):
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("readme.txt", "hello")


@pytest.mark.parametrize(
    ("save", "message"),
    [
        (lambda file: np.savez(file, data=np.array([{}], dtype=object), format=b"csr"), "is not an archive of a graph"),
        (lambda file: np.savez(file, x=np.ones(3)), "is not an archive of a graph: it holds 'x'"),
        (
            lambda file: save_npz(file, coo_array(([1.0], ([0], [1])), shape=(10**12, 10**12))),
            ": the matrix has 1,000,000,000,000 rows, but only 1 entries",
        ),
        (
            lambda file: save_npz(file, csr_array([[0, -1.0], [-1, 0]])),
            ": the matrix, row 0, column 1: a weight must be",
        ),
        (save_text, "is not an archive"),
    ],
    ids=["objects", "other arrays", "promises too much", "a negative weight", "other files"],
)
def test_wrong_archives(tmp_path, save, message):
    save(tmp_path / "n.npz")
    with pytest.raises(ValueError, match=rf"n\.npz ?{message}"):
        read_network(tmp_path / "n.npz")


@pytest.mark.parametrize(
    "name",
    [
        "net.csv",
        "net.mpx",
        "net.graphml",
        "net.gexf",
        "net.gml",
        "net.net",
        "net.npz",
        "net.mtx",
        "net.edges",
        "net.parquet",
    ],
)
def test_a_file_cut_anywhere_is_read_or_refused(read_or_refused, tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    weights = np.triu(rng.random((6, 6)), 1)
    graph = MultilayerGraph([weights + weights.T], node_ids=["a", "b", "c", "d", "e", "f"], layer_names=["net"])
    (file, *_) = write_network(graph, tmp_path / name)
    whole = file.read_bytes()
    for end in range(0, len(whole), max(1, len(whole) // 60)):
        file.write_bytes(whole[:end])
        read_or_refused(file)


CELL = st.one_of(
    st.sampled_from(
        ["a", "b", "1", "2", "007", "", " ", "NA", "nan", "-1", "1e400", "1e308", "0", '"', "source", "#", "*", "é"]
    ),
    st.text(max_size=4),
    st.integers(-3, 10**20).map(str),
    st.floats().map(repr),
)
TABLE = st.lists(st.lists(CELL, min_size=1, max_size=5), max_size=8)
RELAXED = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@RELAXED
@given(TABLE, st.sampled_from([",", "\t", ";", " ", "|", ", "]), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_any_table_is_read_or_refused(read_or_refused, tmp_path, table, delimiter, end, heading):
    rows = ([["source", "target", "layer", "weight"]] if heading else []) + table
    file = tmp_path / "generated.csv"
    file.write_bytes(end.join(delimiter.join(row) for row in rows).encode("utf-8", "surrogatepass"))
    read_or_refused(file, missing_weights="one")


@RELAXED
@given(TABLE, st.booleans())
def test_any_table_of_nodes_is_read_or_refused(read_or_refused, tmp_path, table, heading):
    (tmp_path / "few.csv").write_text("a,b\nb,1\n")
    rows = ([["id", "x", "y"]] if heading else []) + [["a", "1"], ["b", "2"], *table]
    nodes = tmp_path / "few.csv.nodes"
    nodes.write_bytes("\n".join(",".join(row) for row in rows).encode("utf-8", "surrogatepass"))
    try:
        read_network(tmp_path / "few.csv", features=nodes, unknown_nodes="drop").graph()
    except (ValueError, OSError) as error:
        assert "few.csv" in str(error)


@pytest.mark.skipif(not is_installed("polars"), reason="needs polars")
@RELAXED
@given(TABLE)
@example([["a", "b", "1"], ["a", "", "2"]])
@example([["a", "a", "a", "a", "a"], ["a", "a", "a", ",", "a"]])
@example([["a", "a", "a", "a"], ["a", "a", "a", "a", ""]])
@example([["a", "a", "a", '"'], ["a", "a", "a", "a"], ["a", "a", '"'], ["1"]])
def test_both_readers_say_the_same_of_any_table(tmp_path, table):
    file = tmp_path / "generated.csv"
    file.write_bytes("\n".join(",".join(row) for row in table).encode("utf-8", "surrogatepass"))
    told = []
    for fast in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            if not fast:
                patch.setattr(columns_module, "is_installed", lambda module: False)
            try:
                network = read_network(file)
                edges = [(e.source.tolist(), e.target.tolist(), e.weight.tolist()) for e in network.layers.values()]
                told.append((network.node_ids.tolist(), list(network.layers), edges, str(network.report)))
            except (ValueError, OSError) as error:
                told.append(str(error))
    assert told[0] == told[1]


STARRED = '*Vertices 3;1 "a";*Arcs :1;*Edges;*Intra;*Multilayer;*Inter;1 2 0.5;1 1 2 1;1 1 1 2 1'
MULTINET = "#TYPE;multiplex;#EDGES;a,b,c;#LAYERS;c,DIRECTED;#ACTORS;a;#VERTICES;a,c"
GRAPHML = "<graphml>;<graph>;<node id='a'/>;<edge source='a' target='a'/>;</graph>;</graphml>"
MATRIX = "%%MatrixMarket matrix coordinate real general;2 2 1;1 2 3;%%MatrixMarket matrix array real symmetric"
KNOWN = ";".join([STARRED, MULTINET, GRAPHML, MATRIX]).split(";")
LINES = st.lists(st.one_of(st.sampled_from(KNOWN), st.text(max_size=8)), max_size=8)


@RELAXED
@given(LINES, st.sampled_from([None, *FORMATS]))
def test_any_lines_are_read_or_refused_in_any_format(read_or_refused, tmp_path, lines, format):
    file = tmp_path / "generated.net"
    file.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    read_or_refused(file, format=format)


@RELAXED
@given(
    st.binary(max_size=60),
    st.sampled_from([b"", b"PAR1", b"PK\x03\x04", b"\x1f\x8b\x08", b"\x89HDF", b"\xff\xfe"]),
    st.sampled_from(
        [
            "x",
            "x.csv",
            "x.npz",
            "x.parquet",
            "x.mtx",
            "x.mpx",
            "x.graphml",
            "x.gexf",
            "x.gml",
            "x.edges",
            "x.net",
            "x.csv.gz",
        ]
    ),
)
def test_any_bytes_are_read_or_refused(read_or_refused, tmp_path, content, start, name):
    file = tmp_path / f"generated{name}"
    file.write_bytes(start + content)
    read_or_refused(file)
