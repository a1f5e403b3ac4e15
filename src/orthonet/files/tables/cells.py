"""Cells of text: which words stand for a missing value, and what counts as a number or a whole number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.files.errors import FileError, Place
from orthonet.files.network import Column
from orthonet.files.options import Ids

MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL"})
"""What programs write where there is no value."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE | re.ASCII)
COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+", re.ASCII)
LONGEST_INTEGER = 18
"""Digits that surely fit 64 bits."""


def is_number(text: str) -> bool:
    """Return whether a cell is a number as people write it (Python's own ``1_000`` is not)."""
    return NUMBER.fullmatch(text.strip()) is not None


def has_decimal_comma(text: str) -> bool:
    """Return whether a cell is a number with a decimal comma, which no reader here takes as one."""
    return COMMA_NUMBER.fullmatch(text.strip()) is not None


def comma_hint(text: str) -> str:
    """Return the end of an error about a cell that is not a number: what to do if it has a decimal comma."""
    return "; write decimal points" if has_decimal_comma(text) else ""


def weight_of(text: str, place: Place) -> float:
    """Return a weight, finite and >= 0, or raise an error that says where it is."""
    try:
        weight = _number(text)
    except ValueError:
        raise FileError(place, f"a weight must be a number, got {text!r}") from None
    if not np.isfinite(weight) or weight < 0:
        raise FileError(place, f"a weight must be finite and >= 0, got {text}")
    return weight


def whole_number(text: str, place: Place, what: str) -> int:
    """Return a whole number >= 0, or raise an error that says where it is."""
    if not (text.isascii() and text.isdecimal() and len(text) <= LONGEST_INTEGER):
        raise FileError(place, f"expected {what} (a whole number >= 0), got {text!r}")
    return int(text)


def column_of(cells: Sequence[tuple[str, Place]], numeric: bool) -> Column:
    """Return cells, each with its place, as a column of numbers (missing: NaN) or of text (missing: "")."""
    if not numeric:
        return np.array(["" if text in MISSING else text for text, _ in cells], dtype=str)
    numbers = np.full(len(cells), np.nan)
    for position, (text, place) in enumerate(cells):
        if text not in MISSING:
            try:
                numbers[position] = _number(text)
            except ValueError:
                raise FileError(place, f"expected a number, got {text!r}") from None
    return numbers


def ids_of(texts: Sequence[str], ids: Ids) -> npt.NDArray[Any]:
    """Return ids as integers if all are written as such, without anything that would be lost, else as text."""
    if ids == "auto" and texts and all(map(_is_integer, texts)):
        return np.array([int(text) for text in texts], dtype=np.int64)
    return np.array(texts, dtype=str)


def _number(text: str) -> float:
    """Return a number as people write it; Python would also take 1_000 and the digits of other scripts."""
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return float(text)


def _is_integer(text: str) -> bool:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > LONGEST_INTEGER:
        return False
    return digits[0] != "0" or text == "0"
