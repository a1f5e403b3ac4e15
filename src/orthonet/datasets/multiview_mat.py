"""Multi-view files of the research world as data sets: a nearest-neighbour layer from each view, and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from scipy.sparse import csr_array

from orthonet.datasets.dataset import Dataset, data_file
from orthonet.datasets.fetch import RemoteFile
from orthonet.files.errors import FileError
from orthonet.files.matlab.multiview import LABEL_NAMES, MultiviewFile, read_multiview_mat
from orthonet.files.matlab.values import Labels, Orientation
from orthonet.graph.features import FeatureScaling
from orthonet.graph.multilayer import MultilayerGraph


def load_multiview_mat(
    file: str | PathLike[str],
    *,
    n_neighbors: int = 10,
    weights: str = "self-tuning",
    metric: str = "euclidean",
    feature_scaling: FeatureScaling = "auto",
    views: str | Sequence[str] | None = None,
    labels: str | None = None,
    orientation: Orientation = "auto",
) -> Dataset:
    """Load anyone's multi-view file, with labels, as a graph with a nearest-neighbour layer from each view.

    Parameters
    ----------
    file : path
    n_neighbors, weights, metric, feature_scaling
        See `MultilayerGraph.from_views`. Views that are sparse in the file stay sparse, and their rows are scaled to unit
        length.
    views, labels, orientation
        See `read_multiview_mat`; a file without labels can be read with that.
    """
    path = Path(file).expanduser()
    content = labelled(path, views=views, labels=labels, orientation=orientation)
    named = dict(zip(content.names, content.views, strict=True))
    graph = MultilayerGraph.from_views(named, n_neighbors, weights, metric, feature_scaling=feature_scaling)
    return Dataset(
        graph,
        content.labels,
        name=path.stem,
        source=f"the file {path.name}",
        license="not stated in the file",
        description=f"{len(content.views)} views of {graph.n_nodes} nodes ({', '.join(content.names)}).",
        views=content.views,
    )


@dataclass(frozen=True, eq=False)
class LabelledViews(MultiviewFile):
    """What a multi-view file with labels holds."""

    labels: Labels


def labelled(file: str | PathLike[str], **options: Any) -> LabelledViews:
    """Read a multi-view file, as `read_multiview_mat` does, that must have labels."""
    content = read_multiview_mat(file, **options)
    if content.labels is None:
        raise FileError.about(
            file,
            f"has no labels under any usual name ({', '.join(LABEL_NAMES)}); name them with labels=, or use "
            "read_multiview_mat and MultilayerGraph.from_views, which need none",
        )
    return LabelledViews(content.views, content.labels, content.names, content.labels_name)


def load_remote(
    remote: RemoteFile,
    what: str,
    view_names: Sequence[str],
    data_home: str | PathLike[str] | None,
    download: bool,
    *,
    sparse: bool = False,
    how: Mapping[str, Any],
    **about: str,
) -> Dataset:
    """Load a known multi-view file, fetched if it is not there and ``download`` is true.

    ``sparse`` makes the views sparse, ``how`` are options of `MultilayerGraph.from_views`, ``about`` texts of the `Dataset`.
    """
    content = labelled(data_file(remote.path, data_home, what, remote, download), n_views=len(view_names))
    views = tuple(csr_array(view) for view in content.views) if sparse else content.views
    graph = MultilayerGraph.from_views(dict(zip(view_names, views, strict=True)), **how)
    return Dataset(graph, content.labels, views=views, **about)
