"""Reliability of confidence against the true classes, which nothing was tuned on: a table and a picture.

ORTHONET_DATA_HOME=… python experiments/calibration.py

For each set, one search (seed 0, without the net), its tempered probabilities, and how often the most probable cluster is
the class that it matches best. The expected calibration error is the mean over nodes of |share right − mean confidence| in
ten bins.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

sys.path.insert(0, str(Path(__file__).parent))
from choice.sets import SETS, load, search
from tables import ROOT, keep, publish

from orthonet.evidence.confidence import aligned, tempered_probabilities
from orthonet.paper import scores

RESULTS = Path(__file__).parent / "results" / "calibration.json"
SKIPPED = "DBLP"
"""As cliques: it takes minutes, and stands here as two-mode relations."""
BINS = 10


def measure(name: str) -> dict[str, Any]:
    """Return confidence and accuracy of a set, in all and in ten bins."""
    data = load(name, 0)
    found = search(name, 0)
    chosen, k = found.chosen, found.inputs.n_clusters
    proposed, rng = list(found.proposed.values()), np.random.default_rng(0)
    tempered = tempered_probabilities(
        found.sources, chosen.labels, proposed, k, rng, found.weights, found.corroboration, anneal=found.annealed
    )
    classes = np.unique(data.labels, return_inverse=True)[1].astype(np.int64)
    right = aligned(chosen.labels, classes, k) == classes
    confidence = tempered.probabilities.max(axis=1)
    which = np.minimum((confidence * BINS).astype(int), BINS - 1)
    bins = [
        [int((which == b).sum()), float(confidence[which == b].mean()), float(right[which == b].mean())]
        for b in range(BINS)
        if (which == b).any()
    ]
    error = sum(count * abs(share - mean) for count, mean, share in bins) / len(right)
    return {
        "set": name,
        "accuracy": round(float(right.mean()), 4),
        "confidence": round(float(confidence.mean()), 4),
        "kept": round(tempered.stability, 4),
        "error": round(error, 4),
        "of wrong": round(float(confidence[~right].mean()), 4) if not right.all() else None,
        "bins": [[count, round(mean, 4), round(share, 4)] for count, mean, share in bins],
    }


def table(rows: list[dict[str, Any]]) -> str:
    """Return the Markdown table."""
    header = ["set", "accuracy", "mean confidence", "kept when resampled", "of wrong nodes", "calibration error"]
    columns = ("accuracy", "confidence", "kept", "of wrong", "error")
    return scores.table(
        header, [[row["set"], *("" if row[c] is None else f"{row[c]:.3f}" for c in columns)] for row in rows]
    )


def draw(rows: list[dict[str, Any]]) -> Figure:
    """Draw a reliability diagram per set; the size of a point is its share of the nodes."""
    n_columns = 5
    n_rows = -(-len(rows) // n_columns)
    figure = Figure(figsize=(11, 2.3 * n_rows), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, sharex=True, sharey=True, squeeze=False).ravel()
    for ax, row in zip(axes, rows, strict=False):
        counts, means, shares = np.array(row["bins"]).T
        ax.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        ax.scatter(means, shares, s=12 + 150 * counts / counts.sum(), color="#0072b2", zorder=2)
        ax.set_title(f"{row['set']}: {row['error']:.2f}", fontsize=8)
        ax.set_xlim(0, 1.05)
        ax.set_ylim(0, 1.05)
    for ax in axes[len(rows) :]:
        ax.set_visible(False)
    figure.supxlabel("confidence", fontsize=9)
    figure.supylabel("share of nodes in the right class", fontsize=9)
    return figure


def main() -> None:
    """Measure, keep, and publish."""
    rows = []
    for name in SETS:
        if name != SKIPPED:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows.append(measure(name))
            print(json.dumps(rows[-1]), flush=True)
    keep(RESULTS, rows)
    publish("calibration", table(rows))
    draw(rows).savefig(ROOT / "docs" / "images" / "calibration.png", dpi=110)


if __name__ == "__main__":
    main()
