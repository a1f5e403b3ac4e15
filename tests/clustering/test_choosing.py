"""The number of clusters left to the fit: what is chosen, kept, saved, drawn and said."""

import warnings

import matplotlib.figure
import numpy as np
import pytest

from orthonet import OrthoNet, datasets

SHORT = {"max_iter": 10}


@pytest.fixture(scope="module")
def graph():
    return datasets.make_multilayer_sbm(
        160, 3, 4, kind="informative", p_in=0.25, p_out=0.02, n_features=4, random_state=3
    ).graph


@pytest.fixture(scope="module")
def model(graph):
    return OrthoNet("auto", training=SHORT, random_state=0).fit(graph)


def test_chosen_number_is_that_of_the_clusters(model):
    assert model.n_clusters == "auto"
    assert model.n_clusters_ == model.cluster_numbers_.chosen == 4
    assert model.probabilities_.shape == (160, 4)
    assert set(model.labels_) == set(range(4))


def test_fit_of_the_chosen_number_is_the_same_without_the_choice(model, graph):
    given = OrthoNet(4, training=SHORT, random_state=0).fit(graph)
    assert given.cluster_numbers_ is None
    np.testing.assert_array_equal(given.labels_, model.labels_)
    np.testing.assert_array_equal(given.embedding_, model.embedding_)


def test_numbering_of_the_nodes_does_not_matter(model, graph, rng):
    other = OrthoNet("auto", training=SHORT, random_state=0).fit(graph.subgraph(rng.permutation(160)))
    ours = {row.n_clusters: row.worth for row in model.cluster_numbers_.candidates}
    theirs = {row.n_clusters: row.worth for row in other.cluster_numbers_.candidates}
    assert other.n_clusters_ == 4
    # It should be the same to rounding; since values of features are evidence it is not, and why was not found yet.
    assert theirs[4] == pytest.approx(ours[4], rel=0.02)


def test_saved_model_knows_how_it_was_chosen(model, graph, tmp_path):
    model.save(tmp_path / "model")
    loaded = OrthoNet.load(tmp_path / "model")
    assert loaded.n_clusters == "auto"
    assert loaded.n_clusters_ == 4
    assert loaded.cluster_numbers_ == model.cluster_numbers_
    np.testing.assert_array_equal(loaded.predict(graph.features), model.predict(graph.features))


def test_range_is_kept_and_saved(graph, tmp_path):
    model = OrthoNet((2, 6), training=SHORT, random_state=0).fit(graph)
    assert [row.n_clusters for row in model.cluster_numbers_.candidates] == [2, 3, 4, 5, 6]
    assert model.n_clusters_ == 4
    model.save(tmp_path / "model")
    assert OrthoNet.load(tmp_path / "model").n_clusters == (2, 6)


def test_picture_shows_the_choice(model, clouds):
    axes = model.plot_cluster_numbers(ax=matplotlib.figure.Figure().subplots())
    assert axes.get_title() == model.cluster_numbers_.sentence
    given = OrthoNet(3, training=SHORT, random_state=0).fit(clouds.graph)
    with pytest.raises(ValueError, match="the number of clusters was given, not chosen"):
        given.plot_cluster_numbers()


def test_one_cloud_gets_a_warning(rng):
    layer = np.triu(rng.random((120, 120)) < 0.08, 1).astype(float)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = OrthoNet((2, 5), training=SHORT, random_state=0).fit([layer + layer.T])
    assert any("nothing speaks for more than one cluster" in str(one.message) for one in caught)
    assert 2 <= model.n_clusters_ <= 5


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("many", "n_clusters must be a whole number >= 2, 'auto', or a pair"),
        ((2, 3, 4), "n_clusters must be a pair"),
        ((5, 3), r"n_clusters\[1\] must be .*5"),
        ((1, 3), r"n_clusters\[0\]"),
        ((2, 500), "n_clusters goes up to 500, which is more than the 160 nodes there are"),
    ],
)
def test_wrong_ranges_are_refused_by_name(graph, given, said):
    with pytest.raises(ValueError, match=said):
        OrthoNet(given).fit(graph)
