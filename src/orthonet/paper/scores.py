"""Mean and deviation over seeds, and Markdown tables of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

Records = Mapping[str, Mapping[str, Any]]
NOT_MEASURED = "Not measured: it failed, or was stopped.\n"
"""What a figure's text says instead of numbers."""


def of(records: Records, **wanted: Any) -> list[Mapping[str, Any]]:
    """Return the records in which every named field has the given value."""
    return [r for r in records.values() if all(r.get(field) == value for field, value in wanted.items())]


def mean(records: Iterable[Mapping[str, Any]], column: str) -> float:
    """Return the mean of a column over the records that were measured, NaN if none was."""
    values = [record[column] for record in records if column in record]
    return float(np.mean(values)) if values else float("nan")


def cell(records: Sequence[Mapping[str, Any]], column: str) -> str:
    """Return "mean ± deviation" of a column, or the reason why there is none; the count if not all were measured."""
    values = [record[column] for record in records if column in record]
    if len(values) == 1 == len(records):
        return f"{values[0]:.3f}"
    if values:
        some = "" if len(values) == len(records) else f" ({len(values)} of {len(records)})"
        return f"{np.mean(values):.3f} ± {np.std(values):.3f}{some}"
    if any("stopped_after" in record for record in records):
        return "stopped"
    return "failed" if any("error" in record for record in records) else "not run"


def seconds(records: Sequence[Mapping[str, Any]]) -> str:
    """Return the median of the seconds, or how long was waited."""
    values = [record["seconds"] for record in records if "seconds" in record]
    if values:
        return f"{np.median(values):.1f}"
    waited = [record["stopped_after"] for record in records if "stopped_after" in record]
    return f"> {max(waited):.0f}" if waited else ""


def bold(cells: Iterable[str], wanted: bool) -> list[str]:
    """Return the cells, in bold if wanted."""
    return [f"**{text}**" if wanted else text for text in cells]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def as_printed(purity: float, nmi: float, ri: float) -> str:
    """Return three of the paper's numbers in one cell."""
    return f"{purity:.3f} / {nmi:.3f} / {ri:.3f}"


def whole(records: Records, *fields: str) -> Mapping[str, Any] | None:
    """Return the first record that has all the fields: a figure's one measurement, if it was made."""
    return next((record for record in records.values() if all(field in record for field in fields)), None)
