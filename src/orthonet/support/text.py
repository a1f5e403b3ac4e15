"""Names and notes as a reader can bear them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


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
