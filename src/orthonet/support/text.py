"""Names and notes as a reader can bear them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


def shortened(text: str, limit: int = 60) -> str:
    """Cut a long name, and show that it was."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def one_line(text: object, limit: int = 60) -> str:
    """Return anything as one line of text that is not too long."""
    return shortened(" ".join(str(text).split()), limit)


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
