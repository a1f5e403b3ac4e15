"""Two-mode relations of a graph: kept as given, checked, shown, and cut with the nodes."""

import copy

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from orthonet import MultilayerGraph, TwoMode

PAIR = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
CLUBS = np.array([[2, 0, 0], [1, 1, 0], [0, 3, 1], [0, 0, 0]])


@pytest.fixture
def graph():
    return MultilayerGraph({"pair": PAIR}, np.eye(4), two_mode={"<clubs>": sp.coo_array(CLUBS)})


def test_the_incidence_is_kept_as_it_is(graph):
    assert graph.n_layers == 1
    assert graph.relation_names == ("pair", "<clubs>")
    relation = graph.two_mode["<clubs>"]
    np.testing.assert_array_equal(relation.incidence.toarray(), CLUBS)
    assert (relation.n_nodes, relation.n_groups, relation.group_names) == (4, 3, None)
    assert relation.group_sizes.tolist() == [2, 2, 1]
    assert repr(relation) == "<TwoMode: 4 nodes, 3 groups, 5 memberships>"


def test_nothing_that_was_passed_can_change_the_graph():
    given = sp.csr_array(CLUBS.astype(float))
    relations = {"clubs": given}
    graph = MultilayerGraph(two_mode=relations)
    given.data[:] = 7
    relations.clear()
    np.testing.assert_array_equal(graph.two_mode["clubs"].incidence.toarray(), CLUBS)
    with pytest.raises(TypeError):
        graph.two_mode["other"] = None
    for copied in (graph, copy.deepcopy(graph), copy.copy(graph)):
        with pytest.raises(ValueError, match="read-only"):
            copied.two_mode["clubs"].incidence.data[0] = 1


def test_a_graph_of_two_mode_relations_alone():
    graph = MultilayerGraph(two_mode={"clubs": CLUBS}, node_ids=list("abcd"))
    assert (graph.n_nodes, graph.n_layers, graph.layers, graph.present) == (4, 0, (), ())
    assert graph.laplacians() == ()
    assert repr(graph) == "<MultilayerGraph: 4 nodes, 1 two-mode relation, no features>"
    with pytest.raises(ValueError, match="no layer to draw"):
        graph.plot_layers()


def test_a_frame_names_nodes_and_groups():
    frame = pd.DataFrame(CLUBS, index=list("abcd"), columns=["chess", "choir", "chemistry"])
    graph = MultilayerGraph(two_mode={"clubs": frame})
    assert graph.node_ids.tolist() == list("abcd")
    assert graph.two_mode["clubs"].group_names == ("chess", "choir", "chemistry")
    assert TwoMode(pd.DataFrame(CLUBS)).group_names is None


def test_a_node_missing_from_every_layer_may_have_memberships():
    present = [True, True, False, False]
    layer = PAIR * np.outer(present, present)
    graph = MultilayerGraph([layer], present=[present], two_mode={"clubs": CLUBS})
    assert graph.present[0].tolist() == present


def test_a_subgraph_keeps_all_groups(graph):
    part = graph.subgraph([1, 0])
    np.testing.assert_array_equal(part.two_mode["<clubs>"].incidence.toarray(), CLUBS[[1, 0]])
    named = MultilayerGraph(two_mode={"clubs": TwoMode(CLUBS, list("xyz"))}).subgraph([3])
    assert named.two_mode["clubs"].group_names == ("x", "y", "z")


def test_summary_counts_members_and_groups(graph):
    (found,) = graph.summary().two_mode
    assert (found.name, found.n_members, found.n_in_no_group, found.n_groups) == ("<clubs>", 3, 1, 3)
    assert (found.n_memberships, found.largest_group, found.n_groups_of_one) == (5, 2, 1)
    title, _, _, header, row = str(graph.summary()).splitlines()
    assert title == "MultilayerGraph: 4 nodes, 1 layer, 1 two-mode relation, 4 features"
    assert header.startswith("two-mode relation")
    assert row.split() == ["<clubs>", "3", "1", "3", "5", "2", "1"]
    html = graph._repr_html_()
    assert "<td>&lt;clubs&gt;</td><td>3</td><td>1</td><td>3</td><td>5</td><td>2</td><td>1</td>" in html
    assert "<clubs>" not in html


@pytest.mark.parametrize(
    ("two_mode", "error", "message"),
    [
        ([CLUBS], TypeError, "two_mode must be a mapping of names to matrices"),
        ({"pair": CLUBS}, ValueError, "two_mode names 'pair', which is the name of another layer or relation"),
        ({1: CLUBS, "1": CLUBS}, ValueError, "two_mode names '1', which is the name of another"),
        ({"clubs": CLUBS[:3]}, ValueError, r"two_mode\['clubs'\] has 3 rows, but the graph has 4 nodes"),
        ({"a": CLUBS, "b": CLUBS[:2]}, ValueError, r"two_mode\['b'\] has 2 rows, but two_mode\['a'\] has 4"),
        ({"clubs": -CLUBS}, ValueError, r"two_mode\['clubs'\] has 5 negative entries, the first -2 at row 0, column 0"),
        ({"clubs": 0 * CLUBS}, ValueError, r"two_mode\['clubs'\] has no memberships; leave it out"),
        ({"clubs": CLUBS * np.nan}, ValueError, r"two_mode\['clubs'\] contains NaN"),
        ({"clubs": CLUBS * 5e307}, ValueError, "overflow"),
        ({"clubs": CLUBS[0]}, ValueError, "must be 2-dimensional"),
    ],
)
def test_errors_say_what_is_wrong_where(two_mode, error, message):
    with pytest.raises(error, match=message):
        MultilayerGraph({"pair": PAIR}, two_mode=two_mode)


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        ("abc", TypeError, "sequence of names"),
        (["a", "b"], ValueError, "group_names holds 2 names for 3 groups"),
        (["a", "b", "a"], ValueError, "'a' occurs more than once"),
    ],
)
def test_errors_about_group_names(names, error, message):
    with pytest.raises(error, match=message):
        TwoMode(CLUBS, names)


def test_neither_layers_nor_relations():
    with pytest.raises(ValueError, match="at least one layer"):
        MultilayerGraph([], two_mode={})
