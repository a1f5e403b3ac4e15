"""All tables and figures by name, and how one is made: measure what is missing, then write data, text and picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orthonet.paper import figure1, figure2, figure4, figure5, table1, table2, table3
from orthonet.paper.results import Results
from orthonet.paper.scores import Records
from orthonet.paper.workers import Record, Task, run_tasks
from orthonet.support.drawing import png_bytes
from orthonet.support.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Experiment:
    """A table or figure: what to measure, and how to show it."""

    title: str
    tasks: Callable[[bool], list[Task]]
    render: Callable[[Records], str]
    draw: Callable[[Records], Figure | None] | None = None
    """None where there is nothing to draw yet."""


EXPERIMENTS: dict[str, Experiment] = {
    "table1": Experiment("Table 1: one layer against several", table1.tasks, table1.render),
    "table2": Experiment("Table 2: all methods on the paper's data", table2.tasks, table2.render),
    "table3": Experiment("Table 3: all methods on relations and texts", table3.tasks, table3.render),
    "figure1": Experiment("Figure 1: the toy", figure1.tasks, figure1.render, figure1.draw),
    "figure2": Experiment("Figure 2: three means of three layers", figure2.tasks, figure2.render, figure2.draw),
    "figure4": Experiment("Figure 4: the synthetic clouds", figure4.tasks, figure4.render, figure4.draw),
    "figure5": Experiment("Figure 5: training on a part of the nodes", figure5.tasks, figure5.render, figure5.draw),
}


NOT_HERE = ("FileNotFoundError", "ImportError", "ModuleNotFoundError")
"""Errors that say what to get or install: such a measurement is left out, not failed."""


class Run:
    """One table or figure in the making.

    Parameters
    ----------
    name : str
        One of `EXPERIMENTS`.
    folder : Path
        Where results, table and picture go, and where results of an earlier run are found.
    quick : bool, default=False
        Small data, one seed.
    jobs : int, default=1
        Measurements side by side.
    limit : float, default=900
        Seconds that one measurement may take.

    Attributes
    ----------
    left_out : dict of str to list of str
        What is not on this machine → the measurements that need it.
    """

    def __init__(self, name: str, folder: Path, *, quick: bool = False, jobs: int = 1, limit: float = 900.0) -> None:
        self.name = name
        self.folder = folder
        self.quick = quick
        self.jobs = jobs
        self.limit = limit
        self.experiment = EXPERIMENTS[name]
        self.results = Results(folder / f"{name}.json", threads=1 if jobs > 1 else None)
        self.left_out: dict[str, list[str]] = {}

    def remaining(self) -> list[Task]:
        """Return what has not been measured yet; failures are tried again, and what took too long if it has more time."""
        return [task for task in self.experiment.tasks(self.quick) if not self._is_done(task.key)]

    def known(self) -> dict[str, dict[str, Any]]:
        """Return what was measured of all that this table or figure asks for."""
        records = self.results.records
        return {task.key: records[task.key] for task in self.experiment.tasks(self.quick) if task.key in records}

    def advance(self) -> Iterator[tuple[Task, Record]]:
        """Measure what is missing, keeping and yielding each as it comes."""
        for task, record in run_tasks(self.remaining(), jobs=self.jobs, limit=self.limit):
            kind, _, message = record.get("error", "").partition(": ")
            if kind in NOT_HERE:
                self.left_out.setdefault(message, []).append(task.key)
            else:
                self.results.add(task.key, {**task.about, **record})
            yield task, record

    def write(self) -> list[Path]:
        """Write the table, and the picture if there is one, of what is known by now; return their paths."""
        known = self.known()
        if not known:
            return []
        written = [self.folder / f"{self.name}.md"]
        write_atomically(written[0], f"# {self.experiment.title}\n\n{self.experiment.render(known)}".encode())
        figure = None if self.experiment.draw is None else self.experiment.draw(known)
        if figure is not None:
            written.append(self.folder / f"{self.name}.png")
            write_atomically(written[1], png_bytes(figure))
        return written

    def _is_done(self, key: str) -> bool:
        record = self.results.records.get(key, {"error": "never tried"})
        return "error" not in record and record.get("stopped_after", self.limit) >= self.limit
