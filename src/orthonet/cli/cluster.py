"""`orthonet cluster`: from files to clusters, an embedding, a model, a record and a page."""

from __future__ import annotations

import ast
import os
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from orthonet.cli.choices import check_clusters
from orthonet.cli.inputs import Inputs, Tables
from orthonet.cli.leaks import leak_warnings
from orthonet.cli.reading import Given, inputs_record, read_inputs, read_truth
from orthonet.cli.run_folder import (
    RECORD,
    REPORT,
    check_output,
    embedding_table,
    labels_table,
    record_bytes,
    reserved_output,
    write_run,
)
from orthonet.cli.shards import run_cluster_shards, shards_of
from orthonet.cli.talk import Talk
from orthonet.cli.wording import OPTIONS, in_options
from orthonet.clustering.estimator import OrthoNet
from orthonet.clustering.parameters import CONSTRAINTS, OPTION_GROUPS, nested, without_defaults
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.report.html import report_page
from orthonet.report.provenance import versions
from orthonet.report.scatter import WEBGL_ABOVE
from orthonet.support.memory import within_available_memory
from orthonet.support.optional import require
from orthonet.support.text import listed

SHOWN_FEATURES = 20
"""Names of features that are listed; of more, the first of them."""


@dataclass(frozen=True)
class Job:
    """What `orthonet cluster` was asked to do, beside its inputs."""

    output: Path
    settings: Mapping[str, Any]
    """Parameters of `OrthoNet`; the name of an option has a dot, as in ``training.max_iter``."""
    free_settings: Sequence[str]
    """Those of them that --set gave."""
    layer_weights: Sequence[str]
    truth: str | None
    tables: Tables
    report: bool


def run_cluster(inputs: Inputs, job: Job, talk: Talk) -> None:
    """Fit, and write what came of it; under ``torchrun`` all processes fit together and the first one writes."""
    first = os.environ.get("RANK", "0") == "0"
    folder = check_output(job.output)
    with reserved_output(folder) if first else nullcontext():
        run = _run if shards_of(inputs) is None else run_cluster_shards
        run(inputs, job, folder, first, talk)


def _run(inputs: Inputs, job: Job, folder: Path, first: bool, talk: Talk) -> None:
    if job.tables == "parquet":
        require("polars", extra="files", purpose="writing Parquet files")
    started, seconds = time.perf_counter(), {}
    warned: list[str] = []
    with talk.waiting("reading"), collected(warned):
        given = read_inputs(inputs, job.truth)
        check_clusters(job.settings.get("n_clusters"), given.graph.n_nodes)
        if job.report and given.graph.n_nodes > WEBGL_ABOVE:
            require("plotly", extra="report", purpose=f"a report on over {WEBGL_ABOVE:,} nodes (or pass --no-report)")
        truth = None if job.truth is None else read_truth(given, job.truth)
        seconds["reading"] = time.perf_counter() - started
    if first:
        for note in (*given.notes, *_features_named(given.graph)):
            talk.say(note)
    with collected(warned), within_available_memory():
        begun = time.perf_counter()
        model = fitted(given.graph, given.graph.relation_names, inputs, job, talk)
        seconds["fitting"] = time.perf_counter() - begun
    if not first:
        return
    if not model.complete_ and (folder / RECORD).is_file():
        talk.warn(f"interrupted after {model.n_iter_} steps; the earlier run in {job.output} was kept")
        sys.exit(130)
    warned += leak_warnings(given.graph, model.labels_)
    record = _record(given, model, warned)
    if truth is not None:
        scores = {name: round(value, 4) for name, value in truth.scores(model.labels_).items()}
        record |= {"truth": job.truth, "scores": {"nodes": int(truth.known.sum()), **scores}}
    files = {
        f"labels.{job.tables}": labels_table(given.graph.node_ids, model.labels_, model.confidence_, job.tables),
        f"embedding.{job.tables}": embedding_table(given.graph.node_ids, model.embedding_, job.tables),
    }
    if job.report:
        begun = time.perf_counter()
        with talk.waiting("writing the report"), within_available_memory():
            columns = dict(given.attributes) | ({} if truth is None else {str(job.truth): truth.classes})
            files[REPORT] = _page(given, model, record | {"seconds": seconds}, columns)
        seconds["report"] = time.perf_counter() - begun
    seconds["all"] = time.perf_counter() - started
    record["seconds"] = {name: round(value, 2) for name, value in seconds.items()}
    write_run(folder, files | {RECORD: record_bytes(record)}, model)
    for message in warned:
        talk.warn(message)
    if model.cluster_numbers_ is not None:
        talk.say(str(model.cluster_numbers_))
    tell(record, job, talk)
    if not model.complete_:
        sys.exit(130)


def parsed_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Return ``NAME=VALUE`` texts as parameters of `OrthoNet`: numbers, lists and None as in Python, else text.

    An option of a parameter has a dot in its name: ``training.tol``.
    """
    elsewhere = {
        "verbose",
        "training",
        "training.distributed",
        "aggregation.method",
    }  # said by other options, or by none
    known = sorted({*CONSTRAINTS, *OPTION_GROUPS} - elsewhere)
    found: dict[str, Any] = {}
    for text in texts:
        name, given, value = text.partition("=")
        if not given or name not in known:
            meant = [one for one in known if one.endswith(f".{name}")]
            all_names = f"NAME=VALUE with one of {', '.join(known)}"
            wanted = " or ".join(f"{one}={value}" for one in meant) if given and meant else all_names
            raise ValueError(f"--set {text}: write {wanted}")
        if name in OPTIONS and text != "layer_weights=None":  # --layer-weight gives numbers only
            raise ValueError(f"--set {text}: this setting has an option of its own, {OPTIONS[name]}")
        try:
            found[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            found[name] = value
    return found


def fitted(data: Any, layers: Sequence[str], inputs: Inputs, job: Job, talk: Talk) -> OrthoNet:
    """Fit a graph, or shards, with layers of these names."""
    settings: dict[str, Any] = {"n_neighbors": inputs.neighbors, "verbose": talk.verbose, **job.settings}
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        settings["training.distributed"] = True
    if job.layer_weights:
        settings["layer_weights"] = _weights(job.layer_weights, layers)
    try:
        return OrthoNet(**without_defaults(nested(settings))).fit(data)
    except (TypeError, RuntimeError) as error:  # a value of a kind that no check foresaw
        if not job.free_settings:
            raise
        raise ValueError(f"--set {', '.join(job.free_settings)}: {error}") from error


def _weights(texts: Sequence[str], layers: Sequence[str]) -> list[float]:
    weights = dict.fromkeys(layers, 1.0)
    for text in texts:
        name, _, value = text.rpartition("=")
        if name not in weights:
            raise ValueError(f"--layer-weight {text}: write LAYER=NUMBER with one of the layers {', '.join(layers)}")
        try:
            weights[name] = float(value)
        except ValueError:
            raise ValueError(f"--layer-weight {text}: {value!r} is not a number") from None
    return list(weights.values())


def _record(given: Given, model: OrthoNet, warned: Sequence[str]) -> dict[str, Any]:
    graph = given.graph
    return model_record(model, warned) | {
        "inputs": inputs_record(given.inputs),
        "checksums": given.checksums(),
        "read": list(given.notes),
        "code": given.code,
        "nodes": graph.n_nodes,
        "layers": list(graph.layer_names),
        "two_mode": list(graph.two_mode),
        "views": None if given.views is None else {name: view.shape[1] for name, view in given.views.items()},
        "features": 0 if graph.features is None else int(graph.features.shape[1]),
        "feature_names": None if graph.feature_names is None else list(graph.feature_names),
        "feature_means": _feature_means(graph),
    }


def model_record(model: OrthoNet, warned: Sequence[str]) -> dict[str, Any]:
    """Return what a run's record says of the fit, whatever it was fitted to."""
    return {
        "command": sys.argv,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions({}),
        "seed": model.random_state,
        "parameters": model.get_params(),
        "processes": int(os.environ.get("WORLD_SIZE", "1")),
        "complete": model.complete_,
        "steps": model.n_iter_,
        "loss": float(model.history_["loss"][-1]),
        "aggregation": model.aggregation_,
        "clusters": model.n_clusters_,
        "cluster_numbers": None if model.cluster_numbers_ is None else model.cluster_numbers_.to_dict(),
        "cluster_sizes": np.bincount(model.labels_, minlength=model.n_clusters_).tolist(),
        "mean_confidence": round(float(model.confidence_.mean()), 4),
        "warnings": list(warned),
    }


def _page(given: Given, model: OrthoNet, record: Mapping[str, Any], columns: Mapping[str, Any]) -> bytes:
    return report_page(given.graph, model, record=record, code=given.code, attributes=columns)


def _features_named(graph: MultilayerGraph) -> list[str]:
    """Return a line that names the features, so that a column which should not be one is seen."""
    return [f"features: {listed(graph.feature_names, SHOWN_FEATURES)}"] if graph.feature_names else []


def _feature_means(graph: MultilayerGraph) -> list[float] | None:
    """Return what fills the gaps of new nodes: the mean of each feature over the nodes, of dense features."""
    if graph.features is None or issparse(graph.features):
        return None
    return [float(mean) for mean in np.asarray(graph.features).mean(axis=0, dtype=np.float64)]


def tell(record: Mapping[str, Any], job: Job, talk: Talk) -> None:
    """Say what a run found and wrote."""
    sizes = ", ".join(f"{size:,}" for size in record["cluster_sizes"])
    talk.say(
        f"{record['nodes']:,} nodes in {len(record['cluster_sizes'])} clusters of {sizes}; "
        f"mean confidence {record['mean_confidence']:.2f}"
    )
    if "scores" in record:
        scores = ", ".join(f"{name} {value:.3f}" for name, value in record["scores"].items() if name != "nodes")
        talk.say(f"against {job.truth}, known of {record['scores']['nodes']:,} nodes: {scores}")
    written = [f"labels.{job.tables}", f"embedding.{job.tables}", "model", RECORD, *([REPORT] if job.report else [])]
    talk.say(f"wrote {', '.join(written)} to {job.output}{os.sep}")
    talk.result({"output": str(job.output), "files": written, **record})


@contextmanager
def collected(warned: list[str]) -> Iterator[None]:
    """Collect what is warned of, once each and in the words of the command line, instead of printing it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for one in caught:
        message = in_options(one.message)
        if issubclass(one.category, UserWarning | RuntimeWarning) and message not in warned:
            warned.append(message)
