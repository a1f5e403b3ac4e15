"""Features that are words or counts are recognised, also as dense arrays, and rare words count more."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet.graph.features import are_words
from orthonet.graph.words import as_counts, inverse_document_frequencies


def word_counts(rng, share_of_zeros=0.95):
    return rng.poisson(2.0, (100, 40)) * (rng.random((100, 40)) > share_of_zeros) * 1.0


def test_sparse_features_without_negative_entries_are_words(rng):
    assert are_words(csr_array(rng.random((20, 5))))
    assert are_words(csr_array((20, 5)))
    assert not are_words(csr_array(rng.standard_normal((20, 5))))


def test_dense_counts_are_words_and_dense_measurements_are_not(rng):
    assert are_words(word_counts(rng))
    assert not are_words(rng.standard_normal((100, 40)))
    assert not are_words(rng.random((100, 40)))
    image = rng.random((100, 40)) * (rng.random((100, 40)) < 0.3)  # ink on paper: mostly zero, but not nearly all
    assert not are_words(image)


def test_one_negative_entry_makes_dense_features_something_else(rng):
    counts = word_counts(rng)
    counts[3, 3] = -1.0
    assert not are_words(counts)


@pytest.mark.parametrize("negative", [False, True])
def test_a_memory_map_is_looked_at_block_by_block(negative, tmp_path, rng, monkeypatch):
    monkeypatch.setattr("orthonet.graph.features.BLOCK_ROWS", 7)
    features = np.memmap(tmp_path / "features.dat", dtype=np.float32, mode="w+", shape=(100, 40))
    features[:] = word_counts(rng)
    if negative:
        features[99, 0] = -1.0
    assert are_words(features) is not negative


def test_counts_are_a_copy_without_stored_zeros():
    given = csr_array((np.array([1.0, 0.0, 2.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
    counts = as_counts(given)
    assert (counts.nnz, given.nnz) == (2, 3)
    np.testing.assert_array_equal(counts.toarray(), given.toarray())
    np.testing.assert_array_equal(as_counts(given.toarray()).toarray(), given.toarray())


def test_rarer_words_count_more_as_scikit_learn_has_it(rng):
    from sklearn.feature_extraction.text import TfidfTransformer

    counts = as_counts(word_counts(rng, 0.7))
    found = inverse_document_frequencies(counts)
    np.testing.assert_allclose(found, TfidfTransformer().fit(counts).idf_)
    with_word = (counts.toarray() > 0).sum(axis=0)
    assert (np.diff(found[np.argsort(with_word)]) <= 0).all()
