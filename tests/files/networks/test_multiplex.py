"""Lists of edges as multiplex networks are published: with their layers and nodes, and what is wrong with them."""

import numpy as np
import pytest

from orthonet.files import read_network

EDGES = "2 1 2 0.5\n1 10 2 1\n1 2 10 4\n"


@pytest.fixture
def read(write):
    """Read a list of edges with the list of layers beside it, if there is one, and with a table of nodes."""

    def read(edges, layers=None, nodes=None, **options):
        if layers is not None:
            write(layers, "net_layers.txt")
        table = None if nodes is None else write(nodes, "nodes.txt")
        return read_network(write(edges, "net_multiplex.edges"), features=table, **options)

    return read


def test_without_lists_layers_are_called_by_their_numbers(read):
    network = read(EDGES)
    assert (network.node_ids.tolist(), list(network.layers)) == ([1, 2, 10], ["1", "2"])


def test_a_list_beside_it_names_the_layers_in_its_order(read):
    network = read(EDGES, "layerID layerLabel\n2 close friends\n1 advice\n")
    assert list(network.layers) == ["close friends", "advice"]
    assert "layers named by" in str(network.report)


def test_a_table_gives_the_nodes_and_what_is_known_of_them(read):
    nodes = "nodeID age town\n10 50 Ulm\r\n2 NA Bonn\n1 20 Ulm\n7 1 x\n"
    network = read(EDGES, nodes=nodes, ignore=["age"])
    assert network.node_ids.tolist() == [10, 2, 1, 7]
    assert network.attributes["age"].tolist() == ["50", "", "20", "1"]
    assert network.attributes["town"].tolist() == ["Ulm", "Bonn", "Ulm", "x"]


def test_layers_are_directed_and_the_larger_weight_counts(read):
    network = read(EDGES, nodes="nodeID\n10\n2\n1\n")
    assert all(edges.directed for edges in network.layers.values())
    graph = network.graph()
    assert (graph.layers[1][2, 1], graph.layers[0][0, 1]) == (0.5, 4)  # named one way; named both ways


def test_text_ids_and_lists_without_weights_are_read(read):
    network = read("work bob ann\nwork ann 7\n")
    assert network.node_ids.tolist() == ["bob", "ann", "7"]
    assert network.layers["work"].weight.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("edges", "layers", "nodes", "message"),
    [
        ("", None, None, r"net_multiplex\.edges is empty"),
        ("1 2\n", None, None, r"net_multiplex\.edges, line 1: expected at least 3 columns .*; got '1 2'"),
        ("1 1 2 3 4\n", None, None, r"edges, row 1: expected an edge: layer source target \[weight\]; got '1 1 2 3 4'"),
        ("1 1 2 1\n1 2 3 -4\n", None, None, r"edges, row 2: a weight must be finite and >= 0, got -4"),
        ("3 1 2 1\n", "id label\n1 one\n", None, r"edges, row 1: '3' is not among the layers of .*net_layers\.txt"),
        ("1 1 2 1\n", "id label\n1\n", None, r"layers\.txt, line 2: expected a new layer: layerID layerLabel; got '1'"),
        ("1 1 2 1\n", "id label\n", None, r"layers\.txt names no layers"),
        ("1 1 2 1\n", None, "id\n1\n", r"edges, row 1: node 2 is not in .*nodes\.txt"),
        ("1 1 2 1\n", None, "id age\n1\n", r"nodes\.txt, row 1: 1 cells, but the table has 2 columns"),
        ("1 1 2 1\n", None, "id\n1\n1\n", r"nodes\.txt, row 2: node 1 was named before"),
        ("1 1 2 1\n", None, "id\n", r"nodes\.txt names no nodes"),
        ("1 1 2 1\n", None, "id a a\n1 2 3\n", r"nodes\.txt: two columns are called 'a'"),
    ],
)
def test_what_is_wrong_is_named(read, edges, layers, nodes, message):
    with pytest.raises(ValueError, match=message):
        read(edges, layers, nodes)


def test_a_heading_above_numbers_is_not_taken_for_an_edge(read):
    with pytest.raises(ValueError, match=r"edges, line 1: 'layer source target' looks like a heading"):
        read("layer source target\n1 1 2\n1 2 3\n")


def test_words_above_words_are_an_edge(read):
    assert read("work ann bob\nwork bob eve\n").node_ids.tolist() == ["ann", "bob", "eve"]


def test_the_ckm_list_is_read_with_its_layers_and_nodes(data_home):
    start = data_home / "ckm" / "CKM-Physicians-Innovation"
    edges, layers, nodes = (
        start.with_name(start.name + end) for end in ("_multiplex.edges", "_layers.txt", "_nodes.txt")
    )
    if not edges.is_file():
        pytest.skip(f"needs {edges}")
    network = read_network(edges, features=nodes)
    assert list(network.layers) == [line.split()[1] for line in layers.read_text().splitlines()[1:]]
    rows = np.loadtxt(nodes, skiprows=1)
    assert network.node_ids.tolist() == rows[:, 0].astype(int).tolist()
    listed = np.loadtxt(edges, dtype=int)
    place = {node: position for position, node in enumerate(network.node_ids.tolist())}
    for key, layer in enumerate(network.graph().layers, 1):
        wanted = np.zeros(layer.shape)
        for _, source, target, weight in listed[listed[:, 0] == key]:
            if source != target:
                pair = place[source], place[target]
                wanted[pair] = wanted[pair[::-1]] = max(wanted[pair], weight)
        np.testing.assert_array_equal(layer.toarray(), wanted)
    assert network.features.shape == (246, 13)
