"""Time whole default fits beside scikit-learn's spectral clustering on one graph of all features, in one run.

python benchmarks/beside_spectral.py

Layers are given ready made; both see the same standardised features. Each is run three times, by turns, with the threads that
torch and BLAS take by themselves and with one; the medians count. Nothing else should run.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from orthonet import OrthoNet, datasets, metrics
from orthonet.datasets import Dataset
from orthonet.paper import sets

sys.path.insert(0, str(Path(__file__).parent.parent / "experiments"))
from tables import keep, publish

RESULTS = Path(__file__).parent / "results" / "beside_spectral.json"
SETS = {"Mfeat": 10, "digits": 10, "100 leaves": 8, "synthetic 10,000": 3}
"""Data sets, and the ratio that is wanted."""
TWO_MODE = "DBLP, two-mode"
SEEDS = 3
THREADS: dict[str, int | None] = {"default": None, "one": 1}


def measure(name: str, threads: str) -> dict[str, Any]:
    """Fit both by turns, and return the median seconds, their ratio, and the NMI of the fit."""
    data = datasets.load_dblp(two_mode=True) if name == TWO_MODE else sets.load(name)
    ours, theirs, found = [], [], []
    with threadpool_limits(THREADS[threads]):
        for seed in range(SEEDS):
            if name != TWO_MODE:
                theirs.append(_seconds(lambda seed=seed: _spectral(data, seed)))
            model = OrthoNet(data.n_clusters, random_state=seed)
            ours.append(_seconds(lambda model=model: model.fit(data.graph)))
            found.append(metrics.nmi(data.labels, model.labels_))
    row = {"set": name, "threads": threads, "n_nodes": data.graph.n_nodes, "seconds": round(float(np.median(ours)), 2)}
    if theirs:
        row |= {"spectral": round(float(np.median(theirs)), 3), "ratio": round(np.median(ours) / np.median(theirs), 1)}
    return row | {"nmi": round(float(np.mean(found)), 4)}


def render(rows: list[dict[str, Any]]) -> str:
    """Return a Markdown table, a line for each set."""
    heads = ["data", "nodes", "scikit-learn, seconds", "default fit, seconds", "ratio", "with one thread", "ratio"]
    lines = [_line([*heads, "wanted", "NMI of the fit"]), "|---" * 9 + "|"]
    for name in dict.fromkeys(row["set"] for row in rows):
        many, one = (next(row for row in rows if (row["set"], row["threads"]) == (name, how)) for how in THREADS)
        cells = [name, f"{many['n_nodes']:,}", *_times(many), ", ".join(filter(None, _times(one)[:2])), _times(one)[2]]
        lines.append(_line([*cells, str(SETS.get(name, "5 seconds")), f"{many['nmi']:.3f}"]))
    return "\n".join(lines) + "\n"


def _times(row: dict[str, Any]) -> list[str]:
    rival = [f"{row['spectral']:.2f}", f"{row['ratio']:.1f}"] if "ratio" in row else ["", ""]
    return [rival[0], f"{row['seconds']:.1f}", rival[1]]


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _spectral(data: Dataset, seed: int) -> None:
    features = StandardScaler().fit_transform(np.asarray(data.graph.features))
    SpectralClustering(data.n_clusters, affinity="nearest_neighbors", n_neighbors=10, random_state=seed).fit(features)


def _seconds(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    """Measure, keep the results, and put the table into the documents."""
    warnings.simplefilter("ignore")
    OrthoNet(3, random_state=0).fit(
        datasets.make_multilayer_gaussians(200, n_clusters=3, random_state=0).graph
    )  # imports
    rows = []
    for threads in THREADS:
        for name in (*SETS, TWO_MODE):
            rows.append(measure(name, threads))
            print(rows[-1], flush=True)
    keep(RESULTS, rows)
    publish("beside-spectral", render(rows))


if __name__ == "__main__":
    main()
