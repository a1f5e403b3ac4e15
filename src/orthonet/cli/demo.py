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
from orthonet.clustering.assignment import unit_rows
from orthonet.datasets import Dataset, load_digits, make_multilayer_gaussians
from orthonet.paper.figure1 import draw_toy
from orthonet.report.comparison import Score, compare, standard_methods
from orthonet.report.pictures import draw_embedding, draw_layers, flatten
from orthonet.support.files import write_atomically
from orthonet.support.optional import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_NODES = 1000


def run_demo(names: Sequence[str], folder: Path, seed: int) -> None:
    """Run every standard method on the named data sets; print a table, write pictures, labels and scores."""
    require("matplotlib", extra="cli", purpose="the demo's pictures")
    folder = folder.expanduser()
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; name a folder with --output")
    folder.mkdir(parents=True, exist_ok=True)
    console = Console()
    written = []
    for name in names:
        data, positions = _data_and_positions(name, seed)
        console.print(
            f"\n[bold]{data.name}[/bold]: {data.description}\n{data.graph.summary()}\n",
            highlight=False,
            soft_wrap=True,
        )
        scores = _scores(data, seed, console)
        console.print(_table(data, scores))
        best = scores[-1].estimator
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
            _save_scores(data, scores, seed, folder / f"{name}-scores.json"),
        ]
    written.append(_save_figure(draw_toy(seed), folder / "overview.png"))
    names_of_files = ", ".join(path.name for path in written)
    console.print(f"\nWrote to {folder}: {names_of_files}", markup=False, highlight=False, soft_wrap=True)


def _data_and_positions(name: str, seed: int) -> tuple[Dataset, list[Any]]:
    """Return a data set and, for each layer, where to draw the nodes: in its own plane, or by its own eigenvectors."""
    if name == "gaussians":
        data = make_multilayer_gaussians(N_NODES, random_state=seed)
        features = np.asarray(data.graph.features)
        return data, [features[:, start : start + 2] for start in range(0, features.shape[1], 2)]
    data = load_digits(N_NODES)
    alone = (SpectralClustering(data.n_clusters, layer=name).fit(data.graph) for name in data.graph.layer_names)
    return data, [flatten(unit_rows(spectral.embedding_)) for spectral in alone]


def _scores(data: Dataset, seed: int, console: Console) -> list[Score]:
    methods = standard_methods(data.graph, data.n_clusters, seed)
    scores = []
    with console.status("") as status:
        waiting = iter(methods)
        status.update(f"{next(waiting)} …")
        for score in compare(data.graph, data.labels, methods):
            scores.append(score)
            status.update(f"{next(waiting, 'drawing')} …")
    return scores


def _table(data: Dataset, scores: Sequence[Score]) -> Table:
    table = Table(title=f"{data.name}, K = {data.n_clusters}", title_justify="left")
    table.add_column("method", no_wrap=True)
    for column in ("purity", "NMI", "ARI", "seconds"):
        table.add_column(column, justify="right")
    for score in scores:
        numbers = (f"{score.purity:.3f}", f"{score.nmi:.3f}", f"{score.ari:.3f}", f"{score.seconds:.1f}")
        table.add_row(score.method, *numbers, style="bold" if score.method == "OrthoNet" else None)
    return table


def _save_figure(figure: Figure, path: Path) -> Path:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    write_atomically(path, buffer.getvalue())
    return path


def _save_labels(data: Dataset, found: Any, path: Path) -> Path:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["node", "cluster", "reference"])
    writer.writerows(zip(data.graph.node_ids, found, data.labels, strict=True))
    write_atomically(path, text.getvalue().encode())
    return path


def _save_scores(data: Dataset, scores: Sequence[Score], seed: int, path: Path) -> Path:
    record = {"data": data.name, "seed": seed, "scores": [score.as_row() for score in scores]}
    write_atomically(path, json.dumps(record, indent=2).encode())
    return path
