"""Time, memory and quality of a whole default fit against the number of nodes.

    python benchmarks/scale/run.py [--cases clouds blocks …] [--nodes 1000 …] [--limit 600] [--again]

Each case and size runs in a process of its own (`measure.py`), one after the other; what has been measured is kept in
`benchmarks/results/scale.json` as it comes and is not measured again, so that a run that was cut off goes on where it was.
A process that takes longer than the limit is ended, and the table says so.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "experiments"))
from cases import CASES, SIZES
from tables import ROOT, keep, publish

RESULTS = Path(__file__).parents[1] / "results" / "scale.json"
STAGES = ("prepare", "evidence", "aggregate", "train", "judge", "place")
COLOURS = {"clouds": "#332288", "blocks": "#CC6677"}
Row = dict[str, Any]


def render(rows: list[Row]) -> str:
    """Return a Markdown table, and how time grows with the number of nodes."""
    heads = [
        "case",
        "nodes",
        "edges per layer",
        "making the graph",
        *STAGES,
        "whole fit",
        "by the clock",
        "peak memory (MB)",
        "NMI",
    ]
    lines = [f"| {' | '.join([*heads, 'eigenvectors by'])} |", "|---" * (len(heads) + 1) + "|"]
    for row in rows:
        start = f"| {CASES[row['case']].words} | {row['n_nodes']:,} |"
        if row.get("unfinished"):
            lines.append(f"{start}{' |' * (len(STAGES) + 3)} > {row['seconds']:.0f} | | | {row['unfinished']} |")
            continue
        stages = " | ".join(f"{row['stages'][stage]:.1f}" for stage in STAGES)
        quality = "" if row["nmi"] is None else f"{row['nmi']:.3f}"
        solvers = ", ".join(row["eigensolvers"]) or "exact mean"
        lines.append(
            f"{start} {np.mean(row['n_edges']):,.0f} | {row['graph_seconds']:.1f} | {stages} | "
            f"{row['processor_seconds']:.1f} | {row['seconds']:.0f} | {row['peak_megabytes']:,} | {quality} | {solvers} |"
        )
    slopes = [slope for case in COLOURS if (slope := _slope(case, rows)) is not None]
    return "\n".join(lines) + "\n\n" + " ".join(slopes) + "\n"


def _slope(case: str, rows: list[Row]) -> str | None:
    done = [row for row in rows if row["case"] == case and not row.get("unfinished") and row["n_nodes"] >= 10_000]
    if len(done) < 2:
        return None
    nodes, seconds = (np.log([float(row[key]) for row in done]) for key in ("n_nodes", "processor_seconds"))
    slope = np.polyfit(nodes, seconds, 1)[0]
    ends = f"{done[0]['n_nodes']:,} to {done[-1]['n_nodes']:,} nodes"
    return f"Log-log slope of processor time from {ends}: {slope:.2f} ({CASES[case].words})."


def draw(rows: list[Row], folder: Path) -> None:
    """Draw time and memory against the number of nodes, a picture each."""
    from matplotlib.figure import Figure

    for key, name, file in (
        ("processor_seconds", "processor seconds of a default fit", "scale_time.png"),
        ("peak_megabytes", "peak memory (MB)", "scale_memory.png"),
    ):
        figure = Figure(figsize=(5, 3.4), layout="constrained", dpi=110)
        axis = figure.subplots()
        for case, colour in COLOURS.items():
            done = [row for row in rows if row["case"] == case and not row.get("unfinished")]
            nodes, values = ([float(row[one]) for row in done] for one in ("n_nodes", key))
            axis.loglog(nodes, values, "o-", color=colour, label=CASES[case].words)
            if done:
                axis.loglog(nodes, values[-1] * np.array(nodes) / nodes[-1], ":", color="#999999")
        axis.set_xlabel("nodes (dotted: linear)")
        axis.set_ylabel(name)
        axis.legend(fontsize=7)
        figure.savefig(folder / file)


def measured(case: str, n_nodes: int, limit: float) -> Row:
    """Measure in a process of its own."""
    command = [sys.executable, str(Path(__file__).parent / "measure.py"), case, str(n_nodes)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=limit)  # noqa: S603
        return json.loads(done.stdout.splitlines()[-1]) | {"threads": os.environ.get("OMP_NUM_THREADS", "all")}
    except subprocess.TimeoutExpired:
        return {"case": case, "n_nodes": n_nodes, "seconds": limit, "unfinished": "ended at the limit"}
    except subprocess.CalledProcessError as error:
        why = "out of memory" if error.returncode == -9 else (error.stderr.splitlines() or ["no message"])[-1]
        return {"case": case, "n_nodes": n_nodes, "seconds": 0.0, "unfinished": why}


def main() -> None:
    """Measure what is missing; keep each result as it comes; put table and pictures into the documents."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES), help="families of graphs")
    parser.add_argument("--nodes", type=int, nargs="+", help="sizes; those of the case by default")
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="leave out larger sizes")
    parser.add_argument("--limit", type=float, default=900, help="seconds after which a case is ended")
    parser.add_argument("--again", action="store_true", help="measure again what has been measured")
    arguments = parser.parse_args()
    rows: list[Row] = json.loads(RESULTS.read_text())["rows"] if RESULTS.exists() else []
    order = {case: place for place, case in enumerate(CASES)}
    for case in arguments.cases:
        for n_nodes in arguments.nodes or CASES[case].sizes:
            same = [row for row in rows if (row["case"], row["n_nodes"]) == (case, n_nodes)]
            if n_nodes > arguments.largest or (same and not arguments.again):
                continue
            row = measured(case, n_nodes, arguments.limit)
            print({key: row[key] for key in row if key != "warnings"}, flush=True)
            rows = sorted(
                [one for one in rows if one not in same] + [row], key=lambda one: (order[one["case"]], one["n_nodes"])
            )
            keep(RESULTS, rows)
    draw(rows, ROOT / "docs" / "images")
    publish("scale", render(rows))


if __name__ == "__main__":
    main()
