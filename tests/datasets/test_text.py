"""The text sets are what their sources say, and their features stay sparse."""

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import issparse

from orthonet.datasets import bbcsport, three_sources
from orthonet.datasets.bbcsport import load_bbcsport
from orthonet.datasets.three_sources import load_3sources

SETS = [
    (load_3sources, three_sources, 169, 6, (3560, 3631, 3068)),
    (load_bbcsport, bbcsport, 544, 5, (3183, 3203)),
]


@pytest.mark.parametrize(("load", "module", "n_nodes", "n_classes", "n_words"), SETS)
def test_the_set_is_what_its_source_says(data_home, load, module, n_nodes, n_classes, n_words, real):
    data = load(real(data_home, module.REMOTE.path), download=False)
    assert (data.graph.n_nodes, data.graph.n_layers, data.n_clusters) == (n_nodes, len(n_words), n_classes)
    assert [view.shape for view in data.views] == [(n_nodes, words) for words in n_words]
    assert all(issparse(view) for view in (*data.views, data.graph.features))
    assert data.graph.features.shape == (n_nodes, sum(n_words))
    assert all([data.name, data.source, data.license, data.description])


@pytest.mark.parametrize(("load", "module", "n_nodes", "n_classes", "n_words"), SETS)
def test_layers_join_stories_of_one_class(data_home, load, module, n_nodes, n_classes, n_words, real):
    data = load(real(data_home, module.REMOTE.path), download=False, weights="binary")
    chance = np.mean(data.labels[:, None] == data.labels)
    for layer in data.graph.layers:
        assert (layer != layer.T).nnz == 0
        assert np.diff(layer.indptr).min() >= 10
        ends = layer.tocoo()
        assert np.mean(data.labels[ends.row] == data.labels[ends.col]) > 2.5 * chance


@pytest.mark.parametrize(("load", "module", "n_nodes", "n_classes", "n_words"), SETS)
def test_the_public_file_is_the_one_here(data_home, load, module, n_nodes, n_classes, n_words, real):
    pooch = pytest.importorskip("pooch", reason="checksums are checked by pooch: pip install 'orthonet[data]'")
    file = real(data_home, module.REMOTE.path) / module.REMOTE.path
    assert pooch.file_hash(str(file), alg="sha256") == module.REMOTE.sha256


@pytest.mark.parametrize(("load", "module", "n_nodes", "n_classes", "n_words"), SETS)
def test_scaled_and_cosine_neighbours_do_not_see_the_length_of_a_story(
    tmp_path, rng, load, module, n_nodes, n_classes, n_words
):
    counts = [rng.poisson(0.4, (30, 12)) + np.eye(30, 12) for _ in n_words]
    lengths = rng.integers(1, 5, 30)

    def written(views, folder):
        held = np.empty((1, len(views)), dtype=object)
        for index, view in enumerate(views):
            held[0, index] = view.T
        (folder / "text").mkdir(parents=True)
        savemat(folder / module.REMOTE.path, {"data": held, "truelabel": np.arange(30) % 3})
        return load(folder)

    short = written(counts, tmp_path / "short")
    long = written([view * lengths[:, None] for view in counts], tmp_path / "long")
    for one, other in zip(short.graph.layers, long.graph.layers, strict=True):
        np.testing.assert_allclose(one.toarray(), other.toarray(), atol=1e-10)


@pytest.mark.parametrize(("load", "module", "n_nodes", "n_classes", "n_words"), SETS)
def test_a_file_of_another_set_is_refused(tmp_path, load, module, n_nodes, n_classes, n_words):
    (tmp_path / "text").mkdir()
    savemat(tmp_path / module.REMOTE.path, {"X": np.ones((3, 5)), "Y": np.arange(3)})
    with pytest.raises(ValueError, match=rf"has 1 views \(X\), but {len(n_words)} were expected"):
        load(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"get .*mlg\.ucd\.ie.* and put it there; or pass download=True"):
        load(tmp_path / "empty", download=False)
