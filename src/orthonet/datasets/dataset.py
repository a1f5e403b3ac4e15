"""The object that every loader returns, and where loaders look for files."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.datasets.fetch import DATA_HOME_VARIABLE, RemoteFile, cache_folder, fetch, given_home
from orthonet.graph.features import Features
from orthonet.graph.multilayer import MultilayerGraph


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


def data_file(
    relative: str,
    data_home: str | PathLike[str] | None,
    what: str,
    remote: RemoteFile | None = None,
    download: bool = True,
) -> Path:
    """Return the path of a data file, fetched if need be, or raise an error that says what to get and where to put it.

    Parameters
    ----------
    relative : str
        Its place below the data home.
    data_home : path or None
        ORTHONET_DATA_HOME if None. The user's cache folder is looked into as well.
    what : str
        What to get, for the error.
    remote : RemoteFile, optional
        Its public home, if it has one.
    download : bool, default=True
        Whether to fetch it from there if it is nowhere here.
    """
    home = given_home(data_home)
    if home is not None and (home / relative).is_file():
        return home / relative
    cache = cache_folder()
    if cache is not None and (cache / relative).is_file():
        return cache / relative
    if remote is not None and download:
        return fetch(remote, data_home)
    or_fetch = "" if remote is None else f"; or pass download=True to fetch it from {remote.url}"
    if home is None:
        raise FileNotFoundError(
            f"this data set is not part of the package: get {what}, put it at {relative} in some folder, and name that folder "
            f"with data_home= or the environment variable {DATA_HOME_VARIABLE}{or_fetch}"
        )
    raise FileNotFoundError(f"there is no file {home / relative}: get {what} and put it there{or_fetch}")
