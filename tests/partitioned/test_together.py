"""Real processes, each with its own shards, find what one process finds with all of them."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet import OrthoNet, metrics
from orthonet.graph.laplacian import joint_laplacians, laplacian
from partitioned.conftest import KINDS, N_CLUSTERS, started

pytestmark = pytest.mark.slow
SIZES = (2, 4)


@pytest.fixture(scope="module")
def found(folders, tmp_path_factory):
    """What each process found, by kind of network, number of processes and rank; and products."""
    out = tmp_path_factory.mktemp("found")
    started("fit_together.py", out, *(folders / kind for kind in (*KINDS, "shuffled")))
    return {path.stem: dict(np.load(path)) for path in out.glob("*.npz")}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_labels_are_those_of_one_process(found, kind, size):
    alone, together = found[f"{kind}-1-0"], found[f"{kind}-{size}-0"]
    np.testing.assert_array_equal(together["labels"], alone["labels"])
    np.testing.assert_array_equal(together["ids"], alone["ids"])
    np.testing.assert_allclose(together["corroboration"], alone["corroboration"], atol=1e-9)
    np.testing.assert_allclose(together["evidence"], alone["evidence"], atol=1e-6)
    np.testing.assert_allclose(together["loss"], alone["loss"], rtol=1e-2)
    np.testing.assert_allclose(together["probabilities"], alone["probabilities"], atol=0.05)


@pytest.mark.parametrize("kind", KINDS)
def test_each_other_process_has_its_own_rows(found, kind):
    whole = found[f"{kind}-4-0"]["labels"]
    bounds = [len(whole) * rank // 4 for rank in range(5)]
    for rank in range(1, 4):
        own = found[f"{kind}-4-{rank}"]
        np.testing.assert_array_equal(own["labels"], whole[bounds[rank] : bounds[rank + 1]])
        assert len(own["embedding"]) == len(own["ids"]) == bounds[rank + 1] - bounds[rank]


@pytest.mark.parametrize("kind", KINDS)
def test_the_clusters_are_found(found, networks, kind):
    assert metrics.adjusted_rand(networks[kind][1], found[f"{kind}-1-0"]["labels"]) > 0.8


@pytest.mark.parametrize("kind", ["layers", "words", "mixed"])
def test_a_fit_in_one_memory_finds_nearly_the_same(found, networks, kind):
    graph, truth = networks[kind]
    training = {"max_iter": 10, "n_jobs": 1}
    model = OrthoNet(N_CLUSTERS, network={"hidden_layers": (30, 20)}, training=training, random_state=0).fit(graph)
    labels = found[f"{kind}-1-0"]["labels"]
    assert metrics.adjusted_rand(model.labels_, labels) > 0.85
    assert metrics.nmi(truth, labels) > metrics.nmi(truth, model.labels_) - 0.05


@pytest.mark.parametrize("size", [1, *SIZES])
@pytest.mark.parametrize("kind", ["layers", "two-mode"])
def test_products_are_those_of_the_whole_matrices(found, networks, kind, size):
    """The exact twin: dense Laplacians of all nodes; a two-mode relation as B G⁻¹ Bᵀ."""
    products, graph = found[f"{kind}-{size}-0-products"], networks[kind][0]
    layers = [*graph.layers]
    for relation in graph.two_mode.values():
        memberships = relation.incidence.toarray()
        layers.append(csr_array(memberships / memberships.sum(axis=0) @ memberships.T))
    n_nodes = graph.n_nodes
    everywhere = [np.ones(n_nodes, dtype=bool)] * len(layers)
    joint = joint_laplacians(layers, everywhere, np.full(len(layers), 1 / len(layers)))[0]
    for index, layer in enumerate(layers):
        isolated = np.asarray(layer.sum(axis=1)).ravel() == 0
        mean_degree = layer.sum() / n_nodes
        wanted = {
            "joint": joint[index].toarray() + np.diag(1e-3 + isolated),
            "normalized": laplacian(layer, "normalized").toarray() + 1e-3 * np.eye(n_nodes),
            "combinatorial": laplacian(layer, "combinatorial").toarray() + 1e-3 * mean_degree * np.eye(n_nodes),
        }
        for name, matrix in wanted.items():
            np.testing.assert_allclose(products[f"{name} {index}"], matrix @ products["block"], atol=1e-9)


@pytest.mark.parametrize("size", SIZES)
def test_random_numbers_of_nodes_do_not_depend_on_who_has_them(found, size):
    np.testing.assert_array_equal(found[f"layers-{size}-0-products"]["block"], found["layers-1-0-products"]["block"])


def test_nodes_in_a_good_order_send_less(found):
    """Clusters that follow each other in the order of the nodes have thin halos."""
    assert found["sorted-1-0"]["bytes_sent"] == 0
    assert found["layers-2-0"]["bytes_sent"] > 0
    good, any_order = (
        sum(int(found[f"{kind}-4-{rank}-products"]["bytes_of_a_product"]) for rank in range(4))
        for kind in ("sorted", "shuffled")
    )
    assert 0 < good < 0.9 * any_order
