"""Put the paper's tables and figures, made from the kept results, into the documents and their pictures.

orthonet paper all --jobs 2 --output experiments/results
python experiments/publish.py
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables import ROOT, publish

from orthonet.paper import figure1, figure2, figure4, figure5, scores, table1, table2, table3
from orthonet.paper.printed import TABLE2
from orthonet.paper.registry import EXPERIMENTS
from orthonet.paper.scores import Records

RESULTS = Path(__file__).parent / "results"
PAPER_ROW = "OrthoNet, as in the paper"
FIGURES = {"figure1": figure1, "figure2": figure2, "figure4": figure4, "figure5": figure5}


def leaders(records: Records, sets: tuple[str, ...]) -> str:
    """Return, for each data set, OrthoNet beside the best other method and beside its own row in the paper."""
    rows = []
    for data in sets:
        reached = {method: table2.mean_nmi(records, data, method) for method in table2.METHODS}
        ours = reached.pop("OrthoNet")
        reached.pop(PAPER_ROW)
        best = max(reached, key=lambda method: reached[method])
        printed = TABLE2.get(data, {}).get(PAPER_ROW)
        rows.append(
            [
                data,
                f"{ours:.3f}",
                f"{best} {reached[best]:.3f}",
                f"{ours - reached[best]:+.3f}",
                *(scores.seconds(scores.of(records, data=data, method=method)) for method in ("OrthoNet", best)),
                *(["", ""] if printed is None else [f"{printed.nmi:.3f}", f"{printed.seconds:g}"]),
            ]
        )
    header = ["data", "NMI", "best other method, its NMI", "difference", "seconds", "its seconds"]
    header += ["printed: NMI", "printed: seconds"]
    return scores.table(header, rows)


def measured_on(kept: dict[str, Any]) -> str:
    """Return when, where and with what versions."""
    lines = []
    for one in kept["environments"]:
        versions = ", ".join(f"{name} {one[name]}" for name in ("orthonet", "numpy", "scipy", "scikit-learn", "torch"))
        lines.append(
            f"Measured on {one['date']}: {one['cpu']}, {one['cpus']} cores, {one['threads']} thread for each fit and two fits "
            f"side by side; Python {one['python']}, {versions}.\n"
        )
    return "\n".join(lines)


# mark in the documents → the results it is made from, and how
PIECES: dict[str, tuple[str, Callable[[dict[str, Any]], str]]] = {
    "table1": ("table1", lambda kept: table1.render(kept["records"])),
    "table2": ("table2", lambda kept: table2.render(kept["records"])),
    "table3": ("table3", lambda kept: table3.render(kept["records"])),
    "summary2": ("table2", lambda kept: table2.summary(kept["records"])),
    "summary3": ("table3", lambda kept: table2.summary(kept["records"], table3.SETS)),
    "leaders2": ("table2", lambda kept: leaders(kept["records"], table2.SETS)),
    "leaders3": ("table3", lambda kept: leaders(kept["records"], table3.SETS)),
    "machine": ("table2", measured_on),
    "figure1": ("figure1", lambda kept: figure1.render(kept["records"])),
    "figure2": ("figure2", lambda kept: figure2.render(kept["records"])),
    "figure4": ("figure4", lambda kept: figure4.render(kept["records"])),
    "figure5": ("figure5", lambda kept: figure5.render(kept["records"])),
}


def read(name: str) -> dict[str, Any]:
    """Return the kept results of a table or figure, of the measurements that it asks for."""
    kept: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    wanted = {task.key for task in EXPERIMENTS[name].tasks(False)}
    return {**kept, "records": {key: record for key, record in kept["records"].items() if key in wanted}}


def main() -> None:
    """Publish everything there are results of."""
    for mark, (name, render) in PIECES.items():
        publish(mark, render(read(name)))
    for name, figure in FIGURES.items():
        figure.draw(read(name)["records"]).savefig(ROOT / "docs" / "images" / f"{name}.png")


if __name__ == "__main__":
    main()
