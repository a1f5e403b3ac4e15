"""Arrays in .npz archives, each compared with what its header promises before memory is taken, and sparse matrices of them.

Nothing in an archive is ever run: arrays of objects are refused. The parts of a sparse matrix are checked in full before
scipy makes a matrix of them, since its routines follow indices without looking.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np
from numpy.lib import format as npy
from scipy.sparse import bsr_array, coo_array, csc_array, csr_array, dia_array

from orthonet.files.source import Source
from orthonet.support.text import listed

KINDS = "biufcSU"
"""Kinds of arrays that are read: truth values, numbers and text."""
MAX_HEADER = 10_000
"""Bytes of an array's header at most, as numpy has it."""
CHUNK = 2**20
"""Bytes that are unpacked at once."""


class FalseIndices(ValueError):
    """The parts of a sparse matrix do not fit together."""


class ArrayArchive(Mapping[str, np.ndarray]):
    """The arrays of an opened .npz archive by name, read when they are asked for."""

    def __init__(self, members: ZipFile) -> None:
        self._members = members
        self._sizes = {one.filename.removesuffix(".npy"): one for one in members.infolist()}

    def __getitem__(self, name: str) -> np.ndarray:
        member = self._sizes[name]
        if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise ValueError(f"{name!r} is packed in a way that numpy does not write")
        with self._members.open(member) as file:
            shape, by_column, dtype, start = read_header(file, name)
            promised = prod(shape) * dtype.itemsize
            if start + promised != member.file_size:
                raise ValueError(
                    f"the header of {name!r} promises {promised:,} bytes, but {member.file_size - start:,} follow"
                )
            content = _exactly(file, promised, name)
        flat = np.frombuffer(content, dtype=dtype)
        return flat.reshape(shape, order="F" if by_column else "C")

    def __iter__(self) -> Iterator[str]:
        return iter(self._sizes)

    def __len__(self) -> int:
        return len(self._sizes)


@contextmanager
def opened_archive(source: Source) -> Iterator[ArrayArchive]:
    """Open an .npz archive that unpacks to no more than it should."""
    with source.archive() as file, ZipFile(file) as members:
        yield ArrayArchive(members)


def read_header(file: IO[bytes], name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Return an array's shape, whether it is stored by column, its dtype, and where its numbers start."""
    magic = file.read(npy.MAGIC_LEN)
    if not magic.startswith(npy.MAGIC_PREFIX) or len(magic) < npy.MAGIC_LEN:
        raise ValueError(f"{name!r} is not an array as numpy saves it")
    if magic[-2:] == b"\x01\x00":
        shape, by_column, dtype = npy.read_array_header_1_0(file, max_header_size=MAX_HEADER)
    elif magic[-2:] == b"\x02\x00":
        shape, by_column, dtype = npy.read_array_header_2_0(file, max_header_size=MAX_HEADER)
    else:
        raise ValueError(f"{name!r} has a header of version {magic[-2]}.{magic[-1]}; numbers and text have 1.0 or 2.0")
    if dtype.kind not in KINDS or dtype.itemsize == 0:
        raise ValueError(f"{name!r} has dtype {dtype}; only numbers and text are read")
    if any(isinstance(size, bool) or size < 0 for size in shape):
        raise ValueError(f"{name!r} has shape {shape}")
    return shape, by_column, dtype, file.tell()


def sparse_matrix(arrays: Mapping[str, np.ndarray]) -> Any:
    """Return the matrix that ``scipy.sparse.save_npz`` wrote, in its own format."""
    if "format" not in arrays:
        raise ValueError(f"it holds {listed([repr(name) for name in arrays]) or 'nothing'}")
    named, shape = arrays["format"], checked_shape(arrays["shape"])
    kind = named.item() if named.ndim == 0 and named.dtype.kind in "SU" else None
    kind = kind.decode("ascii", "replace") if isinstance(kind, bytes) else kind
    if kind in ("csr", "csc"):
        return compressed(arrays["data"], arrays["indices"], arrays["indptr"], shape, by_column=kind == "csc")
    if kind == "coo":
        row, column = (arrays["coords"] if "coords" in arrays else (arrays["row"], arrays["col"]))[:2]
        return _coordinates(arrays["data"], row, column, shape)
    if kind == "bsr":
        return _blocks(arrays["data"], arrays["indices"], arrays["indptr"], shape)
    if kind == "dia":
        return _diagonals(arrays["data"], arrays["offsets"], shape)
    raise ValueError(f"a sparse matrix of the format {kind!r} is unknown")


def compressed(
    data: np.ndarray,
    indices: np.ndarray,
    indptr: np.ndarray,
    shape: tuple[int, int],
    *,
    by_column: bool = False,
    name: str = "",
) -> Any:
    """Return a CSR or CSC array, its parts checked in full: pointers that rise from 0, indices within the shape."""
    n_major, n_minor = shape[::-1] if by_column else shape
    _check_pointers(data, indices, indptr, n_major, n_minor, name)
    if data.ndim != 1:
        raise ValueError(f"{name}data has shape {data.shape}; wanted a list")
    stored = int(indptr[-1])
    parts = data[:stored], indices[:stored], indptr
    return csc_array(parts, shape=shape) if by_column else csr_array(parts, shape=shape)


def _exactly(file: IO[bytes], size: int, name: str) -> bytearray:
    content = bytearray()
    while len(content) < size and (chunk := file.read(min(CHUNK, size - len(content)))):
        content += chunk
    if len(content) != size:
        raise ValueError(f"{name!r} is cut off")
    return content


def _check_pointers(
    data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, n_major: int, n_minor: int, name: str
) -> None:
    if any(part.dtype.kind not in "iu" for part in (indices, indptr)):
        raise FalseIndices(f"{name}indices and {name}indptr must be whole numbers")
    if indices.ndim != 1 or indptr.ndim != 1 or data.ndim < 1:
        raise FalseIndices(f"{name}data, {name}indices and {name}indptr are not lists")
    if len(indptr) != n_major + 1:
        raise FalseIndices(f"{name}indptr has {len(indptr):,} numbers; wanted {n_major + 1:,}")
    if indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        raise FalseIndices(f"{name}indptr does not rise from 0")
    if len(data) != len(indices) or indptr[-1] > len(indices):
        raise FalseIndices(
            f"{name}indptr ends at {indptr[-1]}, with {len(indices):,} indices and {len(data):,} entries"
        )
    check_range(indices, n_minor, f"{name}indices")


def check_range(numbers: np.ndarray, end: int, name: str) -> None:
    """Refuse numbers that are not whole or not from 0 to below ``end``."""
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise FalseIndices(f"{name} must be whole numbers in a list")
    if numbers.size and numbers.max() >= end:
        raise FalseIndices(f"{name} must be < {end}, but one is {numbers.max()}")
    if numbers.size and numbers.min() < 0:
        raise FalseIndices(f"{name} must be >= 0, but one is {numbers.min()}")


def checked_shape(array: np.ndarray) -> tuple[int, int]:
    """Return the numbers of rows and columns that a file has as an array."""
    if array.shape != (2,) or array.dtype.kind not in "iu" or not 0 <= array.min() <= array.max() < 2**62:
        raise FalseIndices(f"shape must be two whole numbers >= 0, got {listed(array.ravel()[:5].tolist(), 4)}")
    rows, columns = array.tolist()
    return rows, columns


def _coordinates(data: np.ndarray, row: np.ndarray, column: np.ndarray, shape: tuple[int, int]) -> coo_array:
    check_range(row, shape[0], "row")
    check_range(column, shape[1], "col")
    if data.shape != row.shape or data.shape != column.shape:
        raise FalseIndices(f"data, row and col have {data.shape}, {row.shape} and {column.shape} numbers")
    return coo_array((data, (row, column)), shape=shape)


def _blocks(data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, shape: tuple[int, int]) -> bsr_array:
    if data.ndim != 3 or 0 in data.shape[1:]:
        raise FalseIndices(f"data has shape {data.shape}; wanted blocks")
    height, width = data.shape[1:]
    if shape[0] % height or shape[1] % width:
        raise FalseIndices(f"blocks of {height} x {width} do not fit a matrix of {shape[0]} x {shape[1]}")
    _check_pointers(data, indices, indptr, shape[0] // height, shape[1] // width, "")
    stored = int(indptr[-1])
    return bsr_array((data[:stored], indices[:stored], indptr), shape=shape)


def _diagonals(data: np.ndarray, offsets: np.ndarray, shape: tuple[int, int]) -> dia_array:
    if data.ndim != 2 or offsets.shape != data.shape[:1] or offsets.dtype.kind not in "iu":
        raise FalseIndices(f"data has shape {data.shape} for offsets of shape {offsets.shape}")
    if len(np.unique(offsets)) < len(offsets) or (offsets.size and np.abs(offsets.astype(float)).max() > max(shape)):
        raise FalseIndices("offsets must be different diagonals of the matrix")
    if data.shape[1] > shape[1]:
        raise FalseIndices(f"diagonals of {data.shape[1]:,} numbers are too long for {shape[1]:,} columns")
    return dia_array((data, offsets), shape=shape)
