"""Which column of a table of edges is what, and whether a first row without any usual name is its heading."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from orthonet.files.errors import FileError
from orthonet.files.options import ReadOptions
from orthonet.files.tables.cells import MISSING, has_decimal_comma, is_number
from orthonet.files.tables.column_names import column_named, is_counter, plain
from orthonet.files.tables.layout import Layout
from orthonet.files.tables.numbering import Codes
from orthonet.support.sentences import Argument, Sentence

USUAL_NAMES = {
    "source": "source src from fromid fromnode fromnodeid sourceid sourcenode node1 nodea u i actor1 id1 ego person1 sender",
    "target": "target dst to toid tonode tonodeid targetid targetnode node2 nodeb v j actor2 id2 alter person2 receiver dest "
    "destination",
    "layer": "layer layerid layername relation relationtype edgetype type kind view network",
    "weight": "weight weights w value strength count edgeweight",
}
USUAL = {role: frozenset(names.split()) for role, names in USUAL_NAMES.items()}
FEW_LAYERS = 10
"""Different values that a column of layers may have in any table; in a longer one, half as many as it has rows."""
FEWEST_ROWS, FEWEST_ALIKE = 3, 10
"""Rows below a heading that no usual name gives away; the second if the ids below it are written as it is."""


def looks_like_heading(cells: Sequence[str], options: ReadOptions) -> bool:
    """Return whether the names in a first row make it a heading: usual ones, those the caller named, or none for an index."""
    names = {plain(cell) for cell in cells}
    if names & USUAL["source"] and names & USUAL["target"]:
        return True
    if any(isinstance(wanted := getattr(options, role), str) and wanted in cells for role in USUAL):
        return True
    return len(cells) > 2 and not cells[0] and all(cells[1:]) and not any(map(is_number, cells))


def find_roles(path: Path, layout: Layout, options: ReadOptions) -> tuple[dict[str, int], list[str]]:
    """Return which column is what: as the caller says, else by the usual names, else by position; and notes."""
    heading, n_columns = layout.heading, layout.n_columns
    roles = {
        role: column_named(path, wanted, heading, n_columns, role)
        for role in USUAL
        if (wanted := getattr(options, role)) is not None
    }
    for role, usual in USUAL.items() if heading is not None else ():
        matches = [i for i, name in enumerate(heading or ()) if plain(name) in usual and i not in roles.values()]
        if role not in roles and matches:
            roles[role] = matches[0]
    by_position = heading is None or not {"source", "target"} & set(roles)
    if by_position:
        _fill_by_position(roles, layout)
    for role in ("source", "target"):
        if role not in roles:
            listed = ", ".join(map(repr, heading or ()))
            raise FileError(path, f"no column is called {role}, among {listed}; name it with ", Argument(role))
    if len(set(roles.values())) < len(roles):
        raise FileError(path, f"one column cannot be two of {', '.join(roles)}; got {roles}")
    roles = {role: roles[role] for role in USUAL if role in roles}
    notes: list[str] = []
    if by_position and heading is not None:
        taken = ", ".join(f"{heading[column]!r} as {role}" for role, column in roles.items())
        names = [part for role in USUAL for part in (", ", Argument(role))][1:]
        notes.append(Sentence(f"{path}: took {taken}; name others with ", *names))
    called = heading or [f"column {index}" for index in range(n_columns)]
    unused = [repr(name) for index, name in enumerate(called) if index not in roles.values()]
    return roles, notes + ([f"{path}: columns not used: {', '.join(unused)}"] if unused else [])


def may_be_heading(layout: Layout, roles: dict[str, int]) -> bool:
    """Return whether the first row may be a heading: words that occur in no other of the first rows.

    An id such as ``n17`` may well occur once among them, so words with digits must be written as no other id is.
    """
    first, below = layout.rows[0], layout.rows[1:]
    ends = [roles["source"], roles["target"]]
    columns = [column for column in range(layout.n_columns) if not layout.is_empty(column)]
    if not below or len({first[end] for end in ends}) < 2:
        return False
    for column in columns:
        cell = first[column] if column < len(first) else ""
        others = {row[one] for one in (ends if column in ends else [column]) for row in below if one < len(row)}
        if cell in MISSING or is_number(cell) or has_decimal_comma(cell) or cell in others:
            return False
    return not any(re.search(r"\d", first[end]) and _shape(first[end]) in _shapes_below(layout, roles) for end in ends)


def is_heading(layout: Layout, roles: dict[str, int], codes: dict[str, Codes]) -> bool | None:
    """Tell from all rows whether the first is a heading, if `may_be_heading`: None if it may be, but is taken as an edge.

    It is one if it alone has ends (and a layer) that no other row has. Where other rows are as lonely, pairs without other
    edges are usual in this network; and a table of a few rows shows too little.
    """
    lonely = np.ones(len(codes["source"]), dtype=bool)
    for group in (["source", "target"], ["layer"] if "layer" in codes else []):
        entries = np.concatenate([codes[role] for role in group]) if group else np.zeros(0, dtype=np.int64)
        counts = np.bincount(entries[entries >= 0])
        for role in group:
            lonely &= (codes[role] >= 0) & (counts[codes[role]] == 1)
    if not lonely[0]:
        return False
    shapes = _shapes_below(layout, roles)
    alike = any(_shape(layout.rows[0][roles[end]]) in shapes for end in ("source", "target"))
    enough = len(lonely) > (FEWEST_ALIKE if alike else FEWEST_ROWS)
    return True if enough and lonely.sum() == 1 else None


def _fill_by_position(roles: dict[str, int], layout: Layout) -> None:
    heading = layout.heading
    free = [
        column
        for column in range(layout.n_columns)
        if column not in roles.values() and not (heading is not None and is_counter(heading[column]))
    ]
    for role in ("source", "target"):
        if role not in roles and free:
            roles[role] = free.pop(0)
    free = [column for column in free if not layout.is_empty(column)]
    if heading is None:
        free = free[:2]
    numbers = [column for column in free if _is_weight(layout, column)]
    layers = [column for column in free if column not in numbers and (heading is None or _has_few(layout, column))]
    if not layers and len(numbers) > 1 and (heading is None or _has_few(layout, numbers[0])):
        layers = [numbers[0]]
    if "layer" not in roles and layers:
        roles["layer"] = layers[0]
    numbers = [column for column in numbers if column not in roles.values()]
    if "weight" not in roles and numbers:
        roles["weight"] = numbers[0]


def _is_weight(layout: Layout, column: int) -> bool:
    """Return whether a column holds numbers; under a heading one wrong cell among them is an error, not a layer."""
    cells = _cells(layout, column)
    n_numbers = sum(is_number(cell) or has_decimal_comma(cell) for cell in cells)
    return bool(cells) and (n_numbers == len(cells) or (layout.heading is not None and 2 * n_numbers > len(cells)))


def _has_few(layout: Layout, column: int) -> bool:
    cells = _cells(layout, column)
    return len(set(cells)) <= max(FEW_LAYERS, len(cells) // 2)


def _cells(layout: Layout, column: int) -> list[str]:
    return [row[column] for row in layout.rows if column < len(row) and row[column] not in MISSING]


def _shapes_below(layout: Layout, roles: dict[str, int]) -> set[str]:
    ends = [roles["source"], roles["target"]]
    return {_shape(row[end]) for row in layout.rows[1:] for end in ends if end < len(row)}


def _shape(text: str) -> str:
    """Return how a cell is written: ``Aa`` for Von, ``a0`` for n17."""
    kinds = ("0" if one.isdigit() else "A" if one.isupper() else "a" if one.isalpha() else one for one in text)
    return re.sub(r"(.)\1+", r"\1", "".join(kinds))
