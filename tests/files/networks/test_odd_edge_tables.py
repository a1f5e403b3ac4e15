"""Tables as people really write them, read by polars and row by row to the same graph; and the short way to a graph."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orthonet import MultilayerGraph
from orthonet.files import read_network, write_network
from orthonet.support.optional import is_installed


def edges_of(network):
    ids = network.node_ids.tolist()
    return {
        name: [(ids[i], ids[j], w) for i, j, w in zip(edges.source, edges.target, edges.weight.tolist(), strict=True)]
        for name, edges in network.layers.items()
    }


HEAD = "source,target,layer,weight\n"


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a,b\r\n\r\nb,c\r\n\r\n", {"edges": [("a", "b", 1), ("b", "c", 1)]}),
        ('\ufeff"source","target"\r\n"a","b"\r\n', {"edges": [("a", "b", 1)]}),
        ("\ufeff# made by hand\n1,2\n2,3\n", {"edges": [(1, 2, 1), (2, 3, 1)]}),
        ("source,target,weight,\na,b,1,\nb,c,2,\n", {"edges": [("a", "b", 1), ("b", "c", 2)]}),
        ("source,target,weight\na,b,1,\nb,c,2,\n", {"edges": [("a", "b", 1), ("b", "c", 2)]}),
        ("a,b,1,\nb,c,2,\n", {"edges": [("a", "b", 1), ("b", "c", 2)]}),
        ("a\tb\t\nb\tc\t\n", {"edges": [("a", "b", 1), ("b", "c", 1)]}),
        (HEAD + "a,b,x,1e-3\nb,c,x,2.5E+2\nc,d,x,+.5\n", {"x": [("a", "b", 1e-3), ("b", "c", 250), ("c", "d", 0.5)]}),
        ("-1,-2\n-2,3\n", {"edges": [(-1, -2, 1), (-2, 3, 1)]}),
        ("1.0,2\n2,1\n", {"edges": [("1.0", "2", 1), ("2", "1", 1)]}),
        ('"a,1","b ""x"""\n"b ""x""","c\nd"\n', {"edges": [("a,1", 'b "x"', 1), ('b "x"', "c\nd", 1)]}),
        ('"1","2","0.5"\n"2","3","1"\n', {"edges": [(1, 2, 0.5), (2, 3, 1)]}),
        ("ann lee\tbob ray\nbob ray\teve\n", {"edges": [("ann lee", "bob ray", 1), ("bob ray", "eve", 1)]}),
        ("a b\n" * 300 + "b  c\n c\td \n", {"edges": [("a", "b", 300), ("b", "c", 1), ("c", "d", 1)]}),
        ("1,2,1,5\n2,3,2,6\n", {"1": [(1, 2, 5)], "2": [(2, 3, 6)]}),
        ("a,b,1\nb,a,2\na,b,4\n", {"edges": [("a", "b", 7)]}),
        ("1,2\n" * 1500 + "1234567890123456789,2\n", {"edges": [("1", "2", 1500), ("2", "1234567890123456789", 1)]}),
        ("1,2\n" * 1500 + "2,007\n", {"edges": [("1", "2", 1500), ("2", "007", 1)]}),
        ("a,b\n" + "c" * 100_000 + ",a\n", {"edges": [("a", "b", 1), ("a", "c" * 100_000, 1)]}),
    ],
)
def test_odd_tables_are_understood(write, text, wanted):
    assert edges_of(read_network(write(text))) == wanted


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source;target;weight\na;b;0,5\n", r"edges\.csv, row 1: a weight must be a number, got '0,5'"),
        (HEAD + "a,b,x,1\nb,c,x,-nan\n", r"edges\.csv, row 2: a weight must be a number, got '-nan'"),
        (HEAD + "a,b,x,1\nb,c,x,0x1\n", r"edges\.csv, row 2: a weight must be a number, got '0x1'"),
        (HEAD + "a,b,x,1\n# a comment\nb,c,x,1\n", r"edges\.csv, row 2: no target"),
        (HEAD + 'a,b,"",1\n', r"edges\.csv, row 1: no layer"),
        (",b,1\n,c,1\n", r"edges\.csv, row 1: no source"),
        ("a," + "b" * 200_000 + "\n", r"edges\.csv, line 1: a cell is longer than 131,072 characters"),
    ],
)
def test_odd_tables_are_refused(write, text, message):
    with pytest.raises(ValueError, match=message):
        read_network(write(text))


@pytest.mark.usefixtures("reader")
def test_what_may_be_meant_otherwise_is_noted(write):
    assert "columns not used: 'column 4'" in str(read_network(write("a,b,x,1,?\nb,c,x,2,?\n")).report)
    padded = read_network(write("a,b\n" * 300 + "c , d\n"))
    assert padded.node_ids.tolist() == ["a", "b", "c ", " d"]
    assert "2 ids with a blank at an end, such as 'c '" in str(padded.report)


def full_way(network, symmetrize):
    layers = {name: edges.adjacency(len(network.node_ids)) for name, edges in network.layers.items()}
    return MultilayerGraph(layers, node_ids=network.node_ids, symmetrize=symmetrize)


END = st.sampled_from(["a", "b", "c", "d"])
ROW = st.tuples(END, END, st.sampled_from(["x", "y"]), st.sampled_from(["0", "0.1", "0.2", "3", "1e-320", "1e308"]))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(ROW, min_size=1, max_size=20),
    st.booleans(),
    st.sampled_from(["sum", "max"]),
    st.sampled_from(["mean", "max", "min"]),
)
def test_layers_that_are_not_checked_again_are_those_that_a_check_returns(
    tmp_path, rows, directed, duplicates, symmetrize
):
    file = tmp_path / "edges.csv"
    file.write_text(HEAD + "\n".join(map(",".join, rows)))
    network = read_network(file, directed=directed, duplicates=duplicates)
    told = []
    for make in (lambda: network.graph(symmetrize=symmetrize), lambda: full_way(network, symmetrize)):
        try:
            told.append(make())
        except ValueError as error:
            told.append(str(error))
    if isinstance(told[0], str) or isinstance(told[1], str):
        assert isinstance(told[0], str)
        assert isinstance(told[1], str)
        return
    assert told[0].layer_names == told[1].layer_names
    assert told[0].node_ids.tolist() == told[1].node_ids.tolist()
    for one, other in zip(told[0].layers, told[1].layers, strict=True):
        for part in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
            assert getattr(one, part).dtype == getattr(other, part).dtype


@pytest.mark.parametrize(
    "name", ["n.csv", "n.parquet", "n.npz", "n.mtx", "n.graphml", "n.gexf", "n.mpx", "n.edges", "n.net"]
)
def test_a_graph_that_was_read_cannot_be_written_to_and_has_short_indices(tmp_path, name):
    if name == "n.parquet" and not is_installed("polars"):
        pytest.skip("needs polars")
    graph = MultilayerGraph([np.ones((4, 4))], layer_names=["n"])
    files = write_network(graph, tmp_path / name)
    network = read_network(files[0])
    read = network.graph()
    layer = read.layers[0]
    assert (layer.indices.dtype, layer.indptr.dtype, layer.data.dtype) == (np.int32, np.int32, np.float64)
    assert layer.has_canonical_format
    with pytest.raises(ValueError, match="read-only"):
        layer.data[0] = 5
    network.node_ids[0] = network.node_ids[1]  # the graph has ids of its own
    assert read.node_ids.tolist() == graph.node_ids.tolist()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("n.net", "*Vertices 3\n*Arcs\n1 2 2\n*Edges\n2 3 4\n3 2 4\n"),
        (
            "n.graphml",
            "<graphml><key id='w' for='edge' attr.name='weight'/><graph edgedefault='directed'><node id='1'/><node id='2'/>"
            "<node id='3'/><edge source='1' target='2'><data key='w'>2</data></edge>"
            "<edge source='2' target='3' directed='false'><data key='w'>4</data></edge>"
            "<edge source='3' target='2' directed='false'><data key='w'>4</data></edge></graph></graphml>",
        ),
        (
            "n.gexf",
            "<gexf><graph defaultedgetype='directed'><nodes><node id='1'/><node id='2'/><node id='3'/></nodes><edges>"
            "<edge source='1' target='2' weight='2'/><edge source='2' target='3' type='undirected' weight='4'/>"
            "<edge source='3' target='2' type='undirected' weight='4'/></edges></graph></gexf>",
        ),
    ],
)
def test_edges_without_direction_among_directed_ones_go_both_ways(write, name, text):
    network = read_network(write(text, name))
    (layer,) = network.report.layers
    assert (layer.directed, layer.n_rows, layer.n_kept, layer.n_repeated) == (True, 3, 3, 1)
    assert edges_of(network) == {"n": [(1, 2, 2), (2, 3, 8), (3, 2, 8)]}
    undirected = read_network(write(text, name), directed=False)
    assert edges_of(undirected) == {"n": [(1, 2, 2), (2, 3, 8)]}
    assert undirected.report.layers[0].n_repeated == 1
