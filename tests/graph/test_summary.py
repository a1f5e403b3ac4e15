"""The summary of a graph, counted by hand."""

import numpy as np
import pytest
import scipy.sparse as sp

from orthonet import MultilayerGraph


def adjacency(n_nodes, edges):
    matrix = np.zeros((n_nodes, n_nodes))
    for i, j in edges:
        matrix[i, j] = matrix[j, i] = 1
    return matrix


@pytest.fixture
def graph():
    """Six nodes; "first": a triangle, a pair and an isolated node, two loops; "second": a pair of the four it holds."""
    first = adjacency(6, [(0, 1), (1, 2), (0, 2), (3, 4), (0, 0), (5, 5)])
    second = adjacency(6, [(1, 2)])
    held = [True, True, True, True, False, False]
    return MultilayerGraph({"first": first, "<second>": second}, np.ones((6, 3)), present=[None, held])


def test_counts(graph):
    summary = graph.summary()
    assert (summary.n_nodes, len(summary.layers)) == (6, 2)
    first, second = summary.layers
    assert (first.name, first.n_present, first.n_missing, first.n_edges) == ("first", 6, 0, 4)
    assert (first.n_components, first.n_isolated, first.n_loops_dropped) == (3, 1, 2)
    assert first.density == pytest.approx(4 / 15)
    assert (second.name, second.n_present, second.n_missing, second.n_edges) == ("<second>", 4, 2, 1)
    assert (second.n_components, second.n_isolated, second.n_loops_dropped) == (3, 2, 0)
    assert second.density == pytest.approx(1 / 6)


def test_a_full_layer_has_density_one():
    layer = MultilayerGraph([np.ones((5, 5))]).summary().layers[0]
    assert (layer.density, layer.n_edges, layer.n_components, layer.n_loops_dropped) == (1, 10, 1, 5)


def test_printed_as_a_table(graph):
    title, header, first, second = str(graph.summary()).splitlines()
    assert title == "MultilayerGraph: 6 nodes, 2 layers, 3 features"
    assert header.split("  ")[0] == "layer"
    assert first.split() == ["first", "6", "0", "4", "0.267", "3", "1", "2"]
    assert second.split() == ["<second>", "4", "2", "1", "0.167", "3", "2", "0"]


def test_notebook_table_is_escaped_and_holds_every_number(graph):
    html = graph._repr_html_()
    assert html == graph.summary()._repr_html_()
    assert "&lt;second&gt;" in html
    assert "<second>" not in html
    assert html.count("<tr>") == 3
    assert "<td>first</td><td>6</td><td>0</td><td>4</td><td>0.267</td><td>3</td><td>1</td><td>2</td>" in html


@pytest.mark.parametrize(
    ("features", "wanted"),
    [(None, "no features"), (np.ones((2, 1)), "1 features"), (sp.csr_array(np.ones((2, 4))), "4 features (sparse)")],
)
def test_repr_tells_nodes_layers_and_features(features, wanted):
    graph = MultilayerGraph([[[0, 1], [1, 0]]], features)
    assert repr(graph) == f"<MultilayerGraph: 2 nodes, 1 layer, {wanted}>"


def test_large_numbers_are_grouped():
    n_nodes = 1500
    ring = sp.diags_array([np.ones(n_nodes - 1)] * 2, offsets=[-1, 1])
    row = str(MultilayerGraph([ring]).summary()).splitlines()[-1]
    assert row.split()[2:5] == ["1,500", "0", "1,499"]
