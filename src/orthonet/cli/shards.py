"""Shards on the command line: `orthonet convert --shards` writes them, `orthonet cluster` clusters them.

Under ``torchrun`` each process of `orthonet cluster FOLDER` reads its own shards; the first writes the results.
"""

from __future__ import annotations

import time
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orthonet.cli.inputs import Inputs
from orthonet.cli.reading import inputs_record
from orthonet.cli.run_folder import (
    RECORD,
    check_folder,
    embedding_table,
    labels_table,
    record_bytes,
    write_run,
)
from orthonet.cli.talk import Talk
from orthonet.files.shards import MANIFEST, Shards, is_shards, write_shards
from orthonet.files.shards.manifest import sha256
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.files import writing
from orthonet.support.folders import ending_tidily, replace_folder
from orthonet.support.locks import reserved
from orthonet.support.text import counted, listed

if TYPE_CHECKING:
    from orthonet.cli.cluster import Job
    from orthonet.clustering.estimator import OrthoNet

NO_REPORT = "report.html needs all nodes in one process: orthonet report writes it afterwards, where they fit"


def shards_of(inputs: Inputs) -> Path | None:
    """Return the folder of shards that a command was given, None if it was given something else."""
    files = list(inputs.files or ())
    return files[0] if len(files) == 1 and is_shards(files[0]) else None


def check_new_shards(output: Path, force: bool) -> Path:
    """Refuse, before any work is done, a folder that shards cannot be written to."""
    folder = check_folder(output)
    if folder.is_dir() and any(folder.iterdir()):
        if not is_shards(folder):
            raise FileExistsError(f"{output} is not empty and holds no shards; name a new folder with --output")
        if not force:
            raise FileExistsError(f"{output} holds shards already; pass --force to replace them")
    return folder


def write_new_shards(graph: MultilayerGraph, folder: Path, n_shards: int) -> list[Path]:
    """Write shards beside the folder, and put them in place in one step."""
    whole = folder.resolve()
    names: list[str] = []

    def fill(part: Path) -> None:
        names.extend(path.name for path in write_shards(graph, part, n_shards))

    ours = [one.name for one in whole.iterdir()] if whole.is_dir() else []
    with ending_tidily(), writing(folder), reserved(whole):
        replace_folder(whole, fill, ours)
    return [folder / name for name in names]


def run_cluster_shards(inputs: Inputs, job: Job, folder: Path, first: bool, talk: Talk) -> None:
    """Fit with all processes that ``torchrun`` started, each with its own shards, and write what came of it."""
    from orthonet.cli.cluster import collected, fitted, model_record, tell

    shards = _opened(inputs, job)
    about = shards.manifest
    notes = [
        f"{about.n_nodes:,} nodes, {counted(about.n_shards, 'shard')}, layers: {listed([*about.layers, *about.two_mode])}"
    ]
    if first:
        for note in (*notes, *([NO_REPORT] if job.report else [])):
            talk.say(note)
    started, warned = time.perf_counter(), list[str]()
    with collected(warned):
        model: OrthoNet = fitted(shards, (*about.layers, *about.two_mode), inputs, job, talk)
    if not first:
        return
    seconds = {name: stage["seconds"] for name, stage in model.aggregation_["stages"].items()}
    record = model_record(model, warned) | _data_record(shards, inputs, model) | {"read": notes}
    files = {
        f"labels.{job.tables}": labels_table(model.node_ids_, model.labels_, model.confidence_, job.tables),
        f"embedding.{job.tables}": embedding_table(model.node_ids_, model.embedding_, job.tables),
    }
    record["seconds"] = seconds | {"all": round(time.perf_counter() - started, 2)}
    write_run(folder, files | {RECORD: record_bytes(record)}, model)
    for message in warned:
        talk.warn(message)
    tell(record, replace(job, report=False), talk)


def _opened(inputs: Inputs, job: Job) -> Shards:
    """Open the shards; refuse options that say how other files are to be read."""
    plain, unused = Inputs(files=inputs.files), []
    for field in fields(Inputs):
        if getattr(inputs, field.name) != getattr(plain, field.name):
            unused.append(f"--{field.name.replace('_', '-')}")
    path = shards_of(inputs)
    if path is None:
        raise ValueError("name one folder of shards")
    if unused:
        raise ValueError(
            f"{', '.join(unused)}: shards are read as they are; say how a network is to be read when it is converted"
        )
    if job.truth is not None:
        raise ValueError("--truth: no process reads all nodes of shards; compare labels.csv with the truth afterwards")
    return Shards.of(path)


def _data_record(shards: Shards, inputs: Inputs, model: OrthoNet) -> dict[str, Any]:
    about, manifest = shards.manifest, (shards.path / MANIFEST).absolute()
    scaler = model._result.embedder.scaler
    return {
        "inputs": inputs_record(inputs),
        "checksums": {str(manifest): sha256(manifest)},
        "code": f"from orthonet.files import Shards\n\ngraph = Shards.of({str(shards.path)!r})",
        "nodes": about.n_nodes,
        "layers": list(about.layers),
        "two_mode": list(about.two_mode),
        "views": None,
        "features": about.n_features,
        "feature_names": None if about.feature_names is None else list(about.feature_names),
        "feature_means": None if scaler is None or scaler.mean is None else scaler.mean.tolist(),
    }
