"""Score the default recipe, over several seeds, on every data set at hand; the README's table comes from here.

    python experiments/recipe.py [--seeds 5] [--data gaussians digits mfeat leaves100]

Every method runs with its defaults except the number of clusters. Results are added to ``results/recipe.json`` data set by
data set, so a run that is cut off loses nothing; the tables in the documents are made from them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tables import environment, publish

from orthonet import datasets
from orthonet.datasets import Dataset
from orthonet.report.comparison import compare, standard_methods
from orthonet.support.files import write_atomically

RESULTS = Path(__file__).parent / "results"
LOADERS: dict[str, Callable[[], Dataset]] = {
    "gaussians": lambda: datasets.make_multilayer_gaussians(1000, random_state=0),
    "digits": lambda: datasets.load_digits(),
    "mfeat": lambda: datasets.load_mfeat(),
    "leaves100": lambda: datasets.load_leaves100(),
}
COLUMNS = ("purity", "nmi", "ari", "seconds")


def measure(data: Dataset, seeds: int) -> dict[str, dict[str, list[float]]]:
    """Return all scores of all methods over the seeds."""
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: {column: [] for column in COLUMNS})
    for seed in range(seeds):
        for score in compare(data.graph, data.labels, standard_methods(data.graph, data.n_clusters, seed)):
            row = score.as_row()
            for column in COLUMNS:
                scores[score.method][column].append(round(float(row[column]), 4))
            print(
                f"{data.name:22s} seed {seed}  {score.method:40s} {score.nmi:.3f}  {score.seconds:6.1f} s", flush=True
            )
    return dict(scores)


def render(results: dict[str, dict[str, object]]) -> str:
    """Return a Markdown table, one row a method and data set; layers alone are left to the JSON file."""
    lines = ["| data | method | purity | NMI | ARI | seconds |", "|---|---|---|---|---|---|"]
    for name, result in results.items():
        scores: dict[str, dict[str, list[float]]] = result["scores"]  # type: ignore[assignment]
        for method, columns in scores.items():
            if method.startswith("spectral, layer"):
                continue
            cells = [f"{np.mean(columns[c]):.3f} ± {np.std(columns[c]):.3f}" for c in COLUMNS[:3]]
            cells.append(f"{np.median(columns['seconds']):.1f}")
            row = [name, method, *cells]
            lines.append("| " + " | ".join(f"**{cell}**" if method == "OrthoNet" else cell for cell in row) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure the data sets that are there, and say which are not."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--data", nargs="+", choices=list(LOADERS), default=list(LOADERS))
    arguments = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / "recipe.json"
    results = json.loads(file.read_text()) if file.exists() else {}
    for name in arguments.data:
        try:
            data = LOADERS[name]()
        except FileNotFoundError as error:
            print(f"{name} left out: {error}")
            continue
        started = time.perf_counter()
        scores = measure(data, arguments.seeds)
        results[name] = {"environment": environment(), "seeds": arguments.seeds, "scores": scores}
        ordered = {known: results[known] for known in LOADERS if known in results}
        write_atomically(file, json.dumps(ordered, indent=1).encode())
        publish("recipe", render(ordered))
        print(f"{name}: {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
