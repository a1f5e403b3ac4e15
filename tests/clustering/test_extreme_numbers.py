"""Numbers too large to compute with are named by where they came from; others of any size are clustered."""

import numpy as np
import pytest
import torch

from orthonet import MultilayerGraph, OrthoNet
from orthonet.clustering.numerics import factorising


def fitted(graph, **parameters):
    return OrthoNet(3, random_state=0, training={"max_iter": 3}, **parameters).fit(graph)


def test_a_large_epsilon_is_named_instead_of_the_features(clouds):
    with pytest.raises(ValueError, match=r"epsilon must be at most 1e\+06, got 1e\+300"):
        fitted(clouds.graph, epsilon=1e300)


@pytest.mark.parametrize("scale", [1e155, 1e300])
def test_features_that_cannot_be_squared_are_named(clouds, scale):
    graph = MultilayerGraph(clouds.graph.layers, clouds.graph.features * scale)
    with pytest.raises(ValueError, match=r"features has values up to .*e\+\d+, too large to be squared in float64"):
        fitted(graph, feature_scaling="none")
    assert len(fitted(graph).labels_) == 150


@pytest.mark.parametrize("error", [np.linalg.LinAlgError("SVD did not converge"), torch.linalg.LinAlgError("singular")])
def test_a_failed_factorisation_says_what_to_look_at(error):
    with (
        pytest.raises(ValueError, match=r"a matrix could not be factorised \(.*\): edge weights or features"),
        factorising(),
    ):
        raise error
