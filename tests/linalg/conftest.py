"""SPD matrices, and how far a matrix is from their mean."""

import numpy as np
import pytest

from orthonet.linalg import spd


@pytest.fixture
def random_spd():
    """A function that draws an SPD matrix of a given condition."""

    def draw(rng, n, condition=1e3):
        basis = np.linalg.qr(rng.standard_normal((n, n)))[0]
        return (basis * np.geomspace(1 / condition, 1, n)) @ basis.T

    return draw


@pytest.fixture
def tangent_at():
    """Root mean square of the eigenvalues of T, written down again with square roots."""

    def size(mean, matrices):
        inverse = np.linalg.inv(spd.sqrt(mean))
        logs = [spd.log(inverse @ matrix @ inverse) for matrix in matrices]
        return np.linalg.norm(np.mean(logs, axis=0)) / np.sqrt(len(mean))

    return size


@pytest.fixture
def matrices(rng, random_spd):
    return np.array([random_spd(rng, 12) for _ in range(4)])
