"""Multi-view benchmark files of the research world: a Matlab file with a cell of feature matrices and a cell of labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.io import loadmat
from scipy.io.matlab import MatReadError
from scipy.sparse import csr_array, issparse


def read_multiview_mat(file: Path, n_views: int) -> tuple[list[Any], npt.NDArray[np.int64]]:
    """Return the views as N x M matrices, and the labels, of a file with cells ``data`` (M x N) and ``truelabel``."""
    try:
        content = loadmat(file, variable_names=["data", "truelabel"])
        labels = np.asarray(content["truelabel"].ravel()[0]).ravel().astype(np.int64)
        cells = content["data"].ravel()
    except (KeyError, ValueError, TypeError, OSError, IndexError, NotImplementedError, MatReadError) as error:
        raise ValueError(f"{file} is not a multi-view file with cells 'data' and 'truelabel' ({error})") from error
    views = [csr_array(cell.T) if issparse(cell) else np.asarray(cell, dtype=np.float64).T for cell in cells]
    if len(views) != n_views:
        raise ValueError(f"{file} has {len(views)} views, but this data set has {n_views}")
    for index, view in enumerate(views):
        if view.shape[0] != len(labels):
            raise ValueError(f"{file}: view {index} has {view.shape[0]} nodes, but there are {len(labels)} labels")
    return views, labels
