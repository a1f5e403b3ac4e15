"""Time, memory and quality of a whole default fit against the number of nodes, and of rivals as far as they go.

    python benchmarks/scale/run.py [--cases clouds …] [--nodes 1000 …] [--methods OrthoNet K-means …] [--limit 600] [--again]

Each case, size and method runs in a process of its own (`measure.py`), one after the other; what has been measured is kept in
`benchmarks/results/scale.json` as it comes and is not measured again, so that a run that was cut off goes on where it was.
A process that takes more seconds of the processor than the limit is ended, the table says so, and a rival is not tried at
larger sizes then.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "experiments"))
from cases import CASES, SIZES
from rivals import CAN, RIVALS
from tables import ROOT, keep, publish

RESULTS = Path(__file__).parents[1] / "results" / "scale.json"
STAGES = ("prepare", "evidence", "aggregate", "train", "judge", "place")
OURS = "OrthoNet"
METHODS = (OURS, *RIVALS)
COLOURS = {"clouds": "#332288", "blocks": "#CC6677", "tables": "#117733"}
MARKERS = {OURS: "o-", "K-means": "s:", "spectral": "^:", "Leiden": "v:"}
Row = dict[str, Any]


def render(rows: list[Row]) -> str:
    """Return Markdown tables, of the fit and of all methods, and how time grows with the number of nodes."""
    own = [row for row in rows if row["method"] == OURS]
    slopes = [slope for case in COLOURS if (slope := _slope(case, own)) is not None]
    return f"{_of_fit(own)}\n\n{' '.join(slopes)}\n\n{_of_methods(rows)}\n"


def _of_fit(rows: list[Row]) -> str:
    heads = ["case", "nodes", "edges per layer", "making the graph", *STAGES]
    heads += ["whole fit", "by the clock", "peak memory (MB)", "NMI", "NMI at best"]
    lines = [_line(heads), "|---" * len(heads) + "|"]
    for row in rows:
        start = [CASES[row["case"]].words, f"{row['n_nodes']:,}"]
        if row.get("unfinished"):
            lines.append(_line([*start, *[""] * (2 + len(STAGES)), row["unfinished"], "", "", "", ""]))
            continue
        stages = [f"{row['stages'][stage]:.1f}" for stage in STAGES]
        whole = [f"{row['processor_seconds']:.1f}", f"{row['seconds']:.0f}", f"{row['peak_megabytes']:,}"]
        quality = ["" if row[key] is None else f"{row[key]:.4f}" for key in ("nmi", "possible")]
        lines.append(
            _line([*start, f"{np.mean(row['n_edges']):,.0f}", f"{row['graph_seconds']:.1f}", *stages, *whole, *quality])
        )
    return "\n".join(lines)


def _of_methods(rows: list[Row]) -> str:
    lines = [_line(["case", "nodes", *METHODS]), "|---" * (2 + len(METHODS)) + "|"]
    for case, n_nodes in dict.fromkeys((row["case"], row["n_nodes"]) for row in rows if row["case"] in COLOURS):
        same = {row["method"]: row for row in rows if (row["case"], row["n_nodes"]) == (case, n_nodes)}
        cells = [_cell(same.get(method), CAN[case], method) for method in METHODS]
        lines.append(_line([CASES[case].words, f"{n_nodes:,}", *cells]))
    return "\n".join(lines)


def _cell(row: Row | None, able: tuple[str, ...], method: str) -> str:
    if row is None:
        return "" if method in (OURS, *able) else "does not apply"
    if row.get("unfinished"):
        return str(row["unfinished"])
    return f"{row['processor_seconds']:.1f} s, {row['peak_megabytes']:,} MB, {row['nmi']:.3f}"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


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
        ("processor_seconds", "processor seconds", "scale_time.png"),
        ("peak_megabytes", "peak memory (MB)", "scale_memory.png"),
    ):
        figure = Figure(figsize=(11, 3.6), layout="constrained", dpi=110)
        axes = figure.subplots(1, len(COLOURS), sharey=True)
        for axis, (case, colour) in zip(axes, COLOURS.items(), strict=True):
            for method in (OURS, *CAN[case]):
                done = [
                    row for row in rows if (row["case"], row["method"]) == (case, method) and not row.get("unfinished")
                ]
                nodes, values = ([float(row[one]) for row in done] for one in ("n_nodes", key))
                shade = {"color": colour, "linewidth": 2} if method == OURS else {"color": "#777777"}
                axis.loglog(nodes, values, MARKERS[method], label=method, **shade)
                if done and method == OURS:
                    axis.loglog(nodes, values[-1] * np.array(nodes) / nodes[-1], "--", color="#BBBBBB", zorder=0)
            axis.set_title(CASES[case].words, fontsize=8)
            axis.set_xlabel("nodes (dashed: linear)")
            axis.legend(fontsize=7)
        axes[0].set_ylabel(name)
        figure.savefig(folder / file)


def measured(case: str, n_nodes: int, method: str, limit: int) -> Row:
    """Measure in a process of its own."""
    command = [sys.executable, str(Path(__file__).parent / "measure.py"), case, str(n_nodes), method, str(limit)]
    what = {"case": case, "n_nodes": n_nodes, "method": method}
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
        return json.loads(done.stdout.splitlines()[-1]) | {"threads": os.environ.get("OMP_NUM_THREADS", "all")}
    except subprocess.CalledProcessError as error:
        ended = {-signal.SIGXCPU: f"> {limit} s", -signal.SIGKILL: "out of memory"}
        why = ended.get(error.returncode) or (error.stderr.splitlines() or ["no message"])[-1]
        return what | {"seconds": 0.0, "unfinished": why}


def main() -> None:
    """Measure what is missing; keep each result as it comes; put tables and pictures into the documents."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES), help="families of graphs")
    parser.add_argument("--nodes", type=int, nargs="+", help="sizes; those of the case by default")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS), help="who clusters")
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="leave out larger sizes")
    parser.add_argument(
        "--limit", type=int, default=900, help="seconds of the processor after which a process is ended"
    )
    parser.add_argument("--again", action="store_true", help="measure again what has been measured")
    parser.add_argument("--draw", action="store_true", help="measure nothing: make tables and pictures of what is kept")
    arguments = parser.parse_args()
    rows: list[Row] = json.loads(RESULTS.read_text())["rows"] if RESULTS.exists() else []
    wanted = [
        (case, n_nodes, method)
        for case in arguments.cases
        for method in arguments.methods
        for n_nodes in arguments.nodes or CASES[case].sizes
        if n_nodes <= arguments.largest and method in (OURS, *CAN.get(case, ()))
    ]
    for one in () if arguments.draw else wanted:
        same = [row for row in rows if _key(row) == one]
        if (same and not arguments.again) or _failed_before(rows, *one):
            continue
        row = measured(*one, arguments.limit)
        print({key: row[key] for key in row if key != "warnings"}, flush=True)
        rows = sorted([other for other in rows if other not in same] + [row], key=_place)
        keep(RESULTS, rows)
    draw(rows, ROOT / "docs" / "images")
    publish("scale", render(rows))


def _key(row: Row) -> tuple[str, int, str]:
    return row["case"], row["n_nodes"], row["method"]


def _place(row: Row) -> tuple[int, int, int]:
    return list(CASES).index(row["case"]), row["n_nodes"], METHODS.index(row["method"])


def _failed_before(rows: list[Row], case: str, n_nodes: int, method: str) -> bool:
    smaller = [row for row in rows if (row["case"], row["method"]) == (case, method) and row["n_nodes"] < n_nodes]
    return method != OURS and any(row.get("unfinished") for row in smaller)


if __name__ == "__main__":
    main()
