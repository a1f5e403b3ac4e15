"""GEXF and GML as Gephi, networkx and igraph write them: the same nodes, weights, layers and columns."""

import numpy as np
import pytest

from orthonet import MultilayerGraph, read_network, write_network

GEPHI = """<?xml version='1.0' encoding='UTF-8'?>
<gexf xmlns="http://gexf.net/1.3" version="1.3" xmlns:viz="http://gexf.net/1.3/viz">
<graph defaultedgetype="undirected" idtype="string" mode="static">
<attributes class="node" mode="static">
<attribute id="age" title="Age" type="integer"><default>30</default></attribute>
<attribute id="t" title="town" type="string"/></attributes>
<attributes class="edge" mode="static"><attribute id="s" title="strength" type="double"/></attributes>
<edges><edge id="0" source="n1" target="n0" weight="2.5" kind="work"/>
<edge id="1" source="n0" target="n1" kind="lunch"><attvalues><attvalue for="s" value="7"/></attvalues></edge></edges>
<nodes><node id="n0" label="Ann"><attvalues><attvalue for="t" value="Ulm"/></attvalues><viz:size value="3"/></node>
<node id="n1" label="Bob"><attvalues><attvalue for="age" value="41"/></attvalues></node></nodes>
</graph></gexf>"""


def weights(network):
    return {name: edges.weight.tolist() for name, edges in network.layers.items()}


def test_a_gexf_file_of_gephi(write):
    network = read_network(write(GEPHI, "net.gexf"))
    assert network.node_ids.tolist() == ["n0", "n1"]
    assert weights(network) == {"work": [2.5], "lunch": [1.0]}
    assert {name: column.tolist() for name, column in network.attributes.items()} == {
        "label": ["Ann", "Bob"],
        "Age": [30.0, 41.0],
        "town": ["Ulm", ""],
    }
    assert weights(read_network(write(GEPHI, "net.gexf"), weight="strength")) == {"work": [1.0], "lunch": [7.0]}


def test_an_attribute_that_no_edge_has_is_refused_by_name(write, tmp_path):
    with pytest.raises(
        ValueError, match=r"net\.gexf: weight='pull' is not an attribute of its edges; they have .*strength"
    ):
        read_network(write(GEPHI, "net.gexf"), weight="pull")
    write_network(MultilayerGraph([np.ones((3, 3))]), tmp_path / "net.graphml")
    with pytest.raises(ValueError, match=r"net\.graphml: layer='kind' is not an attribute of its edges"):
        read_network(tmp_path / "net.graphml", layer="kind")


def test_times_are_not_read_and_said_so(write):
    timed = GEPHI.replace('kind="work"', 'kind="work" start="2001" end="2002"')
    assert "times are not read" in str(read_network(write(timed, "net.gexf")).report)
    assert "times" not in str(read_network(write(GEPHI, "net.gexf")).report)


@pytest.mark.parametrize("version", ["1.1draft", "1.2draft"])
def test_the_weights_of_networkx_are_read(tmp_path, version):
    networkx = pytest.importorskip("networkx")
    graph = networkx.les_miserables_graph()
    networkx.write_gexf(graph, tmp_path / "net.gexf", version=version)
    networkx.write_gml(graph, tmp_path / "net.gml")
    for name in ("net.gexf", "net.gml"):
        network = read_network(tmp_path / name)
        assert network.node_ids.tolist() == list(graph)
        np.testing.assert_array_equal(network.graph().layers[0].toarray(), networkx.to_numpy_array(graph), err_msg=name)
    assert network.graph().layers[0].sum() / 2 == 820


def test_gml_of_igraph_and_gml_by_hand(write, tmp_path):
    text = 'Creator "me"\ngraph\n[\n directed 1\n node [ id 5 age 3 town "Ulm" graphics [ x 1 ] ]\n'
    text += ' node [ id 7 town "K&ouml;ln" ]\n'
    text += " edge [ source 5 target 7 value 2 ]\n edge [ source 5 target 7 ]\n]\n"
    network = read_network(write(text, "net.gml"))
    assert network.node_ids.tolist() == [5, 7]
    assert network.report.layers[0].directed
    assert weights(network) == {"net": [3.0]}
    assert network.attributes["town"].tolist() == ["Ulm", "Köln"]
    np.testing.assert_array_equal(network.attributes["age"], [3, np.nan])
    assert set(network.attributes) == {"age", "town"}
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph([(0, 1), (0, 1), (1, 2)])
    graph.vs["name"] = ["a", "b", "c"]
    graph.write_gml(str(tmp_path / "i.gml"))
    assert weights(read_network(tmp_path / "i.gml")) == {"i": [2.0, 1.0]}


def test_networkx_reads_the_gml_that_was_written(tmp_path):
    networkx = pytest.importorskip("networkx")
    (file,) = write_network(two_layers(), tmp_path / "net.gml")
    graph = networkx.read_gml(file)
    assert list(graph) == ["x", "y & z", "é"]
    assert sorted((data["layer"], data["weight"]) for *_, data in graph.edges(data=True)) == [
        ("a<b", 1.0),
        ("work", 0.1),
        ("work", 2.0),
    ]


def columns():
    return {"cluster": [0, 1, 1], "town": ["Bonn", "", "<Köln>"], "age": [1.5, np.nan, 2]}


def two_layers(second="y & z"):
    layer = np.array([[0, 0.1, 2], [0.1, 0, 0], [2, 0, 0]])
    return MultilayerGraph({"work": layer, "a<b": layer > 1}, node_ids=["x", second, "é"])


def test_networkx_reads_what_was_written_for_gephi(tmp_path):
    networkx = pytest.importorskip("networkx")
    (file,) = write_network(two_layers(), tmp_path / "net.gexf", attributes=columns())
    graph = networkx.read_gexf(file)
    assert graph.is_multigraph()
    assert not graph.is_directed()
    assert {node: data["cluster"] for node, data in graph.nodes(data=True)} == {"x": 0, "y & z": 1, "é": 1}
    assert graph.nodes["é"] == {"cluster": 1, "town": "<Köln>", "age": 2.0, "label": "é"}
    assert "age" not in graph.nodes["y & z"]
    edges = {(a, b, data["layer"], data["weight"]) for a, b, data in graph.edges(data=True)}
    assert edges == {("x", "y & z", "work", 0.1), ("x", "é", "work", 2.0), ("x", "é", "a<b", 1.0)}


def test_igraph_reads_what_was_written_for_cytoscape(tmp_path):
    igraph = pytest.importorskip("igraph")
    graph = two_layers("y > z")  # igraph itself does not decode an & within an id
    (file,) = write_network(graph, tmp_path / "net.graphml", attributes=columns())
    graph = igraph.Graph.Read_GraphML(str(file))
    assert graph.vs["id"] == ["x", "y > z", "é"]
    assert graph.vs["cluster"] == [0, 1, 1]
    assert graph.vs["town"] == ["Bonn", "", "<Köln>"]
    assert sorted(zip(graph.es["layer"], graph.es["weight"], strict=True)) == [("a<b", 1), ("work", 0.1), ("work", 2)]


def test_columns_about_nodes_go_into_a_table_where_a_format_has_no_room(tmp_path):
    files = write_network(two_layers(), tmp_path / "net.csv", attributes=columns())
    assert [file.name for file in files] == ["net.csv", "net.nodes.csv"]
    assert files[1].read_text().splitlines()[0] == "id,cluster,town,age"


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"cluster": [0, 1]}, r"attributes\['cluster'\] has shape \(2,\), but the graph has 3 nodes"),
        ({"age": [1, 2, 3]}, "attributes has a column 'age', but a feature is called so too"),
        ({"town": ["a\x01", "b", "c"]}, "in column 'town', value 'a.x01' cannot be written"),
    ],
)
def test_columns_that_cannot_be_written(tmp_path, attributes, message):
    graph = MultilayerGraph([np.ones((3, 3))], np.ones((3, 1)), feature_names=["age"])
    with pytest.raises(ValueError, match=message):
        write_network(graph, tmp_path / "net.gexf", attributes=attributes)
    assert not list(tmp_path.iterdir())
