"""Pictures of what a fit found: its embedding in the plane, and how training went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from orthonet.clustering.assignment import unit_rows
from orthonet.clustering.projection_2d import flatten, flattening, sample
from orthonet.embedding.training_result import WINDOW
from orthonet.support.checks import check_integer
from orthonet.support.drawing import (
    MARKERS,
    MISSING,
    MUTED,
    NEUTRAL,
    VALUES,
    check_axes,
    colour_and_symbol,
    notebook_axes,
    scale,
)
from orthonet.support.optional import require
from orthonet.support.text import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from orthonet.clustering.result import FitResult

Array = npt.NDArray[np.float64]

LEGEND_UP_TO = 20
"""Categories that a legend names; the numbers of more are written into the picture."""
CATEGORIES_UP_TO = 100
"""Different integers that are still drawn as categories: as many as there are signs."""


@dataclass(frozen=True)
class Categories:
    """A category for each node, such as its cluster."""

    title: str
    names: list[str]
    codes: npt.NDArray[np.intp]


@dataclass(frozen=True)
class Values:
    """A number for each node, NaN where there is none, and where the colours begin and end."""

    title: str
    numbers: Array
    ends: tuple[float, float]


def plot_embedding(
    result: FitResult, color: Any = "cluster", *, ax: Axes | None = None, legend: bool = True, max_points: int = 30_000
) -> Axes:
    """Draw the embedding that a fit found; see `OrthoNet.plot_embedding`."""
    n_nodes, n_dims = result.arrays["embedding"].shape
    check_integer(max_points, "max_points", minimum=2)
    meant = _meaning(result, color)
    axis = None if ax is None else check_axes(ax)
    shown = sample(n_nodes, max_points)
    where = _places(result, shown)
    if axis is None:
        (axis,) = notebook_axes(1, 1, (6.4, 4.8))
    if isinstance(meant, Categories):
        draw_points(axis, where, meant.codes[shown], _point_size(len(where)))
        if legend:
            _name_categories(axis, meant, where, shown)
    else:
        _draw_values(axis, where, meant, shown, bar=legend)
    title = f"{n_nodes:,} nodes in {result.n_clusters} clusters"
    if len(shown) < n_nodes:
        title += f"\na random sample of {len(shown):,} nodes is drawn"
    axis.set_title(title, fontsize=10)
    axis.set_xlabel(f"unit rows of the embedding, {flattening(len(shown), n_dims)}", fontsize=8)
    return axis


def draw_points(axis: Axes, where: Array, clusters: npt.NDArray[Any] | None = None, size: float | None = None) -> None:
    """Draw points in the plane, each with the sign of its cluster; clusters are numbered from 0, ``size`` is a point's area."""
    size = float(np.clip(3000 / max(len(where), 1), 2, 14)) if size is None else size
    if clusters is None:
        clusters, colours = np.zeros(len(where), dtype=np.intp), np.array([NEUTRAL])
    else:
        colours = np.array(MUTED)
    colour, symbol = _signs(clusters)
    # Clusters of one symbol are drawn together, node by node, so that none covers the others.
    for place in np.unique(symbol):
        chosen = symbol == place
        axis.scatter(
            where[chosen, 0],
            where[chosen, 1],
            s=size * (1.0 if place == 0 else 1.6),
            c=colours[colour[chosen]],
            marker=MARKERS[place],
            linewidths=0,
            zorder=2,
            rasterized=True,
        )
    axis.set_xticks([])
    axis.set_yticks([])


def _signs(clusters: npt.NDArray[Any]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the colour and the symbol of each node's cluster."""
    signs = np.array([colour_and_symbol(one) for one in range(int(clusters.max(initial=0)) + 1)], dtype=np.intp)
    return signs[clusters, 0], signs[clusters, 1]


def plot_history(result: FitResult, *, ax: Axes | None = None) -> Axes:
    """Draw the loss of each training step, and how far the embedding turned; see `OrthoNet.plot_history`."""
    axis = notebook_axes(1, 1, (6.4, 3.6))[0] if ax is None else check_axes(ax)
    losses, turns = result.history["loss"], result.history["turn"]
    steps = np.arange(1, len(losses) + 1)
    axis.plot(steps, losses, color=MUTED[0], linewidth=1.2, marker="o" if len(losses) == 1 else None)
    axis.set_xlabel("step")
    axis.set_ylabel("loss", color=MUTED[0])
    axis.margins(x=0.02)
    if len(turns):
        beside = axis.twinx()
        beside.set_yscale("log")
        beside.plot(
            look_steps(len(losses), len(turns)),
            np.maximum(turns, 1e-12),  # 0 has no place on this scale
            color=MUTED[3],
            linewidth=0.8,
            marker="o",
            markersize=3,
        )
        beside.set_ylabel(f"turn of the embedding in {WINDOW} steps", color=MUTED[3])
        ticker = require("matplotlib.ticker", extra="plot", purpose="drawing")
        beside.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        beside.yaxis.set_major_formatter("{x:g}")
        beside.yaxis.set_minor_locator(ticker.NullLocator())
        tol = result.parameters.training.tol
        if tol > 0:
            beside.axhline(tol, color=MUTED[3], linewidth=0.8, linestyle=":")
    axis.set_title(how_training_ended(result), fontsize=10)
    return axis


def plot_cluster_numbers(result: FitResult, *, ax: Axes | None = None) -> Axes:
    """Draw what each number of clusters is worth, and how reproducible it is; see `OrthoNet.plot_cluster_numbers`."""
    if result.numbers is None:
        raise ValueError(
            "the number of clusters was given, not chosen; fit with n_clusters='auto' or a pair such as (2, 12)"
        )
    axis = notebook_axes(1, 1, (6.4, 3.6))[0] if ax is None else check_axes(ax)
    rows, found = result.numbers.candidates, result.numbers
    numbers = [row.n_clusters for row in rows]
    axis.plot(numbers, [row.worth for row in rows], color=MUTED[0], linewidth=1.2, marker="o", markersize=3)
    axis.axvline(found.chosen, color=MUTED[0], linewidth=0.8, linestyle="--")
    for other in found.alternatives:
        axis.axvline(other, color=MUTED[0], linewidth=0.5, linestyle=":")
    axis.set_xlabel("clusters")
    axis.set_ylabel("worth", color=MUTED[0])
    axis.set_ylim(bottom=0)
    beside = axis.twinx()
    beside.plot(numbers, [row.reproducibility for row in rows], color=MUTED[3], linewidth=0.8, marker="o", markersize=2)
    beside.set_ylabel("reproducibility", color=MUTED[3])
    beside.set_ylim(0, 1.05)
    axis.set_title(found.sentence, fontsize=10)
    return axis


def how_training_ended(result: FitResult) -> str:
    """Say in one line when training stopped and why."""
    training = result.parameters.training
    steps = f"{result.n_iter:,} of {training.max_iter:,} steps"
    if not result.complete:
        return f"interrupted after {steps}: the model is incomplete"
    turns = result.history["turn"]
    if len(turns) and turns[-1] < training.tol:
        return f"stopped after {steps}: the turn was below {training.tol:g}"
    return f"{steps}: the embedding still turned"


def look_steps(n_steps: int, n_looks: int) -> npt.NDArray[np.int64]:
    """Return the steps at which training looked how far the embedding had turned: the last ones of each window."""
    return n_steps // WINDOW * WINDOW - WINDOW * np.arange(n_looks)[::-1]


def _places(result: FitResult, shown: npt.NDArray[np.intp]) -> Array:
    """Return where the nodes lie in the plane. The result keeps it: t-SNE takes seconds, and the next colour needs it again."""
    if len(shown) not in result.planes:
        result.planes[len(shown)] = flatten(unit_rows(result.arrays["embedding"][shown]))
    return result.planes[len(shown)]


def _point_size(n_points: int) -> float:
    """Return the area of a point in a picture of its own."""
    return float(np.clip(20_000 / n_points, 2, 30))


def _meaning(result: FitResult, color: Any) -> Categories | Values:
    """Decide what nodes are coloured by: categories or numbers."""
    if isinstance(color, str):
        if color == "cluster":
            return Categories("cluster", [str(k) for k in range(result.n_clusters)], result.arrays["labels"])
        if color == "confidence":
            return Values("confidence", result.confidence, (0.0, 1.0))
        raise ValueError(f'color must be "cluster", "confidence", or a value for each node, got {color!r}')
    title = one_line(getattr(color, "name", None) or "", 30)  # of a pandas or polars column
    values = np.asarray(color)
    n_nodes = len(result.arrays["labels"])
    if values.shape != (n_nodes,):
        raise ValueError(
            f"color must hold one value for each of the {n_nodes} nodes the model was fitted on, got shape {values.shape}"
        )
    if values.dtype.kind == "O":
        values = values.astype(str)
    elif values.dtype.kind not in "fiubUS":
        raise TypeError(f"color must hold numbers or labels, got an array of {values.dtype}")
    if values.dtype.kind != "f":
        names, codes = np.unique(values, return_inverse=True)
        if values.dtype.kind not in "iu" or len(names) <= CATEGORIES_UP_TO:
            return Categories(title or "label", [one_line(name, 24) for name in names.tolist()], codes)
    return _values(title, values.astype(np.float64))


def _values(title: str, numbers: Array) -> Values:
    numbers = np.where(np.isfinite(numbers), numbers, np.nan)
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return Values(title, numbers, (0.0, 1.0))
    low, high = np.percentile(known, [1, 99])  # so that one extreme node does not set the whole scale
    return Values(title, numbers, (low, high) if low < high else (known.min(), known.max()))


def _draw_values(axis: Axes, where: Array, values: Values, shown: npt.NDArray[np.intp], *, bar: bool) -> None:
    # The lowest last, on top: there are few unsure nodes, and they are the ones to find.
    order = np.argsort(-values.numbers[shown], kind="stable")
    numbers, where, (low, high) = values.numbers[shown][order], where[order], values.ends
    known = ~np.isnan(numbers)
    draw: dict[str, Any] = {"s": _point_size(len(where)), "linewidths": 0, "zorder": 2, "rasterized": True}
    axis.scatter(where[~known, 0], where[~known, 1], color=MISSING, **draw)
    points = axis.scatter(
        where[known, 0], where[known, 1], c=numbers[known], cmap=scale(VALUES), vmin=low, vmax=high, **draw
    )
    axis.set_xticks([])
    axis.set_yticks([])
    if not bar:
        return
    beyond = (bool((numbers[known] < low).any()), bool((numbers[known] > high).any()))
    extend = {(True, True): "both", (True, False): "min", (False, True): "max"}.get(beyond, "neither")
    drawn = axis.figure.colorbar(points, ax=axis, extend=extend, aspect=30)
    n_missing = int(np.isnan(values.numbers).sum())
    missing = f"{n_missing:,} nodes without a value in grey" if n_missing else ""
    drawn.set_label(", ".join(part for part in (values.title, missing) if part), parse_math=False)


def _name_categories(axis: Axes, categories: Categories, where: Array, shown: npt.NDArray[np.intp]) -> None:
    """Name few categories in a legend beside the picture, and many where they lie."""
    if len(categories.names) > LEGEND_UP_TO:
        _write_names(axis, categories, where, shown)
        return
    lines = require("matplotlib.lines", extra="plot", purpose="drawing")
    handles = []
    for code in range(len(categories.names)):
        colour, symbol = colour_and_symbol(code)
        sign = {"color": MUTED[colour], "marker": MARKERS[symbol], "markersize": 6, "markeredgewidth": 0}
        handles.append(lines.Line2D([], [], linestyle="", **sign))
    legend = axis.legend(
        handles,
        [""] * len(handles),
        title=f"{categories.title} (nodes)",
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize=9,
        title_fontsize=9,
        alignment="left",
        handletextpad=0.2,
    )
    legend.get_title().set_parse_math(False)
    sizes = np.bincount(categories.codes, minlength=len(categories.names))
    # Set afterwards: matplotlib leaves out labels that begin with an underscore, and reads $ as mathematics.
    for text, name, size in zip(legend.get_texts(), categories.names, sizes, strict=True):
        text.set_parse_math(False)
        text.set_text(f"{name} ({size:,})")


def _write_names(axis: Axes, categories: Categories, where: Array, shown: npt.NDArray[np.intp]) -> None:
    effects = require("matplotlib.patheffects", extra="plot", purpose="drawing")
    codes = categories.codes[shown]
    for code in np.unique(codes):
        across, up = np.median(where[codes == code], axis=0)
        axis.annotate(
            one_line(categories.names[code], 12),
            (across, up),
            (0, 3),  # above the point, not on it
            textcoords="offset points",
            fontsize=6,
            ha="center",
            va="bottom",
            zorder=3,
            annotation_clip=True,
            parse_math=False,
            path_effects=[effects.withStroke(linewidth=1.5, foreground="white")],
        )
