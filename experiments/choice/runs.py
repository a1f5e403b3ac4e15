"""All runs of this experiment, and how they are made: what is missing is measured, and kept at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from choice.measure import measure, measure_setting
from choice.sets import LARGE, SETS
from choice.settings import CELLS, ROWS, SETTINGS
from orthonet.paper.registry import NOT_HERE
from orthonet.paper.results import Results
from orthonet.paper.workers import Task, run_tasks

RESULTS = Path(__file__).parent.parent / "results" / "choice.json"
SEEDS = 5
SETTING_SEEDS = 2
"""Seeds of the runs with another value of a constant."""
WITH_WORDS = ("3sources", "BBCSport", "Cora", "Citeseer", "IMDB 3550", "IMDB genre", "ACM", "DBLP, two-mode")
"""Sets with words, or tables of counts: on others the rows of words do not matter."""
LIMIT = 1800.0
"""Seconds that one run may take."""


def choices(names: Sequence[str], seeds: int, joining: tuple[str, ...]) -> list[Task]:
    """Return the runs as the default is, seed by seed, so that what was cut off has all sets in it."""
    return [
        Task(f"{data} | {seed}", measure, (data, seed, joining), about={"data": data, "seed": seed})
        for seed in range(seeds)
        for data in names
    ]


def settings(names: Sequence[str], seeds: int) -> list[Task]:
    """Return the runs with other values of the constants that were chosen with a look at scores."""
    varied = {
        CELLS: [name for name in names if name not in LARGE],
        ROWS: [name for name in names if name in WITH_WORDS],
    }
    return [
        Task(
            f"{data} | {seed} | {setting} | {value}",
            measure_setting,
            (data, seed, setting, value),
            about={"data": data, "seed": seed, "setting": setting, "value": value},
        )
        for seed in range(seeds)
        for setting, sets in varied.items()
        for data in sets
        for value in SETTINGS[setting].others
    ]


def run(tasks: Sequence[Task], jobs: int, results: Path, joining: tuple[str, ...] = ()) -> None:
    """Measure what has not been measured yet; what failed, or was measured without what is to join, is tried again."""
    kept = Results(results, threads=1 if jobs > 1 else None)
    missing = [task for task in tasks if not _is_whole(kept.records.get(task.key, {}), joining)]
    print(f"{len(missing)} of {len(tasks)} runs to make", flush=True)
    for task, record in run_tasks(missing, jobs=jobs, limit=LIMIT):
        error = record.get("error", "")
        if error.partition(":")[0] in NOT_HERE:
            print(f"{task.key} left out: {error}", flush=True)
            continue
        kept.add(task.key, {**task.about, **record})
        shown = (
            "nmi",
            "before",
            "after",
            "regret",
            "default_nmi",
            "leiden_nmi",
            "origin",
            "seconds",
            "error",
            "stopped_after",
        )
        print(task.key, {name: record[name] for name in shown if name in record}, flush=True)


def _is_whole(record: Mapping[str, Any], joining: tuple[str, ...]) -> bool:
    return "nmi" in record and set(joining) <= set(record.get("joining", ()))


def all_sets() -> tuple[str, ...]:
    """Return the names of all sets."""
    return tuple(SETS)
