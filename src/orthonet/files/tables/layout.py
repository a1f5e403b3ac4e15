"""How a table is laid out in a text file: its delimiter, whether it has a heading, and what its first rows hold."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from orthonet.files.errors import FileError
from orthonet.files.source import LONGEST_LINE, Source
from orthonet.files.tables.cells import MISSING, has_decimal_comma, is_number

DELIMITERS = {"\t": "tab", ";": "semicolon", ",": "comma", "|": "bar", " ": "blank"}
SAMPLE_ROWS = 200
"""How many rows are looked at to find the layout."""


@dataclass(frozen=True)
class Layout:
    """What the first rows of a table show.

    Attributes
    ----------
    delimiter : str
        One character; a blank stands for any run of blanks and tabs.
    n_skipped : int
        Lines of comment at the top (``#`` or ``%``).
    heading : tuple of str, or None
    rows : tuple of rows
        The first ones, without the heading.
    n_columns : int
    regular : bool
        Whether cells are separated by exactly one delimiter, with no blanks around it to strip.
    by_rows : bool
        Whether only a reader of rows can follow: lines end in a carriage return alone, or the heading runs over several.
    """

    delimiter: str
    n_skipped: int
    heading: tuple[str, ...] | None
    rows: tuple[tuple[str, ...], ...]
    n_columns: int
    regular: bool
    by_rows: bool = False

    def is_numeric(self, column: int) -> bool:
        """Return whether the first rows have numbers, and nothing else, in a column."""
        cells = [row[column] for row in self.rows if column < len(row) and row[column] not in MISSING]
        return bool(cells) and all(map(is_number, cells))

    def is_empty(self, column: int) -> bool:
        """Return whether the first rows have nothing in a column, as where each line ends in a delimiter."""
        return not any(row[column] for row in self.rows if column < len(row))

    def cells(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """Split lines into cells."""
        if self.delimiter == " ":
            lines = (line.strip().replace("\t", " ") for line in lines)
        strip = not self.regular
        runs = strip or self.delimiter == " "  # blanks may come in runs further down than the first rows
        for row in csv.reader(lines, delimiter=self.delimiter, skipinitialspace=runs):
            yield [cell.strip() for cell in row] if strip else row


def look_at(
    source: Source,
    looks_like_heading: Callable[[list[str]], bool],
    *,
    delimiter: str | None = None,
    heading: bool | None = None,
    fewest: int = 1,
) -> Layout:
    """Find the layout of a table from its first rows.

    Parameters
    ----------
    source : Source
    looks_like_heading : callable
        Tells from its cells whether the first row is one.
    delimiter : str, optional
        One character, found by itself if None.
    heading : bool, optional
        Whether the first row names the columns, found by itself if None.
    fewest : int
        How many columns there must be.
    """
    if delimiter is not None and len(delimiter) != 1:
        raise ValueError(f"delimiter must be one character, got {delimiter!r}")
    lines, n_skipped, by_rows = _sample(source)
    choices = [delimiter] if delimiter is not None else _by_likelihood(source)
    found = None
    for choice in choices:
        layout = _with(choice, lines, n_skipped)
        widths = {len(row) for row in layout.rows}
        if delimiter is not None or (len(widths) == 1 and max(widths) > 1):
            found = layout
            break
        if found is None and layout.rows and len(layout.rows[0]) > 1:
            found = layout
    found = found or _with(choices[0], lines, n_skipped)
    n_columns = len(found.rows[0])
    if n_columns < fewest and len(lines[0]) > csv.field_size_limit():
        raise FileError(source.line(n_skipped + 1), f"a cell is longer than {csv.field_size_limit():,} characters")
    if n_columns < fewest:
        wanted = (
            f"separated by {', '.join(DELIMITERS.values())}" if delimiter is None else f"separated by {delimiter!r}"
        )
        raise FileError(
            source.line(n_skipped + 1),
            f"expected at least {fewest} columns {wanted}; got {_short(lines[0].strip())}",
        )
    rows = list(found.rows)
    if heading is None:
        first = [cell.strip() for cell in rows[0]]
        heading = looks_like_heading(first) or (len(rows) > 1 and _names_numbers(rows))
    names = tuple(cell.strip() for cell in rows.pop(0)) if heading else None
    return Layout(found.delimiter, n_skipped, names, tuple(rows), n_columns, found.regular, by_rows)


def _sample(source: Source) -> tuple[list[str], int, bool]:
    """Return the first lines that are neither blank nor comments, how many stand before them, and `Layout.by_rows`."""
    source.refuse_zip()
    start = source.head
    if b"\0" in start:
        raise FileError.about(source.path, f"is not a text file: it holds a zero byte at byte {start.index(0)}")
    if not source.whole:
        last = max(start.rfind(b"\n"), start.rfind(b"\r"))
        if last < 0:
            raise FileError(source.line(1), f"longer than {LONGEST_LINE:,} bytes; is it a table?")
        start = start[: last + 1]
    try:
        text = start.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = start.count(b"\n", 0, error.start) + 1
        raise FileError(
            source.line(line), f"not a text file in UTF-8 ({error.reason} at byte {error.start})"
        ) from error
    lines = text.replace("\r", "\n").split("\n")
    n_skipped = 0
    while n_skipped < len(lines) and (not lines[n_skipped].strip() or lines[n_skipped][0] in "#%"):
        n_skipped += 1
    if n_skipped == len(lines):
        raise FileError.about(source.path, "has no rows")
    first = lines[n_skipped : n_skipped + SAMPLE_ROWS]
    return first, n_skipped, "\r" in text or first[0].count('"') % 2 == 1


def _by_likelihood(source: Source) -> list[str]:
    first = "\t" if source.suffix == ".tsv" else None
    return sorted(DELIMITERS, key=lambda choice: choice != first)


def _with(delimiter: str, lines: list[str], n_skipped: int) -> Layout:
    padded = delimiter != " " and any(_is_padded(line, delimiter) for line in lines)
    runs = delimiter == " " and any("\t" in line or "  " in line or line != line.strip() for line in lines)
    layout = Layout(delimiter, n_skipped, None, (), 0, not (padded or runs))
    try:
        rows = [tuple(row) for row in layout.cells(line + "\n" for line in lines) if any(row)]
    except csv.Error:
        rows = []
    rows = rows or [(lines[0],)]
    return Layout(delimiter, n_skipped, None, tuple(rows), len(rows[0]), layout.regular)


def _is_padded(line: str, delimiter: str) -> bool:
    bare = re.sub(r'"[^"]*"', '""', line)
    return delimiter + " " in bare or " " + delimiter in bare or bare.startswith(" ") or bare.endswith(" ")


def _names_numbers(rows: list[tuple[str, ...]]) -> bool:
    """Return whether some column has numbers, be it with decimal commas, below a first cell that is none."""
    for column, first in enumerate(rows[0]):
        below = [row[column] for row in rows[1:] if column < len(row) and row[column] not in MISSING]
        if not first.strip() or is_number(first) or has_decimal_comma(first):
            continue
        if below and all(is_number(cell) or has_decimal_comma(cell) for cell in below):
            return True
    return False


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")
