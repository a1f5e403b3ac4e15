"""Agreement of partitions is scikit-learn's normalised mutual information."""

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

from orthonet.evidence.sameness import agreement


@pytest.mark.parametrize("n_clusters", [(1, 1), (1, 4), (3, 5), (40, 2)])
def test_agreement_is_the_normalised_mutual_information(rng, n_clusters):
    first, second = (rng.integers(0, k, 90) for k in n_clusters)
    assert agreement(first, second) == pytest.approx(normalized_mutual_info_score(first, second), abs=1e-12)
    assert agreement(first, np.max(first) - first) == pytest.approx(1.0, abs=1e-12)
