"""What a caller may say about how a file is laid out, as every reader receives it."""

from __future__ import annotations

from dataclasses import dataclass

from orthonet.graph.formats.columns import Ids


@dataclass(frozen=True)
class ReadOptions:
    """How a file is laid out, where it does not say so itself; see `orthonet.graph.read.read_network`."""

    source: str | int | None = None
    target: str | int | None = None
    layer: str | int | None = None
    weight: str | int | None = None
    delimiter: str | None = None
    heading: bool | None = None
    ids: Ids = "auto"
    id_column: str | int | None = None
