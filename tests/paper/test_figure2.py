"""The paper's Figure 2: each layer shows one block, and only the geometric mean shows all three."""

import json
from pathlib import Path

import numpy as np
import pytest

from orthonet.paper import figure2

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("laplacian", ["joint", "combinatorial"])
def test_each_layer_shows_its_block_apart_from_the_rest(laplacian):
    graph = figure2.complementary_layers()
    for block, layer in enumerate(graph.layer_names):
        found = figure2.layer_partition(graph, layer, laplacian)
        assert figure2.same_partition(found, block == figure2.BLOCKS)


@pytest.mark.parametrize("laplacian", ["joint", "combinatorial"])
def test_the_geometric_mean_recovers_the_three_blocks(laplacian):
    found = figure2.mean_partition(figure2.complementary_layers(), "geometric", laplacian)
    assert figure2.same_partition(found, figure2.BLOCKS)


@pytest.mark.parametrize("laplacian", ["joint", "combinatorial"])
@pytest.mark.parametrize("mean", ["arithmetic", "projection"])
def test_the_other_means_misassign_nodes_2_and_8(mean, laplacian):
    found = figure2.mean_partition(figure2.complementary_layers(), mean, laplacian)
    assert not figure2.same_partition(found, figure2.BLOCKS)
    others = np.delete(np.arange(9), [2, 8])
    assert figure2.same_partition(found[others], figure2.BLOCKS[others])
    for node in (2, 8):
        but_one = np.append(others, node)
        assert not figure2.same_partition(found[but_one], figure2.BLOCKS[but_one])


@pytest.mark.parametrize("laplacian", ["joint", "combinatorial"])
def test_changes_of_the_critical_edges_move_the_others_but_not_the_geometric_mean(laplacian):
    n_draws = 40
    counts = figure2.robustness(n_draws, seed=1, laplacian=laplacian)
    recovered = {mean: count["recovered"] for mean, count in counts.items()}
    changed = {mean: count["changed"] for mean, count in counts.items()}
    assert recovered["geometric"] >= 0.9 * n_draws
    assert recovered["geometric"] > max(recovered["arithmetic"], recovered["projection"])
    assert changed["geometric"] <= 0.1 * n_draws
    assert min(changed["arithmetic"], changed["projection"]) >= 0.2 * n_draws


def test_the_kept_results_are_of_this_example():
    kept = json.loads((ROOT / "experiments" / "results" / "figure2.json").read_text())["records"]["the example"]
    fresh = figure2.measure(n_draws=0, seed=kept["seed"])
    for key in ("layers", "critical_edges", "blocks", "epsilon", "factors"):
        assert kept[key] == fresh[key]
    for kind in figure2.KINDS:
        assert kept[kind]["partition_of_means"] == fresh[kind]["partition_of_means"]
