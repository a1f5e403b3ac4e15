"""Training lowers the loss towards the sum of the smallest eigenvalues, stops, and says when it cannot."""

import pytest
import torch

from orthonet import aggregate
from orthonet.embedding.networks import Perceptron
from orthonet.embedding.tensors import as_tensor
from orthonet.embedding.training import train


@pytest.fixture(scope="module")
def problem(request):
    clouds = request.getfixturevalue("clouds")
    mean = aggregate(clouds.graph, "arithmetic")
    features = as_tensor(clouds.graph.features, torch.float32)
    return features, as_tensor(mean.matrix, torch.float64), mean.smallest_eigenpairs(3)[0].sum()


def run(problem, **options):
    network = Perceptron((6, 60, 30, 3), torch.Generator().manual_seed(0))
    return network, train(network, *problem[:2], **options)


def test_reaches_the_smallest_eigenvalues(problem):
    _, training = run(problem, max_steps=600, tol=0.0, learning_rate=3e-3)
    floor = problem[2]
    assert training.losses[0] > 1.5 * floor
    assert floor <= training.losses[-1] < 1.1 * floor


def test_stops_when_the_loss_has_settled(problem):
    _, loose = run(problem, max_steps=400, tol=0.1)
    _, tight = run(problem, max_steps=400, tol=0.01)
    assert loose.converged
    assert len(loose.losses) < len(tight.losses) <= 400


def test_takes_no_more_than_max_steps(problem):
    _, training = run(problem, max_steps=7)
    assert len(training.losses) == 7
    assert not training.converged


def test_divergence_is_explained(problem):
    with pytest.raises(
        FloatingPointError, match=r"training diverged: the loss is \S+ at step \d+; lower learning_rate"
    ):
        run(problem, learning_rate=1e30)
    features, laplacian, floor = problem
    with pytest.raises(FloatingPointError, match="before training: the features or the edge weights are too large"):
        run((features * 1e38, laplacian, floor))
