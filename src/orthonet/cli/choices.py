"""What options choose between: numbers of clusters, data of the demo, tables and figures of the paper."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

Clusters = Annotated[
    str,
    typer.Option(
        "--clusters",
        "-k",
        metavar="K",
        help="Number of clusters; auto chooses it, 2:12 chooses among these.",
    ),
]


def number_of_clusters(text: str) -> int | str | tuple[int, int]:
    """Return a number of clusters, "auto", or the smallest and the largest to choose from.

    >>> number_of_clusters("5"), number_of_clusters("auto"), number_of_clusters("2:12")
    (5, 'auto', (2, 12))
    """
    if text == "auto":
        return text
    smallest, colon, largest = text.partition(":")
    if not smallest.isdecimal() or (colon and not largest.isdecimal()):
        raise ValueError(f"--clusters must be a whole number >= 2, auto, or a range such as 2:12, got {text!r}")
    if int(smallest) < 2:
        raise ValueError(f"--clusters must be a whole number >= 2, auto, or a range such as 2:12, got {text!r}")
    if not colon:
        return int(smallest)
    if int(largest) < int(smallest):
        raise ValueError(f"--clusters {text}: a range goes from the smaller to the larger number, such as 2:12")
    return int(smallest), int(largest)


def check_clusters(wanted: int | str | tuple[int, int] | None, n_nodes: int) -> None:
    """Refuse more clusters than there are nodes, before any work."""
    most = wanted[1] if isinstance(wanted, tuple) else wanted
    if isinstance(most, int) and most > n_nodes:
        given = f"{wanted[0]}:{wanted[1]}" if isinstance(wanted, tuple) else wanted
        raise ValueError(f"--clusters {given} is more than the {n_nodes} nodes there are")


class DemoData(StrEnum):
    """What the demo can run on."""

    all = "all"
    gaussians = "gaussians"
    digits = "digits"


class Experiment(StrEnum):
    """The paper's tables and figures."""

    all = "all"
    table1 = "table1"
    table2 = "table2"
    table3 = "table3"
    figure1 = "figure1"
    figure2 = "figure2"
    figure4 = "figure4"
    figure5 = "figure5"
