"""The eigenvectors that both the search and the aggregation start from: of each relation, and of their mean.

    A_s = I − D^{-1/2} W_s D^{-1/2},      D = degrees + mean degree;      their mean with equal weights

Each is filtered from a random block.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from orthonet.partitioned.eigenvectors import RowVectors, lowest_vectors
from orthonet.partitioned.operators import weighted_sum
from orthonet.partitioned.relations import Relations

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Spectra:
    """Own rows of the lowest eigenvectors of each relation, and of their mean."""

    each: tuple[RowVectors, ...]
    mean: RowVectors

    @classmethod
    def of(cls, relations: Relations, k: int, rng: np.random.Generator) -> Spectra:
        """Find ``k`` of each, and a few more that are rougher."""
        indices = range(len(relations.each))
        each = tuple(lowest_vectors(relations.regularized(index), k, rng) for index in indices)
        if len(each) == 1:
            return cls(each, each[0])
        mean = weighted_sum([relations.regularized(index) for index in indices], np.full(len(each), 1 / len(each)))
        return cls(each, lowest_vectors(mean, k, rng))

    @property
    def converged(self) -> list[bool]:
        """Whether the vectors of each relation, and of the mean, have the residual asked for."""
        return [one.converged for one in (*self.each, self.mean)]
