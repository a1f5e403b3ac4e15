"""The multinet format: what a file holds comes out, and what is wrong is named with its file and line."""

import numpy as np
import pytest

from orthonet.files import read_network

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
def read(write):
    """Read text as a file in the multinet format."""
    return lambda text, **options: read_network(write(text, "net.mpx"), format="mpx", **options)


def test_actors_layers_and_attributes_are_read(read):
    network = read(FULL)
    assert network.node_ids.tolist() == ["ann", "bob", "Doe, eve", "idle"]
    assert list(network.layers) == ["work", "likes"]
    np.testing.assert_array_equal(network.attributes["age"], [31, np.nan, 40, 1])
    assert network.attributes["town"].tolist() == ["Bonn", "", "Ulm", "x"]


def test_an_undirected_edge_named_both_ways_is_one_edge_with_the_larger_weight(read):
    # "weight" comes after the layer's own attribute "hours".
    adjacency = read(FULL).layers["work"].adjacency(4)
    assert adjacency[[0], [1]] == adjacency[[1], [0]] == 3


def test_a_directed_edge_goes_one_way(read):
    likes = read(FULL).layers["likes"].adjacency(4)
    assert (likes[1, 2], likes[2, 1]) == (0.5, 0)


def test_self_loops_are_dropped_and_counted(read):
    network = read(FULL)
    assert network.report.dropped == {"self-loop": 1}
    assert network.layers["likes"].adjacency(4)[1, 1] == 0


def test_the_graph_is_symmetric(read):
    network = read(FULL)
    graph = network.graph()
    assert graph.layer_names == ("work", "likes")
    assert graph.layers[1][2, 1] == graph.layers[1][1, 2] == 0.5
    assert network.graph(symmetrize="mean").layers[1][2, 1] == 0.25
    assert [layer.n_isolated for layer in graph.summary().layers] == [2, 2]


def test_the_graph_takes_features(read):
    assert read(FULL).graph(np.arange(8).reshape(4, 2)).features.shape == (4, 2)


def test_a_named_weight_is_used(read):
    network = read(FULL, weight="hours", duplicates="sum")
    assert network.layers["work"].weight.tolist() == [58]
    assert network.layers["likes"].weight.tolist() == [1]


@pytest.mark.parametrize("weight", ["minutes", 3])
def test_a_weight_that_is_not_there_is_named(read, weight):
    with pytest.raises(
        ValueError, match=rf"net\.mpx: weight={weight!r} is not an edge attribute; there are 'hours', 'weight'"
    ):
        read(FULL, weight=weight)


def test_a_bare_list_of_edges_is_enough(read):
    network = read("a,b,one\nb,c,two\n")
    assert network.node_ids.tolist() == ["a", "b", "c"]
    assert [edges.directed for edges in network.layers.values()] == [False, False]
    assert (network.attributes, network.present) == ({}, {})


def test_windows_line_ends_and_a_byte_order_mark_do_not_matter(read):
    unix, windows = read(FULL), read("\ufeff" + FULL.replace("\n", "\r\n"))
    assert windows.node_ids.tolist() == unix.node_ids.tolist()
    assert (windows.graph().layers[0] != unix.graph().layers[0]).nnz == 0


MULTILAYER = "#TYPE multilayer\n#LAYERS\nl,l,UNDIRECTED\nm,m,DIRECTED\nl,m,DIRECTED\n#EDGES\na,l,b,l\na,m,b,m\n"


def test_multilayer_files_give_their_edges_within_layers(read):
    directed = {name: edges.directed for name, edges in read(MULTILAYER).layers.items()}
    assert directed == {"l": False, "m": True}


def test_edges_between_layers_are_refused(read):
    with pytest.raises(ValueError, match=r"line 9: an edge from layer 'l' to layer 'm', but only edges within a layer"):
        read(MULTILAYER + "a,l,b,m\n")


def test_vertices_say_who_is_in_a_layer(read):
    graph = read("#NODES\nc,one\n#EDGES\na,b,one\nb,d,two\n").graph()
    assert sorted(graph.node_ids[graph.present[0]]) == ["a", "b", "c"]
    assert sorted(graph.node_ids[graph.present[1]]) == ["b", "d"]


def test_those_with_edges_in_a_layer_are_in_it(read):
    network = read("#VERTICES\nc,one\nc,two\na,two\n#EDGES\na,b,one\nb,c,two\n")
    assert sorted(network.node_ids[network.present["one"]]) == ["a", "b", "c"]
    assert sorted(network.node_ids[network.present["two"]]) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n", r"net\.mpx has no edges: is it a file in the multinet format"),
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
def test_what_is_wrong_is_named(read, text, message):
    with pytest.raises(ValueError, match=message):
        read(text)


def test_a_layer_of_loops_is_named(read):
    with pytest.raises(ValueError, match=r"net\.mpx: layer 'two' has no edge between two nodes; leave it out"):
        read("a,b,one\na,a,two\n").graph()


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
    network = read_network(file)
    summary = network.graph().summary()
    assert summary.n_nodes == n_nodes
    if n_edges is not None:
        assert [layer.n_edges for layer in summary.layers] == n_edges
    lines = file.read_text().replace("\r", "").rpartition("#EDGES\n")[2].splitlines()
    assert network.report.n_rows == sum(line.count(",") >= 2 for line in lines)
