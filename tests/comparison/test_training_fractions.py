"""Scores of models that saw a part of the nodes."""

import numpy as np
import pytest

from orthonet import MultilayerGraph, OrthoNet, metrics
from orthonet.comparison.training_fractions import score_by_fraction


def small(seed):
    return OrthoNet(3, random_state=seed, network={"hidden_layers": (30, 20)}, training={"max_iter": 30})


def test_all_nodes_are_a_plain_fit_and_predict(clouds):
    seeds = []

    def model(seed):
        seeds.append(seed)
        return small(seed)

    (found,) = score_by_fraction(clouds.graph, clouds.labels, model, fractions=[1.0], n_repeats=1)
    plain = small(seeds[0]).fit(clouds.graph).predict(clouds.graph.features)
    assert found.score == metrics.nmi(clouds.labels, plain)
    assert (found.fraction, found.repeat, found.n_trained) == (1.0, 0, 150)


class Spy:
    """Remembers the nodes it was fitted on, and labels all alike."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, graph):
        self.nodes = graph.node_ids.tolist()
        return self

    def predict(self, features):
        self.n_predicted = len(features)
        return np.zeros(len(features), int)


def spied(clouds, **options):
    spies = []

    def make(seed):
        spies.append(Spy(seed))
        return spies[-1]

    return spies, list(score_by_fraction(clouds.graph, clouds.labels, make, **options))


def test_each_repeat_is_a_growing_part_of_the_nodes_and_all_are_scored(clouds):
    spies, found = spied(clouds, fractions=[0.5, 0.8, 1], n_repeats=2)
    assert [(one.fraction, one.repeat, one.n_trained) for one in found] == [
        (0.5, 0, 75),
        (0.8, 0, 120),
        (1.0, 0, 150),
        (0.5, 1, 75),
        (0.8, 1, 120),
        (1.0, 1, 150),
    ]
    assert all(spy.n_predicted == 150 for spy in spies)
    for repeat in (spies[:3], spies[3:]):
        assert set(repeat[0].nodes) < set(repeat[1].nodes) < set(repeat[2].nodes)
        assert len({spy.seed for spy in repeat}) == 1
    assert spies[0].nodes != spies[3].nodes
    assert spies[0].seed != spies[3].seed


def test_the_same_random_state_chooses_the_same_nodes(clouds):
    one, other = (spied(clouds, fractions=[0.6], n_repeats=2, random_state=5)[0] for _ in range(2))
    assert [(spy.seed, spy.nodes) for spy in one] == [(spy.seed, spy.nodes) for spy in other]


def test_the_score_is_the_callers(clouds):
    _, found = spied(clouds, fractions=[1], n_repeats=1, score=lambda truth, labels: len(truth) + labels.sum())
    assert found[0].score == 150


def test_hidden_nodes_are_placed_well(clouds):
    found = score_by_fraction(clouds.graph, clouds.labels, small, fractions=[0.7], n_repeats=2)
    assert all(one.score > 0.85 for one in found)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"fractions": [0.5, 0]}, ValueError, "fractions must be above 0 and at most 1, got 0"),
        ({"fractions": [1.5]}, ValueError, "fractions must be above 0 and at most 1, got 1.5"),
        ({"fractions": ["all"]}, TypeError, "fractions must be a finite number, got 'all'"),
        ({"n_repeats": 0}, ValueError, "n_repeats must be an integer >= 1, got 0"),
    ],
)
def test_bad_arguments_are_named(clouds, options, error, message):
    with pytest.raises(error, match=message):
        list(score_by_fraction(clouds.graph, clouds.labels, Spy, **options))


def test_labels_and_features_must_be_there(clouds):
    with pytest.raises(ValueError, match=r"labels has shape \(149,\), but the graph has 150 nodes"):
        list(score_by_fraction(clouds.graph, clouds.labels[1:], Spy))
    with pytest.raises(ValueError, match="the graph has no features"):
        list(score_by_fraction(MultilayerGraph(clouds.graph.layers), clouds.labels, Spy))
