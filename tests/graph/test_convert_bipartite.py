"""Bipartite graphs of networkx and igraph become two-mode relations."""

import numpy as np
import pytest

from orthonet import from_igraph, from_networkx

MEMBERSHIPS = [("ann", "chess", 2.0), ("bob", "chess", 1.0), ("choir", "bob", 5.0)]
CLUBS = [[2, 0], [1, 5], [0, 0]]


def networkx_clubs(**marks):
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_nodes_from(["ann", "bob", "zoe"], bipartite=0)
    graph.add_nodes_from(["chess", "choir"], bipartite=1)
    graph.add_weighted_edges_from(MEMBERSHIPS)
    for node, mark in marks.items():
        graph.nodes[node]["bipartite"] = mark
    return graph


def igraph_clubs():
    igraph = pytest.importorskip("igraph")
    names = ["ann", "bob", "zoe", "chess", "choir"]
    edges = [(names.index(source), names.index(target)) for source, target, _ in MEMBERSHIPS]
    graph = igraph.Graph.Bipartite([False, False, False, True, True], edges)
    graph.vs["name"], graph.es["weight"] = names, [row[2] for row in MEMBERSHIPS]
    return graph


@pytest.mark.parametrize(
    ("read", "clubs"), [(from_networkx, networkx_clubs), (from_igraph, igraph_clubs)], ids=["networkx", "igraph"]
)
def test_one_side_are_nodes_the_other_their_groups(read, clubs):
    for graphs, name in ((clubs(), "graph"), ({"clubs": clubs()}, "clubs")):
        graph = read(graphs)
        assert graph.node_ids.tolist() == ["ann", "bob", "zoe"]
        assert (graph.n_layers, list(graph.two_mode)) == (0, [name])
        assert graph.two_mode[name].group_names == ("chess", "choir")
        np.testing.assert_array_equal(graph.two_mode[name].incidence.toarray(), CLUBS)


def test_beside_a_layer_in_networkx():
    networkx = pytest.importorskip("networkx")
    friends = networkx.Graph([("eve", "ann")])
    friends.add_nodes_from(["eve", "ann"], age=3)
    clubs = networkx_clubs()
    clubs.add_nodes_from(["ann", "bob", "zoe"], age=3)
    graph = from_networkx({"friends": friends, "clubs": clubs}, features=["age"], absent="isolated")
    assert graph.node_ids.tolist() == ["eve", "ann", "bob", "zoe"]
    assert graph.relation_names == ("friends", "clubs")
    assert graph.features.ravel().tolist() == [3, 3, 3, 3]
    np.testing.assert_array_equal(graph.two_mode["clubs"].incidence.toarray(), [[0, 0], *CLUBS])


def test_beside_a_layer_in_igraph():
    igraph = pytest.importorskip("igraph")
    friends = igraph.Graph([(0, 1)])
    friends.vs["name"] = ["eve", "ann"]
    graph = from_igraph([igraph_clubs(), friends], absent="isolated")
    assert graph.node_ids.tolist() == ["ann", "bob", "zoe", "eve"]
    assert graph.relation_names == ("layer 1", "layer 0")


def test_edges_that_name_a_layer_are_relations_of_their_own():
    networkx = pytest.importorskip("networkx")
    graph = networkx.MultiGraph()
    graph.add_nodes_from([1, 2], bipartite=0)
    graph.add_node("x", bipartite=1)
    graph.add_edge(1, "x", layer="visits")
    graph.add_edge(2, "x", layer="buys")
    assert list(from_networkx(graph).two_mode) == ["visits", "buys"]


def test_an_edge_within_a_side():
    clubs = networkx_clubs()
    clubs.add_edge("ann", "bob")
    with pytest.raises(ValueError, match="the edge from 'ann' to 'bob' joins two nodes of a bipartite graph"):
        from_networkx(clubs)


def test_other_marks_are_attributes_like_others():
    graph = from_networkx(networkx_clubs(ann=2), features=["bipartite"])
    assert (graph.n_nodes, graph.n_layers, graph.feature_names) == (5, 1, ("bipartite",))
    igraph = pytest.importorskip("igraph")
    people = igraph.Graph([(0, 1), (1, 2)])
    people.vs["type"] = [True, True, False]
    assert from_igraph(people, features=["type"]).feature_names == ("type",)
