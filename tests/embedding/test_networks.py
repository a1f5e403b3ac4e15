"""The nets: sparse input equals dense input, no global random state is touched, and each kind is what it says."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from orthonet.embedding.networks import ACTIVATIONS, GraphConvolution, Perceptron, build_ensemble
from orthonet.embedding.prelu import QuickPReLU
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


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_activation_stands_between_the_layers(activation):
    network = Perceptron((4, 5, 6, 3), torch.Generator().manual_seed(0), activation)
    assert [type(layer) for layer in network.layers[1::2]] == [ACTIVATIONS[activation]] * 2


def test_linear_is_one_linear_map(rng):
    network = build_ensemble("linear", (6, 50, 3), 1, torch.Generator().manual_seed(0))
    first, second = (torch.tensor(rng.random((4, 6)), dtype=torch.float32) for _ in range(2))
    zero = network(torch.zeros(4, 6))
    torch.testing.assert_close(network(first + 2 * second) - zero, network(first) + 2 * network(second) - 3 * zero)


@pytest.mark.parametrize("sizes", [(6, 3), (6, 5, 3), (6, 5, 4, 3)])
def test_a_gcn_without_edges_is_the_perceptron(rng, sizes):
    features = torch.tensor(rng.random((10, 6)), dtype=torch.float32)
    plain = Perceptron(sizes, torch.Generator().manual_seed(0))
    convolution = GraphConvolution(sizes, torch.Generator().manual_seed(0))
    convolution.neighbours = as_tensor(csr_array(np.eye(10)), torch.float32)
    torch.testing.assert_close(convolution(features), plain(features))


def test_a_gcn_averages_once_for_each_hidden_layer(rng):
    features = torch.tensor(rng.random((10, 6)), dtype=torch.float32)
    averaging = torch.tensor(rng.random((10, 10)), dtype=torch.float32)
    network = GraphConvolution((6, 5, 4, 3), torch.Generator().manual_seed(0))
    network.neighbours = averaging
    first, _, second, _, last = network.layers
    hidden = network.layers[1](averaging @ first(features))
    hidden = network.layers[3](averaging @ hidden @ second.weight.T + averaging.sum(1, keepdim=True) * second.bias)
    torch.testing.assert_close(network(features), last(hidden))


def test_a_gcn_without_a_graph_says_so():
    with pytest.raises(ValueError, match="needs the graph"):
        GraphConvolution((6, 3))(torch.zeros(4, 6))


def test_members_stand_side_by_side_and_differ(rng):
    features = torch.tensor(rng.random((10, 6)), dtype=torch.float32)
    network = build_ensemble("mlp", (6, 5, 3), 2, torch.Generator().manual_seed(0))
    outputs = network(features)
    assert outputs.shape == (10, 6)
    for index, member in enumerate(network.members):
        torch.testing.assert_close(outputs[:, 3 * index : 3 * index + 3], member(features))
    assert not torch.allclose(outputs[:, :3], outputs[:, 3:])


def test_a_module_of_the_users_own_is_copied_once():
    module = torch.nn.Linear(6, 3)
    network = build_ensemble(module, (6, 3), 5, None)
    assert len(network.members) == 1
    assert network.members[0] is not module
    torch.testing.assert_close(network.members[0].state_dict(), module.state_dict())


@pytest.mark.parametrize("slope", [0.25, 0.0, -0.5])
def test_the_quick_prelu_and_its_gradients_are_pytorchs(slope):
    units = torch.randn((30, 8), generator=torch.Generator().manual_seed(0))
    units[0] = 0.0
    found = []
    for kind in (torch.nn.PReLU, QuickPReLU):
        activation, inputs = kind(init=slope), units.clone().requires_grad_()
        outputs = activation(inputs)
        outputs.pow(3).sum().backward()
        with torch.no_grad():
            torch.testing.assert_close(activation(inputs), outputs)
        found.append((outputs.detach(), inputs.grad, activation.weight.grad))
    torch.testing.assert_close(*found)
