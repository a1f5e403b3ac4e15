"""Multi-view benchmark files of the research world: Matlab files with a matrix of features for each view, and labels.

No two groups agree on the layout. The views are cells of one variable (``data``, ``X``, ``fea``, ``views``) or variables of
their own (``X1``, ``X2``, …), with a node in each row or in each column; the labels are ``truelabel``, ``Y``, ``gt``, ``gnd``,
``label``, ``labels`` or ``truth``: a vector, the same vector in each of several cells, or a matrix of zeros and ones.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import SEEK_END, PathLike
from pathlib import Path
from typing import IO, Any, get_args

from scipy.sparse import csr_array

from orthonet.files import source as limits
from orthonet.files.errors import PARSER_ERRORS, FileError, naming_file, one_line
from orthonet.files.isolation import ReaderError
from orthonet.files.matlab.isolation import list_variables, read_values
from orthonet.files.matlab.relations import relations_of
from orthonet.files.matlab.values import (
    Labels,
    Orientation,
    as_labels,
    as_view,
    is_cell,
    nodes_in_rows,
    same_partition,
)
from orthonet.files.source import HDF5, Source
from orthonet.files.tables.arrays import shape_of
from orthonet.graph.features import Features
from orthonet.support.checks import check_choice, check_integer
from orthonet.support.sentences import Argument

VIEW_NAMES = ("data", "x", "fea", "feature", "features", "view", "views")
LABEL_NAMES = ("truelabel", "y", "gt", "gnd", "label", "labels", "truth")
"""Usual names, whatever their case."""
UNREADABLE = ("function", "object", "opaque")
"""Kinds of variables that hold code or objects of Matlab classes, as scipy calls them."""
HEADER, PACKED = 128, 15
"""Bytes before the first variable, and the type of a packed one, in Matlab's formats 5 to 7."""
CHUNK = 2**16
"""Packed bytes that are unpacked at once to find their size."""


@dataclass(frozen=True, eq=False)
class MultiviewFile:
    """What a multi-view file holds.

    Attributes
    ----------
    views : tuple of arrays or sparse arrays of shape (N, M_s)
        A node in each row.
    labels : array of shape (N,), or None
        Whole numbers as they are in the file, or the columns of a matrix of zeros and ones.
    names : tuple of str
        Where each view was found, in Matlab's words: ``data{1}``, ``X2``.
    labels_name : str or None
        The variable of the labels.
    relations : mapping of names to sparse arrays of shape (N, N)
        Matrices of weights between the nodes beside the views.
    notes : tuple of str
        Which variables are relations, and which were not read.
    """

    views: tuple[Features, ...]
    labels: Labels | None
    names: tuple[str, ...]
    labels_name: str | None
    relations: Mapping[str, csr_array] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_multiview_mat(
    file: str | PathLike[str] | Source,
    *,
    views: str | Sequence[str] | None = None,
    labels: str | None = None,
    n_views: int | None = None,
    orientation: Orientation = "auto",
) -> MultiviewFile:
    """Read the views and labels of a multi-view file, of Matlab's formats 4 to 7.

    Parameters
    ----------
    file : path
    views : str or sequence of str, optional
        The variable with the views in its cells, or the variables that are the views; found by the usual names if None.
    labels : str, optional
        The variable of the labels; found by the usual names, if one is there, if None.
    n_views : int, optional
        How many views there must be.
    orientation : {"auto", "rows", "columns"}, default="auto"
        Whether a node is a row or a column of each view. "auto" decides by the number of labels or, without labels, by
        the dimension that all views share.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from scipy.io import savemat
    >>> file = Path(tempfile.mkdtemp()) / "set.mat"
    >>> savemat(file, {"X1": np.ones((3, 10)), "X2": np.ones((5, 10)), "gnd": np.arange(10) % 2})
    >>> content = read_multiview_mat(file)
    >>> content.names, [view.shape for view in content.views], content.labels_name
    (('X1', 'X2'), [(10, 3), (10, 5)], 'gnd')
    """
    check_choice(orientation, "orientation", get_args(Orientation))
    wanted = None if n_views is None else check_integer(n_views, "n_views", minimum=1)
    source = Source.of(file)
    with naming_file(source.path), source.unpacked() as plain:
        content = _Content(source, plain)
        found = content.views(views)
        if wanted is not None and len(found) != wanted:
            listed = ", ".join(found)
            raise FileError.about(source.path, f"has {len(found)} views ({listed}), but {wanted} were expected")
        labels_name, classes = content.labels(labels)
        squares, others = content.remaining({name.partition("{")[0] for name in found} | {labels_name or ""})
    matrices = {name: as_view(value, source.path, f"the view {name}") for name, value in found.items()}
    turned = nodes_in_rows(matrices, classes, orientation, source.path)
    relations, notes = relations_of(squares, turned[0].shape[0], others, source.path)
    return MultiviewFile(turned, classes, tuple(found), labels_name, relations, notes)


def read_variables(file: str | PathLike[str] | Source, names: Sequence[str]) -> dict[str, Any]:
    """Read variables of a Matlab file by their names."""
    source = Source.of(file)
    with source.unpacked() as plain:
        return _Content(source, plain).read(list(names), "the data")


class _Content:
    """The variables of a Matlab file, without its gzip packing in ``plain``, read when they are asked for."""

    def __init__(self, source: Source, plain: Path) -> None:
        self.path, self.plain = source.path, plain
        if source.start.startswith(HDF5):
            raise self._too_new()
        with plain.open("rb") as file:
            self.size = _content_size(source, file)
        self.kinds = {name: kind for name, _, kind in self._listed() if name}

    def views(self, asked: str | Sequence[str] | None) -> dict[str, Any]:
        """Return the views under the names they were found by."""
        if asked is None:
            self._check_kinds()
            names = self._usual_views()
        else:
            names = [asked] if isinstance(asked, str) else list(asked) if isinstance(asked, Sequence) else []
            if not names or not all(isinstance(name, str) for name in names):
                raise TypeError(f"views must be a name or several, got {asked!r}")
        found = self.read(names, "views")
        if len(names) > 1 or not is_cell(found[names[0]]):
            return found
        cells = found[names[0]]
        if cells.size == 0 or cells.size != max(cells.shape):
            raise FileError(
                self.path, f"the views {names[0]!r} are a {shape_of(cells)} cell; wanted a row or column of views"
            )
        return {f"{names[0]}{{{index}}}": cell for index, cell in enumerate(cells.ravel(), 1)}

    def labels(self, asked: str | None) -> tuple[str | None, Labels | None]:
        """Return the name of the labels and the labels, or None and None if nothing is called so."""
        if asked is not None and not isinstance(asked, str):
            raise TypeError(f"labels must be the name of a variable, got {asked!r}")
        names = [asked] if asked is not None else [name for name in self.kinds if name.lower() in LABEL_NAMES]
        if not names:
            return None, None
        values = self.read(names, "labels")
        read = {name: as_labels(value, self.path, f"the labels {name!r}") for name, value in values.items()}
        first = next(iter(read))
        if any(not same_partition(read[first], other) for other in read.values()):
            differing = ", ".join(names)
            raise FileError.about(
                self.path, f"has labels under several names that differ: {differing}; pass ", Argument("labels"), "="
            )
        return first, read[first]

    def remaining(self, taken: set[str]) -> tuple[dict[str, Any], list[str]]:
        """Return the square matrices that are neither views nor labels, and the names of all other such variables."""
        rest = {name: shape for name, shape, _ in self._listed() if name and name not in taken}
        usual = [name for name in rest if name.lower() in LABEL_NAMES]
        squares = [
            name
            for name, shape in rest.items()
            if name not in usual
            and self.kinds[name] not in (*UNREADABLE, "cell", "struct", "char")
            and len(shape) == 2
            and 1 < shape[0] == shape[1]
        ]
        read = self.read(squares, "relations") if squares else {}
        return read, [name for name in rest if name not in squares and name not in usual]

    def _check_kinds(self) -> None:
        odd = {name: kind for name, kind in self.kinds.items() if kind in UNREADABLE}
        if odd:
            listed = ", ".join(f"{kind} {name!r}" for name, kind in odd.items())
            raise FileError.about(
                self.path,
                f"holds the Matlab {listed}; save the views and labels alone, or name the views with ",
                Argument("views"),
            )

    def _usual_views(self) -> list[str]:
        cells = [name for name, kind in self.kinds.items() if name.lower() in VIEW_NAMES and kind == "cell"]
        numbered: dict[str, list[tuple[int, str]]] = {}
        for name in self.kinds:
            match = re.fullmatch(r"(.*?)_?([0-9]+)", name)
            if match and match[1].lower() in VIEW_NAMES:
                numbered.setdefault(match[1], []).append((int(match[2]), name))
        several = [[name] for name in cells] + [[name for _, name in sorted(group)] for group in numbered.values()]
        candidates = several or [[name] for name in self.kinds if name.lower() in VIEW_NAMES]
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            listed = "; ".join(", ".join(names) for names in candidates)
            raise FileError.about(
                self.path, f"has several variables that may be the views: {listed}; pass ", Argument("views"), "="
            )
        raise FileError.about(
            self.path,
            f"is not a multi-view file: none of its variables ({', '.join(self.kinds) or 'it has none'}) has a usual name of "
            f"views ({', '.join(VIEW_NAMES)}, or numbered: X1, X2, …); pass ",
            Argument("views"),
            "=",
        )

    def read(self, names: list[str], purpose: str) -> dict[str, Any]:
        """Return variables by name; ``purpose`` is what errors say they are for."""
        for name in names:
            if name not in self.kinds:
                known = ", ".join(self.kinds)
                raise FileError.about(self.path, f"has no variable {name!r} for {purpose}; it has {known}")
        content = self._call(read_values, names, shown=self.path)
        for name in names:
            if name not in content:
                kind = self.kinds[name]
                raise FileError(self.path, f"{name!r} for {purpose} is a {kind}, which cannot be read")
        return {name: content[name] for name in names}

    def _listed(self) -> Any:
        try:
            return self._call(list_variables)
        except FileError as error:
            if getattr(error.__cause__, "kind", "") == "TypeError":  # scipy's own, for want of the shape of an object
                raise FileError.about(
                    self.path,
                    "holds an object of a Matlab class (a table, string, …), which cannot be read, or is damaged; save the "
                    "views and labels alone, as matrices",
                ) from error
            raise

    def _call(self, function: Any, *arguments: Any, **options: Any) -> Any:
        try:
            return function(self.plain, *arguments, content_bytes=self.size, **options)
        except FileError:
            raise
        except (ReaderError, *PARSER_ERRORS) as error:
            if getattr(error, "kind", "") == "NotImplementedError":
                raise self._too_new() from error
            raise FileError.about(
                self.path, f"is not a multi-view file: it cannot be read as a Matlab file ({one_line(error)})"
            ) from error

    def _too_new(self) -> FileError:
        return FileError.about(
            self.path,
            "is a Matlab file of version 7.3 (HDF5), which cannot be read here; in Matlab, load it and save it again with "
            "save('name.mat', '-v7')",
        )


def _content_size(source: Source, file: IO[bytes]) -> int:
    """Return the size of an opened Matlab file with all unpacked; refuse one that unpacks to far more than it has."""
    allowed = max(limits.UNPACKED_LIMIT, limits.UNPACKED_RATIO * source.size)
    order = {b"IM": "<", b"MI": ">"}.get(file.read(HEADER)[HEADER - 2 :])
    total = 0
    while order and len(tag := file.read(8)) == 8:
        kind, length = struct.unpack(f"{order}II", tag)
        end = file.tell() + length
        if kind == PACKED:
            total = _unpacked_size(file, length, total, allowed)
            source.check_unpacked(total, "save it without compression")
        file.seek(end)
    return total + file.seek(0, SEEK_END)


def _unpacked_size(file: IO[bytes], length: int, total: int, allowed: int) -> int:
    unpacking = zlib.decompressobj()
    while length > 0 and total <= allowed and (packed := file.read(min(CHUNK, length))):
        length -= len(packed)
        while packed and total <= allowed:
            try:
                total += len(unpacking.decompress(packed, 2**20))
            except zlib.error:
                return total
            packed = unpacking.unconsumed_tail
    return total
