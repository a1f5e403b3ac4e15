"""`orthonet cluster`: from tables of numbers to groups, an embedding and a model."""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import typer
from scipy.sparse import load_npz

import orthonet
from orthonet import MultilayerGraph, OrthoNet
from orthonet.support.files import write_atomically


@dataclass(frozen=True)
class Inputs:
    """Files that were named on the command line, as ``name=path`` or ``path``."""

    views: Sequence[str]
    layers: Sequence[str]
    features: Path | None

    def graph(self, n_neighbors: int) -> MultilayerGraph:
        """Read the files and build the layers."""
        if bool(self.views) == bool(self.layers):
            raise ValueError("pass either --view files, from which layers are built, or --layer files")
        named = [_named(text) for text in (self.views or self.layers)]
        if self.views:
            if self.features is not None:
                raise ValueError("--features goes with --layer; the features of --view files are the views themselves")
            return MultilayerGraph.from_views({name: _table(path) for name, path in named}, n_neighbors=n_neighbors)
        features = None if self.features is None else _table(self.features)
        return MultilayerGraph({name: _matrix(path) for name, path in named}, features)


def run_cluster(inputs: Inputs, output: Path, n_neighbors: int, options: dict[str, Any]) -> None:
    """Fit, and write what came of it; under ``torchrun`` all processes fit together and the first one writes."""
    together = int(os.environ.get("WORLD_SIZE", "1")) > 1
    first = os.environ.get("RANK", "0") == "0"
    started = time.perf_counter()
    graph = inputs.graph(n_neighbors)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = OrthoNet(**options, n_neighbors=n_neighbors, distributed=together).fit(graph)
    if not first:
        return
    told = sorted({str(one.message) for one in caught if issubclass(one.category, UserWarning | RuntimeWarning)})
    output.mkdir(parents=True, exist_ok=True)
    rows = zip(graph.node_ids.tolist(), model.labels_, model.confidence_, strict=True)
    lines = ["node,label,confidence", *(f"{_quoted(node)},{label},{sure:.4f}" for node, label, sure in rows)]
    write_atomically(output / "labels.csv", ("\n".join(lines) + "\n").encode())
    buffer = BytesIO()
    np.save(buffer, model.embedding_)
    write_atomically(output / "embedding.npy", buffer.getvalue())
    model.save(output / "model")
    record = {
        "command": sys.argv,
        "version": orthonet.__version__,
        "parameters": {
            name: value if isinstance(value, str | int | float) else repr(value) for name, value in options.items()
        },
        "processes": int(os.environ.get("WORLD_SIZE", "1")),
        "nodes": graph.n_nodes,
        "layers": list(graph.layer_names),
        "complete": model.complete_,
        "steps": model.n_steps_,
        "loss": float(model.history_["loss"][-1]),
        "aggregation": model.aggregation_,
        "cluster_sizes": np.bincount(model.labels_, minlength=model.n_clusters).tolist(),
        "seconds": round(time.perf_counter() - started, 2),
        "warnings": told,
    }
    write_atomically(output / "run.json", json.dumps(record, indent=2, default=float).encode())
    for message in told:
        typer.echo(f"warning: {message}", err=True)
    sizes = ", ".join(map(str, record["cluster_sizes"]))
    typer.echo(f"{graph.n_nodes:,} nodes in {model.n_clusters} groups of {sizes}; written to {output}{os.sep}")
    if not model.complete_:
        sys.exit(130)


def _named(text: str) -> tuple[str, Path]:
    name, found, path = text.partition("=")
    return (name, Path(path)) if found else (Path(text).stem, Path(text))


def _table(path: Path) -> Any:
    """Read a table of numbers: .npy (left on disk, in a memory map), sparse .npz, or text with or without a header."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    if path.suffix in (".npy", ".npz"):
        try:
            return load_npz(path) if path.suffix == ".npz" else np.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, EOFError, BadZipFile) as error:
            kind = "a scipy sparse matrix" if path.suffix == ".npz" else "a NumPy array of numbers"
            raise ValueError(f"{path} is not {kind}, or is cut off ({error})") from None
    if path.suffix not in (".csv", ".tsv", ".txt"):
        raise ValueError(f"{path}: tables are .npy, .npz (scipy sparse), .csv, .tsv or .txt files")
    with path.open(encoding="utf-8") as file:
        head = file.readline()
    if not head:
        raise ValueError(f"{path} is empty")
    delimiter = "\t" if "\t" in head else "," if "," in head else None
    try:
        [float(cell) for cell in head.split(delimiter)]
        skip = 0
    except ValueError:
        skip = 1
    try:
        return np.loadtxt(path, delimiter=delimiter, skiprows=skip, ndmin=2)
    except ValueError as error:
        raise ValueError(f"{path} is not a table of numbers: {error}") from None


def _matrix(path: Path) -> Any:
    matrix = _table(path)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{path} has shape {matrix.shape}; a layer is a square matrix of edge weights")
    return matrix


def _quoted(node: Any) -> str:
    text = str(node)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\n') else text
