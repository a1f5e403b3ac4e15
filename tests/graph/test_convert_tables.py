"""from_tables: a table of edges and one of nodes, from pandas, polars or plain columns."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from orthonet import MultilayerGraph
from orthonet.graph import convert
from orthonet.graph.convert import from_tables, to_pandas

EDGES = {
    "source": ["ann", "bob", "eve"],
    "target": ["bob", "eve", "ann"],
    "layer": ["work", "work", "lunch"],
    "weight": [2.0, 3.0, 0.5],
}
NODES = {"node": ["eve", "zoe", "bob", "ann"], "age": [28, 60, 41, 30], "boss": [True, False, False, True]}


def polars_frame(columns):
    return pytest.importorskip("polars").DataFrame(columns)


FRAMES = {
    "dict": lambda columns: columns,
    "pandas": pd.DataFrame,
    "pandas, any index": lambda columns: pd.DataFrame(columns, index=range(7, 7 + len(next(iter(columns.values()))))),
    "pandas, nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "polars": polars_frame,
    "polars, lazy": lambda columns: polars_frame(columns).lazy(),
}


@pytest.mark.filterwarnings("ignore:.*LazyFrame")
@pytest.mark.parametrize("frame", FRAMES)
def test_every_kind_of_table_gives_the_same_graph(frame):
    graph = from_tables(FRAMES[frame](EDGES), FRAMES[frame](NODES))
    assert graph.node_ids.tolist() == NODES["node"]
    assert graph.layer_names == ("work", "lunch")
    assert graph.feature_names == ("age", "boss")
    np.testing.assert_array_equal(graph.features, [[28, 1], [60, 0], [41, 0], [30, 1]])
    np.testing.assert_array_equal(graph.layers[0].toarray(), [[0, 0, 3, 0], [0] * 4, [3, 0, 0, 2], [0, 0, 2, 0]])


def test_without_nodes_it_is_from_edges():
    ours, theirs = from_tables(EDGES), MultilayerGraph.from_edges(EDGES)
    assert ours.node_ids.tolist() == theirs.node_ids.tolist()
    for one, other in zip(ours.layers, theirs.layers, strict=True):
        np.testing.assert_array_equal(one.toarray(), other.toarray())


def test_ids_may_be_the_index():
    nodes = pd.DataFrame(NODES).set_index("node")
    np.testing.assert_array_equal(from_tables(EDGES, nodes).features[:, 0], NODES["age"])
    nodes.index.name = "who"
    assert from_tables(EDGES, nodes, node="who").node_ids.tolist() == NODES["node"]


def test_columns_by_other_names():
    nodes = {"who": NODES["node"], "age": NODES["age"]}
    edges = {"from": EDGES["source"], "to": EDGES["target"]}
    graph = from_tables(edges, nodes, node="who", source="from", target="to")
    assert graph.feature_names == ("age",)


@pytest.mark.parametrize("frame", ["dict", "pandas", "polars"])
def test_lists_of_numbers_become_columns(frame):
    nodes = {"node": NODES["node"], "place": [[1, 2], [3, 4], [5, 6], [7, 8]]}
    graph = from_tables(EDGES, FRAMES[frame](nodes))
    assert graph.feature_names == ("place[0]", "place[1]")
    np.testing.assert_array_equal(graph.features, nodes["place"])


def test_a_table_of_ids_alone_gives_no_features():
    assert from_tables(EDGES, {"node": NODES["node"]}).features is None
    for none in (None, []):
        assert from_tables(EDGES, NODES, features=none).features is None


def test_each_edge_is_written_once():
    tables = to_pandas(from_tables(EDGES, NODES))
    assert list(tables.edges.columns) == ["source", "target", "layer", "weight"]
    assert len(tables.edges) == 3
    assert tables.nodes["node"].tolist() == NODES["node"]
    assert tables.present == {}


def test_text_columns():
    nodes = NODES | {"role": ["x", "y", "x", "x"]}
    with pytest.raises(ValueError, match=r"'role' of node 'eve' is 'x'; features are numbers.*name the columns"):
        from_tables(EDGES, nodes)
    with pytest.warns(UserWarning, match="leaves out 1 of 3 attributes.*'role'"):
        assert from_tables(EDGES, nodes, features="numeric").feature_names == ("age", "boss")
    assert from_tables(EDGES, nodes, features=["boss"]).feature_names == ("boss",)


@pytest.mark.parametrize("frame", ["dict", "pandas", "pandas, nullable", "polars"])
def test_empty_cells(frame):
    nodes = FRAMES[frame](NODES | {"age": [28, None, 41, 30]})
    with pytest.raises(ValueError, match="1 nodes have no 'age', the first 'zoe'; fill it, or pass fill="):
        from_tables(EDGES, nodes)
    np.testing.assert_array_equal(from_tables(EDGES, nodes, fill=0).features[:, 0], [28, 0, 41, 30])


@pytest.mark.parametrize(
    ("nodes", "options", "error", "message"),
    [
        ({"who": [1]}, {}, ValueError, "nodes has no column 'node'; its columns are 'who': name yours with node="),
        ({"node": ["ann", "bob"]}, {}, ValueError, "names 1 nodes that are not in node_ids, the first 'eve'"),
        ({"node": ["ann", "bob", "bob"]}, {}, ValueError, r"nodes\['node'\] must be unique, but 'bob' occurs"),
        ({"node": ["ann", None]}, {}, ValueError, r"nodes\['node'\] has 1 empty ids, the first at position 1"),
        (5, {}, TypeError, "nodes must be a table with columns, got int"),
        (NODES, {"features": ["agee"]}, ValueError, "features names 'agee'.*there are 'age', 'boss'"),
        (None, {"features": ["age"]}, ValueError, "pass that table too"),
        (NODES | {"age": [1.0, np.inf, 1, 1]}, {}, ValueError, "'age' of node 'zoe' is not finite"),
    ],
)
def test_bad_nodes(nodes, options, error, message):
    with pytest.raises(error, match=message):
        from_tables(EDGES, nodes, **options)


def test_bad_edges_say_so_as_in_from_edges():
    with pytest.raises(ValueError, match=r"'weight'.*>= 0.*first -2 in row 1"):
        from_tables(EDGES | {"weight": [1, -2, 1]}, NODES)


def test_present():
    graph = from_tables(EDGES, NODES, {"lunch": ["eve", "ann"]})
    np.testing.assert_array_equal(graph.present[1], [True, False, False, True])
    assert to_pandas(graph).present == {"lunch": ["eve", "ann"]}


@pytest.mark.parametrize("writer", ["to_pandas", "to_polars"])
def test_the_clusters_of_a_model_are_columns_of_the_nodes(writer):
    pytest.importorskip(writer.removeprefix("to_"))
    graph = from_tables(EDGES, NODES)
    model = SimpleNamespace(labels_=np.arange(graph.n_nodes), confidence_=np.full(graph.n_nodes, 0.5))
    nodes = getattr(convert, writer)(graph, model).nodes
    assert list(nodes.columns)[:3] == ["node", "cluster", "confidence"]
    assert list(nodes["cluster"]) == list(range(graph.n_nodes))
    assert "confidence" not in getattr(convert, writer)(graph, SimpleNamespace(labels_=model.labels_)).nodes.columns
    with pytest.raises(ValueError, match=r"model.labels_ is of 2 nodes, but the graph has \d"):
        getattr(convert, writer)(graph, SimpleNamespace(labels_=[0, 1]))
    with pytest.raises(ValueError, match="has no labels_; fit it first"):
        getattr(convert, writer)(graph, object())
