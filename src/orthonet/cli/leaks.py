"""Features that may be the answer itself: columns that are called so, or that alone tell the clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from orthonet.files.tables.column_names import plain
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.text import listed

KNOWN = "label labels class classes group groups truth groundtruth cluster clusters target"
ANSWERS = frozenset(KNOWN.split())
"""What a column of known classes is called, in small letters and digits alone."""
VALUES_PER_CLUSTER = 2
"""A column with more different values than this for each cluster measures something; with fewer it may be a code."""
REPRODUCED = 0.98
"""Share of the nodes whose cluster must follow from a column's value, for it to reproduce the clusters."""

ADVICE = "leave it out with --ignore"


def leak_warnings(graph: MultilayerGraph, labels: npt.NDArray[Any]) -> list[str]:
    """Return a sentence for each feature that may be the answer, for columns of the same kind together."""
    features: Any = graph.features
    if features is None:
        return []
    names = list(graph.feature_names or (f"column {index}" for index in range(features.shape[1])))
    called = [name for name in names if plain(name) in ANSWERS]
    found = []
    if called:
        found.append(
            f"{_said(called)} among the features, but called like known classes; if that is what it holds, {ADVICE}"
        )
    if not issparse(features) and features.shape[1] > 1:
        n_clusters = len(np.unique(labels))
        same = [
            name
            for index, name in enumerate(names)
            if name not in called and _reproduces(np.asarray(features[:, index]), labels, n_clusters)
        ]
        if same:
            found.append(f"{_said(same)} enough to tell the clusters apart; if it is not meant to be, {ADVICE}")
    return found


def _said(names: list[str]) -> str:
    quoted = listed([repr(name) for name in names], 5)
    return f"the column {quoted} is" if len(names) == 1 else f"the columns {quoted} are each"


def _reproduces(column: npt.NDArray[Any], labels: npt.NDArray[Any], n_clusters: int) -> bool:
    """Return whether the cluster of nearly every node follows from its value in a column of few values."""
    values, which = np.unique(column, return_inverse=True)
    if not n_clusters <= len(values) <= VALUES_PER_CLUSTER * n_clusters or n_clusters < 2:
        return False
    counts = np.zeros((len(values), int(labels.max()) + 1), dtype=np.int64)
    np.add.at(counts, (which, labels), 1)
    followed = np.zeros(counts.shape[1], dtype=np.int64)
    np.add.at(followed, counts.argmax(axis=1), counts.max(axis=1))
    # Each cluster must follow from the column: one with nearly all nodes would be told by any column.
    return bool((followed >= counts.sum(axis=0) / 2).all() and followed.sum() >= REPRODUCED * len(labels))
