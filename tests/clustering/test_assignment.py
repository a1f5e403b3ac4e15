"""K-means on unit rows."""

import numpy as np

from orthonet.clustering.assignment import assign, nearest_center, unit_rows


def test_labels_do_not_depend_on_the_length_of_rows(rng):
    directions = np.eye(4)[np.arange(80) % 4] + 0.05 * rng.standard_normal((80, 4))
    lengths = rng.uniform(0.01, 10, (80, 1))
    first = assign(directions, 4, rng=np.random.default_rng(0))
    second = assign(directions * lengths, 4, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(first.labels, second.labels)
    assert len({tuple(first.labels[start::4]) for start in range(4)}) == 4


def test_without_dice_well_separated_clusters_are_found(rng):
    embedding = np.linalg.qr(np.eye(30)[np.arange(300) % 30] + 0.02 * rng.standard_normal((300, 30)))[0]
    found = assign(embedding, 30, n_init=0, rng=rng)
    assert len(np.unique(found.labels[:30])) == 30
    np.testing.assert_array_equal(found.labels, np.tile(found.labels[:30], 10))


def test_nearest_center_agrees_with_the_assignment(rng):
    embedding = rng.standard_normal((200, 3))
    found = assign(embedding, 3, rng=rng)
    np.testing.assert_array_equal(nearest_center(embedding, found.centers), found.labels)


def test_zero_rows_stay_finite():
    assert unit_rows(np.zeros((2, 3))).tolist() == [[0, 0, 0], [0, 0, 0]]
