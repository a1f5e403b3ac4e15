"""A source is worth what the others confirm of it."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet.datasets.sbm import block_layer
from orthonet.evidence.corroboration import corroboration, weights_of
from orthonet.evidence.sources import LayerSource


@pytest.fixture(scope="module")
def good_and_noise(planted):
    """Two good layers, one of noise; starts among which are the planted clusters and those that noise alone would choose."""
    (first, second, _), truth = planted
    rng = np.random.default_rng(3)
    noise = LayerSource.from_layer(block_layer(np.zeros_like(truth), 0.1, 0.0, rng), "noise", rng)
    starts = [truth, *(rng.integers(0, 4, len(truth)) for _ in range(3))]
    return [first, second, noise], starts


def test_good_layers_confirm_each_other_and_noise_stands_alone(good_and_noise, rng):
    sources, starts = good_and_noise
    found = corroboration(sources, starts, 4, rng)
    assert (found[:2] > 0.5).all()
    assert found[2] < 0.2
    assert (weights_of(sources, found)[:2] > 0.9).all()
    assert weights_of(sources, found)[2] < 0.2


def test_corroboration_does_not_depend_on_the_order_of_sources(good_and_noise):
    sources, starts = good_and_noise
    one = corroboration(sources, starts, 4, np.random.default_rng(0))
    other = corroboration(sources[::-1], starts, 4, np.random.default_rng(0))[::-1]
    np.testing.assert_allclose(one, other, atol=0.05)


def test_corroboration_lies_between_0_and_1(rng, random_sources):
    sources = [*random_sources(rng), *random_sources(rng)]
    found = corroboration(sources, [rng.integers(0, 3, 30) for _ in range(4)], 3, rng)
    assert ((found >= 0) & (found <= 1)).all()


def test_a_source_that_is_alone_needs_no_other(planted, rng):
    sources, truth = planted
    np.testing.assert_array_equal(corroboration(sources[:1], [truth], 4, rng), [1.0])


def test_a_source_without_observations_is_not_confirmed(planted, rng):
    sources, truth = planted
    silent = LayerSource(csr_array((len(truth), len(truth))), "no edges", 0.0)
    found = corroboration([*sources, silent], [truth], 4, rng)
    assert found[3] == 0
    assert (found[:3] > 0.5).all()


def sources_without_edges(*joint):
    return [LayerSource(csr_array((3, 3)), "no edges", 0.0, joint=one) for one in joint]


def test_weights_follow_what_a_source_falls_short_of_the_best():
    np.testing.assert_allclose(
        weights_of(sources_without_edges(*3 * [False]), np.array([0.9, 0.5, 0.0])), [1, 0.6, 0.1]
    )
    alike = weights_of(sources_without_edges(*4 * [False]), np.zeros(4))
    np.testing.assert_allclose(alike, np.ones(4))  # nothing to tell good from bad by


def test_two_sources_can_disagree_but_not_say_which_of_them_is_wrong():
    np.testing.assert_array_equal(weights_of(sources_without_edges(False, False), np.array([0.9, 0.1])), [1.0, 1.0])
    np.testing.assert_array_equal(weights_of(sources_without_edges(False), np.array([1.0])), [1.0])


def test_a_joint_source_corroborates_no_other(good_and_noise):
    (first, second, noise), starts = good_and_noise
    copy = LayerSource(noise._edges, "noise again", noise.observations, joint=True)
    found = corroboration([first, second, noise, copy], starts, 4, np.random.default_rng(0))
    assert found[2] < 0.2  # only its copy would speak for it


def test_a_joint_source_weighs_at_most_1_and_less_where_the_others_do_not_confirm_it():
    sources = sources_without_edges(False, False, False, True)
    np.testing.assert_allclose(weights_of(sources, np.array([0.9, 0.9, 0.5, 1.0])), [1, 1, 0.6, 1])
    np.testing.assert_allclose(weights_of(sources, np.array([0.9, 0.9, 0.5, 0.1])), [1, 1, 0.6, 0.2])
    np.testing.assert_allclose(weights_of(sources_without_edges(False, False, True), np.array([0.9, 0.2, 0.1])), 1)


def test_one_source_beside_a_joint_one_needs_no_other(planted, rng):
    sources, truth = planted
    joint = LayerSource(sources[1]._edges, "all", sources[1].observations, joint=True)
    assert corroboration([sources[0], joint], [truth], 4, rng)[0] == 1.0
