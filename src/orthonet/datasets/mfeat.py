"""UCI Multiple Features: handwritten digits described by six feature groups.

| nodes | layers | features | classes |
|---|---|---|---|
| 2000 | 6 (5-NN, one per group) | 216 + 76 + 64 + 6 + 240 + 47 | 10 |
"""

from __future__ import annotations

from os import PathLike

from orthonet.datasets.dataset import Dataset, data_file
from orthonet.datasets.multiview_mat import read_multiview_mat
from orthonet.graph.multilayer import MultilayerGraph

VIEWS = (
    "profile correlations",
    "Fourier coefficients",
    "Karhunen-Loeve",
    "morphological",
    "pixel averages",
    "Zernike",
)


def load_mfeat(
    data_home: str | PathLike[str] | None = None, *, n_neighbors: int = 5, weights: str = "self-tuning"
) -> Dataset:
    """Load Mfeat from ``mfeat/Mfeat.mat`` in ``data_home`` (or ORTHONET_DATA_HOME).

    Parameters
    ----------
    data_home : path, optional
    n_neighbors : int, default=5
        As in the paper.
    weights : str, default="self-tuning"
        See `MultilayerGraph.from_views`.
    """
    file = data_file(
        "mfeat/Mfeat.mat", data_home, "Mfeat.mat, the UCI Multiple Features data in multi-view .mat layout"
    )
    views, labels = read_multiview_mat(file, len(VIEWS))
    graph = MultilayerGraph.from_views(dict(zip(VIEWS, views, strict=True)), n_neighbors, weights)
    return Dataset(
        graph,
        labels,
        name="mfeat",
        source="UCI Machine Learning Repository, Multiple Features (R. Duin), as a multi-view .mat file",
        license="CC BY 4.0 (UCI)",
        description="2000 handwritten digits 0-9 from Dutch utility maps, described by six groups of features.",
        views=tuple(views),
    )
