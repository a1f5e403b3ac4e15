"""from_igraph: what each kind of graph and attribute becomes, and what is refused."""

import numpy as np
import pytest

from orthonet.graph.convert import from_igraph, from_networkx, to_igraph, to_igraph_layers

igraph = pytest.importorskip("igraph")


def people(directed=False):
    graph = igraph.Graph(n=3, edges=[(0, 1), (1, 2), (0, 1)], directed=directed)
    graph.vs["name"] = ["ann", "bob", "eve"]
    graph.vs["age"] = [30, 41, None]
    graph.vs["role"] = ["x", "y", "x"]
    graph.es["layer"] = ["work", "work", "lunch"]
    graph.es["weight"] = [2.0, 0.5, 1.0]
    return graph


def test_a_layer_attribute(dense):
    graph = from_igraph(people())
    assert graph.layer_names == ("work", "lunch")
    assert graph.node_ids.tolist() == ["ann", "bob", "eve"]
    np.testing.assert_array_equal(dense(graph)[0], [[0, 2, 0], [2, 0, 0.5], [0, 0.5, 0]])
    np.testing.assert_array_equal(dense(graph)[1], [[0, 1, 0], [1, 0, 0], [0, 0, 0]])


def test_the_layers_agree_with_igraph_and_with_networkx(dense):
    pytest.importorskip("networkx")
    graph = igraph.Graph.Famous("Zachary")
    (layer,) = from_igraph(graph).layers
    np.testing.assert_array_equal(layer.toarray(), np.array(graph.get_adjacency().data))
    np.testing.assert_array_equal(layer.toarray(), dense(from_networkx(graph.to_networkx()))[0])


def test_several_graphs_are_matched_by_name(dense):
    first = igraph.Graph.TupleList([("a", "b"), ("b", "c")])
    second = igraph.Graph.TupleList([("c", "d")])
    graph = from_igraph({"x": first, "y": second})
    assert graph.node_ids.tolist() == ["a", "b", "c", "d"]
    assert dense(graph)[1][2, 3] == 1
    np.testing.assert_array_equal(graph.present, [[True, True, True, False], [False, False, True, True]])
    assert np.all(from_igraph([first, second], absent="isolated").present)


def test_graphs_without_names_must_be_equally_large():
    assert from_igraph([igraph.Graph.Ring(4), igraph.Graph.Full(4)]).n_layers == 2
    with pytest.raises(ValueError, match=r"must be equally large, got \{'layer 0': 4, 'layer 1': 5\}"):
        from_igraph([igraph.Graph.Ring(4), igraph.Graph.Full(5)])
    with pytest.raises(ValueError, match=r"graphs\['layer 1'\] has no vertex attribute 'name'"):
        from_igraph([people(), igraph.Graph.Full(3)])


def test_directed_graphs(dense):
    with pytest.raises(ValueError, match="layer 'work' is directed: 2 pairs"):
        from_igraph(people(directed=True))
    np.testing.assert_array_equal(
        dense(from_igraph(people(directed=True), symmetrize="max"))[0], dense(from_igraph(people()))[0]
    )


def test_features():
    assert from_igraph(people()).features is None
    np.testing.assert_array_equal(from_igraph(people(), features=["age"], fill=0).features, [[30], [41], [0]])
    with pytest.raises(ValueError, match="1 nodes have no 'age', the first 'eve'"):
        from_igraph(people(), features=["age"])
    with pytest.raises(ValueError, match="'role' of node 'ann' is 'x'; features are numbers"):
        from_igraph(people(), features=["role"])


def test_loops_and_parallel_edges(dense):
    graph = from_igraph(igraph.Graph(n=2, edges=[(0, 1), (1, 0), (1, 1)]))
    np.testing.assert_array_equal(dense(graph)[0], [[0, 2], [2, 0]])
    assert graph.summary().layers[0].n_loops_dropped == 1


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("weight", -1, "edge 1, from 'bob' to 'eve', has the weight -1"),
        ("weight", None, "edge 1, from 'bob' to 'eve', has the weight None"),
        ("weight", "heavy", "edge 1, from 'bob' to 'eve', has the weight 'heavy'"),
        ("layer", None, "edge 1, from 'bob' to 'eve', has no layer"),
    ],
)
def test_bad_edges(attribute, value, message):
    graph = people()
    graph.es[1][attribute] = value
    with pytest.raises(ValueError, match=message):
        from_igraph(graph)


@pytest.mark.parametrize("argument", ["layer", "weight"])
def test_an_attribute_that_was_named_must_be_there(argument):
    with pytest.raises(ValueError, match="no edge has the attribute 'misspelt'; there are 'layer', 'weight'"):
        from_igraph(people(), **{argument: "misspelt"})


def test_names_that_occur_twice():
    graph = people()
    graph.vs["name"] = ["ann", "bob", "bob"]
    with pytest.raises(ValueError, match="'bob' occurs more than once"):
        from_igraph(graph)


@pytest.mark.parametrize(
    ("graphs", "error", "message"),
    [
        ([], ValueError, "graphs is empty"),
        (5, TypeError, "graphs must be an igraph graph.*got int"),
        ([np.eye(2)], TypeError, "must be an igraph graph, got numpy.ndarray"),
        ({1: igraph.Graph.Ring(3), "1": igraph.Graph.Ring(3)}, ValueError, "'1' occurs more than once"),
        (igraph.Graph(n=3), ValueError, "the graph has no edges"),
    ],
)
def test_no_graphs(graphs, error, message):
    with pytest.raises(error, match=message):
        from_igraph(graphs)


def test_numbers_from_0_need_no_names():
    graph = from_igraph([igraph.Graph.Ring(4), igraph.Graph.Full(4)])
    assert "name" not in to_igraph(graph).vs.attributes()
    assert "name" not in to_igraph_layers(graph)["layer 1"].vs.attributes()
