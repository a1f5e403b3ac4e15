"""What a caller may say about files: how they are laid out, and what becomes of rows that fit no graph as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from orthonet.graph.edge_list import Merge

Ids = Literal["auto", "text"]
UnknownNodes = Literal["refuse", "drop"]
MissingWeights = Literal["refuse", "one", "drop"]
MissingFeatures = Literal["mean", "refuse"]
Gaps = Literal["mean", "refuse", "keep"]
"""What a table of features by itself may do with empty cells: "keep" leaves them NaN."""


@dataclass(frozen=True)
class ReadOptions:
    """How a file is laid out, where it does not say so itself; see `orthonet.read_network`."""

    source: str | int | None = None
    target: str | int | None = None
    layer: str | int | None = None
    weight: str | int | None = None
    delimiter: str | None = None
    heading: bool | None = None
    ids: Ids = "auto"
    id_column: str | int | None = None


@dataclass(frozen=True)
class Policy:
    """What to do with rows that fit no graph as they are; see `orthonet.read_network`."""

    directed: bool | None = None
    duplicates: Merge | None = None
    unknown_nodes: UnknownNodes = "refuse"
    missing_weights: MissingWeights = "refuse"
