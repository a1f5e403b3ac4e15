"""What all pictures share: colours that the colour-blind can tell apart, symbols, and axes to draw on.

Cluster k has colour k mod 10 and symbol ⌊k / 10⌋ mod 10: up to ten clusters differ by colour alone, up to a hundred by colour
and symbol; from there on the pairs return. Scales have falling lightness throughout, so they also read in grey.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from orthonet.support.optional import require
from orthonet.support.text import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

# Paul Tol's "muted" scheme: ten colours that the colour-blind can tell apart.
MUTED = (
    "#332288",
    "#DDCC77",
    "#117733",
    "#CC6677",
    "#88CCEE",
    "#AA4499",
    "#44AA99",
    "#882255",
    "#999933",
    "#BBBBBB",
)
NEUTRAL = "#555555"
MISSING = "#e3e6ea"
"""For what is not there: a value that is missing, a node that a layer lacks."""
MARKERS = ("o", "s", "D", "^", "P", "X", "*", "v", "p", ">")
DENSITY = ("#ffffff", "#dbe4f2", "#a9bfe0", "#6f8fc4", "#3f5fa3", "#1f3478")
# Cividis (Nuñez, Anderton & Renslow 2018) without its palest end.
VALUES = ("#00224e", "#32436d", "#61656f", "#8c8878", "#bcae6c", "#f0d846")


def colour_and_symbol(cluster: int) -> tuple[int, int]:
    """Return the place of a cluster's colour among the ten, and of its symbol."""
    return cluster % len(MUTED), cluster // len(MUTED) % len(MARKERS)


def scale(colours: Sequence[str]) -> Colormap:
    """Return a matplotlib colour map through the given colours."""
    colors = require("matplotlib.colors", extra="plot", purpose="drawing")
    found: Colormap = colors.LinearSegmentedColormap.from_list("orthonet", list(colours)).with_extremes(bad=MISSING)
    return found


def new_figure(width: float, height: float) -> Figure:
    """Return an empty matplotlib figure that belongs to nobody else."""
    figure_module = require("matplotlib.figure", extra="plot", purpose="drawing")
    figure: Figure = figure_module.Figure(figsize=(width, height), layout="constrained", dpi=110)
    return figure


def png_bytes(figure: Figure) -> bytes:
    """Return a figure as the content of a PNG file."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def notebook_axes(rows: int, columns: int, size: tuple[float, float], layout: str = "constrained") -> list[Axes]:
    """Return the axes of a new pyplot figure, row by row: a notebook shows it when the cell ends."""
    pyplot = require("matplotlib.pyplot", extra="plot", purpose="drawing")
    _, axes = pyplot.subplots(rows, columns, figsize=size, layout=layout, squeeze=False)
    return list(axes.flat)


def check_axes(axes: Any, name: str = "ax") -> Axes:
    """Return ``axes`` if one can draw on it, else raise."""
    kind = require("matplotlib.axes", extra="plot", purpose="drawing").Axes
    if not isinstance(axes, kind):
        raise TypeError(f"{name} must be matplotlib Axes, got {one_line(repr(axes))} of type {type(axes).__name__}")
    return axes
