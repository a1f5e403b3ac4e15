"""A table of nodes as its file has it, delimited text or Parquet: the names of its columns, and its rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from orthonet.graph.formats.columns import Columns, read_columns, read_plain
from orthonet.graph.formats.headings import table_layout
from orthonet.graph.formats.layout import Layout, comma_hint, is_number
from orthonet.graph.formats.opening import PARQUET, opening_bytes, raw_lines
from orthonet.graph.formats.options import ReadOptions
from orthonet.graph.ids import first_duplicate

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class TablePlan:
    """What the start of a file tells of its table.

    Attributes
    ----------
    path : Path
    names : tuple of str
        Those of the heading; "column 0", … where there is none.
    heading : tuple of str, or None
    notes : tuple of str
    layout : Layout or None
        None of a Parquet file, which says itself which columns are numbers.
    """

    path: Path
    names: tuple[str, ...]
    heading: tuple[str, ...] | None
    notes: tuple[str, ...]
    layout: Layout | None

    def called(self, column: int) -> str:
        """Return how errors call a column."""
        named = self.heading is not None and self.heading[column]
        return f"column {self.names[column]!r}" if named else f"column {column}"

    def glimpse(self) -> str:
        """Return the first row of a text file, to show how its cells were told apart."""
        if self.layout is None or not self.layout.rows:
            return f"; its columns are {', '.join(map(repr, self.names))}"
        cells = ", ".join(repr(cell[:20]) for cell in self.layout.rows[0][:4])
        return (
            f"; its first row was read as {cells}{', …' if self.layout.n_columns > 4 else ''} (a decimal mark is a point; "
            "delimiter names what stands between cells)"
        )


@dataclass(frozen=True)
class Table:
    """A table that was read: its plan, its columns, and which rows are blank lines."""

    plan: TablePlan
    columns: Columns
    blank: Mask

    def is_numeric(self, column: int) -> bool:
        """Tell whether a column is one of numbers; raise where it is one for the most part.

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
        raise ValueError(
            f"{self.plan.path}, row {wrong[0] + 1}: {self.plan.called(column)} must hold numbers, as "
            f"{n_cells - len(wrong):,} of its {n_cells:,} cells do; got {texts[wrong[0]]!r}{comma_hint(texts[wrong[0]])}"
        )

    def numbers(self, column: int) -> npt.NDArray[np.float64]:
        """Return a column of numbers, NaN where one is missing."""
        if self.columns.is_numeric(column):
            return self.columns.numbers(column, self.plan.called(column))
        # Blanks around them, further down than where the layout was found.
        return np.array([float(text) if text else np.nan for text in self.columns.texts(column).tolist()])


def plan_table(path: Path, options: ReadOptions, *, of_numbers: bool, names: Sequence[str] = ()) -> TablePlan:
    """Look at the start of a table; see `headings.table_layout` for the parameters."""
    layout: Layout | None = None
    notes: list[str] = []
    if opening_bytes(path) == PARQUET:
        from orthonet.graph.formats.polars_columns import parquet_names

        heading: tuple[str, ...] | None = tuple(parquet_names(path))
        n_columns = len(heading or ())
        if not n_columns:
            raise ValueError(f"{path} has no columns")
    else:
        layout, notes = table_layout(path, options, of_numbers=of_numbers, names=names)
        heading, n_columns = layout.heading, layout.n_columns
    given = heading or ("",) * n_columns
    called = tuple(name or f"column {index}" for index, name in enumerate(given))
    duplicate = first_duplicate(called)
    if duplicate is not None:
        raise ValueError(f"{path}: two columns are called {duplicate!r}")
    return TablePlan(path, called, heading, tuple(notes), layout)


def read_table(plan: TablePlan, as_text: Collection[int]) -> Table:
    """Read all columns, some of them as text whatever they hold; a row with too few or too many cells is an error."""
    everything = range(len(plan.names))
    if plan.layout is None:
        from orthonet.graph.formats.polars_columns import read_parquet

        columns: Columns = read_parquet(plan.path, everything)
        return Table(plan, columns, np.zeros(len(columns.texts(0)), dtype=bool))
    numeric = [column for column in everything if column not in as_text and plan.layout.is_numeric(column)]
    text = sorted(set(everything) - set(numeric))
    columns = read_columns(plan.path, plan.layout, text, numeric)
    last = columns.texts(everything[-1])
    if not len(last) or (last != "").all():
        return Table(plan, columns, np.zeros(len(last), dtype=bool))
    # Readers fill short rows up, so where a last cell is empty the file is asked for how many there were.
    blank = np.fromiter(_blank_lines(plan.path, plan.layout), dtype=bool)
    if len(blank) != len(last):
        columns = read_plain(plan.path, plan.layout, everything)
    return Table(plan, columns, blank)


def _blank_lines(path: Path, layout: Layout) -> Iterator[bool]:
    """Yield for each row whether it is a blank line, and raise at one that is too short."""
    lines = islice(raw_lines(path, newline=""), layout.n_skipped, None)
    for number, row in enumerate(layout.cells(lines), start=layout.heading is None):
        if number < 1:
            continue
        blank = len(row) < 2 and not any(cell.strip() for cell in row)
        if not blank and len(row) < layout.n_columns:
            raise ValueError(f"{path}, row {number}: {len(row)} cells, but the table has {layout.n_columns} columns")
        yield blank
