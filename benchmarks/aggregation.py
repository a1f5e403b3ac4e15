"""Time and memory of the compressed geometric mean against the number of nodes, on the paper's synthetic set.

    python benchmarks/aggregation.py [--exact] [--nodes 1000 3000 …]

S = 4 layers of 20 neighbours, K = 5. Each size runs in a process of its own, so that its peak memory is its own. With
``--exact`` the exact mean at N = 10,000 is started too, in single precision, and stopped after its first gradient or after five
minutes, whichever comes first: a lower bound of what it takes.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from orthonet import aggregate, datasets

sys.path.insert(0, str(Path(__file__).parent.parent / "experiments"))
from tables import ROOT, keep, publish

RESULTS = Path(__file__).parent / "results" / "aggregation.json"
SIZES = (1000, 3000, 10_000, 30_000, 100_000, 300_000)
EXACT_SIZE = 10_000
PATIENCE = 300
"""Seconds after which the exact mean is stopped."""


def measure(n_nodes: int, solver: str) -> dict[str, float | int | str]:
    """Aggregate once; memory is what the process holds beyond the graph."""
    graph = datasets.make_multilayer_gaussians(n_nodes, random_state=0).graph
    before = _megabytes()
    started = time.perf_counter()
    options = {"tol": 1e6, "dtype": "float32"} if solver == "exact" else {}  # content after the first gradient
    mean = aggregate(graph, "geometric", solver=solver, n_components=5, verbose=False, **options)
    seconds = time.perf_counter() - started
    return {
        "solver": solver,
        "n_nodes": n_nodes,
        "seconds": round(seconds, 3),
        "graph_megabytes": round(before),
        "peak_megabytes": round(_megabytes()),
        "basis": mean.info.get("basis", n_nodes),
        "subspace_change": round(mean.info.get("subspace_change", 0.0), 5),
    }


def render(rows: list[dict[str, float | int | str]]) -> str:
    """Return a Markdown table with the slope of time and memory."""
    lines = [
        "| solver | nodes | seconds | peak memory (MB) | basis | last subspace change |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        if row.get("unfinished"):
            lines.append(
                f"| exact, stopped before its first gradient | {row['n_nodes']:,} | > {row['seconds']} | | | |"
            )
            continue
        solver = "exact, first gradient" if row["solver"] == "exact" else row["solver"]
        numbers = f"{row['n_nodes']:,} | {row['seconds']:.2f} | {row['peak_megabytes']:,} | {row['basis']:,} | "
        lines.append(f"| {solver} | {numbers}{row['subspace_change']:.4f} |")
    small = [row for row in rows if row["solver"] == "compressed"]
    nodes, seconds = (np.log([float(row[key]) for row in small]) for key in ("n_nodes", "seconds"))
    sentences = [f"Log-log slope of time against nodes: {np.polyfit(nodes, seconds, 1)[0]:.2f}."]
    exact = [row for row in rows if row["solver"] == "exact"]
    if exact:
        twin = next(row for row in small if row["n_nodes"] == exact[0]["n_nodes"])
        ratio = float(exact[0]["seconds"]) / float(twin["seconds"])
        least = "more than " if exact[0].get("unfinished") else ""
        sentences.append(
            f"At {EXACT_SIZE:,} nodes the first gradient of the exact mean alone takes {least}{ratio:.0f} times as long."
        )
    return "\n".join(lines) + "\n\n" + " ".join(sentences) + "\n"


def draw(rows: list[dict[str, float | int | str]], path: Path) -> None:
    """Draw time and memory against the number of nodes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.4), layout="constrained", dpi=110)
    small = [row for row in rows if row["solver"] == "compressed"]
    nodes = np.array([float(row["n_nodes"]) for row in small])
    for axis, key, name in zip(
        figure.subplots(1, 2), ("seconds", "peak_megabytes"), ("seconds", "peak memory (MB)"), strict=True
    ):
        values = np.array([float(row[key]) for row in small])
        axis.loglog(nodes, values, "o-", color="#332288", label="compressed geometric mean")
        axis.loglog(nodes, values[-1] * nodes / nodes[-1], ":", color="#999999", label="linear")
        for row in rows:
            if row["solver"] == "exact" and key in row:
                axis.loglog([row["n_nodes"]], [row[key]], "^", color="#CC6677", label="exact mean, at least")
        axis.set_xlabel("nodes")
        axis.set_ylabel(name)
        axis.legend(fontsize=8)
    figure.savefig(path)


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Measure each size in a process of its own; keep the results, and put table and picture into the documents."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--exact", action="store_true", help="also time the first gradient of the exact mean")
    parser.add_argument("--nodes", type=int, nargs="+", default=SIZES, help="sizes to measure; others are kept")
    parser.add_argument("--one", nargs=2, metavar=("NODES", "SOLVER"), help="measure one size here, and print it")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(int(arguments.one[0]), arguments.one[1])))
        return
    runs = [(n_nodes, "compressed") for n_nodes in arguments.nodes] + (
        [(EXACT_SIZE, "exact")] if arguments.exact else []
    )
    kept = json.loads(RESULTS.read_text())["rows"] if RESULTS.exists() else []
    for n_nodes, solver in runs:
        command = [sys.executable, "-W", "ignore", __file__, "--one", str(n_nodes), solver]
        try:
            patience = PATIENCE if solver == "exact" else None
            done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=patience)  # noqa: S603
            row = json.loads(done.stdout)
        except subprocess.TimeoutExpired:
            row = {"solver": solver, "n_nodes": n_nodes, "seconds": PATIENCE, "unfinished": True}
        print(row, flush=True)
        others = [one for one in kept if (one["solver"], one["n_nodes"]) != (solver, n_nodes)]
        kept = sorted([*others, row], key=lambda one: (one["solver"], one["n_nodes"]))
        keep(RESULTS, kept)
    draw(kept, ROOT / "docs" / "images" / "aggregation.png")
    publish("aggregation", render(kept))


if __name__ == "__main__":
    main()
