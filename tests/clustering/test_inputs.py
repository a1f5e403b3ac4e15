"""What `OrthoNet.fit` takes: graphs of other libraries and lists of matrices as they are, and clear errors otherwise."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet import MultilayerGraph, OrthoNet, from_anndata, from_networkx

KINDS = np.repeat([0, 1], 12)


@pytest.fixture
def layers(rng):
    found = []
    for _ in range(2):
        upper = np.triu(rng.random((24, 24)) < np.where(KINDS[:, None] == KINDS, 0.6, 0.05), 1)
        found.append((upper | upper.T).astype(float))
    return found


def model():
    return OrthoNet(n_clusters=2, training={"max_iter": 10}, random_state=0)


@pytest.mark.parametrize("form", [list, tuple, lambda pair: [csr_array(one) for one in pair]])
def test_a_list_of_matrices_is_a_graph_of_layers(layers, form):
    fitted = model().fit(form(layers))
    np.testing.assert_array_equal(fitted.labels_, model().fit(MultilayerGraph(layers)).labels_)
    named = model().fit(dict(zip(("work", "lunch"), layers, strict=True)))
    assert named.layer_names_[:2] == ("work", "lunch")
    np.testing.assert_array_equal(named.labels_, fitted.labels_)


def test_graphs_of_networkx_are_fitted_as_they_are(layers):
    networkx = pytest.importorskip("networkx")
    graphs = [networkx.from_numpy_array(layer) for layer in layers]
    expected = model().fit(from_networkx(graphs)).labels_
    np.testing.assert_array_equal(model().fit(graphs).labels_, expected)
    np.testing.assert_array_equal(model().fit_predict({"a": graphs[0], "b": graphs[1]}), expected)
    alone = model().fit(graphs[0])
    np.testing.assert_array_equal(alone.labels_, model().fit(from_networkx(graphs[0])).labels_)


def test_graphs_of_igraph_and_pyg_are_fitted_as_they_are(layers):
    igraph = pytest.importorskip("igraph")
    expected = model().fit([layers[0]]).labels_
    np.testing.assert_array_equal(model().fit(igraph.Graph.Adjacency(layers[0], mode="undirected")).labels_, expected)
    data = pytest.importorskip("torch_geometric.data")
    torch = pytest.importorskip("torch")
    edges = torch.from_numpy(np.vstack(np.nonzero(layers[0])))
    np.testing.assert_array_equal(model().fit(data.Data(edge_index=edges, num_nodes=24)).labels_, expected)


def test_an_anndata_is_fitted_as_it_is(layers, rng):
    anndata = pytest.importorskip("anndata")
    cells = anndata.AnnData(rng.normal(size=(24, 3)) + 3 * KINDS[:, None])
    expected = model().fit(from_anndata(cells, views=["X"])).labels_
    np.testing.assert_array_equal(model().fit(cells).labels_, expected)
    cells.obsp["connectivities"] = csr_array(layers[0])
    fitted = model().fit(cells)
    assert fitted.layer_names_[0] == "connectivities"
    assert fitted.feature_names_in_.tolist() == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([np.ones((5, 3)), np.ones((5, 4))], r"all N x N, got 5 x 3, 5 x 4; for feature groups pass .*from_views"),
        ([np.ones((5, 5)), np.ones((6, 6))], "all N x N, got 5 x 5, 6 x 6"),
        ("net.csv", r"got the path 'net\.csv'; read it first: read_network\(path\)\.graph\(\)"),
        (Path("net.csv"), r"got the path 'net\.csv'"),
        ({"a": 1}, "a mapping must be of layers, N x N matrices or graphs by name"),
    ],
)
def test_what_is_no_graph_is_refused_in_a_sentence(given, message):
    with pytest.raises((TypeError, ValueError), match=message):
        model().fit(given)


def test_a_list_of_several_kinds_and_layers_twice_are_refused(layers):
    networkx = pytest.importorskip("networkx")
    graph = networkx.path_graph(24)
    with pytest.raises(TypeError, match="all networkx graphs, all igraph graphs or all matrices, got Graph, ndarray"):
        model().fit([graph, layers[0]])
    with pytest.raises(ValueError, match="not both"):
        model().fit(graph, layers=layers)


def test_rows_of_numbers_are_still_features(rng):
    rows = (rng.normal(size=(24, 3)) + 4 * KINDS[:, None]).tolist()
    np.testing.assert_array_equal(model().fit(rows).labels_, model().fit(np.array(rows)).labels_)


def test_what_is_fitted_can_be_predicted(rng):
    networkx, anndata = pytest.importorskip("networkx"), pytest.importorskip("anndata")
    graph = networkx.planted_partition_graph(3, 20, 0.5, 0.03, seed=1)
    matrices = [networkx.to_numpy_array(graph), networkx.to_numpy_array(graph) * 2.0]
    table = anndata.AnnData(rng.normal(size=(60, 5)) + 5 * np.repeat(np.arange(3), 20)[:, None])
    for given in (graph, matrices, table):
        model = OrthoNet(3, training={"max_iter": 5}, random_state=0).fit(given)
        probabilities = model.predict_proba(given)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
        np.testing.assert_array_equal(probabilities.argmax(axis=1), model.predict(given))
        assert (model.predict(given) == model.labels_).mean() > 0.9
