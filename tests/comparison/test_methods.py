"""The registry of methods, and what becomes of methods that fail."""

import numpy as np
import pytest

from orthonet import MultilayerGraph, baselines, metrics
from orthonet.comparison.methods import DEFAULT_METHODS, METHODS, Method, fits_of, layer_by_layer
from orthonet.comparison.outcomes import Reference, compare


def test_titles_are_unique_and_the_default_methods_are_known():
    titles = [method.title for method in METHODS.values()]
    assert len(titles) == len(set(titles))
    assert set(DEFAULT_METHODS) <= set(METHODS)


def test_every_baseline_is_in_the_registry():
    made = {type(method.make(3, 0)).__name__ for method in METHODS.values()}
    assert made == {*baselines.__all__, "OrthoNet"}


def test_what_a_method_needs_is_said(clouds):
    bare = MultilayerGraph(clouds.graph.layers)
    assert METHODS["kmeans"].missing(bare, None) == "needs features"
    assert METHODS["mvlearn"].missing(clouds.graph, None) == "needs views"
    assert METHODS["spectral"].missing(bare, None) is None
    absent = Method("absent", METHODS["scml"].make, package="a_package_that_is_not_here")
    assert "needs a_package_that_is_not_here: pip install" in absent.missing(bare, None)
    with pytest.raises(ValueError, match="needs features"):
        fits_of([METHODS["kmeans"]], bare, None, 3)["K-means"](0)


def test_a_layer_alone_is_clustered_as_a_graph_of_that_layer(clouds):
    for method, layer in zip(layer_by_layer(clouds.graph), clouds.graph.layers, strict=True):
        found = method.fit(clouds.graph, None, 3, 0).labels_
        alone = baselines.SpectralClustering(3, random_state=0).fit(MultilayerGraph([layer])).labels_
        assert metrics.adjusted_rand(found, alone) == 1


def test_a_method_that_fails_yields_its_message_and_the_others_go_on(clouds):
    bare = MultilayerGraph(clouds.graph.layers)
    fits = fits_of([METHODS["kmeans"], METHODS["spectral"]], bare, None, 3)
    failed, done = compare(fits, [0], skip_failures=True)
    assert (failed.method, failed.failure, failed.labels) == ("K-means", "needs features", ())
    assert done.failure is None
    with pytest.raises(ValueError, match="needs features"):
        list(compare(fits, [0]))


def test_scores_are_means_over_the_runs_and_stability_is_that_between_them(clouds):
    fits = fits_of([METHODS["kmeans-raw"]], clouds.graph, None, 3)
    (outcome,) = compare(fits, [0, 1])
    found = [metrics.nmi(clouds.labels, labels) for labels in outcome.labels]
    assert outcome.scores(Reference(clouds.labels))["nmi"] == pytest.approx((np.mean(found), np.std(found)))
    assert outcome.stability() == pytest.approx(metrics.adjusted_rand(*outcome.labels))
    assert outcome.as_row()["runs"] == 2


def test_nodes_without_a_class_count_in_no_score(clouds):
    classes = clouds.labels.astype(str)
    labels = clouds.labels.copy()
    classes[:10], labels[:10] = "", (labels[:10] + 1) % 3
    assert Reference(classes).scores(labels)["nmi"] == pytest.approx(1)
