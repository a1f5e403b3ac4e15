"""Mini-batches: which nodes they hold, and that they lead where the full batch leads."""

import numpy as np
import pytest
import torch

from orthonet import aggregate, datasets
from orthonet.embedding.laplacians import LowRankRows, WholeRows, as_low_rank, laplacian_rows
from orthonet.embedding.networks import build_ensemble
from orthonet.embedding.nodes import Batches, Nodes
from orthonet.embedding.processes import Processes
from orthonet.embedding.training import train
from orthonet.graph.features import FeatureScaler
from orthonet.linalg.low_rank import SparsePlusLowRank

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def clouds_300():
    return datasets.make_multilayer_gaussians(300, 3, 3, 2, separation=4.0, n_neighbors=10, random_state=1).graph


@pytest.fixture(scope="module")
def low_rank(clouds_300):
    mean = aggregate(clouds_300, "arithmetic").matrix
    return as_low_rank(mean, 3, np.random.default_rng(0))


def run(features, matrix, **options):
    network = build_ensemble("mlp", (6, 60, 30, 3), 2, torch.Generator().manual_seed(0))
    nodes = Nodes(features, lambda rows: rows, slice(0, len(features)), CPU, torch.float32)
    rows = laplacian_rows(matrix, Processes(), len(features), CPU, torch.float64)
    done = train(network, nodes, rows, 3, tol=0.0, **options)
    return network, done, rows


def full_loss(network, features, rows):
    """The loss of all nodes, as one more full-batch step would tell it."""
    nodes = Nodes(features, lambda given: given, slice(0, len(features)), CPU, torch.float32)
    return train(network, nodes, rows, 3, max_iter=1, learning_rate=1e-12).losses[0]


def test_low_rank_and_dense_laplacians_train_alike(clouds_300, low_rank):
    _, by_parts, rows = run(clouds_300.features, low_rank, max_iter=25)
    _, whole, dense_rows = run(clouds_300.features, low_rank.toarray(), max_iter=25)
    assert isinstance(rows, LowRankRows)
    assert isinstance(dense_rows, WholeRows)
    np.testing.assert_allclose(by_parts.losses, whole.losses, rtol=1e-4)


@pytest.mark.parametrize("batch_size", [64, 128])
def test_batches_reach_the_loss_of_the_full_batch(clouds_300, low_rank, batch_size):
    features = FeatureScaler.fit(clouds_300.features).transform(clouds_300.features)
    full, _, rows = run(features, low_rank, max_iter=200)
    batches, _, _ = run(features, low_rank, max_iter=500, batch_size=batch_size)
    assert full_loss(batches, features, rows) <= 1.02 * full_loss(full, features, rows)


def test_a_batch_of_all_nodes_is_the_full_batch(clouds_300, low_rank):
    _, full, _ = run(clouds_300.features, low_rank, max_iter=10)
    _, batch, _ = run(clouds_300.features, low_rank, max_iter=10, batch_size=300)
    assert batch.losses == full.losses


@pytest.mark.parametrize(("n_nodes", "size"), [(12, 4), (10, 4), (10, 6), (7, 7), (5, 9)])
def test_an_epoch_sees_each_node_once(n_nodes, size):
    batches = Batches(n_nodes, size, (0,))
    per_epoch = -(-n_nodes // size)
    first, second = ([batches.at(start + step) for step in range(per_epoch)] for start in (0, per_epoch))
    for epoch in (first, second):
        assert sorted(np.concatenate(epoch).tolist()) == list(range(n_nodes))
        assert all(0 < len(batch) <= size for batch in epoch)
        assert all((np.diff(batch) > 0).all() for batch in epoch)


def test_batches_depend_on_seed_and_step_alone():
    batches = Batches(100, 10, (3, 1))
    in_order = [batches.at(step).tolist() for step in range(30)]
    assert Batches(100, 10, (3, 1)).at(25).tolist() == in_order[25]
    assert in_order[0] != in_order[10]
    assert Batches(100, 10, (3, 2)).at(0).tolist() != in_order[0]


def test_as_low_rank_keeps_the_lowest_eigenvectors_and_the_trace(clouds_300, low_rank):
    matrix = aggregate(clouds_300, "arithmetic").matrix
    dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    np.testing.assert_allclose(np.linalg.eigvalsh(low_rank.toarray())[:9], np.linalg.eigvalsh(dense)[:9], atol=1e-6)
    assert np.trace(low_rank.toarray()) == pytest.approx(np.trace(dense))
    vectors = np.linalg.eigh(dense)[1][:, :3]
    np.testing.assert_allclose(low_rank @ vectors, dense @ vectors, atol=1e-5)


def test_as_low_rank_leaves_what_is_low_rank_already(low_rank):
    assert as_low_rank(low_rank, 3, np.random.default_rng(0)) is low_rank


def test_as_low_rank_of_a_sparse_matrix_with_an_update_is_that_of_its_dense_form(clouds_300, rng):
    sparse = clouds_300.laplacians("normalized")[0]
    basis = np.linalg.qr(rng.standard_normal((300, 2)))[0]
    updated = SparsePlusLowRank(sparse, basis, np.diag([0.5, 1.0]))
    found = as_low_rank(updated, 3, np.random.default_rng(0))
    same = as_low_rank(updated.toarray(), 3, np.random.default_rng(0))
    assert found.outside == pytest.approx(same.outside, rel=1e-6)
    np.testing.assert_allclose(found.toarray(), same.toarray(), atol=1e-5)
