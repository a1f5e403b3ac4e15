"""Mini-batches of own nodes that do not depend on who holds a node: each is drawn, or not, by a number of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from orthonet.partitioned.rows import Rows


@dataclass(frozen=True)
class RowBatches:
    """Which own nodes each step sees: every node with the chance ``size`` / N, over all processes about ``size`` of them.

    Parameters
    ----------
    rows : Rows
    size : int
    seed : int
    """

    rows: Rows
    size: int
    seed: int

    def at(self, step: int) -> npt.NDArray[np.intp]:
        """Return the own nodes of a step, counted from 0, in ascending order."""
        drawn = self.rows.uniform(np.random.default_rng([self.seed, step]))[:, 0]
        return np.flatnonzero(drawn < self.size / self.rows.n_nodes)
