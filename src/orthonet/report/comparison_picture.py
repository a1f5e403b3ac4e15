"""A picture of a comparison: how well each method does, and how far any two methods agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from orthonet import metrics
from orthonet.report.comparison import Outcome, Reference
from orthonet.support.drawing import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_comparison(outcomes: Sequence[Outcome], reference: Reference | None) -> Figure:
    """Draw the NMI of each method against the reference, or its stability without one; and the NMI between methods."""
    height = 1.6 + 0.42 * len(outcomes)
    figure = new_figure(5.5 + 0.55 * len(outcomes) + 3, height)
    bars, agreement = figure.subplots(1, 2, width_ratios=[1, 1.15], sharey=True)
    _draw_bars(bars, outcomes, reference)
    _draw_agreement(agreement, [outcome.labels[0] for outcome in outcomes], [outcome.method for outcome in outcomes])
    return figure


def _draw_bars(axis: Axes, outcomes: Sequence[Outcome], reference: Reference | None) -> None:
    places = np.arange(len(outcomes))
    if reference is not None:
        found = [outcome.scores(reference)["nmi"] for outcome in outcomes]
        values, spread = [mean for mean, _ in found], [deviation for _, deviation in found]
        title = "NMI with the reference"
    else:
        values = [np.nan if (one := outcome.stability()) is None else one for outcome in outcomes]
        spread, title = [0.0] * len(values), "stability: ARI between runs"
    axis.barh(places, values, xerr=spread if any(spread) else None, color="#44AA99", height=0.6)
    for place, value in enumerate(values):
        if np.isfinite(value):
            axis.text(0.01, place, f"{value:.3f}", va="center", fontsize=8, color="black")
    axis.set_yticks(places, [outcome.method for outcome in outcomes], fontsize=9)
    axis.set_xlim(0, 1)
    axis.set_title(title, fontsize=10)
    axis.spines[["top", "right"]].set_visible(False)


def _draw_agreement(axis: Axes, labels: Sequence[npt.NDArray[Any]], names: Sequence[str]) -> None:
    values = np.array([[metrics.nmi(one, other) for other in labels] for one in labels])
    axis.imshow(values, vmin=0, vmax=1, cmap="cividis", aspect="auto")
    for row, column in np.ndindex(values.shape):
        light = values[row, column] < 0.55
        axis.text(
            column,
            row,
            f"{values[row, column]:.2f}",
            ha="center",
            va="center",
            fontsize=8,
            color="white" if light else "black",
        )
    axis.set_xticks(np.arange(len(names)), names, rotation=35, ha="right", fontsize=8)
    axis.tick_params(length=0)
    axis.set_title("NMI between methods", fontsize=10)
    axis.invert_yaxis()
