"""UCI Multiple Features: handwritten digits described by six feature groups.

| nodes | layers | features | classes |
|---|---|---|---|
| 2000 | 6 (5-NN, one per group) | 216 + 76 + 64 + 6 + 240 + 47 | 10 |

Source: R. Duin, UCI Machine Learning Repository, https://doi.org/10.24432/C5HC70; the same six groups are on OpenML
(https://www.openml.org), a data set for each. Licence: CC BY 4.0 (UCI).
"""

from __future__ import annotations

from http.client import HTTPException
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import fetch_openml

from orthonet.datasets.dataset import Dataset, data_file
from orthonet.datasets.fetch import DATA_HOME_VARIABLE, cache_folder, given_home
from orthonet.datasets.multiview_mat import labelled
from orthonet.graph.features import Features
from orthonet.graph.multilayer import MultilayerGraph

OPENML = {
    "profile correlations": (12, 216),
    "Fourier coefficients": (14, 76),
    "Karhunen-Loeve": (16, 64),
    "morphological": (18, 6),
    "pixel averages": (20, 240),
    "Zernike": (22, 47),
}
"""The groups, in the order of the file: their number on OpenML, and how many features they have."""
VIEWS = tuple(OPENML)
PLACE = "mfeat/Mfeat.mat"
WHAT = "Mfeat.mat, the UCI Multiple Features data in multi-view .mat layout"


def load_mfeat(
    data_home: str | PathLike[str] | None = None,
    *,
    download: bool = True,
    n_neighbors: int = 5,
    weights: str = "self-tuning",
) -> Dataset:
    """Load Mfeat from ``mfeat/Mfeat.mat`` in ``data_home`` (or ORTHONET_DATA_HOME), or from OpenML if it is not there.

    Parameters
    ----------
    data_home : path, optional
    download : bool, default=True
        Get the six groups from OpenML if there is no file; scikit-learn fetches them, checks them, and keeps them in
        the data home or else in the user's cache.
    n_neighbors : int, default=5
        As in the paper.
    weights : str, default="self-tuning"
        See `MultilayerGraph.from_views`.
    """
    source = "UCI Machine Learning Repository, Multiple Features (R. Duin)"
    views: tuple[Features, ...]
    try:
        content = labelled(data_file(PLACE, data_home, WHAT), n_views=len(VIEWS))
        views, labels = content.views, content.labels
        source += ", as a multi-view .mat file"
    except FileNotFoundError as error:
        if not download:
            raise FileNotFoundError(f"{error}; or pass download=True to get the same data from OpenML") from None
        views, labels = _from_openml(data_home)
        source += ", from OpenML"
    graph = MultilayerGraph.from_views(dict(zip(VIEWS, views, strict=True)), n_neighbors, weights)
    return Dataset(
        graph,
        labels,
        name="mfeat",
        source=source,
        license="CC BY 4.0 (UCI)",
        description="2000 handwritten digits 0-9 from Dutch utility maps, described by six groups of features.",
        views=views,
    )


def _from_openml(data_home: str | PathLike[str] | None) -> tuple[tuple[Features, ...], npt.NDArray[np.int64]]:
    """Return the six groups and the labels, 1 to 10 as in the file, of OpenML's data sets."""
    views: list[Features] = []
    labels: list[npt.NDArray[np.int64]] = []
    for name, (number, n_features) in OPENML.items():
        try:
            bunch = fetch_openml(
                data_id=number, data_home=given_home(data_home) or cache_folder(), as_frame=False, parser="liac-arff"
            )
            view = _numbers(bunch)
            classes = _in_order_of_appearance(bunch.target)
        except (OSError, ValueError, HTTPException) as error:
            problem = ConnectionError if isinstance(error, (OSError, HTTPException)) else ValueError
            raise problem(
                f"the group {name!r} of Mfeat could not be had from OpenML (https://www.openml.org/d/{number}): {error}; try "
                f"again, or get {WHAT} and put it at {PLACE} in a folder named with data_home= or {DATA_HOME_VARIABLE}"
            ) from error
        if view.shape[1] != n_features or (labels and not np.array_equal(labels[0], classes)):
            raise ValueError(
                f"https://www.openml.org/d/{number} is not the group {name!r} of Mfeat: it has {view.shape[0]} nodes, "
                f"{view.shape[1]} features and {len(np.unique(classes))} classes, wanted the nodes and classes of the group "
                f"{VIEWS[0]!r}, in its order, and {n_features} features"
            )
        views.append(view)
        labels.append(classes)
    return tuple(views), labels[0] + 1


def _numbers(bunch: Any) -> npt.NDArray[np.float64]:
    """Return the features as numbers also where OpenML calls them names: then it gives the place of each in a list."""
    data = np.array(bunch.data, dtype=np.float64)
    for column, name in enumerate(bunch.feature_names):
        values = (bunch.categories or {}).get(name)
        if values is not None:
            data[:, column] = np.array(values, dtype=np.float64)[data[:, column].astype(np.intp)]
    return data


def _in_order_of_appearance(labels: Any) -> npt.NDArray[np.int64]:
    """Number the classes from 0 as they come: the groups do not agree on what to call them."""
    _, first, number = np.unique(np.asarray(labels).astype(str), return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number].astype(np.int64)
