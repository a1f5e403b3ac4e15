"""Colours and symbols that the colour-blind can tell apart, on a light page and on a dark one.

The rule is that of `orthonet.support.drawing`; beyond a hundred clusters only hovering over a point names its cluster.
Scales have rising or falling lightness throughout, so they also read in grey.
"""

from __future__ import annotations

from typing import Any

from orthonet.support.drawing import DENSITY, MUTED, VALUES, colour_and_symbol

# Indigo and wine of the muted scheme drown in a dark page; these are the same hues, lighter.
MUTED_ON_DARK = ("#6A50D8", *MUTED[1:7], "#B8205C", *MUTED[8:])

SYMBOLS = (
    "circle",
    "square",
    "diamond",
    "triangle-up",
    "cross",
    "x",
    "star",
    "triangle-down",
    "pentagon",
    "hourglass",
)

THEMES: dict[str, dict[str, Any]] = {
    "light": {
        "text": "#1d2127",
        "quiet": "#5b6470",
        "grid": "#e3e6ea",
        "paper": "#ffffff",
        "outline": "rgba(0,0,0,0.45)",
        "clusters": MUTED,
        "values": VALUES,
        "density": DENSITY,
        "turning": 0.66,  # where on that scale text must change its colour
    },
    "dark": {
        "text": "#e6e8ec",
        "quiet": "#a2abb8",
        "grid": "#343a45",
        "paper": "#1b1f27",
        "outline": "rgba(255,255,255,0.55)",
        "clusters": MUTED_ON_DARK,
        # Cividis without its darkest end.
        "values": ("#4a536c", "#6c6d72", "#8d8878", "#b1a570", "#d9c55c", "#fee838"),
        "density": ("#1b1f27", "#26365f", "#35579a", "#5a83c9", "#97b8e6", "#eef4ff"),
        "turning": 0.58,
    },
}


def cluster_sign(cluster: int) -> tuple[int, str]:
    """Return the place of a cluster's colour in the palette, and its symbol."""
    colour, symbol = colour_and_symbol(cluster)
    return colour, SYMBOLS[symbol]
