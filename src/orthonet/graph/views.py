"""Tables of features, a node in each row: one as the features of a graph, or several as views to build layers from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from orthonet.graph.features import Features, FeatureScaling
from orthonet.graph.formats.columns import Ids
from orthonet.graph.formats.doors import PathType, named_paths, told
from orthonet.graph.formats.feature_arrays import NUMPY, read_npy, read_sparse
from orthonet.graph.formats.label_table import read_labels
from orthonet.graph.formats.matlab import is_matlab, read_multiview_mat
from orthonet.graph.formats.matlab_values import same_partition
from orthonet.graph.formats.matrix_market import BANNER
from orthonet.graph.formats.missing_values import MissingFeatures
from orthonet.graph.formats.network_file import Column
from orthonet.graph.formats.node_table import read_node_table
from orthonet.graph.formats.opening import ZIP, check_file, opening_bytes
from orthonet.graph.formats.options import ReadOptions
from orthonet.graph.formats.view_rows import aligned
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.checks import check_choice

__all__ = ["FeatureTable", "ViewsFile", "read_features", "read_labels", "read_views"]


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """A table of features.

    Attributes
    ----------
    path : Path
    node_ids : array of shape (N,), or None
        None if the file has no ids: rows count by their order.
    features : array or sparse array of shape (N, M)
        A read-only memory map of a .npy file of floats.
    feature_names : tuple of str, or None
    attributes : mapping of names to arrays of N texts
        Columns that are no features.
    notes : tuple of str
        What was decided: columns left out, missing values filled.
    """

    path: Path
    node_ids: npt.NDArray[Any] | None
    features: Features
    feature_names: tuple[str, ...] | None
    attributes: Mapping[str, Column]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ViewsFile:
    """Views of the same nodes.

    Attributes
    ----------
    views : mapping of names to arrays or sparse arrays of shape (N, M_s)
        A row of NaN is a node that the view lacks.
    node_ids : array of shape (N,), or None
        None if the files have no ids.
    feature_names : mapping of names of views to tuples of str, or to None
    labels : array of shape (N,), or None
        Those that a .mat file brings.
    attributes : mapping of names to arrays of N texts
        Columns that are no features; a name that two views have is kept from the first.
    notes : tuple of str
    paths : tuple of Path
        The file of each view.
    """

    views: Mapping[str, Features]
    node_ids: npt.NDArray[Any] | None
    feature_names: Mapping[str, tuple[str, ...] | None]
    labels: npt.NDArray[Any] | None
    attributes: Mapping[str, Column]
    notes: tuple[str, ...]
    paths: tuple[Path, ...]

    def graph(
        self,
        n_neighbors: int = 10,
        weights: str = "self-tuning",
        metric: str = "euclidean",
        *,
        feature_scaling: FeatureScaling = "auto",
    ) -> MultilayerGraph:
        """Return the graph with a nearest-neighbour layer from each view; see `MultilayerGraph.from_views`."""
        try:
            graph = MultilayerGraph.from_views(
                self.views, n_neighbors, weights, metric, feature_scaling=feature_scaling, node_ids=self.node_ids
            )
        except ValueError as error:
            files = [f"view {name!r} ({path})" for name, path in zip(self.views, self.paths, strict=True)]
            raise ValueError(re.sub(r"views\[(\d+)\]", lambda found: files[int(found[1])], str(error))) from error
        object.__setattr__(graph, "feature_names", self._names_of_all())
        return graph

    def _names_of_all(self) -> tuple[str, ...] | None:
        """Return the names of the features side by side; the view stands before a name that another view has, too."""
        if all(names is None for names in self.feature_names.values()):
            return None
        listed = {
            view: self.feature_names[view] or tuple(f"column {index}" for index in range(features.shape[1]))
            for view, features in self.views.items()
        }
        views_with: dict[str, int] = {}
        for name in (name for names in listed.values() for name in names):
            views_with[name] = views_with.get(name, 0) + 1
        return tuple(
            f"{view}: {name}" if views_with[name] > 1 else name for view, names in listed.items() for name in names
        )


def read_features(
    path: PathType,
    *,
    id_column: str | int | None = None,
    delimiter: str | None = None,
    heading: bool | None = None,
    ids: Ids = "auto",
    ignore: Sequence[str | int] = (),
    categories: Sequence[str | int] = (),
    missing_features: MissingFeatures = "mean",
) -> FeatureTable:
    r"""Read a table of features, a node in each row.

    Parameters
    ----------
    path : path
        Delimited text (perhaps packed with gzip), Parquet, a .npy file of numpy's or a sparse .npz archive of scipy's.
    id_column : str or int, optional
        The column of ids, by name or counted from 0. If None, it is one with a usual name (id, node, name, …), else a first
        column without a name, as pandas writes its index, else a first column of text that differs in each row, else none.
    delimiter, heading
        Of a text file, found by itself if None: one character; whether the first row names the columns.
    ids : {"auto", "text"}, default="auto"
        "auto" makes ids integers if all are written as such (``7``, but not ``007``).
    ignore : sequence of str or int
        Columns that are no features. They become attributes, as do columns of text and those called label, class or truth.
    categories : sequence of str or int
        Columns that name categories, in text or in codes: each category becomes a feature of zeros and ones.
    missing_features : {"mean", "refuse"}, default="mean"
        What to do with empty cells in a column of numbers.

    Returns
    -------
    FeatureTable

    Raises
    ------
    ValueError, OSError
        With the file, and the row where there is one. If at least half of the cells of a column in a text file are numbers,
        text in the others is such an error; if fewer are, the column is one of text.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = file.write_text("name,age,town,height\nann,31,Bonn,1.7\nbob,,Ulm,1.8\neve,41,Ulm,1.6\n")
    >>> table = read_features(file)
    >>> table.node_ids.tolist(), table.feature_names, list(table.attributes)
    (['ann', 'bob', 'eve'], ('age', 'height'), ['town'])
    >>> table.features[1].tolist()
    [36.0, 1.8]
    """
    options = ReadOptions(delimiter=delimiter, heading=heading, ids=ids, id_column=id_column)
    return _table(path, options, ignore, missing_features, categories, of_views=False)


def read_views(
    paths: PathType | Sequence[PathType] | Mapping[str, PathType],
    *,
    id_column: str | int | None = None,
    delimiter: str | None = None,
    heading: bool | None = None,
    ids: Ids = "auto",
    ignore: Sequence[str | int] = (),
    missing_features: MissingFeatures = "mean",
) -> ViewsFile:
    r"""Read views of the same nodes, one from each file, or all from a .mat file.

    Parameters
    ----------
    paths : path, sequence of paths, or mapping of names to paths
        The files, see `read_features`; views are called by the mapping, or else by their files. A .mat file gives all its
        views, see `orthonet.datasets.read_multiview_mat`.
    id_column, delimiter, heading, ids, missing_features
        See `read_features`. A row without any number is a node that this view lacks, whatever ``missing_features`` is.
    ignore : sequence of str or int
        Columns that are no features, in those tables that have them.

    Returns
    -------
    ViewsFile
        If all tables have ids, rows are matched by them: nodes come in the order of the first table, then those that only
        later ones have. If none has, rows are matched by their order, and all tables must have as many.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "body.csv").write_text("id,age,height\nann,31,1.7\nbob,35,1.8\n")
    >>> _ = (folder / "work.csv").write_text("id,income\neve,3\nann,2\n")
    >>> content = read_views([folder / "body.csv", folder / "work.csv"])
    >>> content.node_ids.tolist(), content.views["work"].tolist()
    (['ann', 'bob', 'eve'], [[2.0], [nan], [3.0]])
    """
    options = ReadOptions(delimiter=delimiter, heading=heading, ids=ids, id_column=id_column)
    tables: dict[str, FeatureTable] = {}
    labels: dict[Path, npt.NDArray[Any]] = {}
    for name, path in named_paths(paths):
        file = check_file(path)
        if is_matlab(file):
            found, classes = _matlab(file)
            if classes is not None:
                labels[file] = classes
        else:
            found = {file.name.split(".")[0]: _table(path, options, ignore, missing_features, of_views=True)}
        if name is not None and len(found) != 1:
            raise ValueError(f"{path} has {len(found)} views, but is to be the one view {name!r}; pass it alone")
        for own, table in found.items():
            called = own if name is None else name
            if called in tables:
                raise ValueError(f"{tables[called].path} and {path} are both called {called!r}; pass {{name: path}}")
            tables[called] = table
    for column in ignore:
        if isinstance(column, str) and not any(column in table.attributes for table in tables.values()):
            raise ValueError(
                f"ignore={column!r} is a column of none of {', '.join(str(t.path) for t in tables.values())}"
            )
    return _joined(tables, labels)


def _joined(tables: Mapping[str, FeatureTable], labels: Mapping[Path, npt.NDArray[Any]]) -> ViewsFile:
    node_ids, rows, notes = aligned(
        {name: (one.path, one.node_ids, one.features.shape[0]) for name, one in tables.items()}
    )
    views: dict[str, Features] = {}
    attributes: dict[str, Column] = {}
    for name, table in tables.items():
        if rows is None:
            views[name] = table.features
            attributes = {**table.attributes, **attributes}
            continue
        lacking = rows[name] < 0
        spread = np.asarray(table.features)[rows[name]]
        spread[lacking] = np.nan
        views[name] = spread
        for column, texts in table.attributes.items():
            attributes.setdefault(column, np.where(lacking, "", texts[rows[name]]))
    first = next(iter(labels), None)
    for file, classes in labels.items():
        if first is not None and not same_partition(labels[first], classes):
            raise ValueError(f"{file} and {first} have labels that differ")
    return ViewsFile(
        views,
        node_ids,
        {name: table.feature_names for name, table in tables.items()},
        None if first is None else labels[first],
        attributes,
        (*(note for table in tables.values() for note in table.notes), *notes),
        tuple(table.path for table in tables.values()),
    )


def _table(
    path: PathType,
    options: ReadOptions,
    ignore: Sequence[str | int],
    missing: MissingFeatures,
    categories: Sequence[str | int] = (),
    *,
    of_views: bool,
) -> FeatureTable:
    """Read a table of features; among views it keeps empty rows, and may lack columns to ignore."""
    check_choice(options.ids, "ids", get_args(Ids))
    check_choice(missing, "missing_features", get_args(MissingFeatures))
    file = check_file(path)
    if is_matlab(file):
        raise ValueError(f"{path} is a Matlab file, which may hold several views; read it with read_views")
    start = opening_bytes(file, len(NUMPY))
    if start == NUMPY or start.startswith(ZIP):
        asked = (
            options.id_column
            if options.id_column is not None
            else None
            if of_views
            else next(iter((*ignore, *categories)), None)
        )
        if asked is not None:
            raise ValueError(f"{path} has no names of columns, and so no column {asked!r}")
        features, notes = read_npy(file, missing, of_views) if start == NUMPY else (read_sparse(file), [])
        return FeatureTable(file, None, features, None, {}, tuple(notes))
    if opening_bytes(file, len(BANNER)).lower() == BANNER.lower():
        raise ValueError(f"{path} is a Matrix Market file; save features as .npz with scipy.sparse.save_npz")
    table = told(
        path,
        lambda: read_node_table(
            file, options, missing, ignore=ignore, categories=categories, ids_needed=False, of_views=of_views
        ),
    )
    return FeatureTable(
        file,
        table.ids if table.has_ids else None,
        table.features,
        table.feature_names if table.has_heading or categories else None,
        table.attributes,
        table.notes,
    )


def _matlab(file: Path) -> tuple[dict[str, FeatureTable], npt.NDArray[Any] | None]:
    content = read_multiview_mat(file)
    named = zip(content.names, content.views, strict=True)
    return {name: FeatureTable(file, None, view, None, {}, ()) for name, view in named}, content.labels
