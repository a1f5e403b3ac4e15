"""The whole chain on real data, with default settings; skipped where the data is not at hand."""

import pytest

from orthonet import OrthoNet, datasets, metrics


@pytest.mark.parametrize(
    ("load", "n_clusters", "purity", "nmi", "ari"),
    [
        (datasets.load_mfeat, 10, 0.9555, 0.9128, 0.9057),
        (datasets.load_leaves100, 100, 0.9712, 0.9812, 0.9478),
    ],
    ids=["mfeat", "leaves100"],
)
@pytest.mark.slow
def test_one_seed_reaches_the_papers_row(data_home, load, n_clusters, purity, nmi, ari):
    data = load(data_home)
    model = OrthoNet(n_clusters, random_state=0).fit(data.graph)
    assert metrics.purity(data.labels, model.labels_) >= purity
    assert metrics.nmi(data.labels, model.labels_) >= nmi
    assert metrics.adjusted_rand(data.labels, model.labels_) >= ari


def test_mfeat_is_what_its_source_says(data_home):
    data = datasets.load_mfeat(data_home)
    assert (data.graph.n_nodes, data.graph.n_layers, data.n_clusters) == (2000, 6, 10)
    assert data.graph.features.shape == (2000, 649)


def test_leaves_are_what_their_source_says(data_home):
    data = datasets.load_leaves100(data_home)
    assert (data.graph.n_nodes, data.graph.n_layers, data.n_clusters) == (1600, 3, 100)
    assert data.graph.features.shape == (1600, 192)
