"""Readers of published network files: what they hold comes out, and what is wrong is named with its file and line."""

import numpy as np
import pytest

from orthonet.graph.formats import read_mpx, read_multiplex

FULL = """\
-- a comment
#VERSION
3.0
#TYPE
multiplex

#ACTOR ATTRIBUTES
age, NUMERIC
town,STRING
#EDGE ATTRIBUTES
work,hours,NUMERIC
weight,NUMERIC
#LAYERS
work,UNDIRECTED
likes,DIRECTED,LOOPS
#ACTORS
ann, 31, Bonn
bob,NA,
"Doe, eve",40,Ulm
idle,1,x
#EDGES
ann,bob,work,38,2
bob,ann,work,20,3
bob,"Doe, eve",likes,0.5
bob,bob,likes,1
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="net.mpx", encoding="utf-8"):
        (tmp_path / name).write_bytes(text.encode(encoding))
        return tmp_path / name

    return write


def test_all_sections_of_an_mpx_file_are_read(write):
    network = read_mpx(write(FULL))
    assert network.node_ids.tolist() == ["ann", "bob", "Doe, eve", "idle"]
    assert list(network.layers) == ["work", "likes"]
    np.testing.assert_array_equal(network.attributes["age"], [31, np.nan, 40, 1])
    assert network.attributes["town"].tolist() == ["Bonn", "", "Ulm", "x"]
    # An undirected edge named both ways is one edge, with the larger weight; "weight" stands after the layer's own "hours".
    assert network.layers["work"].adjacency(4)[[0], [1]] == network.layers["work"].adjacency(4)[[1], [0]] == 3
    likes = network.layers["likes"].adjacency(4)
    assert (likes[1, 2], likes[2, 1], likes[1, 1]) == (0.5, 0, 1)


def test_the_graph_of_a_file_is_symmetric_and_holds_its_features(write):
    network = read_mpx(write(FULL))
    graph = network.graph(np.arange(8).reshape(4, 2))
    assert graph.layer_names == ("work", "likes")
    assert graph.layers[1][2, 1] == graph.layers[1][1, 2] == 0.5
    assert network.graph(symmetrize="mean").layers[1][2, 1] == 0.25
    assert [layer.n_isolated for layer in graph.summary().layers] == [2, 2]
    assert graph.features.shape == (4, 2)


def test_a_named_weight_is_used(write):
    network = read_mpx(write(FULL), weight="hours")
    assert network.layers["work"].weight.tolist() == [38, 20]
    assert network.layers["likes"].weight.tolist() == [1, 1]
    with pytest.raises(ValueError, match=r"net\.mpx has no edge attribute 'minutes'; it has 'hours', 'weight'"):
        read_mpx(write(FULL), weight="minutes")
    with pytest.raises(TypeError, match="weight must be the name of an edge attribute, got 3"):
        read_mpx(write(FULL), weight=3)


def test_a_bare_list_of_edges_is_enough(write):
    network = read_mpx(write("a,b,one\nb,c,two\n"))
    assert network.node_ids.tolist() == ["a", "b", "c"]
    assert [edges.directed for edges in network.layers.values()] == [False, False]
    assert (network.attributes, network.present) == ({}, {})


def test_windows_line_ends_and_a_byte_order_mark_do_not_matter(write):
    unix, windows = read_mpx(write(FULL)), read_mpx(write("\ufeff" + FULL.replace("\n", "\r\n"), "dos.mpx"))
    assert windows.node_ids.tolist() == unix.node_ids.tolist()
    assert (windows.graph().layers[0] != unix.graph().layers[0]).nnz == 0


def test_multilayer_files_give_their_edges_within_layers(write):
    text = "#TYPE multilayer\n#LAYERS\nl,l,UNDIRECTED\nm,m,DIRECTED\nl,m,DIRECTED\n#EDGES\na,l,b,l\na,m,b,m\n"
    network = read_mpx(write(text))
    assert {name: edges.directed for name, edges in network.layers.items()} == {"l": False, "m": True}
    with pytest.raises(ValueError, match=r"line 9: an edge from layer 'l' to layer 'm', but only edges within a layer"):
        read_mpx(write(text + "a,l,b,m\n"))


def test_vertices_say_who_is_in_a_layer(write):
    network = read_mpx(write("#VERTICES\nc,one\nc,two\na,two\n#EDGES\na,b,one\nb,c,two\n"))
    ids = network.node_ids
    assert sorted(ids[network.present["one"]]) == ["a", "b", "c"]
    assert sorted(ids[network.present["two"]]) == ["a", "b", "c"]
    apart = read_mpx(write("#NODES\nc,one\n#EDGES\na,b,one\nb,d,two\n"))
    graph = apart.graph()
    assert sorted(graph.node_ids[graph.present[0]]) == ["a", "b", "c"]
    assert sorted(graph.node_ids[graph.present[1]]) == ["b", "d"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"net\.mpx has no edges: is it a file in the multinet format"),
        ("#LAYERS\nwork,UNDIRECTED\n", r"net\.mpx has no edges"),
        ("#LAYER\nwork\n", r"line 1: there is no section '#LAYER'; there are #TYPE"),
        ("a,b\n", r"line 1: expected an edge: actor,actor,layer; got 'a,b'"),
        ("a,b,one\n\na,,one\n", r"line 3: expected an edge: .*; got 'a,,one'"),
        ("#TYPE\ntree\n#EDGES\na,b,c\n", "line 2: the type must be multiplex or multilayer, got 'tree'"),
        ("#LAYERS\none,SIDEWAYS\n#EDGES\na,b,one\n", "line 2: a layer is DIRECTED or UNDIRECTED, got 'SIDEWAYS'"),
        ("#LAYERS\none,DIRECTED\none,DIRECTED\n#EDGES\na,b,one\n", "line 3: layer 'one' was declared before"),
        ("#LAYERS\none,DIRECTED\n#EDGES\na,b,two\n", "line 4: 'two' is not among the layers 'one'"),
        (
            "#ACTOR ATTRIBUTES\nage,NUMERIC\n#ACTORS\na\n#EDGES\na,b,c\n",
            "line 4: expected an actor and 1 values; got 'a'",
        ),
        ("#ACTOR ATTRIBUTES\nage,NUMERIC\n#ACTORS\na,old\n#EDGES\na,b,c\n", "line 4: expected a number, got 'old'"),
        ("#ACTORS\na\na\n#EDGES\na,b,c\n", "line 3: actor 'a' was declared before"),
        ("#EDGE ATTRIBUTES\nweight,NUMERIC\n#EDGES\na,b,c,-1\n", "line 4: a weight must be finite and >= 0, got -1"),
        ("#EDGE ATTRIBUTES\nweight,NUMERIC\n#EDGES\na,b,c,x\n", "line 4: a weight must be a number, got 'x'"),
        ("#EDGE ATTRIBUTES\nweight,NUMERIC\n#EDGES\na,b,c\n", "line 4: this edge has no weight"),
    ],
)
def test_what_is_wrong_in_an_mpx_file_is_named(write, text, message):
    with pytest.raises(ValueError, match=message):
        read_mpx(write(text))


def test_files_of_other_kinds_are_refused(write, tmp_path):
    (tmp_path / "picture.mpx").write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")
    for read in (read_mpx, read_multiplex):
        with pytest.raises(ValueError, match=r"picture\.mpx is not a text file in UTF-8"):
            read(tmp_path / "picture.mpx")
        with pytest.raises(FileNotFoundError, match="nowhere"):
            read(tmp_path / "nowhere")


def test_a_layer_of_loops_is_named(write):
    with pytest.raises(ValueError, match=r"net\.mpx: layer 'two' has no edge between two nodes; leave it out"):
        read_mpx(write("a,b,one\na,a,two\n")).graph()


def test_a_multiplex_list_is_read_with_its_layers_and_nodes(write):
    edges = write("2 1 2 0.5\n1 10 2 1\n1 2 10 4\n", "net.edges")
    bare = read_multiplex(edges)
    assert (bare.node_ids.tolist(), list(bare.layers)) == ([1, 2, 10], ["1", "2"])
    layers = write("layerID layerLabel\n2 close friends\n1 advice\n", "layers.txt")
    nodes = write("nodeID age town\n10 50 Ulm\r\n2 NA Bonn\n1 20 Ulm\n7 1 x\n", "nodes.txt")
    network = read_multiplex(edges, layers, nodes)
    assert (network.node_ids.tolist(), list(network.layers)) == ([10, 2, 1, 7], ["close friends", "advice"])
    np.testing.assert_array_equal(network.attributes["age"], [50, np.nan, 20, 1])
    assert network.attributes["town"].tolist() == ["Ulm", "Bonn", "Ulm", "x"]
    graph = network.graph()
    assert (graph.layers[0][2, 1], graph.layers[1][0, 1]) == (0.5, 4)  # named one way; named both ways: the larger


def test_text_ids_and_lists_without_weights_are_read(write):
    network = read_multiplex(write("work bob ann\nwork ann 7\n", "net.edges"))
    assert network.node_ids.tolist() == ["7", "ann", "bob"]
    assert network.layers["work"].weight.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("edges", "layers", "nodes", "message"),
    [
        ("", None, None, r"net\.edges has no edges"),
        ("1 2\n", None, None, r"net\.edges, line 1: expected an edge: layer source target \[weight\]; got '1 2'"),
        ("1 1 2 1\n1 2 3 -4\n", None, None, r"net\.edges, line 2: a weight must be finite and >= 0, got -4"),
        ("3 1 2 1\n", "id label\n1 one\n", None, r"net\.edges, line 1: '3' is not among the layers of .*layers\.txt"),
        ("1 1 2 1\n", "id label\n1\n", None, r"layers\.txt, line 2: expected a new layer: layerID layerLabel; got '1'"),
        ("1 1 2 1\n", "id label\n", None, r"layers\.txt names no layers"),
        ("1 1 2 1\n", None, "id\n1\n", r"net\.edges, line 1: '2' is not among the nodes of .*nodes\.txt"),
        ("1 1 2 1\n", None, "id age\n1\n", r"nodes\.txt, line 2: expected 2 values \(id age\); got '1'"),
        ("1 1 2 1\n", None, "id\n1\n1\n", r"nodes\.txt, line 3: node '1' was named before"),
        ("1 1 2 1\n", None, "id\n", r"nodes\.txt names no nodes"),
        ("1 1 2 1\n", None, "id a a\n1 2 3\n", r"nodes\.txt, line 1: two columns have the same name"),
    ],
)
def test_what_is_wrong_in_a_multiplex_list_is_named(write, edges, layers, nodes, message):
    paths = [write(edges, "net.edges")]
    paths += [
        None if text is None else write(text, name) for text, name in ((layers, "layers.txt"), (nodes, "nodes.txt"))
    ]
    with pytest.raises(ValueError, match=message):
        read_multiplex(*paths)


@pytest.mark.parametrize(
    ("name", "n_nodes", "n_edges"),
    [
        ("aucs", 61, [193, 124, 21, 88, 194]),
        ("bankwiring", 14, None),
        ("book", 8, [8, 10, 4, 8]),
        ("florentine", 15, [20, 15]),
        ("monastery", 18, None),
        ("tailorshop", 39, [158, 223, 76, 95]),
    ],
)
def test_the_networks_of_the_multinet_package_are_read(data_home, name, n_nodes, n_edges):
    file = data_home / "multinet" / f"{name}.mpx"
    if not file.is_file():
        pytest.skip(f"needs {file}")
    network = read_mpx(file)
    summary = network.graph().summary()
    assert summary.n_nodes == n_nodes
    if n_edges is not None:
        assert [layer.n_edges for layer in summary.layers] == n_edges
    n_rows = sum(line.count(",") >= 2 for line in _edge_lines(network.path))
    assert sum(len(edges.weight) for edges in network.layers.values()) == n_rows


def _edge_lines(path):
    text = path.read_text().replace("\r", "")
    return text.rpartition("#EDGES\n")[2].splitlines()


def test_a_heading_above_numbers_is_not_taken_for_an_edge(tmp_path):
    file = tmp_path / "net.edges"
    file.write_text("layer source target\n1 1 2\n1 2 3\n")
    with pytest.raises(ValueError, match=r"net\.edges, line 1: 'layer source target' looks like a heading"):
        read_multiplex(file)
    file.write_text("work ann bob\nwork bob eve\n")
    assert read_multiplex(file).node_ids.tolist() == ["ann", "bob", "eve"]
