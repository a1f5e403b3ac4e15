"""Generated and bundled data, and what a loader says when its file is not there."""

import numpy as np
import pytest
from scipy.io import savemat

from orthonet import datasets
from orthonet.datasets.multiview_mat import read_multiview_mat

LOADERS = [datasets.load_mfeat, datasets.load_leaves100]


def test_gaussians_have_the_asked_for_shape_and_are_reproducible():
    make = datasets.make_multilayer_gaussians
    first, same, other = (make(120, 3, 4, 2, random_state=seed) for seed in (0, 0, 1))
    assert (first.graph.n_nodes, first.graph.n_layers, first.n_clusters) == (120, 3, 4)
    assert np.bincount(first.labels).tolist() == [30, 30, 30, 30]
    np.testing.assert_array_equal(first.graph.features, same.graph.features)
    assert not np.array_equal(first.graph.features, other.graph.features)


def test_separation_pulls_the_components_apart():
    def spread(separation):
        data = datasets.make_multilayer_gaussians(400, 2, 3, 2, separation=separation, random_state=0)
        means = np.array([data.graph.features[data.labels == k].mean(axis=0) for k in range(3)])
        return means.std(axis=0).mean()

    assert spread(8.0) > 3 * spread(1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_nodes": 3}, "n_nodes must be an integer >= 5, got 3"),
        ({"n_layers": 0}, "n_layers"),
        ({"n_dims": 0}, "n_dims"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        datasets.make_multilayer_gaussians(**arguments)


def test_digits_are_halves_of_images():
    data = datasets.load_digits(200)
    assert data.graph.layer_names == ("top", "bottom", "left", "right")
    assert (data.graph.n_nodes, data.n_clusters) == (200, 10)
    assert data.graph.features.shape == (200, 52)
    np.testing.assert_array_equal(data.graph.features, datasets.load_digits(300).graph.features[:200])
    with pytest.raises(ValueError, match="n_nodes must be an integer >= 2 and <= 1797, got 5000"):
        datasets.load_digits(5000)


@pytest.mark.parametrize("data", [datasets.make_multilayer_gaussians(50, random_state=0), datasets.load_digits(50)])
def test_every_set_says_what_it_is(data):
    assert len(data.labels) == data.graph.n_nodes
    assert all([data.name, data.source, data.license, data.description])
    assert data.name in repr(data)


@pytest.mark.parametrize("load", LOADERS)
def test_a_missing_file_is_asked_for(load, tmp_path, monkeypatch):
    monkeypatch.delenv("ORTHONET_DATA_HOME", raising=False)
    with pytest.raises(FileNotFoundError, match=r"not part of the package: get .*\.mat.*ORTHONET_DATA_HOME"):
        load()
    with pytest.raises(FileNotFoundError, match=r"there is no file .*\.mat: get .* and put it there"):
        load(tmp_path)


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize("content", [b"", b"MATLAB 5.0 MAT-file, cut off here"])
def test_a_damaged_file_is_named(load, content, tmp_path):
    for file in ("mfeat/Mfeat.mat", "leaves100/100leaves.mat"):
        (tmp_path / file).parent.mkdir()
        (tmp_path / file).write_bytes(content)
    with pytest.raises(ValueError, match=r"\.mat is not a multi-view file"):
        load(tmp_path)


def test_multiview_files_are_read_as_nodes_by_features(rng, tmp_path):
    views = [rng.random((3, 10)), rng.random((5, 10))]
    cells = np.empty((1, 2), dtype=object)
    truth = np.empty((1, 1), dtype=object)
    cells[0, 0], cells[0, 1], truth[0, 0] = *views, np.arange(10)
    savemat(tmp_path / "set.mat", {"data": cells, "truelabel": truth})
    read, labels = read_multiview_mat(tmp_path / "set.mat", 2)
    assert labels.tolist() == list(range(10))
    for ours, given in zip(read, views, strict=True):
        np.testing.assert_array_equal(ours, given.T)
    with pytest.raises(ValueError, match=r"set\.mat has 2 views, but this data set has 6"):
        read_multiview_mat(tmp_path / "set.mat", 6)
