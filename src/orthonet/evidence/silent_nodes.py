"""Nodes of which no source says anything: no edges, no words.

All that is known of such a node is that it has none. If the nodes of cluster c have m_c edges and words on average, and their
number is Poisson distributed, a node of it has none with probability e^{−m_c}, so that the node is placed in

    argmax_c  n_c e^{−m_c},      n_c the number of nodes in the cluster:

where edges are few, unless another cluster is far larger. Its confidence stays 1 / K.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from orthonet.evidence.sources import Labels, Source


def place_silent_nodes(
    sources: Sequence[Source], labels: Labels, n_clusters: int, weights: npt.NDArray[np.float64]
) -> Labels:
    """Return the labels with nodes that no source of positive weight observed in the cluster of the module."""
    counts = sum(
        (source.n_observed for weight, source in zip(weights, sources, strict=True) if weight > 0),
        np.zeros(len(labels)),
    )
    silent = counts == 0
    if silent.all() or not silent.any():
        return labels
    sizes = np.bincount(labels[~silent], minlength=n_clusters)
    totals = np.bincount(labels[~silent], counts[~silent], minlength=n_clusters)
    filled = sizes > 0
    likelihood = np.full(n_clusters, -np.inf)
    likelihood[filled] = np.log(sizes[filled]) - totals[filled] / sizes[filled]
    return np.where(silent, likelihood.argmax(), labels)
