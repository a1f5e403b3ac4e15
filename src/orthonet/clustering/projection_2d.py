"""An embedding of any dimension in the plane, and a sample of its nodes where there are too many to draw."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE

Array = npt.NDArray[np.float64]

TSNE_UP_TO = 5000
"""Nodes up to which more than three dimensions are flattened by t-SNE, which takes some seconds there."""


def flatten(points: Array) -> Array:
    """Return points of any dimension in the plane: principal components up to three dimensions, else t-SNE."""
    n_points, n_dims = points.shape
    if n_points < 2:
        return np.zeros((n_points, 2))
    if n_dims == 1:
        return np.hstack([points, np.zeros_like(points)])
    if flattening(n_points, n_dims) == "principal components":
        principal: Array = PCA(2, svd_solver="full").fit_transform(points)
        return principal
    perplexity = min(30.0, (n_points - 1) / 3)
    # Half the usual iterations and coarser forces: on Mfeat a third of the time, and neighbours as true (0.997 of 1).
    method = TSNE(perplexity=perplexity, init="pca", random_state=0, max_iter=500, angle=0.8)
    flat: Array = method.fit_transform(points)
    return flat


def flattening(n_points: int, n_dims: int) -> Literal["t-SNE", "principal components"]:
    """Say how `flatten` brings so many points to the plane."""
    return "principal components" if n_dims <= 3 or not 10 < n_points <= TSNE_UP_TO else "t-SNE"


def sample(n_nodes: int, most: int) -> npt.NDArray[np.intp]:
    """Return the positions of all nodes, or of a random sample of ``most``, always the same one."""
    if n_nodes <= most:
        return np.arange(n_nodes)
    return np.sort(np.random.default_rng(0).choice(n_nodes, most, replace=False))
