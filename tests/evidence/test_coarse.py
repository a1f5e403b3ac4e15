"""Moving and joining cells of nodes changes information exactly as counting everything anew would."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

SEEDS = settings(max_examples=25, deadline=None)
KINDS = pytest.mark.parametrize("kind", [0, 1], ids=["layer", "words"])
N_CELLS, N_CLUSTERS = 9, 4


def drawn(random_sources, kind, seed):
    """Return a source, its coarse form, the cell of each node and the cluster of each cell."""
    rng = np.random.default_rng(seed)
    source = random_sources(rng)[kind]
    cells = rng.permutation(np.arange(30) % N_CELLS)
    clusters = rng.integers(0, N_CLUSTERS, N_CELLS)
    coarse = source.coarse(cells, N_CELLS)
    coarse.place(clusters, N_CLUSTERS)
    return rng, source, coarse, cells, clusters


def placed_anew(source, cells, clusters):
    coarse = source.coarse(cells, N_CELLS)
    coarse.place(clusters, N_CLUSTERS)
    return coarse


@KINDS
@SEEDS
@given(seed=st.integers(0, 10_000))
def test_cells_have_the_information_of_their_nodes(random_sources, kind, seed):
    _, source, coarse, cells, clusters = drawn(random_sources, kind, seed)
    assert coarse.information() == pytest.approx(source.information(clusters[cells], N_CLUSTERS), abs=1e-12)


@KINDS
@SEEDS
@given(seed=st.integers(0, 10_000))
def test_the_gain_of_a_move_is_the_difference_it_makes(random_sources, kind, seed):
    rng, source, coarse, cells, clusters = drawn(random_sources, kind, seed)
    before = source.information(clusters[cells], N_CLUSTERS)
    cell = int(rng.integers(N_CELLS))
    gains = coarse.moving_gains(cell, int(clusters[cell]))
    for cluster in range(N_CLUSTERS):
        moved = clusters.copy()
        moved[cell] = cluster
        assert gains[cluster] == pytest.approx(source.information(moved[cells], N_CLUSTERS) - before, abs=1e-12)


@KINDS
@SEEDS
@given(seed=st.integers(0, 10_000))
def test_after_many_moves_everything_is_as_if_placed_anew(random_sources, kind, seed):
    rng, source, coarse, cells, clusters = drawn(random_sources, kind, seed)
    for _ in range(20):
        cell, new = int(rng.integers(N_CELLS)), int(rng.integers(N_CLUSTERS))
        if new != clusters[cell]:
            coarse.move(cell, int(clusters[cell]), new)
            clusters[cell] = new
    anew = placed_anew(source, cells, clusters)
    assert coarse.information() == pytest.approx(anew.information(), abs=1e-12)
    for cell in range(N_CELLS):
        here = int(clusters[cell])
        np.testing.assert_allclose(coarse.moving_gains(cell, here), anew.moving_gains(cell, here), atol=1e-10)


@KINDS
@SEEDS
@given(seed=st.integers(0, 10_000))
def test_the_loss_of_joining_is_the_difference_it_makes(random_sources, kind, seed):
    rng, source, coarse, cells, clusters = drawn(random_sources, kind, seed)
    before = source.information(clusters[cells], N_CLUSTERS)
    cluster = int(rng.integers(N_CLUSTERS))
    losses = coarse.joining_losses(cluster)
    some = np.array([0, 2])
    np.testing.assert_allclose(coarse.joining_losses(cluster, some), losses[some], atol=1e-12)
    others = np.flatnonzero(np.arange(N_CLUSTERS) != cluster)
    np.testing.assert_allclose(coarse.all_joining_losses()[cluster, others], losses[others], atol=1e-12)
    for other in set(range(N_CLUSTERS)) - {cluster}:
        joined = np.where(clusters == other, cluster, clusters)
        assert losses[other] == pytest.approx(before - source.information(joined[cells], N_CLUSTERS), abs=1e-12)
        assert losses[other] >= -1e-12


@KINDS
@SEEDS
@given(seed=st.integers(0, 10_000))
def test_after_joining_everything_is_as_if_placed_anew(random_sources, kind, seed):
    _, source, coarse, cells, clusters = drawn(random_sources, kind, seed)
    for kept, emptied in ((1, 3), (0, 1)):
        coarse.join(kept, emptied)
        clusters[clusters == emptied] = kept
    anew = placed_anew(source, cells, clusters)
    assert coarse.information() == pytest.approx(anew.information(), abs=1e-12)
    np.testing.assert_allclose(coarse.joining_losses(0)[2], anew.joining_losses(0)[2], atol=1e-12)
    cell, here = 0, int(clusters[0])
    np.testing.assert_allclose(coarse.moving_gains(cell, here), anew.moving_gains(cell, here), atol=1e-10)
