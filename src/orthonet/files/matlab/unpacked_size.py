"""How large the packed variables of a Matlab file are, found without keeping what they unpack to."""

from __future__ import annotations

import struct
import zlib
from typing import IO

from orthonet.files import source as limits
from orthonet.files.source import Source

HEADER, PACKED, CHUNK = 128, 15, 2**16
"""Bytes before the first variable, and the type of a packed one, in Matlab's formats 5 to 7."""


def check_unpacked_size(source: Source, file: IO[bytes]) -> None:
    """Refuse an opened Matlab file that unpacks to far more than it holds; the reader finds what is damaged."""
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
