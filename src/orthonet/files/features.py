"""Read a table of features, one node per row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from orthonet.files.errors import FileError, naming_file
from orthonet.files.options import Gaps, Ids, ReadOptions
from orthonet.files.source import PathType, Source
from orthonet.files.tables.arrays import read_array, read_sparse
from orthonet.files.tables.node_table import FeatureTable, read_node_table
from orthonet.support.checks import check_choice


def read_features(
    path: PathType,
    *,
    id_column: str | int | None = None,
    delimiter: str | None = None,
    heading: bool | None = None,
    ids: Ids = "auto",
    ignore: Sequence[str | int] = (),
    categories: Sequence[str | int] = (),
    missing_features: Gaps = "mean",
) -> FeatureTable:
    r"""Read a table of features, one node per row.

    Parameters
    ----------
    path : path
        Delimited text (perhaps packed with gzip), Parquet, a .npy file of numpy's or a sparse .npz archive of scipy's.
    id_column : str or int, optional
        The column of ids, by name or counted from 0. If None, it is one with a usual name (id, node, name, …), else a first
        column without a name, as pandas writes its index, else a first column of text that differs in each row, else none.
    delimiter, heading
        Of a text file, found from its first rows if None: one character; whether the first row names the columns.
    ids : {"auto", "text"}, default="auto"
        "auto" makes ids integers if all are written as such (``7``, but not ``007``).
    ignore : sequence of str or int
        Columns that are not features. They become attributes, as do columns of text and those called label, class or truth.
    categories : sequence of str or int
        Columns that name categories, in text or in codes: each category becomes a feature of zeros and ones.
    missing_features : {"mean", "refuse", "keep"}, default="mean"
        What to do with empty cells in a column of numbers; "keep" leaves them NaN.

    Returns
    -------
    FeatureTable

    Raises
    ------
    FileError
        A ValueError with the file, the row and the argument as fields, where there are any. If at least half of the cells
        of a column in a text file are numbers, text in the others is such an error; if fewer are, the column is one of text.
    OSError
        Where a file does not exist or cannot be read.

    See Also
    --------
    read_views : several tables, to build layers from.
    read_network : a table of features together with edges.

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
    return read_feature_table(path, options, ignore, missing_features, categories)


def read_feature_table(
    path: PathType | Source,
    options: ReadOptions,
    ignore: Sequence[str | int],
    missing: Gaps,
    categories: Sequence[str | int] = (),
    *,
    of_views: bool = False,
) -> FeatureTable:
    """Read a table of features; among views it keeps empty rows, and may lack columns to ignore."""
    check_choice(options.ids, "ids", get_args(Ids))
    check_choice(missing, "missing_features", get_args(Gaps))
    source = Source.of(path)
    file = source.path
    if source.is_matlab:
        raise FileError.about(file, "is a Matlab file, which may hold several views; read it with read_views")
    if source.is_numpy or source.is_zip:
        columns = () if of_views else (*ignore, *categories)
        asked = options.id_column if options.id_column is not None else next(iter(columns), None)
        if asked is not None:
            raise FileError.about(file, f"has no names of columns, and so no column {asked!r}")
        features, notes = read_array(source, missing, of_views) if source.is_numpy else (read_sparse(source), [])
        return FeatureTable(file, None, features, None, {}, tuple(notes))
    if source.is_matrix_market:
        raise FileError.about(file, "is a Matrix Market file; save features as .npz with scipy.sparse.save_npz")
    with naming_file(file):
        return read_node_table(
            source, options, missing, ignore=ignore, categories=categories, ids_needed=False, of_views=of_views
        )
