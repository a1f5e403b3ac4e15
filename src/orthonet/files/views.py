"""Read views of the same nodes: tables of features to build layers from, one layer per view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack, issparse

from orthonet.files.errors import FileError, naming_file
from orthonet.files.features import read_feature_table
from orthonet.files.matlab.multiview import MultiviewFile, read_multiview_mat
from orthonet.files.matlab.values import same_partition
from orthonet.files.network import Column
from orthonet.files.options import Ids, MissingFeatures, ReadOptions
from orthonet.files.read import named_paths
from orthonet.files.source import PathType, Source
from orthonet.files.tables.node_table import FeatureTable
from orthonet.graph.features import Features, FeatureScaling
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.validation import Symmetrize
from orthonet.graph.view_layers import layers_from_views
from orthonet.support.checks import check_choice
from orthonet.support.sentences import Argument, Sentence


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
        Columns that are not features; a name that two views have is kept from the first.
    notes : tuple of str
    paths : tuple of Path
        The file of each view.
    relations : mapping of names to sparse arrays of shape (N, N)
        Weights between the nodes that a .mat file has beside its views.
    """

    views: Mapping[str, Features]
    node_ids: npt.NDArray[Any] | None
    feature_names: Mapping[str, tuple[str, ...] | None]
    labels: npt.NDArray[Any] | None
    attributes: Mapping[str, Column]
    notes: tuple[str, ...]
    paths: tuple[Path, ...]
    relations: Mapping[str, csr_array] = field(default_factory=dict)

    def graph(
        self,
        n_neighbors: int = 10,
        weights: str = "self-tuning",
        metric: str = "euclidean",
        *,
        feature_scaling: FeatureScaling = "auto",
        symmetrize: Symmetrize = "max",
    ) -> MultilayerGraph:
        """Return the graph with a nearest-neighbour layer from each view; see `MultilayerGraph.from_views`.

        Where the file has relations, these are the layers, and the views side by side the features.

        Parameters
        ----------
        n_neighbors, weights, metric, feature_scaling
            Of layers that are built from views.
        symmetrize : {"mean", "max", "min"}, default="max"
            How a relation that has a direction becomes symmetric.
        """
        if self.relations:
            with naming_file(self.paths[0]):
                return self._graph_of_relations(symmetrize)
        named = zip(self.views.items(), self.paths, strict=True)
        built = layers_from_views(
            {f"view {name!r} ({path})": view for (name, view), path in named},
            feature_scaling,
            n_neighbors=n_neighbors,
            weights=weights,
            metric=metric,
        )
        return MultilayerGraph(
            built.layers,
            built.features,
            tuple(self.views),
            self.node_ids,
            present=built.present,
            layers_from_features=True,
            feature_names=self._names_of_all(),
        )

    def _graph_of_relations(self, symmetrize: Symmetrize) -> MultilayerGraph:
        blocks: list[Any] = list(self.views.values())
        features = hstack(blocks, format="csr") if any(map(issparse, blocks)) else np.hstack(blocks)
        return MultilayerGraph(
            self.relations,
            features,
            node_ids=self.node_ids,
            symmetrize=symmetrize,
            feature_names=self._names_of_all(),
        )

    def _names_of_all(self) -> tuple[str, ...] | None:
        """Return the names of the features side by side; the view comes before a name that another view has, too."""
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
        The files, see `read_features`; views are named by the mapping, or else by their files. A .mat file gives all its
        views and the relations beside them, see `orthonet.files.read_multiview_mat`.
    id_column, delimiter, heading, ids, missing_features
        See `read_features` (but ``missing_features="keep"``). A row without any number is a node that this view lacks,
        whatever ``missing_features`` is.
    ignore : sequence of str or int
        Columns that are not features, in those tables that have them.

    Returns
    -------
    ViewsFile
        If all tables have ids, rows are matched by them: nodes come in the order of the first table, then those that only
        later ones have. If none has, rows are matched by their order, and all tables must have as many.

    See Also
    --------
    read_features : one table of features.
    orthonet.MultilayerGraph.from_views : layers from arrays.

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
    check_choice(missing_features, "missing_features", get_args(MissingFeatures))
    options = ReadOptions(delimiter=delimiter, heading=heading, ids=ids, id_column=id_column)
    tables: dict[str, FeatureTable] = {}
    labels: dict[Path, npt.NDArray[Any]] = {}
    relations: dict[str, csr_array] = {}
    for name, path in named_paths(paths):
        source = Source.of(path)
        if source.is_matlab:
            content = read_multiview_mat(source)
            found = _tables_of(content, source.path)
            relations |= content.relations
            if content.labels is not None:
                labels[source.path] = content.labels
        else:
            found = {source.name: read_feature_table(source, options, ignore, missing_features, of_views=True)}
        if name is not None and len(found) != 1:
            raise FileError.about(path, f"has {len(found)} views, but is to be the one view {name!r}; pass it alone")
        for own, table in found.items():
            called = own if name is None else name
            if called in tables:
                first = tables[called].path
                raise FileError.about(first, f"and {path} are both called {called!r}; pass {{name: path}}")
            tables[called] = table
    for column in ignore:
        if isinstance(column, str) and not any(column in table.attributes for table in tables.values()):
            listed = ", ".join(str(table.path) for table in tables.values())
            raise ValueError(Sentence(Argument("ignore", column), f" is a column of none of {listed}"))
    return replace(_joined(tables, labels), relations=relations)


def _joined(tables: Mapping[str, FeatureTable], labels: Mapping[Path, npt.NDArray[Any]]) -> ViewsFile:
    node_ids, rows, notes = _match_rows(tables)
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
            raise FileError.about(file, f"and {first} have labels that differ")
    return ViewsFile(
        views,
        node_ids,
        {name: table.feature_names for name, table in tables.items()},
        None if first is None else labels[first],
        attributes,
        (*(note for table in tables.values() for note in table.notes), *notes),
        tuple(table.path for table in tables.values()),
    )


def _tables_of(content: MultiviewFile, path: Path) -> dict[str, FeatureTable]:
    """Return the views of a Matlab file; the notes of the file are with the first."""
    named = enumerate(zip(content.names, content.views, strict=True))
    return {
        name: FeatureTable(path, None, view, None, {}, () if number else content.notes)
        for number, (name, view) in named
    }


def _match_rows(
    tables: Mapping[str, FeatureTable],
) -> tuple[npt.NDArray[Any] | None, dict[str, npt.NDArray[np.int64]] | None, list[str]]:
    """Match the rows of views by ids where all views have them, else by their order.

    Returns
    -------
    node_ids : array of shape (N,), or None
        Nodes in the order of the first view, then those that only later ones have.
    rows : mapping of names to arrays of shape (N,), or None
        The row of each node in each view, −1 if it has none; None if all rows stay where they are.
    notes : list of str
    """
    named = {name: table.node_ids for name, table in tables.items() if table.node_ids is not None}
    if not named:
        _check_counts(tables)
        return None, None, []
    for table in tables.values():
        if table.node_ids is None:
            other = tables[next(iter(named))].path
            raise FileError.about(
                table.path,
                f"has no column of ids, but {other} has one; give all views ids (name the column with ",
                Argument("id_column"),
                "), or none",
            )
    texts = any(ids.dtype.kind == "U" for ids in named.values())
    listed = {name: list(map(str, ids.tolist())) if texts else ids.tolist() for name, ids in named.items()}
    place: dict[Any, int] = {}
    for name, ids in listed.items():
        if place and not any(node in place for node in ids):
            first = next(iter(place))
            raise FileError.about(
                tables[name].path,
                f"shares no node with the views before it: its first id is {ids[0]!r}, theirs is {first!r}",
            )
        for node in ids:
            place.setdefault(node, len(place))
    rows, notes = {}, []
    for name, ids in listed.items():
        rows[name] = np.full(len(place), -1, dtype=np.int64)
        rows[name][[place[node] for node in ids]] = np.arange(len(ids))
        if len(ids) < len(place):
            n_missing = len(place) - len(ids)
            notes.append(f"{tables[name].path}: view {name!r} lacks {n_missing:,} of {len(place):,} nodes")
    unmoved = all(np.array_equal(one, np.arange(len(place))) for one in rows.values())
    return np.array(list(place)), None if unmoved else rows, notes


def _check_counts(tables: Mapping[str, FeatureTable]) -> None:
    counts = {name: table.features.shape[0] for name, table in tables.items()}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{name!r} ({tables[name].path}) has {count:,}" for name, count in counts.items())
        raise ValueError(f"views without ids must have the same number of rows: {listed}")
