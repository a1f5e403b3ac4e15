"""Figure 5: NMI on all nodes against the fraction of the nodes, and of the graph, that a model was trained on.

One net each (``n_networks=1``), as the paper has it; everything else is default.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from orthonet.clustering.estimator import OrthoNet
from orthonet.comparison.methods import AS_IN_THE_PAPER
from orthonet.comparison.training_fractions import score_by_fraction
from orthonet.paper import scores
from orthonet.paper.scores import Records
from orthonet.paper.sets import load
from orthonet.paper.workers import Task
from orthonet.support.drawing import MUTED, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETS = ("synthetic 2,000", "Yelp", "IMDB", "100 leaves", "Mfeat")
FRACTIONS = (0.7, 0.8, 0.9, 1.0)
"""Shares of the nodes that a model is trained on."""
REPEATS = 10
"""Random parts of the nodes for each share."""


def tasks(quick: bool) -> list[Task]:
    """Return every model to train, repeat by repeat, so that a run cut off has all sets in it."""
    return [
        Task(
            f"{data} | {fraction} | {repeat}",
            measure,
            (data, fraction, repeat, quick),
            about={"data": data, "fraction": fraction, "repeat": repeat},
        )
        for repeat in range(1 if quick else REPEATS)
        for data in SETS
        for fraction in FRACTIONS
    ]


def measure(data_name: str, fraction: float, repeat: int, quick: bool) -> dict[str, Any]:
    """Train on a random part of the nodes, and score the labels of all of them."""
    data = load(data_name, quick=quick)
    started = time.perf_counter()
    (found,) = score_by_fraction(
        data.graph,
        data.labels,
        lambda seed: OrthoNet(
            data.n_clusters, random_state=seed, verbose=False, training={"n_networks": 1}, **AS_IN_THE_PAPER
        ),
        fractions=[fraction],
        n_repeats=1,
        random_state=repeat,
    )
    return {
        "n_trained": found.n_trained,
        "nmi": round(found.score, 4),
        "seconds": round(time.perf_counter() - started, 3),
    }


def render(records: Records) -> str:
    """Return a Markdown table: NMI, mean ± deviation, by data set and fraction."""
    fractions = sorted({record["fraction"] for record in records.values()})
    rows = []
    for data in SETS:
        found = [scores.of(records, data=data, fraction=fraction) for fraction in fractions]
        if any(found):
            rows.append([data, str(min(map(len, found))), *(scores.cell(some, "nmi") for some in found)])
    return scores.table(["data", "models", *(f"{fraction:.0%}" for fraction in fractions)], rows)


def draw(records: Records) -> Figure:
    """Draw one panel per data set, with error bars."""
    shown = [data for data in SETS if any(len(_scores(records, data, fraction)) for fraction in FRACTIONS)]
    figure = new_figure(3.2 * max(len(shown), 1), 3.2)
    for axis, data in zip(np.ravel(figure.subplots(1, max(len(shown), 1))), shown, strict=False):
        done = [fraction for fraction in FRACTIONS if len(_scores(records, data, fraction))]
        found = [_scores(records, data, fraction) for fraction in done]
        axis.errorbar(
            [100 * fraction for fraction in done],
            [np.mean(s) for s in found],
            yerr=[np.std(s) for s in found],
            color=MUTED[0],
            marker="o",
            capsize=3,
        )
        # No panel zooms in on less than a tenth: small differences shall look small.
        every = np.concatenate(found)
        spread = max(0.1, 1.2 * float(np.ptp(every)))
        top = min(float(every.max() + every.min() + spread) / 2, 1.005)
        axis.set(title=data, xlabel="% of nodes trained on", ylim=(top - spread, top))
    figure.supylabel("NMI on all nodes", fontsize=10)
    return figure


def _scores(records: Records, data: str, fraction: float) -> np.ndarray[Any, Any]:
    return np.array([found["nmi"] for found in scores.of(records, data=data, fraction=fraction) if "nmi" in found])
