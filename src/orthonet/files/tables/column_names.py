"""Names of columns: as a caller gives them, as programs write them, and in the headings of tables of nodes.

pandas leaves the column of its index without a name, and calls columns that have none 0, 1, 2, …; R leaves the name of its
column of row names out altogether.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from orthonet.files.errors import FileError
from orthonet.files.options import ReadOptions
from orthonet.files.source import Source
from orthonet.files.tables.cells import MISSING, is_number
from orthonet.files.tables.layout import Layout, look_at
from orthonet.support.sentences import Argument, Sentence

USUAL_NAMES = (
    "id ids nodeid node nodes uid uuid index vertex actorid actor sampleid subjectid patientid cellid userid key name names "
    "rowname rownames unnamed0 indexlevel0 label"
)
ID_NAMES = tuple(USUAL_NAMES.split())
"""What a column of ids is called, likelier names first, without blanks and marks."""
FIRST_NAMES = "sample subject patient cell barcode gene protein user person item document"
FIRST_ID_NAMES = frozenset(FIRST_NAMES.split())
"""What it may be called besides if it is the first."""
LABEL_NAMES = ("label", "labels", "class", "classes", "truth", "groundtruth")
"""What a column of known classes is called, which is not a feature."""


def plain(name: str) -> str:
    """Return a name in small letters and digits alone."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def is_counter(name: str) -> bool:
    """Return whether a column with this name counts the rows: pandas' index, as it is written."""
    return not name.strip() or plain(name) in ("unnamed0", "indexlevel0")


def column_named(path: Path, wanted: str | int, heading: Sequence[str] | None, n_columns: int, role: str) -> int:
    """Return the position of a column that the caller gave as the argument ``role``, by name or counted from 0."""
    if isinstance(wanted, str) and heading is not None and wanted in heading:
        return list(heading).index(wanted)
    if isinstance(wanted, int) and not isinstance(wanted, bool) and 0 <= wanted < n_columns:
        return wanted
    columns = (
        f"columns are {', '.join(map(repr, heading))}" if heading is not None else f"{n_columns} columns have no names"
    )
    raise FileError(path, Argument(role, wanted), f" is not a column; its {columns}")


def table_layout(
    source: Source, options: ReadOptions, *, of_numbers: bool, names: Sequence[str] = ()
) -> tuple[Layout, list[str]]:
    """Find the layout of a table of nodes, and note what may be taken otherwise.

    Parameters
    ----------
    source : Source
    options : ReadOptions
        With the delimiter and the heading, if the caller said them.
    of_numbers : bool
        Whether each row has a number, so that a first row of words is a heading.
    names : sequence of str
        More names that only a heading has.
    """

    def looks_like_heading(cells: list[str]) -> bool:
        usual = any(plain(cell) in (*ID_NAMES, *names) for cell in cells) or _is_first_id(cells[0])
        return usual or (of_numbers and _only_words(cells))

    def look(heading: bool | None) -> Layout:
        return look_at(source, looks_like_heading, delimiter=options.delimiter, heading=heading)

    layout = look(options.heading)
    notes: list[str] = []
    if options.heading is None:
        if layout.heading is None and _counts_columns(layout.rows):
            layout = look(True)
            taken = f"{source.path}: the first row counts the columns and was taken as the heading; "
            notes = [Sentence(taken, Argument("heading", False), " makes it data")]
        elif layout.heading is not None and not looks_like_heading([*layout.heading]) and _rather_data(layout.heading):
            layout = look(False)
    if layout.heading is not None and layout.rows and {len(row) for row in layout.rows} == {layout.n_columns + 1}:
        layout = replace(layout, heading=("", *layout.heading), n_columns=layout.n_columns + 1)
    return layout, notes


def named_id_column(
    path: Path, heading: Sequence[str] | None, n_columns: int, wanted: str | int | None, never: Collection[str] = ()
) -> int | None:
    """Return the column of ids that the caller or the heading names, or None; never one with a name in ``never``."""
    if wanted is not None:
        return column_named(path, wanted, heading, n_columns, "id_column")
    if heading is None:
        return None
    ranks = {
        index: ID_NAMES.index(plain(name))
        for index, name in enumerate(heading)
        if plain(name) in ID_NAMES and plain(name) not in never
    }
    if ranks:
        return min(ranks, key=lambda index: (ranks[index], index))
    return 0 if n_columns > 1 and (not heading[0] or _is_first_id(heading[0])) else None


def _is_first_id(name: str) -> bool:
    return plain(name) in FIRST_ID_NAMES or re.search(r"[_\s.-]id$|[a-z](Id|ID)$", name, re.ASCII) is not None


def _only_words(cells: Sequence[str]) -> bool:
    words = [cell for cell in cells[1:] or cells if cell not in MISSING]
    return not any(map(is_number, cells)) and 2 * len(words) > len(cells[1:] or cells)


def _counts_columns(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row, and not the second, counts: 0, 1, 2 or 2001, 2002, 2003, maybe after a word or nothing."""
    if len(rows) < 2 or not _counts(rows[0]):
        return False
    below = [row[0] for row in rows[1:] if row]
    unnamed = not rows[0][0].strip()
    return not _counts(rows[1]) and (not unnamed or ("" not in below and len(set(below)) == len(below)))


def _counts(cells: Sequence[str]) -> bool:
    first = cells[0].strip()
    counted = [cell.strip() for cell in (cells if is_number(first) else cells[1:])]
    if len(counted) < (1 if not first else 3) or not all(one.isascii() and one.isdecimal() for one in counted):
        return False
    numbers = [int(one) for one in counted]
    from_zero = numbers == list(range(len(numbers)))
    return from_zero or (len(numbers) > 2 and numbers == list(range(numbers[0], numbers[0] + len(numbers))))


def _rather_data(heading: Sequence[str]) -> bool:
    """Return whether a first row is a row of numbers with something wrong in it."""
    return bool(heading[0]) and 2 * sum(map(is_number, heading)) >= len(heading) and not _counts(heading)
