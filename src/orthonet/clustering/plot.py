"""Pictures of a fitted model: its embedding in the plane, and how training went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from orthonet.clustering.assignment import unit_rows
from orthonet.clustering.plane import flatten, flattening, sample
from orthonet.embedding.training import WINDOW
from orthonet.support.checks import check_integer
from orthonet.support.drawing import (
    ABSENT,
    MARKERS,
    MUTED,
    NEUTRAL,
    VALUES,
    check_axes,
    group_sign,
    notebook_axes,
    scale,
)
from orthonet.support.optional import require
from orthonet.support.text import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from orthonet.clustering.estimator import OrthoNet

Array = npt.NDArray[np.float64]

LEGEND_UP_TO = 20
"""Groups that a legend names; the numbers of more are written into the picture."""
GROUPS_UP_TO = 100
"""Different whole numbers that still name groups: so many signs there are."""


@dataclass(frozen=True)
class Groups:
    """A group for each node."""

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
    model: OrthoNet, color: Any = "cluster", *, ax: Axes | None = None, legend: bool = True, max_points: int = 30_000
) -> Axes:
    """Draw the embedding of a fitted model; see `OrthoNet.plot_embedding`."""
    n_nodes, n_dims = model.embedding_.shape
    check_integer(max_points, "max_points", minimum=2)
    meant = _meaning(model, color)
    axis = None if ax is None else check_axes(ax)
    shown = sample(n_nodes, max_points)
    where = _places(model, shown)
    if axis is None:
        (axis,) = notebook_axes(1, 1, (6.4, 4.8))
    if isinstance(meant, Groups):
        draw_points(axis, where, meant.codes[shown], _point_size(len(where)))
        if legend:
            _name_groups(axis, meant, where, shown)
    else:
        _draw_values(axis, where, meant, shown, bar=legend)
    n_clusters = len(model.cluster_centers_)
    told = f"{n_nodes:,} nodes in {n_clusters} clusters"
    if len(shown) < n_nodes:
        told += f"\na random sample of {len(shown):,} nodes is drawn"
    axis.set_title(told, fontsize=10)
    axis.set_xlabel(f"unit rows of the embedding, {flattening(len(shown), n_dims)}", fontsize=8)
    return axis


def draw_points(axis: Axes, where: Array, groups: npt.NDArray[Any] | None = None, size: float | None = None) -> None:
    """Draw points in the plane, each with the sign of its group; groups are numbered from 0, ``size`` is a point's area."""
    size = float(np.clip(3000 / max(len(where), 1), 2, 14)) if size is None else size
    if groups is None:
        groups, colours = np.zeros(len(where), dtype=np.intp), np.array([NEUTRAL])
    else:
        colours = np.array(MUTED)
    colour, symbol = group_sign_of(groups)
    # Groups of one symbol are drawn together, node by node, so that none covers the others.
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


def group_sign_of(groups: npt.NDArray[Any]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the colour and the symbol of each node's group."""
    signs = np.array([group_sign(group) for group in range(int(groups.max(initial=0)) + 1)], dtype=np.intp)
    return signs[groups, 0], signs[groups, 1]


def plot_history(model: OrthoNet, *, ax: Axes | None = None) -> Axes:
    """Draw the loss of each training step, and how far the embedding turned; see `OrthoNet.plot_history`."""
    axis = notebook_axes(1, 1, (6.4, 3.6))[0] if ax is None else check_axes(ax)
    losses, turns = model.history_["loss"], model.history_["turn"]
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
        if model.tol > 0:
            beside.axhline(model.tol, color=MUTED[3], linewidth=0.8, linestyle=":")
    axis.set_title(how_training_ended(model), fontsize=10)
    return axis


def how_training_ended(model: OrthoNet) -> str:
    """Tell in one line when training stopped and why."""
    steps = f"{model.n_steps_:,} of {model.max_steps:,} steps"
    if not model.complete_:
        return f"interrupted after {steps}: the model is incomplete"
    turns = model.history_["turn"]
    if len(turns) and turns[-1] < model.tol:
        return f"stopped after {steps}: the turn was below {model.tol:g}"
    return f"{steps}: the embedding still turned"


def look_steps(n_steps: int, n_looks: int) -> npt.NDArray[np.int64]:
    """Return the steps at which training looked how far the embedding had turned: the last ones of each window."""
    return n_steps // WINDOW * WINDOW - WINDOW * np.arange(n_looks)[::-1]


def _places(model: OrthoNet, shown: npt.NDArray[np.intp]) -> Array:
    """Return where the nodes lie in the plane. The model keeps it: t-SNE takes seconds, and the next colour needs it again."""
    kept: tuple[Array, Array] | None = getattr(model, "_plane", None)
    if kept is None or kept[0] is not model.embedding_ or len(kept[1]) != len(shown):
        model._plane = kept = (model.embedding_, flatten(unit_rows(model.embedding_[shown])))
    return kept[1]


def _point_size(n_points: int) -> float:
    """Return the area of a point in a picture of its own."""
    return float(np.clip(20_000 / n_points, 2, 30))


def _meaning(model: OrthoNet, color: Any) -> Groups | Values:
    """Tell what nodes are coloured by: groups or numbers."""
    if isinstance(color, str):
        if color == "cluster":
            return Groups("cluster", [str(k) for k in range(len(model.cluster_centers_))], model.labels_)
        if color == "confidence":
            return Values("confidence", model.confidence_, (0.0, 1.0))
        raise ValueError(f'color must be "cluster", "confidence", or a value for each node, got {color!r}')
    title = one_line(getattr(color, "name", None) or "", 30)  # of a pandas or polars column
    values = np.asarray(color)
    n_nodes = len(model.labels_)
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
        if values.dtype.kind not in "iu" or len(names) <= GROUPS_UP_TO:
            return Groups(title or "label", [one_line(name, 24) for name in names.tolist()], codes)
    return _values(title, values.astype(np.float64))


def _values(title: str, numbers: Array) -> Values:
    numbers = np.where(np.isfinite(numbers), numbers, np.nan)
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return Values(title, numbers, (0.0, 1.0))
    low, high = np.percentile(known, [1, 99])  # lest one node rule all the colours
    return Values(title, numbers, (low, high) if low < high else (known.min(), known.max()))


def _draw_values(axis: Axes, where: Array, values: Values, shown: npt.NDArray[np.intp], *, bar: bool) -> None:
    # The lowest last, on top: there are few unsure nodes, and they are the ones to find.
    order = np.argsort(-values.numbers[shown], kind="stable")
    numbers, where, (low, high) = values.numbers[shown][order], where[order], values.ends
    known = ~np.isnan(numbers)
    draw: dict[str, Any] = {"s": _point_size(len(where)), "linewidths": 0, "zorder": 2, "rasterized": True}
    axis.scatter(where[~known, 0], where[~known, 1], color=ABSENT, **draw)
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


def _name_groups(axis: Axes, groups: Groups, where: Array, shown: npt.NDArray[np.intp]) -> None:
    """Name few groups in a legend beside the picture, and many where they lie."""
    if len(groups.names) > LEGEND_UP_TO:
        _write_names(axis, groups, where, shown)
        return
    lines = require("matplotlib.lines", extra="plot", purpose="drawing")
    handles = []
    for group in range(len(groups.names)):
        colour, symbol = group_sign(group)
        sign = {"color": MUTED[colour], "marker": MARKERS[symbol], "markersize": 6, "markeredgewidth": 0}
        handles.append(lines.Line2D([], [], linestyle="", **sign))
    legend = axis.legend(
        handles,
        [""] * len(handles),
        title=f"{groups.title} (nodes)",
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize=9,
        title_fontsize=9,
        alignment="left",
        handletextpad=0.2,
    )
    legend.get_title().set_parse_math(False)
    sizes = np.bincount(groups.codes, minlength=len(groups.names))
    # Set afterwards: matplotlib leaves out labels that begin with an underscore, and reads $ as mathematics.
    for text, name, size in zip(legend.get_texts(), groups.names, sizes, strict=True):
        text.set_parse_math(False)
        text.set_text(f"{name} ({size:,})")


def _write_names(axis: Axes, groups: Groups, where: Array, shown: npt.NDArray[np.intp]) -> None:
    effects = require("matplotlib.patheffects", extra="plot", purpose="drawing")
    codes = groups.codes[shown]
    for group in np.unique(codes):
        across, up = np.median(where[codes == group], axis=0)
        axis.annotate(
            one_line(groups.names[group], 12),
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
