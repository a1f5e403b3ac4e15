"""from_networkx: what each kind of graph and attribute becomes, and what is refused."""

import numpy as np
import pytest

from orthonet.graph.convert import from_networkx, to_networkx

networkx = pytest.importorskip("networkx")


def multigraph(*edges, kind=networkx.MultiGraph):
    graph = kind()
    for source, target, data in edges:
        graph.add_edge(source, target, **data)
    return graph


def test_a_layer_attribute(dense):
    graph = from_networkx(
        multigraph(
            ("ann", "bob", {"layer": "work", "weight": 2}),
            ("ann", "bob", {"layer": "lunch"}),
            ("bob", "eve", {"layer": "work", "weight": 0.5}),
        )
    )
    assert graph.layer_names == ("work", "lunch")
    assert graph.node_ids.tolist() == ["ann", "bob", "eve"]
    np.testing.assert_array_equal(dense(graph)[0], [[0, 2, 0], [2, 0, 0.5], [0, 0.5, 0]])
    np.testing.assert_array_equal(dense(graph)[1], [[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    assert np.all(graph.present)  # one graph: no edge in a layer is isolated there


def test_one_graph_split_by_layer_equals_a_graph_a_layer(dense):
    rng = np.random.default_rng(0)
    one = networkx.MultiGraph()
    one.add_nodes_from(range(20))
    split = {name: networkx.Graph() for name in "ab"}
    for name, graph in split.items():
        graph.add_nodes_from(range(20))
        for source, target in rng.integers(0, 20, (40, 2)).tolist():
            if not graph.has_edge(source, target):
                graph.add_edge(source, target, weight=float(rng.random()))
                one.add_edge(source, target, layer=name, weight=graph[source][target]["weight"])
    together, apart = from_networkx(one), from_networkx(split)
    for ours, theirs in zip(dense(together), dense(apart), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_the_layers_agree_with_networkx_itself():
    graph = networkx.les_miserables_graph()
    (layer,) = from_networkx(graph).layers
    np.testing.assert_array_equal(layer.toarray(), networkx.to_numpy_array(graph))


def test_keys_as_layers():
    graph = networkx.MultiGraph()
    graph.add_edge(1, 2, key="work")
    graph.add_edge(1, 2, key="lunch")
    assert from_networkx(graph, keys=True).layer_names == ("work", "lunch")
    with pytest.raises(ValueError, match="keys=True needs a multigraph"):
        from_networkx(networkx.path_graph(3), keys=True)


def test_a_list_has_its_names_counted():
    graph = from_networkx([networkx.path_graph(3), networkx.cycle_graph(3)])
    assert graph.layer_names == ("layer 0", "layer 1")


def test_nodes_that_a_graph_does_not_hold_are_missing_or_isolated():
    graphs = {"work": networkx.path_graph(["a", "b", "c"]), "lunch": networkx.path_graph(["c", "d"])}
    graphs["lunch"].add_node("a")
    graph = from_networkx(graphs)
    assert graph.node_ids.tolist() == ["a", "b", "c", "d"]
    np.testing.assert_array_equal(graph.present, [[True, True, True, False], [True, False, True, True]])
    assert np.all(from_networkx(graphs, absent="isolated").present)


def test_parallel_edges_of_a_layer_add_up_and_loops_are_counted(dense):
    graph = from_networkx(multigraph(("a", "b", {"weight": 2}), ("b", "a", {"weight": 3}), ("a", "a", {})))
    np.testing.assert_array_equal(dense(graph)[0], [[0, 5], [5, 0]])
    assert graph.summary().layers[0].n_loops_dropped == 1


def test_weights_can_be_left_out_or_named():
    graph = multigraph(("a", "b", {"weight": 2, "times": 7}))
    assert from_networkx(graph, weight=None).layers[0].max() == 1
    assert from_networkx(graph, weight="times").layers[0].max() == 7
    with pytest.raises(ValueError, match="no edge has the attribute 'tims'; there are 'weight', 'times'"):
        from_networkx(graph, weight="tims")


def test_directed_graphs(dense):
    graph = networkx.DiGraph()
    graph.add_edge("a", "b", weight=2.0)
    with pytest.raises(
        ValueError, match=r"layer 'mails' is directed: 1 pairs.*from '.' to '.' it weighs.*symmetrize='mean'"
    ):
        from_networkx({"mails": graph})
    assert from_networkx(graph, symmetrize="mean").layers[0].max() == 1
    graph.add_edge("b", "a", weight=2.0)
    np.testing.assert_array_equal(dense(from_networkx(graph))[0], [[0, 2], [2, 0]])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"weight": -1}, "the edge from 'b' to 'c' has the weight -1 .*>= 0"),
        ({"weight": float("nan")}, "the edge from 'b' to 'c' has the weight nan"),
        ({"weight": "heavy"}, "the edge from 'b' to 'c' has the weight 'heavy'; weights are numbers"),
        ({"weight": 10**400}, "the edge from 'b' to 'c' has the weight inf"),
        ({"weight": None}, "the edge from 'b' to 'c' has the weight None"),
    ],
)
def test_bad_weights_name_their_edge(data, message):
    with pytest.raises(ValueError, match=message):
        from_networkx(multigraph(("a", "b", {}), ("b", "c", data)))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "the edge from 'b' to 'c' has no 'layer', but others have"),
        ({"layer": None}, "the edge from 'b' to 'c' has no layer"),
        ({"layer": ["x"]}, r"the edge from 'b' to 'c' is in layer \['x'\], which cannot be a name"),
    ],
)
def test_bad_layers_name_their_edge(data, message):
    with pytest.raises(ValueError, match=message):
        from_networkx(multigraph(("a", "b", {"layer": "x"}), ("b", "c", data)))


def test_a_layer_attribute_that_was_named_must_be_there():
    with pytest.raises(ValueError, match="no edge has the attribute 'kind'; there are 'type'"):
        from_networkx(multigraph(("a", "b", {"type": 1})), layer="kind")


def test_layers_are_text():
    assert from_networkx(multigraph((1, 2, {"layer": 2001}), (2, 3, {"layer": 2002}))).layer_names == ("2001", "2002")
    with pytest.raises(ValueError, match="'1' occurs more than once"):
        from_networkx(multigraph((1, 2, {"layer": 1}), (2, 3, {"layer": "1"})))


def people():
    graph = networkx.path_graph(["ann", "bob", "eve"])
    networkx.set_node_attributes(graph, {"ann": 30, "bob": 41, "eve": 28}, "age")
    networkx.set_node_attributes(graph, {"ann": True, "bob": False, "eve": True}, "boss")
    networkx.set_node_attributes(graph, {"ann": "x", "bob": "y", "eve": "x"}, "role")
    networkx.set_node_attributes(graph, {"ann": [1, 2], "bob": np.array([3, 4]), "eve": (5, 6)}, "place")
    networkx.set_node_attributes(graph, {"ann": 1.5}, "height")
    networkx.set_node_attributes(graph, {"ann": 1, "bob": 2, "eve": 10**400}, "huge")
    return graph


def test_attributes_are_features_only_if_asked_for():
    assert from_networkx(people()).features is None
    graph = from_networkx(people(), features=["boss", "age"])
    assert graph.feature_names == ("boss", "age")
    np.testing.assert_array_equal(graph.features, [[1, 30], [0, 41], [1, 28]])


def test_numeric_attributes_leave_the_others_out_with_a_warning():
    with pytest.warns(UserWarning, match="leaves out 3 of 6 attributes.*'role', 'height', 'huge'"):
        graph = from_networkx(people(), features="numeric")
    assert graph.feature_names == ("age", "boss", "place[0]", "place[1]")
    np.testing.assert_array_equal(graph.features[:, 2:], [[1, 2], [3, 4], [5, 6]])


def test_an_array_of_features():
    np.testing.assert_array_equal(from_networkx(people(), features=np.eye(3)).features, np.eye(3))


def test_fill():
    np.testing.assert_array_equal(from_networkx(people(), features=["height"], fill=0).features, [[1.5], [0], [0]])


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("all", "'role' of node 'ann' is 'x'; features are numbers"),
        (["role"], "'role' of node 'ann' is 'x'"),
        (["height"], "2 nodes have no 'height', the first 'bob'; fill it, or pass fill="),
        (["hight"], "features names 'hight', but no node has such an attribute; there are 'age'"),
        ("age", r"features must be 'all', 'numeric'.*pass \['age'\]"),
        (["huge"], "'huge' of node 'eve' is not finite"),
        (np.eye(4), "features has 4 rows, but the graph has 3 nodes"),
    ],
)
def test_bad_features(features, message):
    with pytest.raises(ValueError, match=message):
        from_networkx(people(), features=features)


def test_graphs_that_contradict_each_other():
    other = people()
    other.nodes["bob"]["age"] = 42
    with pytest.raises(ValueError, match="'age' of node 'bob' is 41 in one graph and 42 in 'b'"):
        from_networkx({"a": people(), "b": other}, features=["age"])
    assert from_networkx({"a": people(), "b": other}).n_layers == 2


def test_node_ids_give_the_order(dense):
    graph = from_networkx(people(), node_ids=["eve", "ann", "bob"], features=["age"])
    np.testing.assert_array_equal(graph.features, [[28], [30], [41]])
    np.testing.assert_array_equal(dense(graph)[0], [[0, 0, 1], [0, 0, 1], [1, 1, 0]])


@pytest.mark.parametrize(
    ("node_ids", "message"),
    [
        (["eve", "ann"], "the graph has 1 nodes that are not in node_ids, the first 'bob'"),
        (["eve", "ann", "bob", "zoe"], "1 nodes are present in no layer"),
        (["eve", "ann", "bob", "bob"], "'bob' occurs more than once"),
    ],
)
def test_bad_node_ids(node_ids, message):
    with pytest.raises(ValueError, match=message):
        from_networkx(people(), node_ids=node_ids)


def test_missing_from_names_a_layer():
    graph = to_networkx(from_networkx({"a": networkx.path_graph(3), "b": networkx.path_graph(2)}))
    assert graph.nodes[2]["missing_from"] == ["b"]
    graph.nodes[2]["missing_from"] = ["c"]
    with pytest.raises(ValueError, match="missing_from of node 2 names the layer 'c', but there are 'a', 'b'"):
        from_networkx(graph)


@pytest.mark.parametrize(
    ("graphs", "error", "message"),
    [
        ([], ValueError, "graphs is empty"),
        (5, TypeError, "graphs must be a networkx graph.*got int"),
        ({"a": np.eye(3)}, TypeError, r"graphs\['a'\] must be a networkx graph, got numpy.ndarray"),
        ({"a": networkx.path_graph(3), "b": networkx.empty_graph(3)}, ValueError, "'b'.*has no edges; leave it out"),
        ({1: networkx.path_graph(2), "1": networkx.path_graph(2)}, ValueError, "'1' occurs more than once"),
        (networkx.Graph(), ValueError, "the graph has no edges"),
        (networkx.empty_graph(3), ValueError, "the graph has no edges"),
    ],
)
def test_no_graphs(graphs, error, message):
    with pytest.raises(error, match=message):
        from_networkx(graphs)


def test_the_input_is_not_changed():
    graph = people()
    before = networkx.node_link_data(graph)
    from_networkx(graph, features=["age"])
    assert str(networkx.node_link_data(graph)) == str(before)
