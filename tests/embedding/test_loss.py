"""The closed-form gradient against autograd and finite differences, and what the loss means."""

import pytest
import torch

from orthonet.embedding.loss import SmallLoss, orthogonal_trace
from orthonet.embedding.tensors import as_tensor
from orthonet.graph.knn import knn_layer
from orthonet.graph.laplacian import laplacian


@pytest.fixture
def sparse_laplacian(rng):
    return laplacian(knn_layer(rng.standard_normal((40, 3)), 5))


@pytest.fixture
def dense_laplacian(sparse_laplacian):
    return torch.tensor(sparse_laplacian.toarray())


def draw(n, k, seed=0):
    return torch.randn(n, k, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_gradient_equals_autograd_to_1e_6(dense_laplacian):
    closed, plain = draw(40, 4).requires_grad_(), draw(40, 4).requires_grad_()
    orthogonal_trace(closed, dense_laplacian).backward()
    factor = torch.linalg.cholesky(plain.T @ plain)
    orthonormal = torch.linalg.solve_triangular(factor, plain.T, upper=False).T
    torch.trace(orthonormal.T @ dense_laplacian @ orthonormal).backward()
    assert (closed.grad - plain.grad).norm() / plain.grad.norm() < 1e-10


def test_gradient_equals_finite_differences(dense_laplacian):
    assert torch.autograd.gradcheck(
        lambda outputs: orthogonal_trace(outputs, dense_laplacian), [draw(40, 3).requires_grad_()], rtol=1e-6, atol=1e-8
    )


def test_gradient_of_a_multiple_is_the_multiple(dense_laplacian):
    once, twice = draw(40, 3).requires_grad_(), draw(40, 3).requires_grad_()
    orthogonal_trace(once, dense_laplacian).backward()
    (2.5 * orthogonal_trace(twice, dense_laplacian)).backward()
    torch.testing.assert_close(twice.grad, 2.5 * once.grad)


def test_sparse_laplacian_gives_the_same(sparse_laplacian, dense_laplacian):
    dense, sparse = draw(40, 3).requires_grad_(), draw(40, 3).requires_grad_()
    first = orthogonal_trace(dense, dense_laplacian)
    second = orthogonal_trace(sparse, as_tensor(sparse_laplacian, torch.float64))
    first.backward()
    second.backward()
    torch.testing.assert_close(first, second)
    torch.testing.assert_close(dense.grad, sparse.grad)


def test_any_basis_of_the_lowest_eigenvectors_reaches_the_minimum(dense_laplacian):
    values, vectors = torch.linalg.eigh(dense_laplacian)
    mixed = vectors[:, :4] @ draw(4, 4)
    assert orthogonal_trace(mixed, dense_laplacian).item() == pytest.approx(values[:4].sum().item(), abs=1e-9)
    assert orthogonal_trace(draw(40, 4), dense_laplacian) > values[:4].sum()


@pytest.mark.parametrize(
    "outputs",
    [
        torch.ones(40, 3, dtype=torch.float64),
        torch.zeros(40, 3, dtype=torch.float64),
        torch.cat([draw(40, 1)] * 3, dim=1),
        1e-30 * draw(40, 3),
    ],
    ids=["constant", "zero", "repeated", "tiny"],
)
def test_dependent_outputs_give_finite_numbers(outputs, dense_laplacian):
    outputs = outputs.clone().requires_grad_()
    loss = orthogonal_trace(outputs, dense_laplacian)
    loss.backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(outputs.grad).all()


def test_float32_outputs_get_a_float32_gradient(dense_laplacian):
    outputs = draw(40, 3).float().requires_grad_()
    orthogonal_trace(outputs, dense_laplacian).backward()
    assert outputs.grad.dtype == torch.float32


def test_blocks_of_rows_give_the_gradient_of_the_whole(dense_laplacian):
    outputs = draw(40, 3).requires_grad_()
    orthogonal_trace(outputs, dense_laplacian).backward()
    wide = outputs.detach()
    image = dense_laplacian @ wide
    loss = SmallLoss.of(wide.T @ wide, wide.T @ image)
    blocks = [loss.gradient(wide[rows], image[rows]) for rows in (slice(0, 7), slice(7, 40))]
    torch.testing.assert_close(torch.cat(blocks), outputs.grad)
