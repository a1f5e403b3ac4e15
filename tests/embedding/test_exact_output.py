"""The best last layer: no other one has a lower loss, and training with it needs a fraction of the steps."""

import numpy as np
import pytest
import torch

from orthonet.embedding.exact_output import best_output
from orthonet.embedding.laplacians import LowRankRows, WholeRows
from orthonet.embedding.loss import orthogonal_trace
from orthonet.embedding.networks import Ensemble, Perceptron
from orthonet.embedding.nodes import Nodes
from orthonet.embedding.training import train


def laplacian_and_inputs(n_nodes=80):
    rng = np.random.default_rng(0)
    groups = np.arange(n_nodes) % 3
    inputs = np.eye(3)[groups] + 0.4 * rng.standard_normal((n_nodes, 3))
    weights = np.exp(-((inputs[:, None] - inputs) ** 2).sum(axis=2))
    degrees = weights.sum(axis=1)
    return np.eye(n_nodes) - weights / np.sqrt(np.outer(degrees, degrees)), inputs


def test_no_other_output_is_better():
    matrix, inputs = laplacian_and_inputs()
    laplacian, hidden = torch.from_numpy(matrix), torch.from_numpy(np.column_stack([inputs, inputs**2, np.ones(80)]))
    best = best_output(hidden.T @ hidden, hidden.T @ laplacian @ hidden, 2)
    outputs = hidden @ best
    torch.testing.assert_close(outputs.T @ outputs, torch.eye(2, dtype=torch.float64))
    reached = float(orthogonal_trace(outputs, laplacian))
    generator = torch.Generator().manual_seed(0)
    for size in (1e-3, 1e-1, 10.0):
        other = best + size * torch.randn(best.shape, generator=generator, dtype=torch.float64)
        assert float(orthogonal_trace(hidden @ other, laplacian)) > reached


def test_dependent_hidden_units_do_no_harm_and_few_leave_columns_zero():
    matrix, inputs = laplacian_and_inputs()
    once = torch.from_numpy(inputs[:, :2])
    twice = torch.cat([once, 3 * once], dim=1)
    laplacian = torch.from_numpy(matrix)
    single, double = (best_output(h.T @ h, h.T @ laplacian @ h, 3) for h in (once, twice))
    assert not single[:, 2].any()
    values = [float(orthogonal_trace((h @ w)[:, :2], laplacian)) for h, w in ((once, single), (twice, double))]
    assert values[0] == pytest.approx(values[1])
    assert best_output(torch.full((2, 2), torch.nan), torch.eye(2), 1).isnan().all()


def rows_of(matrix, kind):
    if kind == "whole":
        return WholeRows(torch.from_numpy(matrix), len(matrix))
    values, vectors = np.linalg.eigh(matrix)
    low, outside = vectors[:, :12], float(values[12:].mean())
    core = torch.from_numpy(np.diag(values[:12] - outside))
    return LowRankRows(outside, torch.from_numpy(low.copy()), core, len(matrix))


@pytest.mark.parametrize("kind", ["whole", "low rank"])
def test_training_needs_a_tenth_of_the_steps(kind):
    matrix, inputs = laplacian_and_inputs()
    rows = rows_of(matrix, kind)

    def losses(exact, steps, rate):
        net = Ensemble([Perceptron((3, 16, 8, 3), torch.Generator().manual_seed(seed)) for seed in (0, 1)])
        nodes = Nodes(inputs, lambda x: x, slice(0, 80), torch.device("cpu"), torch.float32)
        done = train(
            net, nodes, rows, 3, learning_rate=rate, max_iter=steps, tol=0.0, exact_output=exact, verbose=False
        )
        with torch.no_grad():
            outputs = net(nodes.all()).double()
        parts = [float(orthogonal_trace(part, torch.from_numpy(matrix))) for part in torch.split(outputs, 3, dim=1)]
        return done.losses, parts

    seen, after = losses(True, 10, 1e-2)
    assert (np.diff(seen) < 0).sum() >= 8
    if kind == "whole":  # the outputs that the net gives in the end have the loss that was reported, or a lower one
        assert np.mean(after) < seen[-1]
    assert seen[-1] < losses(False, 100, 1e-3)[0][-1]
