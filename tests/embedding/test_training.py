"""Training lowers the loss towards the sum of the smallest eigenvalues, stops, and says when it cannot."""

import numpy as np
import pytest
import torch

from orthonet import aggregate
from orthonet.embedding.laplacians import WholeRows
from orthonet.embedding.networks import build_ensemble
from orthonet.embedding.nodes import Nodes
from orthonet.embedding.orthogonal import embedding_map
from orthonet.embedding.processes import Processes
from orthonet.embedding.tensors import as_operator
from orthonet.embedding.training import train
from orthonet.embedding.training_result import WINDOW


@pytest.fixture(scope="module")
def problem(request):
    clouds = request.getfixturevalue("clouds")
    mean = aggregate(clouds.graph, "arithmetic")
    return clouds.graph.features, WholeRows(as_operator(mean.matrix), 150), mean.smallest_eigenpairs(3)[0].sum()


def nodes_of(features):
    return Nodes(features, lambda rows: rows, slice(0, len(features)), torch.device("cpu"), torch.float32)


def run(problem, members=1, **options):
    network = build_ensemble("mlp", (6, 60, 30, 3), members, torch.Generator().manual_seed(0))
    return network, train(network, nodes_of(problem[0]), problem[1], 3, **options)


def embedding_of(problem, network):
    outputs = network(nodes_of(problem[0]).all()).detach().double()
    return outputs @ embedding_map(outputs, problem[1], 3, Processes()).matrix


def test_reaches_the_smallest_eigenvalues(problem):
    _, training = run(problem, max_iter=600, tol=0.0, learning_rate=3e-3)
    floor = problem[2]
    assert training.losses[0] > 1.5 * floor
    assert floor <= training.losses[-1] < 1.1 * floor


def test_stops_when_the_embedding_has_settled(problem):
    _, loose = run(problem, max_iter=400, tol=0.1)
    _, tight = run(problem, max_iter=400, tol=1e-3)
    assert loose.converged
    assert len(loose.losses) < len(tight.losses) <= 400
    assert len(loose.losses) % WINDOW == 0
    assert loose.turns[-1] < 0.1
    assert all(turn >= 0.1 for turn in loose.turns[:-1])


def test_a_turn_is_one_minus_the_mean_squared_cosine_between_two_looks(problem):
    # A look sees the embedding before the step that it follows.
    before, after = (run(problem, max_iter=steps)[0] for steps in (WINDOW - 1, 2 * WINDOW - 1))
    cosines = np.linalg.svd((embedding_of(problem, before).T @ embedding_of(problem, after)).numpy())[1]
    _, training = run(problem, max_iter=2 * WINDOW, tol=0.0)
    assert training.turns == [pytest.approx(1 - (cosines**2).mean(), rel=1e-3)]


def test_takes_no_more_than_max_iter(problem):
    _, training = run(problem, max_iter=7)
    assert len(training.losses) == 7
    assert not training.converged


def test_members_train_as_if_they_were_alone(problem):
    both, training = run(problem, members=2, max_iter=10, tol=0.0)
    generator = torch.Generator().manual_seed(0)
    losses = []
    for member in both.members:
        alone = build_ensemble("mlp", (6, 60, 30, 3), 1, generator)
        losses.append(train(alone, nodes_of(problem[0]), problem[1], 3, max_iter=10, tol=0.0).losses)
        torch.testing.assert_close(alone.members[0].state_dict(), member.state_dict())
    np.testing.assert_allclose(training.losses, np.mean(losses, axis=0), rtol=1e-6)


def test_divergence_is_explained(problem):
    with pytest.raises(
        FloatingPointError, match=r"training diverged: the loss is \S+ at step \d+; lower learning_rate"
    ):
        run(problem, learning_rate=1e30)
    features, laplacian, floor = problem
    with pytest.raises(FloatingPointError, match="before training: the features or the edge weights are too large"):
        run((features * 1e38, laplacian, floor))
    with pytest.raises(ValueError, match="too large; divide them first"):  # as whatever else is wrong with data
        run((features * 1e38, laplacian, floor))
