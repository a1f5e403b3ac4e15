"""An order of many nodes in which those with like features stand near each other, however they were numbered.

Products with a layer read, for each node, the rows of its neighbours. Where these are near in memory they are in the cache; of
a million nodes in random order they are not, and a product takes two to three times as long. The leaves of a k-d tree, from
left to right, keep like nodes together; the tree is built from nodes in the order of their features, so that nothing hangs on
how they were numbered.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

LEAF = 16
"""Nodes in a leaf."""
MOST_COLUMNS = 8
"""Features that are looked at: more would not split a million nodes any finer."""


def spatial_order(features: npt.NDArray[np.floating]) -> npt.NDArray[np.intp]:
    """Return positions of the nodes in the order of the leaves.

    Parameters
    ----------
    features : array of shape (N, M)
    """
    deviations = features.std(axis=0)
    columns = np.sort(np.argsort(-deviations, kind="stable")[:MOST_COLUMNS])
    seen = np.asarray(features[:, columns], dtype=np.float64)
    by_value = np.lexsort(seen.T[::-1])
    # Not balanced: where many nodes are equal a balanced tree takes long to build.
    tree = KDTree(seen[by_value], leafsize=LEAF, compact_nodes=False, balanced_tree=False)
    return by_value[tree.indices]
