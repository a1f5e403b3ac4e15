"""``orthonet demo``: the main job on data that is generated or comes with scikit-learn."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table

from orthonet.baselines import SpectralClustering
from orthonet.cli.talk import Talk
from orthonet.clustering.assignment import unit_rows
from orthonet.clustering.projection_2d import flatten
from orthonet.comparison.methods import METHODS, Method, fits_of, layer_by_layer
from orthonet.comparison.outcomes import Outcome, Reference, compare
from orthonet.comparison.pictures import draw_embedding, draw_layers
from orthonet.comparison.toy import draw_toy
from orthonet.datasets import Dataset, load_digits, make_multilayer_gaussians
from orthonet.report.html import write_report
from orthonet.support.drawing import png_bytes
from orthonet.support.files import write_atomically
from orthonet.support.optional import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_NODES = 1000
"""Nodes of each data set: enough to be interesting, few enough for seconds."""


def run_demo(names: Sequence[str], folder: Path, seed: int, talk: Talk) -> None:
    """Run every standard method on the named data sets; print a table, write pictures, labels and scores."""
    require("matplotlib", extra="cli", purpose="the demo's pictures")
    folder = folder.expanduser()
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; name a folder with --output")
    folder.mkdir(parents=True, exist_ok=True)
    console = Console(quiet=not talk.plain)
    written = []
    scores = {}
    for name in names:
        data, positions = _data_and_positions(name, seed)
        console.print(
            f"\n[bold]{data.name}[/bold]: {data.description}\n{data.graph.summary()}\n",
            highlight=False,
            soft_wrap=True,
        )
        outcomes = _outcomes(data, seed, console)
        console.print(_table(data, outcomes))
        best = outcomes[-1].estimator
        scores[name] = [outcome.as_row(Reference(data.labels)) for outcome in outcomes]
        written += [
            _save_figure(
                draw_layers(data.graph, positions, data.labels, f"{data.name}: the layers"),
                folder / f"{name}-layers.png",
            ),
            _save_figure(
                draw_embedding(best.embedding_, data.labels, best.labels_, f"{data.name}: what OrthoNet learnt"),
                folder / f"{name}-embedding.png",
            ),
            _save_labels(data, best.labels_, folder / f"{name}-labels.csv"),
            _save_scores(data, scores[name], seed, folder / f"{name}-scores.json"),
        ]
        page = folder / f"{name}-report.html"
        written.append(write_report(data.graph, best, page, title=f"{data.name}: what OrthoNet found"))
    written.append(_save_figure(draw_toy(seed), folder / "overview.png"))
    names_of_files = ", ".join(path.name for path in written)
    console.print(f"\nWrote to {folder}: {names_of_files}", markup=False, highlight=False, soft_wrap=True)
    talk.result({"output": str(folder), "files": [path.name for path in written], "scores": scores})


def _data_and_positions(name: str, seed: int) -> tuple[Dataset, list[Any]]:
    """Return a data set and, for each layer, where to draw the nodes: in its own plane, or by its own eigenvectors."""
    if name == "gaussians":
        data = make_multilayer_gaussians(N_NODES, random_state=seed)
        features = np.asarray(data.graph.features)
        return data, [features[:, start : start + 2] for start in range(0, features.shape[1], 2)]
    data = load_digits(N_NODES)
    alone = (SpectralClustering(data.n_clusters, layer=name).fit(data.graph) for name in data.graph.layer_names)
    return data, [flatten(unit_rows(spectral.embedding_)) for spectral in alone]


def _methods(data: Dataset) -> list[Method]:
    """Return K-means, spectral clustering of each layer and of two means of them, and OrthoNet."""
    means = [METHODS[name] for name in ("spectral", "spectral-geometric")]
    return [METHODS["kmeans"], *layer_by_layer(data.graph), *means, METHODS["orthonet"]]


def _outcomes(data: Dataset, seed: int, console: Console) -> list[Outcome]:
    methods = fits_of(_methods(data), data.graph, data.views, data.n_clusters)
    outcomes = []
    with console.status("") as status:
        waiting = iter(methods)
        status.update(f"{next(waiting)} …")
        for outcome in compare(methods, [seed]):
            outcomes.append(outcome)
            status.update(f"{next(waiting, 'drawing')} …")
    return outcomes


def _table(data: Dataset, outcomes: Sequence[Outcome]) -> Table:
    table = Table(title=f"{data.name}, K = {data.n_clusters}", title_justify="left")
    table.add_column("method", no_wrap=True)
    for column in ("purity", "NMI", "ARI", "seconds"):
        table.add_column(column, justify="right")
    for outcome in outcomes:
        scores = outcome.scores(Reference(data.labels))
        numbers = [f"{scores[name][0]:.3f}" for name in ("purity", "nmi", "ari")]
        style = "bold" if outcome.method == "OrthoNet" else None
        table.add_row(outcome.method, *numbers, f"{outcome.seconds[0]:.1f}", style=style)
    return table


def _save_figure(figure: Figure, path: Path) -> Path:
    write_atomically(path, png_bytes(figure))
    return path


def _save_labels(data: Dataset, found: Any, path: Path) -> Path:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["node", "cluster", "reference"])
    writer.writerows(zip(data.graph.node_ids, found, data.labels, strict=True))
    write_atomically(path, text.getvalue().encode())
    return path


def _save_scores(data: Dataset, rows: Sequence[dict[str, Any]], seed: int, path: Path) -> Path:
    record = {"data": data.name, "seed": seed, "scores": rows}
    write_atomically(path, json.dumps(record, indent=2).encode())
    return path
