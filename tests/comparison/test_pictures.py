"""Pictures are made of what they are said to show."""

import numpy as np
import pytest

from orthonet import MultilayerGraph, OrthoNet, datasets
from orthonet.comparison import pictures
from orthonet.support.drawing import png_bytes

pytest.importorskip("matplotlib")


def test_layers_one_panel_each_with_all_points(clouds):
    features = clouds.graph.features
    figure = pictures.draw_layers(clouds.graph, [features[:, :2]] * 3, clouds.labels, "three clouds")
    panels = figure.axes
    assert [panel.get_title() for panel in panels] == list(clouds.graph.layer_names)
    for panel in panels:
        (points,) = (c for c in panel.collections if len(c.get_offsets()) == 150)
        np.testing.assert_allclose(points.get_offsets(), features[:, :2])


def test_matching_clusters_wear_the_colour_of_their_class(rng):
    truth = np.repeat(["a", "b", "c"], 20)  # classes of any name
    found = np.repeat([2, 0, 1], 20)
    figure = pictures.draw_embedding(rng.standard_normal((60, 2)), truth, found, "same partition")
    left, right = (panel.collections[0].get_facecolors() for panel in figure.axes)
    np.testing.assert_array_equal(left, right)


def test_a_picture_becomes_a_file(clouds):
    content = png_bytes(pictures.draw_layers(clouds.graph, [clouds.graph.features[:, :2]] * 3, clouds.labels, ""))
    assert content.startswith(b"\x89PNG")


def test_overview_colours_the_plane_by_prediction():
    toy = datasets.make_multilayer_gaussians(90, 1, 3, 2, separation=5, n_neighbors=8, random_state=0)
    model = OrthoNet(3, random_state=0, training={"max_iter": 20}).fit(toy.graph)
    figure = pictures.draw_overview(toy.graph, model)
    assert len(figure.axes) == 5
    mesh = next(c for c in figure.axes[-1].collections if c.get_array() is not None)
    assert set(np.unique(mesh.get_array())) <= {0, 1, 2}
    wide = MultilayerGraph(toy.graph.layers, np.hstack([toy.graph.features] * 2))
    with pytest.raises(ValueError, match="plane of 2 features, got 4"):
        pictures.draw_overview(wide, model)
