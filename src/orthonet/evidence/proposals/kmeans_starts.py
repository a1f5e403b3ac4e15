"""Where K-means starts: greedy K-means++ [1]_, the rows that scikit-learn draws, in a fraction of its time.

Each centre is drawn with a chance in proportion to the squared distance from the nearest centre so far; of a few that are drawn
the one that leaves the least distance is kept. scikit-learn looks at its arguments again for each of the K centres, which for
few thousand rows takes longer than the distances.

References
----------
.. [1] D. Arthur, S. Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

MOST_ROWS = 4096
"""Rows of which all products fit in 128 MB."""


def starting_centers(rows: npt.NDArray[Any], n_clusters: int, random_state: np.random.RandomState) -> npt.NDArray[Any]:
    """Return the rows to start from; for ``init`` of `sklearn.cluster.KMeans`, which passes a generator of this old kind."""
    n_rows, n_tried = len(rows), 2 + int(np.log(n_clusters))
    lengths = np.einsum("ij,ij->i", rows, rows)
    # Where about as many rows are tried as there are, all products at once take less time than a few again and again.
    products = rows @ rows.T if n_rows <= MOST_ROWS and 2 * n_clusters * n_tried > n_rows else None
    chosen = np.empty(n_clusters, dtype=np.intp)
    chosen[0] = random_state.choice(n_rows, p=np.full(n_rows, 1.0 / n_rows))
    nearest = _squared_distances(rows, lengths, products, chosen[:1])[0]
    total = nearest.sum()
    for index in range(1, n_clusters):
        drawn = random_state.uniform(size=n_tried) * total
        tried = np.minimum(nearest.cumsum().searchsorted(drawn), n_rows - 1)
        distances = _squared_distances(rows, lengths, products, tried)
        np.minimum(distances, nearest, out=distances)
        left = distances.sum(axis=1)
        best = int(left.argmin())
        chosen[index], nearest, total = tried[best], distances[best], left[best]
    return rows[chosen]


def _squared_distances(
    rows: npt.NDArray[Any],
    lengths: npt.NDArray[Any],
    products: npt.NDArray[Any] | None,
    centers: npt.NDArray[np.intp],
) -> npt.NDArray[Any]:
    """Return the squared distances of all rows from some of them, centres x rows; ``products`` of all rows may be known."""
    found = rows[centers] @ rows.T if products is None else products[centers]
    found *= -2.0
    found += lengths[centers, None]
    found += lengths
    return np.maximum(found, 0.0, out=found)
