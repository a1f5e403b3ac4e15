"""Names and notes as a reader can bear them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any
from unicodedata import category

LONGEST_MESSAGE = 2000
"""Letters of a message at most; more are a file's content, not a sentence."""
SHOWN_FORMATS = "\u200c\u200d"
"""Marks without a shape of their own that words and pictures of some languages need."""


def shortened(text: str, limit: int = 60) -> str:
    """Cut a long name, and show that it was."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def visible(text: str) -> str:
    r"""Return text with what a reader cannot see, or what turns the line around, written as an escape; line ends stay.

    >>> visible("a\x1b[31mb \u202etxt")
    'a\\x1b[31mb \\u202etxt'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(one if _is_shown(one) else one.encode("unicode_escape").decode("ascii") for one in text)


def _is_shown(letter: str) -> bool:
    """Return whether a letter may stand in a message: not controls, directions of writing and halves of a pair."""
    return letter in "\n\t" or category(letter) not in ("Cc", "Cf", "Cs", "Zl", "Zp") or letter in SHOWN_FORMATS


def sentence(text: object) -> str:
    """Return a message on one line, visible and not too long: the middle of a very long one is left out."""
    line = visible(" ".join(str(text).split()))
    if len(line) <= LONGEST_MESSAGE:
        return line
    half = LONGEST_MESSAGE // 2
    return f"{line[:half]} … {line[-half:]}"


def one_line(text: object, limit: int = 60) -> str:
    """Return anything as one line of text that is not too long."""
    return shortened(visible(" ".join(str(text).split())), limit)


def html_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, more: str = "") -> str:
    """Return a table for a notebook, which brings its own colours: all cells escaped, ``more`` in a last row if given."""

    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    last = f'<tr><td colspan="{len(columns)}">{escape(more)}</td></tr>' if more else ""
    style = "color: inherit; text-align: right"  # where a front end has no style for tables
    return f"<table style='{style}'>{row(columns, 'th')}{body}{last}</table>"


def listed(items: Sequence[Any], most: int = 10) -> str:
    """Return items with commas; of many only the first, and how many more there are.

    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    return ", ".join(map(str, items[:most])) + (f" and {len(items) - most} more" if len(items) > most else "")


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun, in the plural where it is one.

    >>> counted(1, "layer"), counted(2000, "layer"), counted(0, "category", "categories")
    ('1 layer', '2,000 layers', '0 categories')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"
