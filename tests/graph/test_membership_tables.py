"""Two-mode relations from tables of memberships, alone and beside edges."""

import numpy as np
import pandas as pd
import pytest

from orthonet import MultilayerGraph

ROWS = [
    ("ann", "chess", 2.0),
    ("bob", "chess", 1.0),
    ("ann", "choir", 1.0),
    ("ann", "chess", 1.0),
    ("zoe", "choir", 1.0),
]
FRAME = pd.DataFrame(ROWS, columns=["member", "club", "visits"])


@pytest.mark.parametrize("table", [ROWS, FRAME, FRAME.to_dict("list")], ids=["rows", "frame", "mapping"])
def test_every_kind_of_table_gives_the_same_relation(table):
    graph = MultilayerGraph.from_edges(None, two_mode={"clubs": table})
    assert graph.node_ids.tolist() == ["ann", "bob", "zoe"]
    assert graph.two_mode["clubs"].group_names == ("chess", "choir")
    np.testing.assert_array_equal(graph.two_mode["clubs"].incidence.toarray(), [[3, 1], [1, 0], [0, 1]])


def test_beside_edges_all_nodes_are_in_the_graph():
    graph = MultilayerGraph.from_edges([("bob", "eve")], two_mode={"clubs": [row[:2] for row in ROWS]})
    assert graph.node_ids.tolist() == ["bob", "eve", "ann", "zoe"]
    assert graph.relation_names == ("layer 0", "clubs")
    np.testing.assert_array_equal(graph.two_mode["clubs"].incidence.toarray(), [[1, 0], [0, 0], [2, 1], [0, 1]])


def test_node_ids_say_which_nodes_there_are():
    graph = MultilayerGraph.from_edges(None, np.eye(4), list("dcba"), two_mode={"t": [("a", 1), ("c", 1)]})
    np.testing.assert_array_equal(graph.two_mode["t"].incidence.toarray(), [[0], [1], [0], [1]])
    with pytest.raises(ValueError, match="names 1 nodes that are not in node_ids, the first 'c' in row 1"):
        MultilayerGraph.from_edges(None, node_ids=["a"], two_mode={"t": [("a", 1), ("c", 1)]})


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        ([("a",)], ValueError, "must have columns node, group and optionally weight; it has 1"),
        ([("a", "x"), ("b", "x", 1)], ValueError, "all alike"),
        ([], ValueError, "has no memberships"),
        ("edges.csv", TypeError, "must be a table with columns, or rows"),
        ([("a", None)], ValueError, "has 1 rows without a group, the first is row 0"),
        ([("a", "x", "much")], ValueError, "the third column, the weight or count, must hold numbers"),
        ([("a", "x", -1.0)], ValueError, "negative"),
    ],
)
def test_errors_name_the_relation(table, error, message):
    with pytest.raises(error, match=message):
        MultilayerGraph.from_edges(None, two_mode={"t": table})


def test_nothing_at_all():
    with pytest.raises(TypeError, match="edges must be a table"):
        MultilayerGraph.from_edges(None)
