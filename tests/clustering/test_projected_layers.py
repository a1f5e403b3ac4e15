"""Layers that look like projections of memberships are named, others are not."""

import numpy as np
import pytest

from orthonet import MultilayerGraph, OrthoNet, datasets
from orthonet.clustering.projected_layers import projected_layers, warn_of_projections
from orthonet.datasets.sbm import block_layer

RNG = np.random.default_rng(0)
GROUPS = RNG.integers(0, 3, 450)
CLIQUES = (GROUPS[:, None] == GROUPS) * 1.0


def test_a_union_of_cliques_and_overlapping_groups_are_projections():
    several = np.random.default_rng(1).random((450, 4)) < 0.25
    layers = {"cliques": CLIQUES, "groups": (several @ several.T.astype(float) > 0) * 1.0}
    assert projected_layers(MultilayerGraph(layers)) == ["cliques", "groups"]


@pytest.mark.parametrize(
    "layer",
    [
        block_layer(GROUPS, 0.6, 0.4, np.random.default_rng(0)),
        block_layer(GROUPS, 0.02, 0.001, np.random.default_rng(0)),
        np.ones((450, 450)),
        np.exp(-np.square(np.arange(450)[:, None] - np.arange(450)) / 1e5),
    ],
    ids=["dense random", "sparse", "complete", "similarities"],
)
def test_other_layers_are_not(layer):
    assert projected_layers(MultilayerGraph([layer])) == []


def test_a_fit_says_it_in_one_sentence():
    graph = MultilayerGraph({"same club": CLIQUES, "same item": CLIQUES}, np.eye(3)[GROUPS])
    with pytest.warns(UserWarning, match="layer 'same club', 'same item': this looks like a projection") as caught:
        OrthoNet(3, training={"max_iter": 2}, random_state=0).fit(graph)
    assert sum("looks like a projection" in str(one.message) for one in caught) == 1
    assert any("pass them as two_mode instead" in str(one.message) for one in caught)


def test_layers_that_were_made_from_features_are_left_alone(recwarn):
    graph = MultilayerGraph([CLIQUES], np.eye(3)[GROUPS], layers_from_features=True)
    warn_of_projections(graph)
    warn_of_projections(datasets.make_multilayer_gaussians(300, random_state=0).graph)
    assert not recwarn.list
