"""What the files of Pajek and Infomap share: sections that begin with a star, and numbered vertices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from orthonet.files.errors import FileError, Place
from orthonet.files.network import NetworkPart
from orthonet.files.networks.layer_rows import EdgeRow, layer_of_rows
from orthonet.files.options import ReadOptions
from orthonet.files.source import Source
from orthonet.files.tables.arrays import MOST_UNSAID_NODES
from orthonet.files.tables.cells import ids_of, weight_of, whole_number

TOKEN = re.compile(r'"([^"]*)"|(\S+)')


class SectionLine(NamedTuple):
    """A line of a file of sections: its place, the heading it stands under, and its text, "" for the heading itself."""

    place: Place
    heading: str
    text: str

    @property
    def section(self) -> str:
        """The first word of the heading, in lower case: ``*vertices``."""
        return (self.heading.split() or [""])[0].split(":")[0].lower()


def tokens(line: str) -> list[str]:
    """Split a line at blanks, except within quotes."""
    return [quoted or plain for quoted, plain in TOKEN.findall(line)]


class Vertices:
    """Nodes by their number, called by their label."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.declared: int | None = None
        self.labels: dict[int, str] = {}

    def edge_lines(self, sections: Iterable[str], comment: str) -> Iterator[SectionLine]:
        """Take in the vertices, and yield the headings and rows of sections of edges, and comments."""
        heading = ""
        for place, text in self.source.numbered_lines():
            is_heading = text.startswith("*")
            heading = text if is_heading else heading
            line = SectionLine(place, heading, "" if is_heading else text)
            if line.text.startswith(comment) or line.section in sections:
                yield line
            elif line.section == "*vertices":
                self._declare(line) if is_heading else self._add(line)
            elif not is_heading:
                raise FileError(place, f"expected a section, such as *Vertices; got {text[:60]!r}")
            elif line.section != "*network":
                known = ", ".join(["*Vertices", *sections])
                raise FileError(place, f"cannot read a section {heading!r}; there are {known}")

    def part(
        self,
        layers: Mapping[str, Sequence[EdgeRow]],
        options: ReadOptions,
        dropped: Mapping[str, Mapping[str, int]] | None = None,
    ) -> NetworkPart:
        """Return the network of layers whose rows have the numbers of vertices as their ends."""
        labels = self._labels_of_all({end for rows in layers.values() for row in rows for end in row[:2]})
        position = {number: index for index, number in enumerate(labels)}
        found = {
            name: layer_of_rows(rows, position, dropped=(dropped or {}).get(name)) for name, rows in layers.items()
        }
        return NetworkPart(self.source.path, ids_of(list(labels.values()), options.ids), len(labels), found)

    def _declare(self, line: SectionLine) -> None:
        """Take the number of nodes from ``*Vertices N``."""
        count = line.heading.split()[1:2]
        if count:
            self.declared = whole_number(count[0], line.place, "a number of vertices")
            if self.declared > max(MOST_UNSAID_NODES, self.source.size):
                raise FileError(line.place, f"{self.declared:,} vertices are more than this file can hold")

    def _add(self, line: SectionLine) -> None:
        """Take a node from ``number "label" …``."""
        cells = tokens(line.text)
        number = whole_number(cells[0], line.place, "a vertex")
        if number in self.labels:
            raise FileError(line.place, f"vertex {number} was declared before")
        self.labels[number] = cells[1] if len(cells) > 1 and cells[1] else str(number)

    def _labels_of_all(self, used: set[int]) -> dict[int, str]:
        """Return the label of each node in order of their numbers, those that only edges name among them."""
        numbers = set(self.labels) | used
        if self.declared is not None:
            numbers |= set(range(1, self.declared + 1)) if min(numbers, default=1) > 0 else set(range(self.declared))
        found = {number: self.labels.get(number, str(number)) for number in sorted(numbers)}
        seen: dict[str, int] = {}
        for number, label in found.items():
            if label in seen:
                raise FileError(self.source.path, f"vertices {seen[label]} and {number} are both called {label!r}")
            seen[label] = number
        return found


def weight_among(cells: list[str], index: int, place: Place) -> float:
    """Return the weight of a row, 1 if it has none."""
    return weight_of(cells[index], place) if len(cells) > index else 1.0
