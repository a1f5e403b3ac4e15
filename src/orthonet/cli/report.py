"""`orthonet report`: a page about an earlier run, or about labels that came from elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from orthonet.cli.earlier_run import read_again
from orthonet.cli.inputs import Inputs
from orthonet.cli.reading import read_inputs, read_truth
from orthonet.cli.run_folder import REPORT, Run, check_new_file
from orthonet.cli.talk import Talk
from orthonet.report.fitted import Labelling
from orthonet.report.html import write_report


def run_report(inputs: Inputs, labels: str | None, output: Path | None, title: str | None, talk: Talk) -> None:
    """Write the page."""
    files = list(inputs.files or ())
    of_run = len(files) == 1 and files[0].is_dir()
    if of_run and labels is not None:
        raise ValueError(f"{files[0]} is a run with labels of its own; --labels goes with files of edges or views")
    model: Any
    if of_run:
        run = Run.of(files[0])
        target = check_new_file(output or run.folder / REPORT)
        (given, model), record = read_again(run), dict(run.record)
    else:
        if labels is None:
            raise ValueError("name the folder of a run; or files of edges or views with --labels FILE")
        target = check_new_file(output or Path(REPORT))
        given = read_inputs(inputs, labels)
        names, codes = np.unique(read_truth(given, labels).classes, return_inverse=True)
        model = Labelling(codes.astype(np.int64), f"labels from {labels}", tuple(map(str, names)))
        record = {"command": sys.argv, "code": given.code}
    with talk.waiting("writing the report"):
        columns = given.attributes
        write_report(
            given.graph, model, target, record=record, code=record.get("code"), title=title, attributes=columns
        )
    talk.say(f"wrote {target}")
    talk.result({"output": str(target), "nodes": given.graph.n_nodes})
