"""A small table that prints well, in a terminal and in a notebook, without pandas."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from orthonet.support.optional import require
from orthonet.support.text import html_table, one_line

Cell = str | int | float | None


@dataclass(frozen=True)
class PlainTable:
    """Rows under named columns; a None is an empty cell.

    Parameters
    ----------
    columns : sequence of str
    rows : sequence of tuples
        Each with one cell for each column.
    title : str
        A line above it.
    formats : mapping of str to str
        How the numbers of a column are written, as in ``{"nats": "+.1f"}``; three digits by default.

    Examples
    --------
    >>> print(PlainTable(("layer", "nats"), [("advice", 2.345), ("friend", None)], "Who says so", {"nats": "+.1f"}))
    Who says so
    layer   nats
    advice  +2.3
    friend
    """

    columns: Sequence[str]
    rows: Sequence[tuple[Cell, ...]]
    title: str = ""
    formats: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        """Yield the rows, each as a dict by the names of the columns."""
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def to_dicts(self) -> list[dict[str, Cell]]:
        """Return the rows as dicts, for JSON."""
        return list(self)

    def to_pandas(self) -> Any:
        """Return a data frame of pandas, which must be installed."""
        pandas = require("pandas", extra="pandas", purpose="a data frame")
        return pandas.DataFrame([list(row) for row in self.rows], columns=list(self.columns))

    def __str__(self) -> str:
        texts = self._texts()
        numeric = [_is_numeric([row[column] for row in self.rows]) for column in range(len(self.columns))]
        widths = [max(len(line[column]) for line in (tuple(self.columns), *texts)) for column in range(len(numeric))]
        lines = [
            "  ".join(
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(line, widths, numeric, strict=True)
            ).rstrip()
            for line in (tuple(self.columns), *texts)
        ]
        return "\n".join(([self.title] if self.title else []) + lines)

    def _repr_html_(self) -> str:
        heading = f"<p>{escape(self.title)}</p>" if self.title else ""
        return heading + html_table(self.columns, self._texts())

    def _texts(self) -> list[tuple[str, ...]]:
        formats = [self.formats.get(column, ".3g") for column in self.columns]
        return [tuple(_text(cell, form) for cell, form in zip(row, formats, strict=True)) for row in self.rows]


def _text(cell: Cell, form: str) -> str:
    if cell is None:
        return ""
    return format(cell, form) if isinstance(cell, float) else one_line(cell)


def _is_numeric(cells: Sequence[Cell]) -> bool:
    known = [cell for cell in cells if cell is not None]
    return bool(known) and all(isinstance(cell, int | float) for cell in known)


class ShownAsTable(ABC):
    """What shows itself as the table that it has, in a terminal and in a notebook."""

    @property
    @abstractmethod
    def table(self) -> PlainTable:
        """The table."""

    def to_pandas(self) -> Any:
        """Return the table as a data frame of pandas, which must be installed."""
        return self.table.to_pandas()

    def __str__(self) -> str:
        return str(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()
