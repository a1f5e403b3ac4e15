"""The perceptron: sparse input equals dense input, and no global random state is touched."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from orthonet.embedding.networks import Perceptron
from orthonet.embedding.tensors import as_tensor


def make(seed=0, sizes=(6, 5, 3)):
    return Perceptron(sizes, torch.Generator().manual_seed(seed))


def test_sparse_input_equals_dense_input_forward_and_backward(rng):
    features = rng.random((20, 6)) * (rng.random((20, 6)) < 0.4)
    dense_net, sparse_net = make(), make()
    dense = dense_net(as_tensor(features, torch.float32))
    sparse = sparse_net(as_tensor(csr_array(features), torch.float32))
    torch.testing.assert_close(dense, sparse)
    dense.square().sum().backward()
    sparse.square().sum().backward()
    for first, second in zip(dense_net.parameters(), sparse_net.parameters(), strict=True):
        torch.testing.assert_close(first.grad, second.grad)


def test_the_generator_decides_and_the_global_state_is_left_alone():
    before = torch.get_rng_state()
    first, same, other = make(0), make(0), make(1)
    torch.testing.assert_close(before, torch.get_rng_state())
    torch.testing.assert_close(first.state_dict(), same.state_dict())
    assert not torch.equal(first.layers[0].weight, other.layers[0].weight)


def test_sizes_and_activations_are_the_papers():
    network = make(sizes=(7, 400, 200, 100, 4))
    shapes = [tuple(layer.weight.shape) for layer in network.layers if isinstance(layer, torch.nn.Linear)]
    assert shapes == [(400, 7), (200, 400), (100, 200), (4, 100)]
    assert sum(isinstance(layer, torch.nn.PReLU) for layer in network.layers) == 3


@pytest.mark.parametrize("matrix", [np.eye(3), csr_array(np.eye(3))])
def test_tensors_do_not_write_into_their_source(matrix):
    tensor = as_tensor(matrix, torch.float64)
    tensor.values().mul_(2) if tensor.layout is torch.sparse_csr else tensor.mul_(2)
    assert (matrix @ np.ones(3)).tolist() == [1, 1, 1]
