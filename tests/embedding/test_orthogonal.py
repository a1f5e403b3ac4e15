"""From outputs to one embedding: orthonormal, ordered, and what several nets agree on."""

import numpy as np
import pytest
import torch

from orthonet.embedding.laplacians import LowRankRows, WholeRows
from orthonet.embedding.orthogonal import embedding_map
from orthonet.embedding.processes import Processes
from orthonet.graph.knn import knn_layer
from orthonet.graph.laplacian import laplacian


@pytest.fixture
def rows(rng):
    matrix = laplacian(knn_layer(rng.standard_normal((60, 3)), 6)).toarray()
    return WholeRows(torch.tensor(matrix), 60)


def draw(n, k, seed=0):
    return torch.randn(n, k, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def embed(outputs, rows, k):
    found = embedding_map(outputs, rows, k, Processes())
    return found, (outputs @ found.matrix).numpy()


def projection(columns):
    basis = np.linalg.qr(columns)[0]
    return basis @ basis.T


@pytest.mark.parametrize("members", [1, 3])
@pytest.mark.parametrize("scales", [torch.ones(5), torch.logspace(-7, 0, 5)], ids=["even", "nearly dependent"])
def test_the_embedding_is_orthonormal(rows, scales, members):
    outputs = torch.cat([draw(60, 5, seed) * scales @ draw(5, 5, seed + 9) for seed in range(members)], dim=1)
    found, embedding = embed(outputs, rows, 5)
    assert found.rank == 5
    np.testing.assert_allclose(embedding.T @ embedding, np.eye(5), atol=1e-8)


@pytest.mark.parametrize("members", [1, 2])
def test_columns_stand_for_rising_eigenvalues(rows, members):
    _, embedding = embed(draw(60, 4 * members), rows, 4)
    rough = embedding.T @ rows.rows.numpy() @ embedding
    np.testing.assert_allclose(rough, np.diag(np.diag(rough)), atol=1e-8)
    assert (np.diff(np.diag(rough)) > 0).all()


def test_any_basis_of_eigenvectors_gives_them_back(rows):
    vectors = torch.linalg.eigh(rows.rows).eigenvectors[:, :4]
    _, embedding = embed(vectors @ draw(4, 4), rows, 4)
    np.testing.assert_allclose(np.abs(embedding.T @ vectors.numpy()), np.eye(4), atol=1e-7)
    assert ((embedding**3).sum(axis=0) > 0).all()


def test_dependent_outputs_span_what_they_can(rows):
    found, embedding = embed(draw(60, 2) @ draw(2, 4, seed=1), rows, 4)
    assert found.rank == 2
    np.testing.assert_allclose(embedding.T @ embedding, np.diag([1, 1, 0, 0]), atol=1e-10)


def test_outputs_that_are_all_zero_give_zeros(rows):
    found, embedding = embed(torch.zeros(60, 6, dtype=torch.float64), rows, 3)
    assert found.rank == 0
    assert found.agreement == 0
    np.testing.assert_array_equal(embedding, 0)


def test_members_that_found_the_same_agree_whatever_their_basis(rows):
    first = draw(60, 3)
    turned = torch.cat([first, -first, first @ draw(3, 3, seed=1)], dim=1)
    alone, embedding = embed(first, rows, 3)
    together, merged = embed(turned, rows, 3)
    assert alone.agreement == pytest.approx(1)
    assert together.agreement == pytest.approx(1)
    np.testing.assert_allclose(merged, embedding, atol=1e-8)


def test_members_that_differ_agree_less_and_their_order_does_not_count(rows):
    members = [draw(60, 3, seed) for seed in range(3)]
    one, first = embed(torch.cat(members, dim=1), rows, 3)
    other, second = embed(torch.cat(members[::-1], dim=1), rows, 3)
    assert 1 / 3 < one.agreement < 0.9
    assert other.agreement == pytest.approx(one.agreement)
    np.testing.assert_allclose(projection(first), projection(second), atol=1e-8)


def test_merging_keeps_what_most_members_hold(rows):
    common, odd = draw(60, 3), draw(60, 3, seed=5)
    found, embedding = embed(torch.cat([common, odd, common @ draw(3, 3, seed=7)], dim=1), rows, 3)
    assert 2 / 3 <= found.agreement < 1
    np.testing.assert_allclose(embedding.T @ embedding, np.eye(3), atol=1e-8)
    to_common = np.linalg.norm(projection(embedding) - projection(common.numpy()))
    assert to_common < np.linalg.norm(projection(embedding) - projection(odd.numpy())) / 2


def test_low_rank_and_whole_laplacians_give_the_same():
    basis = torch.linalg.qr(draw(60, 8)).Q
    core = torch.diag(torch.linspace(-2, -1, 8, dtype=torch.float64))
    low_rank = LowRankRows(2.0, basis, core, 60)
    whole = WholeRows(2.0 * torch.eye(60, dtype=torch.float64) + basis @ core @ basis.T, 60)
    outputs = draw(60, 6, seed=3)
    np.testing.assert_allclose(embed(outputs, low_rank, 3)[1], embed(outputs, whole, 3)[1], atol=1e-8)
