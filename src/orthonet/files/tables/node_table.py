"""Tables of nodes, one per row: perhaps an id, and numbers or text about it; delimited text and Parquet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.files.errors import FileError, Place
from orthonet.files.network import Column
from orthonet.files.options import Gaps, ReadOptions
from orthonet.files.source import Source
from orthonet.files.tables.cells import has_decimal_comma, is_number
from orthonet.files.tables.column_names import LABEL_NAMES, column_named, is_counter, named_id_column, plain
from orthonet.files.tables.feature_values import category_features, fill_missing
from orthonet.files.tables.table import Table, plan_table, read_table
from orthonet.graph.features import Features
from orthonet.graph.ids import first_duplicate
from orthonet.support.sentences import Argument
from orthonet.support.text import counted


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """A table of features.

    Attributes
    ----------
    path : Path
    node_ids : array of shape (N,), or None
        None if the file has no ids: rows count by their order.
    features : array or sparse array of shape (N, M)
        The columns of numbers; a read-only memory map of a .npy file of floats.
    feature_names : tuple of str, or None
    attributes : mapping of names to arrays of N texts
        Columns that are not features.
    notes : tuple of str
        What was decided: columns left out, missing values filled.
    """

    path: Path
    node_ids: npt.NDArray[Any] | None
    features: Features
    feature_names: tuple[str, ...] | None
    attributes: Mapping[str, Column]
    notes: tuple[str, ...]


def read_node_table(
    source: Source,
    options: ReadOptions,
    missing: Gaps = "mean",
    *,
    ignore: Sequence[str | int] = (),
    categories: Sequence[str | int] = (),
    ids_needed: bool = True,
    of_views: bool = False,
) -> FeatureTable:
    """Read a table of nodes.

    The id is the column that the caller names, else one called id, node, name, …, else a first one without a name. Else it is
    the first column: in any case if ``ids_needed``, otherwise if it holds text, a different one in each row.

    Columns of numbers are features; a column with other text is an attribute, and so are those to ``ignore`` and those
    called label, class or truth. Where at least half of the cells of a column in a text file are numbers, other text in it
    is an error. A column without any value is left out. Columns of ``categories`` become features of zeros and ones, after
    the others, and are attributes too.

    If it is one ``of_views``, a row without any number is not filled with means but stays NaN, and other views may have the
    columns to ignore.
    """
    file = source.path
    plan = plan_table(source, options, of_numbers=not ids_needed)
    n_columns = len(plan.names)
    wanted = [one for one in ignore if not (of_views and isinstance(one, str) and one not in plan.names)]
    ignored = {column_named(file, one, plan.heading, n_columns, "ignore") for one in wanted}
    kinds = {column_named(file, one, plan.heading, n_columns, "categories") for one in categories}
    if both := ignored & kinds:
        raise FileError(file, f"{plan.called(both.pop())} is to be ignored and to be a category")
    never = {*(() if ids_needed else LABEL_NAMES), *(plain(plan.names[column]) for column in ignored)}
    id_column = named_id_column(file, plan.heading, n_columns, options.id_column, never)
    if id_column is None and ids_needed:
        id_column = 0
    apart = ignored | kinds | {column for column in range(n_columns) if _is_label(plan.heading, column)}
    table = read_table(plan, {*apart, id_column or 0})
    sorted_out = _Sorted(table, apart, missing == "keep")
    if id_column is None:
        id_column = sorted_out.first_texts()
    rows, ids = _rows_and_ids(table, id_column, options)
    for column in range(n_columns):
        if column != id_column:
            sorted_out.sort(column)
    if not (sorted_out.features or kinds or ids_needed):
        raise FileError.about(file, "has no column of numbers", plan.glimpse())
    features, names, notes = _features(sorted_out, rows, kinds, missing, of_views)
    return FeatureTable(
        file,
        None if id_column is None else ids,
        features,
        names if plan.heading is not None or kinds or ids_needed else None,
        {plan.names[column]: table.columns.texts(column)[rows] for column in sorted_out.attributes},
        (*plan.notes, *sorted_out.all_notes(kinds), *notes),
    )


@dataclass
class _Sorted:
    """The columns of a table, sorted into features and others."""

    table: Table
    apart: set[int]
    """Those that are not features, whatever they hold."""
    keep_empty: bool = False
    """Whether a column without any value stays a feature."""
    numbers: dict[int, npt.NDArray[np.float64]] = field(default_factory=dict)
    attributes: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def features(self) -> list[int]:
        """The columns of numbers."""
        return list(self.numbers)

    def first_texts(self) -> int | None:
        """Return the first column as that of ids if it has text, another in each row."""
        if 0 in self.apart or self.table.columns.is_numeric(0):
            return None
        texts = self.table.columns.texts(0)[~self.table.blank].tolist()
        n_numbers = sum(is_number(text) or has_decimal_comma(text) for text in texts)
        if not all(texts) or (self.table.plan.layout and 2 * n_numbers >= len(texts)):
            return None
        duplicate = first_duplicate(texts)
        if duplicate is None:
            return 0
        self.notes.append(
            f"{self.table.plan.path}: the first column is text, but {duplicate!r} occurs more than once, so it was not "
            "taken as ids"
        )
        return None

    def sort(self, column: int) -> None:
        """Find out what a column is."""
        plan, columns = self.table.plan, self.table.columns
        counter = column == 0 and plan.heading is not None and len(plan.names) > 1 and is_counter(plan.heading[0])
        if column in self.apart:
            self.attributes.append(column)
        elif counter:
            self.notes.append(f"{plan.path}: the first column, without a name, was not used")
        elif self.table.is_numeric(column):
            numbers = self.table.numbers(column)
            if np.isnan(numbers).all() and not self.keep_empty:
                self._note_empty(column)
            else:
                self.numbers[column] = numbers
        elif (columns.texts(column) != "").any():
            self._check_commas(column)
            self.attributes.append(column)
        elif self.keep_empty:
            self.numbers[column] = np.full(len(columns.texts(column)), np.nan)
        else:
            self._note_empty(column)

    def all_notes(self, kinds: set[int]) -> list[str]:
        """Return notes of the columns that are not features; those of categories have notes elsewhere."""
        if not self.attributes:
            return self.notes
        plan = self.table.plan
        texts = [plan.names[column] for column in self.attributes if column not in self.apart]
        apart = [plan.names[column] for column in self.attributes if column in self.apart - kinds]
        listed = {"columns of text, not features": texts, "columns left out of the features": apart}
        return self.notes + [
            f"{plan.path}: {what}: {', '.join(map(repr, names))}" for what, names in listed.items() if names
        ]

    def _check_commas(self, column: int) -> None:
        """Refuse numbers with decimal commas, which would silently be no features."""
        texts = [text for text in self.table.columns.texts(column).tolist() if text]
        commas = [text for text in texts if has_decimal_comma(text)]
        if commas and 2 * (len(commas) + sum(map(is_number, texts))) > len(texts):
            plan = self.table.plan
            raise FileError(
                plan.path,
                f"{plan.called(column)} has decimal commas ({commas[0]!r}); write decimal points, or name the column with ",
                Argument("ignore"),
            )

    def _note_empty(self, column: int) -> None:
        self.notes.append(f"{self.table.plan.path}: {self.table.plan.called(column)} has no values and was left out")


def _features(
    sorted_out: _Sorted, rows: npt.NDArray[np.int64], kinds: set[int], missing: Gaps, keep_empty_rows: bool
) -> tuple[Features, tuple[str, ...], list[str]]:
    """Return the columns of numbers, filled, then those of categories; their names, and notes."""
    plan, texts = sorted_out.table.plan, sorted_out.table.columns.texts
    features: npt.NDArray[np.floating[Any]] = np.empty((len(rows), 0))
    notes: list[str] = []
    names = tuple(plan.names[column] for column in sorted_out.features)
    if sorted_out.features:
        features, notes = fill_missing(
            np.column_stack([sorted_out.numbers[column][rows] for column in sorted_out.features]),
            missing,
            path=plan.path,
            place=lambda row: Place(plan.path, int(rows[row]) + 1),
            column=lambda index: plan.called(sorted_out.features[index]),
            keep_empty_rows=keep_empty_rows,
        )
    for column in sorted(kinds):
        called, columns = category_features(texts(column)[rows], plan.names[column], plan.path)
        names, features = names + called, np.hstack([features, columns])
        count = counted(len(called), "category", "categories")
        notes.append(f"{plan.path}: {plan.called(column)}: {count}, a feature each")
    return features, names, notes


def _is_label(heading: Sequence[str] | None, column: int) -> bool:
    return heading is not None and plain(heading[column]) in LABEL_NAMES


def _rows_and_ids(
    table: Table, id_column: int | None, options: ReadOptions
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Return the rows that are nodes, and their ids."""
    path, columns = table.plan.path, table.columns
    if id_column is None:
        rows = np.flatnonzero(~table.blank)
        if not len(rows):
            raise FileError.about(path, "has no rows below its heading")
        return rows, np.arange(len(rows))
    ids, (codes,) = columns.codes([id_column], options.ids)
    if not len(ids):
        raise FileError.about(path, "names no nodes")
    empty = codes < 0
    for column in range(len(table.plan.names)) if empty.any() else ():
        filled = empty & (columns.texts(column) != "")
        if filled.any():
            raise FileError(path, f"no id in {table.plan.called(id_column)}", row=int(filled.argmax()) + 1)
    rows = np.flatnonzero(~empty)
    if len(rows) > len(ids):
        again = np.ones(len(rows), dtype=bool)
        again[np.unique(codes[rows], return_index=True)[1]] = False
        row = int(rows[again.argmax()])
        raise FileError(
            path,
            f"node {ids.tolist()[codes[row]]!r} was named before; if {table.plan.called(id_column)} holds no ids, name the "
            "one that does with ",
            Argument("id_column"),
            row=row + 1,
        )
    return rows, ids
