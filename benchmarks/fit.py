"""Time a whole fit against the number of nodes, with the exact geometric and with the arithmetic mean.

python benchmarks/fit.py
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from orthonet import OrthoNet, datasets, metrics

sys.path.insert(0, str(Path(__file__).parent.parent / "experiments"))
from tables import keep, publish

RESULTS = Path(__file__).parent / "results" / "fit.json"
SIZES = {"geometric": (500, 1000, 2000), "arithmetic": (500, 1000, 2000, 5000, 10_000, 20_000)}


def measure(method: str, n_nodes: int) -> dict[str, float | int | str]:
    """Fit once and return how long the mean and the whole fit took."""
    data = datasets.make_multilayer_gaussians(n_nodes, random_state=0)
    started = time.perf_counter()
    model = OrthoNet(data.n_clusters, aggregation=method, random_state=0).fit(data.graph)
    seconds = time.perf_counter() - started
    return {
        "aggregation": method,
        "n_nodes": n_nodes,
        "mean_seconds": round(model.aggregation_["seconds"], 3),
        "fit_seconds": round(seconds, 3),
        "nmi": round(metrics.nmi(data.labels, model.labels_), 4),
    }


def render(rows: list[dict[str, float | int | str]]) -> str:
    """Return a Markdown table with the growth exponent between the two largest sizes of each method."""
    lines = [
        "| aggregation | nodes | seconds for the mean | seconds for the whole fit | NMI |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        numbers = f"{row['n_nodes']:,} | {row['mean_seconds']:.2f} | {row['fit_seconds']:.1f} | {row['nmi']:.3f}"
        lines.append(f"| {row['aggregation']} | {numbers} |")
    slopes = []
    for method in SIZES:
        (small, large) = [row for row in rows if row["aggregation"] == method][-2:]
        ratio = np.log(float(large["fit_seconds"]) / float(small["fit_seconds"]))
        slopes.append(f"{method} N^{ratio / np.log(float(large['n_nodes']) / float(small['n_nodes'])):.1f}")
    return "\n".join(lines) + f"\n\nGrowth between the two largest sizes: {', '.join(slopes)}.\n"


def main() -> None:
    """Measure, keep the results, and put the table into the documents."""
    rows = []
    for method, sizes in SIZES.items():
        for n_nodes in sizes:
            rows.append(measure(method, n_nodes))
            print(rows[-1], flush=True)
    keep(RESULTS, rows)
    publish("fit", render(rows))


if __name__ == "__main__":
    main()
