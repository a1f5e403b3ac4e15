"""Of many nodes the work is done in an order of their own, and nothing hangs on it."""

import numpy as np
import pytest

from orthonet import OrthoNet, datasets
from orthonet.clustering import fit as fitting
from orthonet.clustering import ordered_aggregation
from orthonet.clustering.spatial_order import spatial_order


def test_the_order_does_not_depend_on_how_nodes_are_numbered(rng):
    features = rng.standard_normal((500, 5))
    order = spatial_order(features)
    np.testing.assert_array_equal(np.sort(order), np.arange(500))
    turned = rng.permutation(500)
    np.testing.assert_array_equal(turned[spatial_order(features[turned])], order)


def test_like_nodes_stand_near_each_other(rng):
    features = rng.standard_normal((2000, 2))
    steps = np.linalg.norm(np.diff(features[spatial_order(features)], axis=0), axis=1)
    assert np.median(steps) < 0.2 * np.median(np.linalg.norm(np.diff(features, axis=0), axis=1))


def test_equal_nodes_are_no_trouble():
    assert len(spatial_order(np.zeros((3000, 3)))) == 3000


@pytest.mark.parametrize("features", [True, False])
def test_a_mean_taken_in_that_order_is_the_same(monkeypatch, features):
    if features:
        graph = datasets.make_multilayer_gaussians(700, 3, 3, random_state=0).graph
    else:
        graph = datasets.make_multilayer_sbm(700, 3, 3, p_in=0.1, p_out=0.02, n_features=0, random_state=0).graph
    means = []
    for above in (10_000, 100):
        monkeypatch.setattr(ordered_aggregation, "PROBE_ABOVE", above)
        kept = []

        def learn(network, prepared, laplacian, *rest, kept=kept):
            kept.append(laplacian)
            raise KeyboardInterrupt

        monkeypatch.setattr(fitting, "learn", learn)
        with pytest.raises(KeyboardInterrupt):
            OrthoNet(3, random_state=0, verbose=False).fit(graph)
        means.append(kept[0].toarray())
    np.testing.assert_allclose(means[1], means[0], atol=1e-6)
