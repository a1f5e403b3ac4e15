"""Values as features: each category a column of zeros and ones."""

import numpy as np

from orthonet.files.tables.feature_values import one_hot


def test_missing_values_have_no_category():
    coded, categories = one_hot(["b", "", "a", "b"])
    assert (coded.tolist(), categories.tolist()) == ([[0, 1], [0, 0], [1, 0], [0, 1]], ["a", "b"])
    assert one_hot([2.0, np.nan])[0].tolist() == [[1.0], [0.0]]
