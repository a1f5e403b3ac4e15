"""Names of columns: as a caller gives them, and as programs write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from orthonet.files.errors import FileError
from orthonet.support.sentences import Argument


def plain(name: str) -> str:
    """Return a name in small letters and digits alone."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def is_counter(name: str) -> bool:
    """Tell whether a column with this name counts the rows: pandas' index, as it is written."""
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
