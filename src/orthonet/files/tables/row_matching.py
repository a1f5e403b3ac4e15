"""Which row of each view is which node: by ids where all views have them, else by the order of rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.files.errors import FileError
from orthonet.support.sentences import Argument

Rows = npt.NDArray[np.int64]


def match_rows(
    tables: Mapping[str, tuple[Path, npt.NDArray[Any] | None, int]],
) -> tuple[npt.NDArray[Any] | None, dict[str, Rows] | None, list[str]]:
    """Match the rows of views, each given as its file, its ids or None, and its number of rows.

    Returns
    -------
    node_ids : array of shape (N,), or None
        Nodes in the order of the first view, then those that only later ones have.
    rows : mapping of names to arrays of shape (N,), or None
        The row of each node in each view, −1 if it has none; None if all rows stay where they are.
    notes : list of str
    """
    named = {name: ids for name, (_, ids, _) in tables.items() if ids is not None}
    if not named:
        _check_counts(tables)
        return None, None, []
    for path, found, _ in tables.values():
        if found is None:
            other = next(iter(named))
            raise FileError.about(
                path,
                f"has no column of ids, but {tables[other][0]} has one; give all views ids (name the column with ",
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
                tables[name][0],
                f"shares no node with the views before it: its first id is {ids[0]!r}, theirs is {first!r}",
            )
        for node in ids:
            place.setdefault(node, len(place))
    rows, notes = {}, []
    for name, ids in listed.items():
        rows[name] = np.full(len(place), -1, dtype=np.int64)
        rows[name][[place[node] for node in ids]] = np.arange(len(ids))
        if len(ids) < len(place):
            notes.append(f"{tables[name][0]}: view {name!r} lacks {len(place) - len(ids):,} of {len(place):,} nodes")
    unmoved = all(np.array_equal(one, np.arange(len(place))) for one in rows.values())
    return np.array(list(place)), None if unmoved else rows, notes


def _check_counts(tables: Mapping[str, tuple[Path, Any, int]]) -> None:
    if len({count for _, _, count in tables.values()}) > 1:
        listed = ", ".join(f"{name!r} ({path}) has {count:,}" for name, (path, _, count) in tables.items())
        raise ValueError(f"views without ids must have the same number of rows: {listed}")
