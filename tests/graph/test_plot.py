"""Pictures of layers show each edge where it belongs; bins and orders obey their laws."""

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from orthonet import MultilayerGraph, datasets
from orthonet.graph.blocks import binned_adjacency, neighbour_order, node_order

figure = pytest.importorskip("matplotlib.figure")


def panels(count):
    return figure.Figure(layout="constrained").subplots(1, count, squeeze=False)[0]


def image(axis):
    (found,) = axis.images
    return np.ma.filled(found.get_array().astype(float), np.nan)


def lines(axis):
    """Return where lines stand, between which positions of nodes."""
    return sorted({float(line.get_ydata()[0]) + 0.5 for line in axis.lines if len(set(line.get_ydata())) == 1})


@pytest.fixture
def graph(rng, random_layer):
    return MultilayerGraph({"first": random_layer(rng), "second": random_layer(rng, density=0.1)})


def test_unbinned_adjacency_is_the_sorted_adjacency(rng, random_layer):
    layer = random_layer(rng)
    order = rng.permutation(40)
    found = binned_adjacency(layer, order, max_bins=300)
    np.testing.assert_array_equal(found, (layer.toarray() != 0)[np.ix_(order, order)])


@pytest.mark.parametrize("max_bins", [1, 7, 39])
def test_bins_keep_the_number_of_edges(rng, max_bins, random_layer):
    layer = random_layer(rng)
    found = binned_adjacency(layer, rng.permutation(40), max_bins)
    assert found.shape == (max_bins, max_bins)
    assert found.max() <= 1
    counts = np.bincount(np.arange(40) * max_bins // 40, minlength=max_bins)
    pairs = np.outer(counts, counts) - np.diag(counts)
    assert (found * pairs).sum() == pytest.approx(layer.nnz)


def test_order_is_by_label_then_by_falling_score():
    order = node_order(np.array([1, 0, 1, 0]), np.array([0.5, 0.6, 0.9, 0.7]))
    assert order.tolist() == [3, 1, 2, 0]


def test_neighbours_come_together(rng):
    hidden = rng.permutation(np.repeat(np.arange(4), 50))
    chance = np.where(hidden[:, None] == hidden, 0.3, 0.01)
    joined = np.triu(rng.random((200, 200)) < chance, 1).astype(float)
    found = hidden[neighbour_order([csr_array(joined + joined.T)])]
    # Four runs of one group each have 3 changes between them; a shuffled line has about 150.
    assert np.count_nonzero(np.diff(found)) < 30


def test_components_are_not_mixed_and_the_largest_comes_first(rng):
    sizes = [3, 30, 1, 10]
    component = rng.permutation(np.repeat(np.arange(4), sizes))
    full = (component[:, None] == component).astype(float) - np.eye(44)
    halves = np.triu(rng.random((44, 44)) < 0.5)  # each layer alone is in more pieces
    layers = [csr_array(full * (mask | mask.T)) for mask in (halves, ~halves & np.triu(np.ones((44, 44), bool)))]
    found = component[neighbour_order(layers)].tolist()
    assert found == [1] * 30 + [3] * 10 + [0] * 3 + [2]


def test_many_layers_and_layers_without_edges_have_an_order(rng, random_layer):
    layers = [random_layer(rng, 20, 0.05)] * 300 + [csr_array((20, 20))]
    assert sorted(neighbour_order(layers)) == list(range(20))
    assert sorted(neighbour_order([csr_array((20, 20))])) == list(range(20))


def test_a_picture_a_layer_in_the_given_order(graph, rng):
    order = rng.permutation(40)
    axes = panels(2)
    found = graph.plot_layers(axes=axes, order=order)
    assert found.shape == (2,)
    assert list(found) == list(axes)
    for axis, layer, name in zip(found, graph.layers, graph.layer_names, strict=True):
        np.testing.assert_array_equal(image(axis), (layer.toarray() != 0)[np.ix_(order, order)])
        assert axis.get_title() == f"{name}\n{layer.nnz // 2} edges"
        assert not lines(axis)
    as_numbered = graph.plot_layers(axes=panels(2), order="given")
    np.testing.assert_array_equal(image(as_numbered[0]), graph.layers[0].toarray() != 0)


def test_all_layers_are_in_the_same_order_by_default(graph):
    order = neighbour_order(graph.layers)
    for axis, layer in zip(graph.plot_layers(axes=panels(2)), graph.layers, strict=True):
        np.testing.assert_array_equal(image(axis), (layer.toarray() != 0)[np.ix_(order, order)])


@pytest.mark.parametrize("kind", [int, str, "category", object])
def test_labels_sort_the_nodes_and_lines_part_them(graph, kind):
    pandas = pytest.importorskip("pandas")
    labels = pandas.Series(np.array([2, 0, 1, 0])[np.arange(40) % 4]).astype(kind)
    first, second = graph.plot_layers(labels, axes=panels(2), order="given")
    order = np.argsort(labels.astype(str).to_numpy(), kind="stable")
    np.testing.assert_array_equal(image(first), (graph.layers[0].toarray() != 0)[np.ix_(order, order)])
    assert lines(first) == lines(second) == [20, 30]
    assert [tick.get_text() for tick in first.get_yticklabels()] == ["0", "1", "2"]
    assert not second.get_yticklabels()


def test_many_groups_have_no_lines(graph):
    (axis, _) = graph.plot_layers(np.arange(40), axes=panels(2))
    assert len(lines(axis)) == 39
    wide = MultilayerGraph([random_array((50, 50), density=0.1, rng=0)], symmetrize="max")
    (axis,) = wide.plot_layers(np.arange(50), axes=panels(1))
    assert not lines(axis)
    assert not axis.get_yticklabels()


def test_a_large_graph_is_binned():
    data = datasets.make_multilayer_gaussians(900, 1, 3, 2, random_state=0)
    (axis,) = data.graph.plot_layers(data.labels, axes=panels(1))
    assert image(axis).shape == (300, 300)
    assert lines(axis) == [100, 200]


def test_missing_nodes_are_no_isolated_ones(rng):
    views = [rng.normal(size=(30, 2)), rng.normal(size=(30, 2))]
    views[1][:4] = np.nan
    graph = MultilayerGraph.from_views(views, 5)
    whole, holed = graph.plot_layers(axes=panels(2), order="given")
    assert np.isfinite(image(whole)).all()
    assert np.isnan(image(holed)[:4]).all()
    assert np.isnan(image(holed)[:, :4]).all()
    assert np.isfinite(image(holed)[4:, 4:]).all()
    assert "4 nodes missing" in holed.get_title()


def test_names_are_no_mathematics_and_not_endless():
    name = r"$\frac{" + "very long " * 20
    graph = MultilayerGraph({name: np.ones((3, 3)), "other": np.ones((3, 3))})
    axes = graph.plot_layers(["$a", "_b", "$a"], axes=panels(2))
    axes[0].figure.canvas.draw()  # mathematics that cannot be read is an error here
    first, _ = axes[0].get_title().split("\n")
    assert first.startswith(r"$\frac{very long")
    assert len(first) <= 32


def test_one_axes_is_enough_for_one_layer_and_spare_ones_stay_empty(graph):
    (axis,) = panels(1)
    one = MultilayerGraph([graph.layers[0]])
    assert one.plot_layers(axes=axis).tolist() == [axis]
    axes = figure.Figure().subplots(2, 2)
    graph.plot_layers(axes=axes)
    assert [len(axis.images) for axis in axes.flat] == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("options", "error", "wanted"),
    [
        ({"labels": [0, 1]}, ValueError, r"labels must be one for each of the 40 nodes, got an array of shape \(2,\)"),
        ({"order": "random"}, ValueError, "order must be one of 'auto', 'given', got 'random'"),
        ({"order": [0] * 40}, ValueError, "positions 0 to 39 of all nodes, each once"),
        ({"order": np.arange(40.0)}, ValueError, "positions 0 to 39 of all nodes, each once"),
        ({"axes": ["left", "right"]}, TypeError, r"axes\[0\] must be matplotlib Axes, got 'left' of type str"),
        ({"axes": []}, ValueError, "axes must be one for each of the 2 layers, got 0"),
    ],
)
def test_wrong_arguments_are_named_and_leave_no_figure(graph, options, error, wanted):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    before = pyplot.get_fignums()
    with pytest.raises(error, match=wanted):
        graph.plot_layers(**options)
    assert pyplot.get_fignums() == before
