"""What is written is read back as the same graph: names, ids and their order, weights, features, missing nodes."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from orthonet import MultilayerGraph
from orthonet.files import read_network, write_network
from orthonet.support.optional import is_installed

NAMES = {
    "csv": "net.csv",
    "csv.gz": "net.csv.gz",
    "tsv": "net.tsv",
    "parquet": "net.parquet",
    "npz": "net.npz",
    "graphml": "net.graphml",
    "graphml.gz": "net.graphml.gz",
    "gexf": "net.gexf",
    "gml": "net.gml",
    "mpx": "net.mpx",
    "multiplex": "net_multiplex.edges",
    "pajek": "net.net",
    "infomap": "net.infomap",
    "matrix-market": "net.mtx",
}
TEXT_WITH_BLANKS = [name for name in NAMES if name not in ("multiplex", "matrix-market")]


def make_graph(ids, layer_names=("work", "lunch"), features=None, seed=0, present=None):
    rng = np.random.default_rng(seed)
    n = len(ids)
    layers = []
    for _ in layer_names:
        upper = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.6), 1)
        upper[0, n - 1] = 1 / 3
        layers.append(csr_array(upper + upper.T))
    return MultilayerGraph(layers, features, layer_names, np.array(ids), present=present)


def round_trip(graph, folder, kind, **options):
    format = kind.removesuffix(".gz")
    files = write_network(graph, folder / NAMES[kind], format=format)
    nodes = files[1] if len(files) > 1 and ".nodes." in files[1].name else None
    if nodes is None and graph.features is not None and format in ("graphml", "gexf", "mpx"):
        nodes = True
    return read_network(files[0], features=nodes, **options)


def assert_same(graph, other):
    assert other.layer_names == graph.layer_names
    assert other.node_ids.tolist() == graph.node_ids.tolist()
    for one, two in zip(graph.layers, other.layers, strict=True):
        assert abs(one - two).nnz == 0
    assert [mask.tolist() for mask in other.present] == [mask.tolist() for mask in graph.present]
    if graph.features is None:
        assert other.features is None
    else:
        np.testing.assert_array_equal(other.features, graph.features)


def needs(kind):
    if kind == "parquet" and not is_installed("polars"):
        pytest.skip("needs polars")


@pytest.mark.parametrize("kind", [name for name in NAMES if name != "matrix-market"])
@pytest.mark.parametrize(
    "ids", [["eve", "ann", "bob", "zoe", "Ümit"], [40, 7, 12, 0, -3], ["007", "7", "x", "NA", "1e3"]]
)
def test_a_graph_comes_back(tmp_path, kind, ids):
    needs(kind)
    graph = make_graph(ids)
    network = round_trip(graph, tmp_path, kind)
    assert_same(graph, network.graph())
    assert network.report.n_kept == network.report.n_rows == sum(layer.nnz // 2 for layer in graph.layers)


@pytest.mark.parametrize("kind", [name for name in NAMES if name != "matrix-market"])
def test_features_and_nodes_without_edges_come_back(tmp_path, kind, rng):
    needs(kind)
    layers = [np.zeros((5, 5)), np.zeros((5, 5))]
    layers[0][3, 1] = layers[0][1, 3] = 0.1
    layers[1][4, 1] = layers[1][1, 4] = 2e-9
    graph = MultilayerGraph(layers, rng.normal(size=(5, 3)), ("b", "a"), ["p", "q", "r", "s", "t"])
    assert_same(graph, round_trip(graph, tmp_path, kind).graph())


@pytest.mark.parametrize("kind", TEXT_WITH_BLANKS)
def test_names_with_signs_of_the_formats_come_back(tmp_path, kind):
    needs(kind)
    ids = ["ann lee", "a,b", "c;d|e", "#1", "--x", "<b>&amp;", "it's", "*Arcs", "source"]
    graph = make_graph(ids, ("close friends", "layer;2", "<3"))
    assert_same(graph, round_trip(graph, tmp_path, kind).graph())


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "npz", "graphml", "gexf", "gml"])
def test_quotes_blanks_at_the_ends_and_line_ends_come_back(tmp_path, kind):
    needs(kind)
    graph = make_graph([' "quoted" ', "two\nlines", "tab\there", " x", "x", "x "])
    assert_same(graph, round_trip(graph, tmp_path, kind).graph())


@pytest.mark.parametrize("kind", ["npz", "mpx"])
def test_nodes_that_a_layer_lacks_come_back(tmp_path, kind):
    layers = [np.zeros((4, 4)), np.zeros((4, 4))]
    layers[0][0, 1] = layers[0][1, 0] = layers[1][2, 3] = layers[1][3, 2] = 1
    present = [[True, True, True, False], [False, True, True, True]]
    graph = MultilayerGraph(layers, None, ("one", "two"), ["a", "b", "c", "d"], present=present)
    assert_same(graph, round_trip(graph, tmp_path, kind).graph())
    with pytest.raises(ValueError, match=r"net\.csv: csv cannot say which nodes a layer lacks; write npz or mpx"):
        write_network(graph, tmp_path / "net.csv")
    assert not (tmp_path / "net.csv").exists()


def test_an_archive_holds_all_there_is(tmp_path, rng):
    views = {"x": rng.normal(size=(20, 3)), "y": rng.normal(size=(20, 2))}
    graph = MultilayerGraph.from_views(views, n_neighbors=4)
    again = round_trip(graph, tmp_path, "npz").graph()
    assert_same(graph, again)
    assert again.layers_from_features
    sparse = MultilayerGraph(graph.layers, csr_array(rng.random((20, 4)) > 0.5, dtype=float))
    other = round_trip(sparse, tmp_path, "npz").graph()
    assert abs(other.features - sparse.features).nnz == 0
    with pytest.raises(ValueError, match="csv cannot hold sparse features; write npz"):
        write_network(sparse, tmp_path / "net.csv")


@pytest.mark.parametrize("ids", [[0, 1, 2, 3], ["d", "c", "b", "a"]])
def test_a_matrix_comes_back_with_its_nodes(tmp_path, ids):
    graph = make_graph(ids, ("net",))
    assert_same(graph, round_trip(graph, tmp_path, "matrix-market").graph())
    with pytest.raises(ValueError, match="matrix-market holds one layer, but the graph has 2"):
        write_network(make_graph(ids), tmp_path / "two.mtx")


def test_feature_names_come_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [1.0, 2, 3], "body height": [0.1, 0.2, 0.3]})
    graph = MultilayerGraph([np.ones((3, 3))], frame, node_ids=["a", "b", "c"])
    for kind in ("csv", "npz", "graphml", "gexf", "mpx", "pajek"):
        assert round_trip(graph, tmp_path, kind).graph().feature_names == ("age", "body height")


def test_digits_can_stay_text(tmp_path):
    graph = make_graph(["3", "1", "2"])
    for kind in NAMES:
        if kind in ("matrix-market", "parquet"):
            continue
        assert round_trip(graph, tmp_path, kind, ids="text").graph().node_ids.tolist() == ["3", "1", "2"]


@pytest.mark.parametrize(
    ("kind", "ids", "message"),
    [
        ("pajek", ['a"b', "c", "d"], "node id 'a\"b' cannot be written"),
        ("mpx", [" a", "c", "d"], "begins or ends with a blank"),
        ("multiplex", ["a b", "c", "d"], "node id 'a b' cannot be written"),
        ("graphml", ["a\x01", "c", "d"], "cannot be written to this format"),
        ("gexf", ["a\x01", "c", "d"], "cannot be written to this format"),
        ("csv", [0.5, 1.5, 2.5], r"net\.csv: node ids must be all text or all whole numbers .*got 0\.5"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(tmp_path, kind, ids, message):
    with pytest.raises(ValueError, match=message):
        write_network(make_graph(ids), tmp_path / NAMES[kind], format=kind)
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_former_file(tmp_path):
    file = tmp_path / "net.csv"
    write_network(make_graph(["a", "b", "c"]), file)
    before = file.read_bytes()
    with pytest.raises(ValueError, match="whole numbers"):
        write_network(make_graph([0.5, 1.5, 2.5]), file)
    assert file.read_bytes() == before
    with pytest.raises(ValueError, match=r"no format is called '\.doc'"):
        write_network(make_graph(["a", "b", "c"]), tmp_path / "net.doc")


NAME = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters='"'), min_size=1, max_size=6)
KINDS = st.sampled_from(["csv", "tsv", "csv.gz", "npz", "graphml", "gexf", "gml", "mpx", "pajek", "infomap"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=KINDS,
    ids=st.lists(NAME, min_size=2, max_size=6, unique=True),
    names=st.lists(NAME, min_size=1, max_size=3, unique=True),
    seed=st.integers(0, 99),
)
def test_any_names_come_back(tmp_path, kind, ids, names, seed):
    graph = make_graph(ids, tuple(names), seed=seed)
    assert_same(graph, round_trip(graph, tmp_path, kind, ids="text").graph())
