"""A table the paper lacks: the same methods on relations and texts, beside what newer deep methods publish."""

from __future__ import annotations

from orthonet.paper import scores
from orthonet.paper.methods import METHODS
from orthonet.paper.printed import NEWER
from orthonet.paper.scores import Records
from orthonet.paper.table2 import fits
from orthonet.paper.workers import Task

SETS = ("ACM", "DBLP", "IMDB genre", "3sources", "BBCSport", "CKM", "digits")
SEEDS = 3
"""Runs that means and deviations are taken over."""
COLUMNS = ("accuracy", "nmi", "ari")
"""Scores that the table shows, by their names in the records."""
HEADER = ("method", "accuracy", "NMI", "ARI", "seconds")


def tasks(quick: bool) -> list[Task]:
    """Return every fit, seed by seed."""
    return fits(SETS, 1 if quick else SEEDS, quick)


def render(records: Records) -> str:
    """Return a Markdown table for each data set; published rows are marked as such."""
    parts = []
    for data in SETS:
        rows = []
        for method in METHODS:
            found = scores.of(records, data=data, method=method)
            cells = [method, *(scores.cell(found, column) for column in COLUMNS), scores.seconds(found)]
            rows.append(scores.bold(cells, method == "OrthoNet"))
        for method, row in NEWER.get(data, {}).items():
            numbers = ["" if value is None else f"{value:.3f}" for value in row]
            rows.append([f"*{method}, as published*", *numbers, ""])
        parts.append(f"**{data}**\n\n{scores.table(HEADER, rows)}")
    return "\n".join(parts)
