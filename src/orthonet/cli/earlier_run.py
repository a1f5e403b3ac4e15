"""The data of an earlier run, read again from the files it names, if they are the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from orthonet.cli.reading import Given, checksum, inputs_of, read_inputs
from orthonet.cli.run_folder import RECORD, Run
from orthonet.support.text import one_line

if TYPE_CHECKING:
    from orthonet.clustering.estimator import OrthoNet


def read_again(run: Run) -> tuple[Given, OrthoNet]:
    """Return what the run read, and its model; refuse files that are gone or have changed."""
    record = run.record
    if "inputs" not in record or "checksums" not in record:
        raise ValueError(f"{run.folder / RECORD} does not say which files the run read")
    for path, kept in record["checksums"].items():
        shown = one_line(path, 1000)
        if not Path(path).is_file():
            raise FileNotFoundError(
                f"{shown}: there is no such file, but the run read it; put it back or cluster again"
            )
        if checksum(Path(path)) != kept:
            raise ValueError(f"{shown} changed since the run; cluster again")
    given, model = read_inputs(inputs_of(record["inputs"])), run.model()
    if len(model.labels_) != given.graph.n_nodes:
        raise ValueError(f"the files that {run.folder / RECORD} names now contain {given.graph.n_nodes:,} nodes")
    return given, model
