"""What own rows make of themselves, against what is made of all nodes at once."""

import itertools

import numpy as np
import pytest
from scipy.linalg import eigh, subspace_angles

from orthonet import aggregate
from orthonet.embedding.processes import Processes
from orthonet.evidence.gaussian import GaussianSource
from orthonet.evidence.memberships import MembershipSource
from orthonet.evidence.mending import mend
from orthonet.evidence.observations import layer_closure, word_closure
from orthonet.evidence.sources import LayerSource, WordSource, support
from orthonet.graph.features import FeatureScaler
from orthonet.graph.network_rows import NetworkRows
from orthonet.graph.words import as_counts
from orthonet.partitioned import closure
from orthonet.partitioned.batches import RowBatches
from orthonet.partitioned.eigenvectors import lowest_vectors, orthonormal_rows
from orthonet.partitioned.features import leading_directions, row_scaler
from orthonet.partitioned.gaussian import RowGaussianSource
from orthonet.partitioned.mean import mean_rows
from orthonet.partitioned.mending import RowMending
from orthonet.partitioned.operators import weighted_sum
from orthonet.partitioned.relations import Relations
from orthonet.partitioned.rows import Rows
from orthonet.partitioned.sources import RowLayerSource, RowMembershipSource, RowWordSource
from orthonet.partitioned.spectra import Spectra

ROUNDING = 1e-9


@pytest.fixture(scope="module")
def alone(networks):
    """Rows and relations of one process that has all nodes, by kind of network."""
    found = {}
    for kind, (graph, _) in networks.items():
        rows = Rows(Processes(), graph.n_nodes)
        found[kind] = rows, Relations.of(NetworkRows.of_graph(graph, 0, graph.n_nodes), rows)
    return found


def dense(operator):
    return operator @ np.eye(operator.rows.n_nodes)


def test_rows_of_a_graph_join_to_the_whole(networks):
    for graph, _ in networks.values():
        bounds = [0, 50, 51, graph.n_nodes]
        parts = [NetworkRows.of_graph(graph, *pair) for pair in itertools.pairwise(bounds)]
        whole = NetworkRows.joined(parts)
        assert (whole.start, whole.stop, len(whole)) == (0, graph.n_nodes, graph.n_nodes)
        np.testing.assert_array_equal(whole.node_ids, graph.node_ids)
        for name, layer in zip(graph.layer_names, graph.layers, strict=True):
            assert (whole.layers[name] != layer).nnz == 0
        for name, relation in graph.two_mode.items():
            assert (whole.two_mode[name] != relation.incidence).nnz == 0


@pytest.mark.parametrize("bounds", [(0, 7, 23), (0, 1, 2, 22, 23), (0, 23)])
def test_draws_of_nodes_are_those_of_one_process(bounds):
    size = len(bounds) - 1
    whole = Rows(Processes(), 23).uniform(np.random.default_rng(4), 3)
    parts = [Rows(Processes(rank, size, bounds), 23).uniform(np.random.default_rng(4), 3) for rank in range(size)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_batches_are_those_of_one_process_and_differ_from_step_to_step():
    whole = RowBatches(Rows(Processes(), 5000), 500, 3)
    parts = [RowBatches(Rows(Processes(rank, 2, (0, 1234, 5000)), 5000), 500, 3) for rank in range(2)]
    together = np.concatenate([parts[0].at(7), 1234 + parts[1].at(7)])
    np.testing.assert_array_equal(together, whole.at(7))
    assert 400 < len(together) < 600
    assert not np.array_equal(whole.at(8), whole.at(7))


@pytest.mark.parametrize("kind", ["layers", "two-mode", "mixed"])
def test_eigenvectors_are_those_of_the_dense_matrix(alone, kind):
    _, relations = alone[kind]
    operators = [relations.regularized(index) for index in range(len(relations.each))]
    matrix = weighted_sum(operators, np.full(len(operators), 1 / len(operators)))
    found = lowest_vectors(matrix, 3, np.random.default_rng(0), tol=1e-5, max_products=400)
    values, vectors = eigh(dense(matrix))
    assert found.converged
    np.testing.assert_allclose(found.values[:3], values[:3], atol=1e-5)
    assert np.cos(subspace_angles(found.vectors[:, :3], vectors[:, :3])).min() > 0.9999
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(found.vectors.shape[1]), atol=1e-10)
    np.testing.assert_allclose(matrix.trace(), values.sum(), rtol=1e-9)


def test_dependent_columns_leave_a_basis_without_them(alone, rng):
    rows, _ = alone["layers"]
    block = rng.normal(size=(rows.n_nodes, 4))
    basis = orthonormal_rows(rows, np.hstack([block, block @ rng.normal(size=(4, 3))]))
    assert basis.shape[1] == 4
    np.testing.assert_allclose(basis.T @ basis, np.eye(4), atol=1e-12)
    assert orthonormal_rows(rows, block, 2).shape[1] == 2


@pytest.mark.parametrize("method", ["geometric", "arithmetic", "log-euclidean", "power"])
def test_the_mean_has_the_lowest_eigenvectors_of_the_exact_one(alone, networks, method):
    _rows, relations = alone["layers"]
    weights = np.array([0.4, 0.2, 0.4])
    spectra = Spectra.of(relations, 3, np.random.default_rng(0))
    laplacians = relations.laplacians("normalized", 1e-3, weights)
    mean, report = mean_rows(relations, spectra, weights, laplacians, {"method": method})
    exact = aggregate(
        networks["layers"][0], method, "exact", 3, weights, laplacian="normalized", epsilon=1e-3
    ).smallest_eigenvectors(3)
    small = eigh(mean.core)[1][:, :3]
    assert np.cos(subspace_angles(mean.basis @ small, exact)).mean() > 0.97
    assert report["basis"] == mean.basis.shape[1] == len(mean.core)


def test_a_layer_says_what_it_says_in_one_memory(alone, networks):
    (graph, labels), (_, relations) = networks["layers"], alone["layers"]
    own = RowLayerSource(relations.halo, relations.each[0].layer, "work", 2.5)
    whole = LayerSource(graph.layers[0], "work", 2.5)
    assert own.information(labels, 3) == pytest.approx(whole.information(labels, 3), abs=ROUNDING)
    for leave_out in (True, False):
        scores = (one.node_scores(labels, 3, leave_out=leave_out) for one in (own, whole))
        np.testing.assert_allclose(*scores, atol=ROUNDING)
    weights = np.random.default_rng(0).exponential(size=len(labels))
    again = (one.reweighted(np.random.default_rng(1), weights).node_scores(labels, 3) for one in (own, whole))
    np.testing.assert_allclose(*again, atol=ROUNDING)


def test_words_and_memberships_say_what_they_say_in_one_memory(alone, networks):
    (graph, labels), (rows, _) = networks["words"], alone["words"]
    counts = as_counts(graph.features)
    own = RowWordSource._counted(rows, counts, "words", 0.1)[0]
    whole = WordSource.with_closure(counts, "words", 0.1)
    assert own.observations == pytest.approx(whole.observations)
    assert own.information(labels, 3) == pytest.approx(whole.information(labels, 3), abs=ROUNDING)
    np.testing.assert_allclose(own.node_scores(labels, 3), whole.node_scores(labels, 3), atol=ROUNDING)
    (graph, labels), (rows, _) = networks["two-mode"], alone["two-mode"]
    relation = graph.two_mode["clubs"]
    own = RowMembershipSource.of(rows, relation.incidence, "clubs", np.random.default_rng(0))
    whole = MembershipSource.from_relation(relation, "clubs", np.random.default_rng(0))
    assert own.closure == pytest.approx(whole.closure, abs=0.03)
    np.testing.assert_allclose(own.rarity, whole.rarity)
    assert own.group_evidence(labels, 3).shape == (3, relation.n_groups)


def test_values_say_what_they_say_in_one_memory(alone, networks):
    (graph, labels), (rows, _) = networks["mixed"], alone["mixed"]
    scaler = FeatureScaler.fit(graph.features)
    own = RowGaussianSource.of(rows, graph.features, scaler, 3, np.random.default_rng(0), "features")
    whole = GaussianSource.from_features(graph.features, 3, "features")
    np.testing.assert_allclose(own.node_scores(labels, 3), whole.node_scores(labels, 3), atol=1e-8)
    assert own.information(labels, 3) == pytest.approx(whole.information(labels, 3), abs=1e-8)
    categories = np.repeat(np.arange(2.0), [rows.n_nodes // 2, rows.n_nodes - rows.n_nodes // 2])[:, None]
    assert RowGaussianSource.of(rows, categories, scaler_of(categories), 3, np.random.default_rng(0), "f") is None


def scaler_of(features):
    return FeatureScaler.fit(features)


def test_closures_are_estimates_of_the_same_chance(alone, networks):
    _, relations = alone["layers"]
    own = closure.layer_closure(relations.halo, relations.each[0].layer, np.random.default_rng(0))
    assert own == pytest.approx(layer_closure(networks["layers"][0].layers[0], np.random.default_rng(0)), abs=0.02)
    counts = as_counts(networks["words"][0].features)
    own = closure.word_closure(alone["words"][0], counts, np.random.default_rng(0))
    assert own == pytest.approx(word_closure(counts, np.random.default_rng(0)), abs=0.02)


def test_mending_leads_where_it_leads_in_one_memory(alone, networks):
    (graph, labels), (rows, relations) = networks["layers"], alone["layers"]
    rng = np.random.default_rng(0)
    start = np.where(rng.random(len(labels)) < 0.3, rng.integers(0, 3, len(labels)), labels)
    source = RowLayerSource(relations.halo, relations.each[0].layer, "work", 2.5)
    mending = RowMending(rows)
    assert mending.support([source], start, 3) == pytest.approx(support([source], start, 3))
    mended = mending.mend([source], start, 3, np.random.default_rng(1))
    in_memory = mend([LayerSource(graph.layers[0], "work", 2.5)], start, 3, np.random.default_rng(1))
    assert mended.support == pytest.approx(in_memory.support, rel=0.02)
    assert mended.support > mending.support([source], start, 3)


def test_scale_and_directions_are_those_of_all_features(alone, rng):
    rows, _ = alone["layers"]
    features = rng.normal(size=(rows.n_nodes, 6)) * [9, 5, 3, 1, 0.1, 0.01] + 4
    scaler, whole = row_scaler(rows, features, "auto", False), FeatureScaler.fit(features)
    np.testing.assert_allclose(scaler.transform(features), whole.transform(features), atol=1e-12)
    directions = leading_directions(rows, features - features.mean(axis=0), 2, np.random.default_rng(0))
    exact = np.linalg.svd(features - features.mean(axis=0))[2][:2].T
    assert np.cos(subspace_angles(directions, exact)).min() > 0.999


def test_an_edge_that_only_one_end_has_is_refused(networks):
    graph = networks["layers"][0]
    whole = NetworkRows.of_graph(graph, 0, graph.n_nodes)
    layer = whole.layers["work"].copy()
    layer.data[3] *= 2
    with pytest.raises(ValueError, match="layer 'work': an edge is not the same in the rows of both its ends"):
        Relations.of(NetworkRows(0, graph.n_nodes, graph.node_ids, {"work": layer}), Rows(Processes(), graph.n_nodes))
