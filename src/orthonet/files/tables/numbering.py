"""Numbers for the entries of columns, in the order in which they first appear, without a Python step for each.

Rows are taken some thousands at a time. What was met before is looked up in a table; only what is new is sorted out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.integer[Any]]
Mask = npt.NDArray[np.bool_]
Keys = npt.NDArray[Any]
ROWS_AT_ONCE = 2**14
"""Few enough that what belongs to them stays in the processor's cache."""
SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""An odd number: times it, no two keys of 64 bits become equal, and their upper bits differ."""


@dataclass(frozen=True)
class Numbering:
    """The entries of some columns by number.

    Attributes
    ----------
    codes : list of arrays of int
        The number of each entry, one array per column; −1 where there is no entry.
    first : array of int
        Where each number first appears: its row times the number of columns, plus its column.
    """

    codes: list[Codes]
    first: npt.NDArray[np.int64]


def number_integers(columns: Sequence[npt.NDArray[np.int64]], present: Sequence[Mask]) -> Numbering:
    """Number integers, row by row; ``present`` says which entries of each column are there."""
    entries = [column if mask.all() else column[mask] for column, mask in zip(columns, present, strict=True)]
    low = min((int(column.min()) for column in entries if len(column)), default=0)
    high = max((int(column.max()) for column in entries if len(column)), default=0)
    n_entries = sum(map(len, columns))
    if high - low <= 4 * n_entries + 1024:
        return _numbered(columns, present, _Places(low, high, n_entries))
    return _numbered([column.view(np.uint64) for column in columns], present, _HashTable(n_entries))


def number_hashes(columns: Sequence[npt.NDArray[np.uint64]], present: Sequence[Mask]) -> Numbering:
    """Number hashes of 64 bits, row by row; ``present`` says which entries of each column are there."""
    return _numbered(columns, present, _HashTable(sum(map(len, columns))))


class _Table(Protocol):
    """Where the numbers of keys are kept."""

    def look_up(self, keys: Keys) -> Codes:
        """Return the numbers of keys, −1 for those that have none yet."""

    def add(self, keys: Keys, codes: Codes) -> None:
        """Take in different keys that have no number yet."""


def _numbered(columns: Sequence[Keys], present: Sequence[Mask], table: _Table) -> Numbering:
    n_rows, n_columns = len(columns[0]), len(columns)
    whole = all(mask.all() for mask in present)
    codes = [np.empty(n_rows, dtype=_code_type(n_rows * n_columns)) for _ in columns]
    first: list[npt.NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    n_keys = 0
    for start in range(0, n_rows, ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        keys = _row_by_row(columns, rows)
        mask = None if whole else _row_by_row(present, rows)
        found = table.look_up(keys)
        fresh = np.flatnonzero(found < 0 if mask is None else (found < 0) & mask)
        if len(fresh):
            new, where, which = np.unique(keys[fresh], return_index=True, return_inverse=True)
            order = np.argsort(where)
            rank = np.empty(len(new), dtype=found.dtype)
            rank[order] = np.arange(n_keys, n_keys + len(new))
            table.add(new, rank)
            found[fresh] = rank[which]
            first.append(start * n_columns + fresh[where[order]])
            n_keys += len(new)
        if mask is not None:
            found[~mask] = -1
        for index, column in enumerate(codes):
            column[rows] = found[index::n_columns]
    return Numbering(codes, np.concatenate(first))


def _row_by_row(columns: Sequence[Keys], rows: slice) -> Keys:
    return columns[0][rows] if len(columns) == 1 else np.stack([column[rows] for column in columns], axis=1).ravel()


def _code_type(n_entries: int) -> type[np.integer[Any]]:
    return np.int32 if n_entries <= np.iinfo(np.int32).max else np.int64


class _Places:
    """A place for each integer from ``low`` to ``high``; what stands for a missing entry may lie beyond."""

    def __init__(self, low: int, high: int, n_entries: int) -> None:
        self.low, self.high = low, high
        self.codes = np.full(high - low + 1, -1, dtype=_code_type(n_entries))

    def look_up(self, keys: Keys) -> Codes:
        return np.asarray(self.codes.take(keys - self.low if self.low else keys, mode="clip"))

    def add(self, keys: Keys, codes: Codes) -> None:
        self.codes[keys - self.low] = codes


class _HashTable:
    """Keys of 64 bits, each in the first free slot from the one that its upper bits name; at most a quarter is taken."""

    def __init__(self, n_entries: int) -> None:
        self.n_keys, self.code_type = 0, _code_type(n_entries)
        self._clear(2**12)

    def _clear(self, n_slots: int) -> None:
        self.keys = np.zeros(n_slots, dtype=np.uint64)
        self.codes = np.full(n_slots, -1, dtype=self.code_type)
        self.shift = np.uint64(65 - n_slots.bit_length())

    def _slots(self, keys: Keys) -> npt.NDArray[np.int64]:
        return np.asarray((keys * SPREAD >> self.shift).view(np.int64))

    def look_up(self, keys: Keys) -> Codes:
        slots = self._slots(keys)
        found = self.codes[slots]
        displaced = np.flatnonzero((self.keys[slots] != keys) & (found >= 0))
        slots, keys = slots[displaced], keys[displaced]
        while len(displaced):
            slots = (slots + 1) % len(self.keys)
            there = self.codes[slots]
            found[displaced] = there
            on = np.flatnonzero((self.keys[slots] != keys) & (there >= 0))
            displaced, slots, keys = displaced[on], slots[on], keys[on]
        return found

    def add(self, keys: Keys, codes: Codes) -> None:
        self.n_keys += len(keys)
        if 4 * self.n_keys > len(self.keys):
            taken = self.codes >= 0
            keys, codes = np.concatenate([self.keys[taken], keys]), np.concatenate([self.codes[taken], codes])
            self._clear(2 ** (8 * self.n_keys).bit_length())
        slots = self._slots(keys)
        while len(keys):
            free = self.codes[slots] < 0
            self.keys[slots[free]] = keys[free]  # of several that come to one slot the last stays
            settled = free & (self.keys[slots] == keys)
            self.codes[slots[settled]] = codes[settled]
            keys, codes, slots = keys[~settled], codes[~settled], (slots[~settled] + 1) % len(self.keys)
