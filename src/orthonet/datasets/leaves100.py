"""UCI one-hundred plant species leaves: shape, margin and texture of 16 leaves of each species.

| nodes | layers | features | classes |
|---|---|---|---|
| 1600 | 3 (5-NN, one per group) | 64 + 64 + 64 | 100 |
"""

from __future__ import annotations

from os import PathLike

from orthonet.datasets.dataset import Dataset, data_file
from orthonet.datasets.multiview_mat import read_multiview_mat
from orthonet.graph.multilayer import MultilayerGraph

VIEWS = ("shape", "margin", "texture")


def load_leaves100(
    data_home: str | PathLike[str] | None = None, *, n_neighbors: int = 5, weights: str = "self-tuning"
) -> Dataset:
    """Load 100 leaves from ``leaves100/100leaves.mat`` in ``data_home`` (or ORTHONET_DATA_HOME).

    Parameters
    ----------
    data_home : path, optional
    n_neighbors : int, default=5
        As in the paper.
    weights : str, default="self-tuning"
        See `MultilayerGraph.from_views`.
    """
    file = data_file(
        "leaves100/100leaves.mat", data_home, "100leaves.mat, the UCI leaves data in multi-view .mat layout"
    )
    views, labels = read_multiview_mat(file, len(VIEWS))
    graph = MultilayerGraph.from_views(dict(zip(VIEWS, views, strict=True)), n_neighbors, weights)
    return Dataset(
        graph,
        labels,
        name="leaves100",
        source="UCI Machine Learning Repository, One-hundred plant species leaves (Mallah, Cope, Orwell), as a .mat file",
        license="CC BY 4.0 (UCI)",
        description="1600 leaves, 16 of each of 100 plant species, described by shape, margin and texture.",
        views=tuple(views),
    )
