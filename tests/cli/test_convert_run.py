"""`orthonet convert RUN`: the network of a run with its clusters, read back by the programs it is for."""

import json

import numpy as np
import pytest
from scipy.sparse import random_array

from orthonet import MultilayerGraph
from orthonet.files import read_network, write_network

pytest.importorskip("typer")


@pytest.fixture(scope="module")
def run(orthonet, clouds, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    (folder / "nodes.csv").write_text(
        "id,x,town,cluster\n"
        + "".join(f"n{node},{node / 7},town {label},{label}\n" for node, label in enumerate(clouds.labels))
    )
    lines = ["source,target,layer,weight"]
    for name, layer in zip(clouds.graph.layer_names, clouds.graph.layers, strict=True):
        one = layer.tocoo()
        lines += [
            f"n{i},n{j},{name},{w!r}" for i, j, w in zip(one.row, one.col, one.data.tolist(), strict=True) if i < j
        ]
    (folder / "edges.csv").write_text("\n".join(lines) + "\n")
    arguments = ["-f", folder / "nodes.csv", "--ignore", "cluster", "-k", 3, "--steps", 20, "--no-report"]
    done = orthonet("cluster", folder / "edges.csv", *arguments, "-o", folder / "out")
    assert done.exit_code == 0, done.output
    return folder / "out"


@pytest.fixture(scope="module")
def graph(run):
    return read_network(run.parent / "edges.csv", features=run.parent / "nodes.csv", ignore=["cluster"]).graph()


def converted(orthonet, run, target):
    done = orthonet("convert", run, "-o", target)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_networkx_reads_the_nodes_edges_weights_and_clusters_that_gephi_gets(orthonet, run, graph, rows_of, tmp_path):
    networkx = pytest.importorskip("networkx")
    said = converted(orthonet, run, tmp_path / "net.gexf")
    assert "columns about the nodes: orthonet cluster, confidence, town, cluster" in said
    read = networkx.read_gexf(tmp_path / "net.gexf")
    assert list(read) == graph.node_ids.tolist()
    for row in rows_of(run / "labels.csv"):
        node = read.nodes[row["node"]]
        assert node["orthonet cluster"] == int(row["label"])
        assert node["confidence"] == float(row["confidence"])
        assert node["town"] == f"town {int(float(node['cluster']))}"
    for name, layer in zip(graph.layer_names, graph.layers, strict=True):
        edges = [(a, b, data["weight"]) for a, b, data in read.edges(data=True) if data["layer"] == name]
        own = networkx.Graph()
        own.add_nodes_from(read)
        own.add_weighted_edges_from(edges)
        assert len(edges) == layer.nnz // 2
        np.testing.assert_array_equal(networkx.to_numpy_array(own), layer.toarray())


def test_igraph_reads_what_cytoscape_gets(orthonet, run, graph, rows_of, tmp_path):
    igraph = pytest.importorskip("igraph")
    converted(orthonet, run, tmp_path / "net.graphml")
    read = igraph.Graph.Read_GraphML(str(tmp_path / "net.graphml"))
    assert read.vs["id"] == graph.node_ids.tolist()
    assert read.vs["orthonet cluster"] == [int(row["label"]) for row in rows_of(run / "labels.csv")]
    np.testing.assert_array_equal(read.vs["x"], graph.features[:, 0])
    for name, layer in zip(graph.layer_names, graph.layers, strict=True):
        own = read.subgraph_edges(read.es.select(layer=name), delete_vertices=False)
        np.testing.assert_array_equal(np.array(own.get_adjacency(attribute="weight").data), layer.toarray())


@pytest.mark.parametrize("suffix", ["csv", "npz", "mpx"])
def test_other_formats_have_a_table_of_nodes(orthonet, run, rows_of, tmp_path, suffix):
    converted(orthonet, run, tmp_path / f"net.{suffix}")
    rows = rows_of(tmp_path / "net.nodes.csv")
    features = ["x"] if suffix == "csv" else []  # the others hold features themselves
    assert list(rows[0]) == ["id", *features, "orthonet cluster", "confidence", "town", "cluster"]
    assert [row["orthonet cluster"] for row in rows] == [row["label"] for row in rows_of(run / "labels.csv")]


@pytest.mark.parametrize(("suffix", "package"), [("h5ad", "anndata"), ("h5mu", "mudata")])
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore:Cannot join columns:UserWarning")
def test_scanpy_finds_the_clusters_where_it_looks(orthonet, run, rows_of, tmp_path, suffix, package):
    library = pytest.importorskip(package)
    converted(orthonet, run, tmp_path / f"net.{suffix}")
    data = library.read(tmp_path / "net.h5mu") if suffix == "h5mu" else library.read_h5ad(tmp_path / "net.h5ad")
    assert data.obs["orthonet"].tolist() == [row["label"] for row in rows_of(run / "labels.csv")]
    assert set(data.obs["town"]) == {"town 0", "town 1", "town 2"}


def test_columns_about_the_nodes_stay_with_a_network_that_is_converted(orthonet, run, tmp_path):
    done = orthonet("convert", run.parent / "edges.csv", "-f", run.parent / "nodes.csv", "-o", tmp_path / "net.gexf")
    assert done.exit_code == 0, done.output
    assert "town" in read_network(tmp_path / "net.gexf").attributes


def test_missing_nodes_have_columns_and_sparse_features_are_left_out(orthonet, tmp_path, rng):
    blocks = np.kron(np.eye(2), np.ones((10, 10)))
    present = [None, np.arange(20) > 0]
    second = blocks.copy()
    second[0] = second[:, 0] = 0
    words = random_array((20, 30), density=0.3, rng=rng, format="csr")
    write_network(MultilayerGraph([blocks, second], words, ("a", "b"), present=present), tmp_path / "net.npz")
    done = orthonet("cluster", tmp_path / "net.npz", "-k", 2, "--steps", 5, "--no-report", "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    said = converted(orthonet, tmp_path / "out", tmp_path / "net.graphml")
    assert "graphml has no room for the 30 sparse features; they are left out" in said
    assert "nodes that a layer lacks have a 0 in the column 'in LAYER'" in said
    assert read_network(tmp_path / "net.graphml").attributes["in b"].tolist() == [0.0] + [1.0] * 19
    converted(orthonet, tmp_path / "out", tmp_path / "again.npz")
    assert read_network(tmp_path / "again.npz").graph().features.nnz == words.nnz


def test_a_run_whose_files_changed_is_not_converted(orthonet, run, tmp_path):
    record = json.loads((run / "run.json").read_text())
    other = tmp_path / "out"
    other.mkdir()
    (other / "run.json").write_text(json.dumps(record | {"checksums": {str(run.parent / "edges.csv"): "0"}}))
    done = orthonet("convert", other, "-o", tmp_path / "net.gexf")
    assert done.exit_code == 2
    assert "edges.csv changed since the run; cluster again" in done.stderr
    assert not (tmp_path / "net.gexf").exists()


def test_ndex2_reads_what_cytoscape_gets_as_cx2(orthonet, run, graph, rows_of, tmp_path):
    cx2 = pytest.importorskip("ndex2.cx2", reason="writes CX2: pip install 'orthonet[cytoscape]'")
    said = converted(orthonet, run, tmp_path / "net.cx2")
    assert "columns about the nodes: orthonet cluster, confidence, town, cluster" in said
    read = cx2.RawCX2NetworkFactory().get_cx2network(json.loads((tmp_path / "net.cx2").read_text()))
    nodes = [read.get_nodes()[place]["v"] for place in range(graph.n_nodes)]
    assert [one["name"] for one in nodes] == graph.node_ids.tolist()
    rows = rows_of(run / "labels.csv")
    assert [one["orthonet cluster"] for one in nodes] == [int(row["label"]) for row in rows]
    assert [one["confidence"] for one in nodes] == [float(row["confidence"]) for row in rows]
    np.testing.assert_array_equal([one["x"] for one in nodes], graph.features[:, 0])
    for name, layer in zip(graph.layer_names, graph.layers, strict=True):
        weights = np.zeros(layer.shape)
        for edge in read.get_edges().values():
            if edge["v"]["layer"] == edge["v"]["interaction"] == name:
                weights[edge["s"], edge["t"]] = weights[edge["t"], edge["s"]] = edge["v"]["weight"]
        np.testing.assert_array_equal(weights, layer.toarray())


def test_cx2_is_not_read_and_the_way_out_is_said(orthonet, tmp_path):
    (tmp_path / "net.cx2").write_text('[{"CXVersion":"2.0"}]')
    done = orthonet("info", tmp_path / "net.cx2")
    assert done.exit_code == 2
    assert "net.cx2 is written for Cytoscape, not read; export the network from there as GraphML" in done.stderr
