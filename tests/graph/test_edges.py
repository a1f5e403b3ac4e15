"""MultilayerGraph.from_edges: tables and rows of edges."""

import numpy as np
import pandas as pd
import pytest

from orthonet import MultilayerGraph

ROWS = [("ann", "bob", "work", 2.0), ("bob", "eve", "work", 3.0), ("eve", "ann", "lunch", 0.5)]
COLUMNS = dict(zip(("source", "target", "layer", "weight"), map(list, zip(*ROWS, strict=True)), strict=True))
WORK = np.array([[0, 2, 0], [2, 0, 3], [0, 3, 0]])
LUNCH = np.array([[0, 0, 0.5], [0, 0, 0], [0.5, 0, 0]])

from_edges = MultilayerGraph.from_edges


TABLES = {
    "tuples": ROWS,
    "lists": [list(row) for row in ROWS],
    "generator": (row for row in ROWS),
    "dict of lists": COLUMNS,
    "dict of arrays": {name: np.array(column) for name, column in COLUMNS.items()},
    "pandas": pd.DataFrame(COLUMNS),
    "pandas, any index": pd.DataFrame(COLUMNS, index=[7, 7, 3]),
    "categories": pd.DataFrame(COLUMNS).astype({"source": "category", "target": "category", "layer": "category"}),
    "nullable": pd.DataFrame(COLUMNS).convert_dtypes(),
    "more columns": pd.DataFrame(COLUMNS).assign(since=1999)[["since", "weight", "layer", "target", "source"]],
}


@pytest.mark.parametrize("table", TABLES)
def test_every_kind_of_table_gives_the_same_graph(table):
    graph = from_edges(TABLES[table])
    assert graph.node_ids.tolist() == ["ann", "bob", "eve"]
    assert graph.layer_names == ("work", "lunch")
    np.testing.assert_array_equal(graph.layers[0].toarray(), WORK)
    np.testing.assert_array_equal(graph.layers[1].toarray(), LUNCH)


def test_polars():
    polars = pytest.importorskip("polars")
    graph = from_edges(polars.DataFrame(COLUMNS))
    np.testing.assert_array_equal(graph.layers[0].toarray(), WORK)


def test_an_array_of_pairs():
    graph = from_edges(np.array([[5, 3], [3, 9]]))
    assert graph.node_ids.tolist() == [5, 3, 9]
    np.testing.assert_array_equal(graph.layers[0].toarray(), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])


def test_own_column_names():
    table = pd.DataFrame(COLUMNS).set_axis(["from", "to", "kind", "times"], axis=1)
    graph = from_edges(table, source="from", target="to", layer="kind", weight="times")
    np.testing.assert_array_equal(graph.layers[0].toarray(), WORK)


def test_weight_is_1_and_layer_is_one_by_default():
    graph = from_edges([("a", "b"), ("b", "c")])
    assert graph.layer_names == ("layer 0",)
    np.testing.assert_array_equal(graph.layers[0].toarray(), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])


def test_both_directions_and_repeated_rows_add_up():
    graph = from_edges([("a", "b", "x", 1), ("b", "a", "x", 2), ("a", "b", "x", 4), ("a", "b", "y", 8)])
    np.testing.assert_array_equal(graph.layers[0].toarray(), [[0, 7], [7, 0]])
    np.testing.assert_array_equal(graph.layers[1].toarray(), [[0, 8], [8, 0]])


def test_which_end_comes_first_does_not_matter():
    turned = [(target, source, layer, weight) for source, target, layer, weight in ROWS]
    graph = from_edges(turned, node_ids=["ann", "bob", "eve"])
    np.testing.assert_array_equal(graph.layers[0].toarray(), WORK)


def test_self_loops_are_dropped_but_their_node_stays():
    graph = from_edges([("a", "b"), ("c", "c")])
    assert graph.n_nodes == 3
    assert graph.layers[0].nnz == 2


@pytest.mark.parametrize(
    ("rows", "ids"),
    [
        ([("z", "a"), ("m", "z")], ["z", "m", "a"]),
        ([("a", 1), (1, 2.5)], ["a", 1, 2.5]),
        ([(1, "1"), ("1", 2)], [1, "1", 2]),
        ([(2**70, 1), (1, 2)], [2**70, 1, 2]),
        ([((0, 1), (1, 0)), ((1, 0), (1, 1))], [(0, 1), (1, 0), (1, 1)]),
    ],
    ids=["strings", "mixed", "1 is not '1'", "large", "tuples"],
)
def test_ids_in_order_of_first_appearance_down_the_sources_then_the_targets(rows, ids):
    assert from_edges(rows).node_ids.tolist() == ids


def test_dates_stay_dates():
    days = np.array(["2020-01-01", "2020-01-02", "2020-01-03"], "M8[ns]")
    graph = from_edges({"source": days[:2], "target": days[1:]})
    assert list(pd.Index(graph.node_ids)) == list(pd.Index(days))


def test_node_ids_give_the_order_and_the_nodes_without_edges():
    graph = from_edges(ROWS, node_ids=["eve", "zoe", "bob", "ann"])
    assert graph.node_ids.tolist() == ["eve", "zoe", "bob", "ann"]
    np.testing.assert_array_equal(graph.layers[0].toarray()[np.ix_([3, 2, 0], [3, 2, 0])], WORK)
    assert not graph.layers[0].toarray()[1].any()


def test_a_frame_of_features_gives_the_nodes():
    features = pd.DataFrame(np.arange(8.0).reshape(4, 2), index=["eve", "zoe", "bob", "ann"])
    graph = from_edges(ROWS, features)
    assert graph.node_ids.tolist() == ["eve", "zoe", "bob", "ann"]
    np.testing.assert_array_equal(graph.features, features)


def test_node_ids_are_not_changed():
    ids = np.array([0, 1, 2])
    graph = from_edges([(0, 1)], node_ids=ids)
    ids[0] = 9
    assert graph.node_ids.tolist() == [0, 1, 2]


def test_present():
    graph = from_edges(ROWS, present={"lunch": ["eve", "ann"]})
    np.testing.assert_array_equal(graph.present, [[True, True, True], [True, False, True]])


def test_present_with_mixed_ids():
    graph = from_edges([("a", 1, "x"), (1, "c", "y")], present={"x": {"a", 1}})
    np.testing.assert_array_equal(graph.present[0], [True, True, False])


def test_present_knows_layers_as_the_table_does():
    graph = from_edges([("a", "b", 2001), ("b", "c", 2002)], present={2001: ["a", "b"]})
    np.testing.assert_array_equal(graph.present[0], [True, True, False])


@pytest.mark.parametrize(
    ("present", "message"),
    [
        ({"lunch": ["eve"]}, r"present\['lunch'\] says that 1 nodes are missing \(the first at row 0\)"),
        ({"dinner": ["eve"]}, "present names the layer 'dinner', but edges has 'work', 'lunch'"),
        ({"lunch": ["eve", "ann", "nobody"]}, "present.*'nobody'"),
        ({"dinner": [], 5: []}, "present names"),
    ],
)
def test_bad_present(present, message):
    with pytest.raises(ValueError, match=message):
        from_edges(ROWS, present=present)


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([], "edges is empty"),
        (pd.DataFrame({"source": [], "target": []}), "edges is empty"),
        ([("a", "b"), ("a", "b", "x")], "edges must be rows.*length 2, 3"),
        ([("a",)], "edges must be rows.*length 1"),
        ({"from": [1], "to": [2]}, "edges has no column 'source'; its columns are 'from', 'to'.*source="),
        ({"source": [1, 2], "target": [2]}, "columns of edges must be equally long.*'source': 2, 'target': 1"),
        ([("a", "b", "x", 1), ("b", "c", "x", "heavy")], "'weight' must hold numbers, got 'heavy' in row 1"),
        ([("a", "b", "x", 1), ("b", "c", "x", -2)], "'weight'.*>= 0.*first -2 in row 1"),
        ([("a", "b", "x", np.nan)], "'weight' must hold finite.*nan in row 0"),
        ([("a", "b", "x", 1), ("b", "c", "x", np.inf)], "'weight' must hold finite.*inf in row 1"),
        ([("a", "b", "x", None)], "'weight'.*row 0"),
        ({"source": [1], "target": [2], "weight": np.array([1 + 2j])}, "'weight' must hold.*numbers"),
        ([("a", "b", "x", 0)], "'x'.*no edges"),
        ([("a", "b"), (None, "c")], "'source' has 1 empty entries, the first in row 1"),
        ({"source": [1.0, np.nan], "target": [2, 3]}, "'source' has 1 empty entries, the first in row 1"),
        (pd.DataFrame({"source": ["a", "b"], "target": pd.array(["b", None], "string")}), "'target' has 1 empty"),
        ({"source": [1, 2], "target": np.array(["NaT", "2020"], "M8[D]")}, "'target' has 1 empty"),
        (pd.DataFrame({"source": [1, 2], "target": [2, 3], "layer": ["x", None]}), "'layer' has 1 empty"),
        ({"source": [1, 2], "target": [2, 3], "layer": [np.nan, np.nan]}, "'layer' has 2 empty"),
        ([("a", "b", 1), ("b", "c", "1")], "'1' occurs more than once"),
    ],
)
def test_bad_edges(edges, message):
    with pytest.raises(ValueError, match=message):
        from_edges(edges)


@pytest.mark.parametrize("edges", [None, 5, [1, 2, 3]])
def test_no_table_at_all(edges):
    with pytest.raises(TypeError, match="edges must be"):
        from_edges(edges)


@pytest.mark.parametrize("column", ["layer", "weight", "source", "target"])
def test_a_column_that_was_named_must_be_there(column):
    with pytest.raises(ValueError, match="edges has no column 'misspelt'"):
        from_edges(COLUMNS, **{column: "misspelt"})


@pytest.mark.parametrize(
    ("node_ids", "message"),
    [
        (["ann", "bob"], "column 'source' names 1 nodes that are not in node_ids, the first 'eve' in row 2"),
        (["ann", "bob", "eve", "ann"], "node_ids must be unique, but 'ann' occurs"),
        (["ann", "bob", "eve", "zoe", "zoe"], "node_ids must be unique, but 'zoe' occurs"),
    ],
)
def test_bad_node_ids(node_ids, message):
    with pytest.raises(ValueError, match=message):
        from_edges(ROWS, node_ids=node_ids)


def test_features_without_names_cannot_be_matched():
    with pytest.raises(ValueError, match="features need node_ids"):
        from_edges(ROWS, features=np.eye(3))


def test_features_with_another_number_of_rows():
    with pytest.raises(ValueError, match="features has 4 rows, but the graph has 3 nodes"):
        from_edges(ROWS, features=np.eye(4), node_ids=["ann", "bob", "eve"])
