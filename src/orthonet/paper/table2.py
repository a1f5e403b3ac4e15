"""Table 2: the paper's methods, and those that people would try first, on its five data sets and a smaller synthetic one."""

from __future__ import annotations

from orthonet.paper import scores
from orthonet.paper.methods import METHODS, measure
from orthonet.paper.printed import TABLE2, Printed
from orthonet.paper.scores import Records
from orthonet.paper.sets import is_generated
from orthonet.paper.workers import Task

SETS = ("synthetic 2,000", "synthetic 10,000", "Yelp", "IMDB", "100 leaves", "Mfeat")
SEEDS = 5
"""Runs that means and deviations are taken over."""
ONCE_A_SET = ("GMC", "MIMOSA")
"""Nothing random decides these, or only where K-means starts: one run is enough where the data is the same for every seed."""
COLUMNS = ("purity", "nmi", "ari", "rand")
"""Scores that the table shows, by their names in the records."""
HEADER = ("method", "purity", "NMI", "ARI", "RI", "seconds", "printed: purity / NMI / RI", "printed: seconds")


def tasks(quick: bool) -> list[Task]:
    """Return every fit, seed by seed, so that a run cut off has all methods in it."""
    return fits(SETS, 1 if quick else SEEDS, quick)


def fits(sets: tuple[str, ...], seeds: int, quick: bool) -> list[Task]:
    """Return a fit of every method on each of the sets, over the seeds."""
    return [
        Task(
            f"{data} | {method} | {seed}",
            measure,
            (method, data, seed, quick),
            about={"data": data, "method": method, "seed": seed},
        )
        for seed in range(seeds)
        for data in sets
        for method in METHODS
        if seed == 0 or is_generated(data) or method not in ONCE_A_SET
    ]


def render(records: Records) -> str:
    """Return a Markdown table for each data set, the paper's printed row beside ours."""
    parts = []
    for data in SETS:
        rows = []
        for method in METHODS:
            found = scores.of(records, data=data, method=method)
            cells = [*(scores.cell(found, column) for column in COLUMNS), scores.seconds(found)]
            printed = TABLE2.get(data, {}).get(method)
            rows.append([*scores.bold([method, *cells], method == "OrthoNet"), *_as_printed(printed)])
        parts.append(f"**{data}**\n\n{scores.table(HEADER, rows)}")
    return "\n".join(parts)


def summary(records: Records, sets: tuple[str, ...] = SETS) -> str:
    """Return one Markdown table of NMI, methods by data sets; the best of each set in bold."""
    best = {data: max((mean_nmi(records, data, method) for method in METHODS), default=0.0) for data in sets}
    rows = []
    for method in METHODS:
        cells = [
            scores.bold(
                [scores.cell(scores.of(records, data=data, method=method), "nmi")],
                mean_nmi(records, data, method) >= max(best[data] - 5e-4, 0.0),
            )[0]
            for data in sets
        ]
        rows.append([f"**{method}**" if method == "OrthoNet" else method, *cells])
    return scores.table(["method", *sets], rows)


def mean_nmi(records: Records, data: str, method: str) -> float:
    """Return the mean NMI of a method on a data set, −1 if it has none."""
    value = scores.mean(scores.of(records, data=data, method=method), "nmi")
    return value if value == value else -1.0


def _as_printed(printed: Printed | None) -> list[str]:
    if printed is None:
        return ["", ""]
    return [scores.as_printed(*printed[:3]), f"{printed.seconds:g}"]
