"""Files of sections that begin with a star, as Pajek and Infomap write them: ``*Vertices 3``, ``*Arcs :1 "work"``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from orthonet.graph.formats.matrices import BELIEVED
from orthonet.graph.formats.network_file import weight_of
from orthonet.graph.formats.opening import text_lines

TOKEN = re.compile(r'"([^"]*)"|(\S+)')


def tokens(line: str) -> list[str]:
    """Part a line at blanks, except within quotes."""
    return [quoted or plain for quoted, plain in TOKEN.findall(line)]


def sections(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield the number of each line that is not blank, the heading it stands under, and its text; headings have none."""
    heading = ""
    for number, line in text_lines(path):
        if line.startswith("*"):
            heading = line
            yield number, heading, ""
        else:
            yield number, heading, line


class Vertices:
    """Nodes by their number, called by their label."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.declared: int | None = None
        self.labels: dict[int, str] = {}

    def declare(self, heading: str, where: str) -> None:
        """Take the number of nodes from ``*Vertices N``."""
        count = heading.split()[1:2]
        if count:
            self.declared = whole(count[0], where, "a number of vertices")
            if self.declared > max(BELIEVED, self.path.stat().st_size):
                raise ValueError(f"{where}: {self.declared:,} vertices are more than this file can hold")

    def add(self, line: str, where: str) -> None:
        """Take a node from ``number "label" …``."""
        cells = tokens(line)
        number = whole(cells[0], where, "a vertex")
        if number in self.labels:
            raise ValueError(f"{where}: vertex {number} was declared before")
        self.labels[number] = cells[1] if len(cells) > 1 and cells[1] else str(number)

    def ids(self, used: set[int], where: str) -> dict[int, str]:
        """Return the label of each node in order of their numbers, those that only edges name among them."""
        numbers = set(self.labels) | used
        if self.declared is not None:
            numbers |= set(range(1, self.declared + 1)) if min(numbers, default=1) > 0 else set(range(self.declared))
        found = {number: self.labels.get(number, str(number)) for number in sorted(numbers)}
        seen: dict[str, int] = {}
        for number, label in found.items():
            if label in seen:
                raise ValueError(f"{self.path}: vertices {seen[label]} and {number} are both called {label!r}")
            seen[label] = number
        return found


def whole(text: str, where: str, what: str) -> int:
    """Return a whole number >= 0, or raise."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise ValueError(f"{where}: expected {what} (a whole number >= 0), got {text!r}")
    return int(text)


def weight_among(cells: list[str], index: int, where: str) -> float:
    """Return the weight of a row, 1 if it has none."""
    return weight_of(cells[index], where) if len(cells) > index else 1.0
