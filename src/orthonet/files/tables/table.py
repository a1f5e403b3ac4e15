"""A table of nodes as its file has it, delimited text or Parquet: the names of its columns, and its rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from orthonet.files.errors import FileError
from orthonet.files.options import ReadOptions
from orthonet.files.source import Source
from orthonet.files.tables.cells import comma_hint, is_number
from orthonet.files.tables.column_names import table_layout
from orthonet.files.tables.columns import Columns, read_columns, read_plain
from orthonet.files.tables.layout import Layout
from orthonet.graph.ids import first_duplicate
from orthonet.support.sentences import Argument, Sentence

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class TablePlan:
    """What the start of a file shows of its table.

    Attributes
    ----------
    source : Source
    names : tuple of str
        Those of the heading; "column 0", … where there is none.
    heading : tuple of str, or None
    notes : tuple of str
    layout : Layout or None
        None of a Parquet file, which says itself which columns are numbers.
    """

    source: Source
    names: tuple[str, ...]
    heading: tuple[str, ...] | None
    notes: tuple[str, ...]
    layout: Layout | None

    @property
    def path(self) -> Path:
        """The file."""
        return self.source.path

    def called(self, column: int) -> str:
        """Return how errors call a column."""
        named = self.heading is not None and self.heading[column]
        return f"column {self.names[column]!r}" if named else f"column {column}"

    def glimpse(self) -> Sentence:
        """Return the first row of a text file, to show where its cells were taken to end."""
        if self.layout is None or not self.layout.rows:
            return Sentence(f"; its columns are {', '.join(map(repr, self.names))}")
        cells = ", ".join(repr(cell[:20]) for cell in self.layout.rows[0][:4])
        more = ", …" if self.layout.n_columns > 4 else ""
        return Sentence(
            f"; its first row was read as {cells}{more} (a decimal mark is a point; ",
            Argument("delimiter"),
            " names what stands between cells)",
        )


@dataclass(frozen=True)
class Table:
    """A table that was read: its plan, its columns, and which rows are blank lines."""

    plan: TablePlan
    columns: Columns
    blank: Mask

    def is_numeric(self, column: int) -> bool:
        """Return whether a column is one of numbers; raise where it is one for the most part.

        In a text file a column is one of numbers if at least half of its cells are.
        """
        if self.columns.is_numeric(column):
            return True
        if self.plan.layout is None:
            return False
        texts = self.columns.texts(column).tolist()
        wrong = [row for row, text in enumerate(texts) if text and not is_number(text)]
        n_cells = sum(map(bool, texts))
        if not n_cells or 2 * len(wrong) > n_cells:
            return False
        if not wrong:
            return True
        raise FileError(
            self.plan.path,
            f"{self.plan.called(column)} must hold numbers, as {n_cells - len(wrong):,} of its {n_cells:,} cells do; got "
            f"{texts[wrong[0]]!r}{comma_hint(texts[wrong[0]])}",
            row=wrong[0] + 1,
        )

    def numbers(self, column: int) -> npt.NDArray[np.float64]:
        """Return a column of numbers, NaN where one is missing."""
        if self.columns.is_numeric(column):
            return self.columns.numbers(column, self.plan.called(column))
        # Blanks around them, further down than where the layout was found.
        return np.array([float(text) if text else np.nan for text in self.columns.texts(column).tolist()])


def plan_table(source: Source, options: ReadOptions, *, of_numbers: bool, names: Sequence[str] = ()) -> TablePlan:
    """Look at the start of a table; see `column_names.table_layout` for the parameters."""
    layout: Layout | None = None
    notes: list[str] = []
    if source.is_parquet:
        from orthonet.files.tables.polars_columns import parquet_names

        heading: tuple[str, ...] | None = tuple(parquet_names(source.path))
        n_columns = len(heading or ())
        if not n_columns:
            raise FileError.about(source.path, "has no columns")
    else:
        layout, notes = table_layout(source, options, of_numbers=of_numbers, names=names)
        heading, n_columns = layout.heading, layout.n_columns
    given = heading or ("",) * n_columns
    called = tuple(name or f"column {index}" for index, name in enumerate(given))
    duplicate = first_duplicate(called)
    if duplicate is not None:
        raise FileError(source.path, f"two columns are called {duplicate!r}")
    return TablePlan(source, called, heading, tuple(notes), layout)


def read_table(plan: TablePlan, as_text: Collection[int]) -> Table:
    """Read all columns, some of them as text whatever they hold; a row with too few or too many cells is an error."""
    everything = range(len(plan.names))
    if plan.layout is None:
        from orthonet.files.tables.polars_columns import read_parquet

        columns: Columns = read_parquet(plan.source, everything)
        return Table(plan, columns, np.zeros(len(columns.texts(0)), dtype=bool))
    numeric = [column for column in everything if column not in as_text and plan.layout.is_numeric(column)]
    text = sorted(set(everything) - set(numeric))
    columns = read_columns(plan.source, plan.layout, text, numeric)
    last = columns.texts(everything[-1])
    if not len(last) or (last != "").all():
        return Table(plan, columns, np.zeros(len(last), dtype=bool))
    # Readers fill short rows up, so where a last cell is empty the rows of the file are counted.
    blank = np.fromiter(_blank_lines(plan.source, plan.layout), dtype=bool)
    if len(blank) != len(last):
        columns = read_plain(plan.source, plan.layout, everything)
    return Table(plan, columns, blank)


def _blank_lines(source: Source, layout: Layout) -> Iterator[bool]:
    """Yield for each row whether it is a blank line, and raise at one that is too short."""
    lines = islice(source.lines(newline=""), layout.n_skipped, None)
    for number, row in enumerate(layout.cells(lines), start=layout.heading is None):
        if number < 1:
            continue
        blank = len(row) < 2 and not any(cell.strip() for cell in row)
        if not blank and len(row) < layout.n_columns:
            raise FileError(source.path, f"{len(row)} cells, but the table has {layout.n_columns} columns", row=number)
        yield blank
