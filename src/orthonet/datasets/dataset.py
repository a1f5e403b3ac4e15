"""The object that every loader returns, and where loaders look for files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.graph.features import Features
from orthonet.graph.multilayer import MultilayerGraph

DATA_HOME_VARIABLE = "ORTHONET_DATA_HOME"


@dataclass(frozen=True, repr=False)
class Dataset:
    """A multilayer graph with a reference partition.

    Attributes
    ----------
    graph : MultilayerGraph
    labels : array of shape (N,)
        Reference partition, to judge a clustering by.
    name, source, license, description : str
    views : tuple of arrays or sparse arrays of shape (N, M_s), or None
        The feature groups that the layers were built from, as they came; None if the layers are relations.
    """

    graph: MultilayerGraph
    labels: npt.NDArray[Any]
    name: str
    source: str
    license: str
    description: str
    views: tuple[Features, ...] | None = None

    @property
    def n_clusters(self) -> int:
        """Number of classes in the reference partition."""
        return len(np.unique(self.labels))

    def __repr__(self) -> str:
        return f"<Dataset {self.name!r}: {self.n_clusters} classes, {self.graph!r}>"


def data_file(relative: str, data_home: str | PathLike[str] | None, what: str) -> Path:
    """Return the path of a data file, or raise an error that says what to get and where to put it."""
    home = data_home if data_home is not None else os.environ.get(DATA_HOME_VARIABLE)
    if home is None:
        raise FileNotFoundError(
            f"this data set is not part of the package: get {what}, put it at {relative} in some folder, and name that folder "
            f"with data_home= or the environment variable {DATA_HOME_VARIABLE}"
        )
    file = Path(home).expanduser() / relative
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {file}: get {what} and put it there")
    return file
