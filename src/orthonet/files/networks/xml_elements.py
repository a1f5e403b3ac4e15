"""The elements of XML files of networks, one by one as they end; files that could grow without bound are refused."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Collection, Iterator
from typing import Any
from xml.sax.saxutils import quoteattr

from orthonet.files.errors import FileError
from orthonet.files.source import Source

CHUNK = 2**16
"""Bytes that are parsed at once."""
ROOT = re.compile(rb"(?:\s|<\?.*?\?>|<!--.*?-->)*<(?:[\w.-]+:)?([\w.-]+)", re.DOTALL)
"""What stands before the first element, and its name without a prefix."""


def root_name(head: bytes) -> str | None:
    """Return the name of the first element of an XML file, None if its first bytes do not show one.

    >>> root_name(b'<?xml version="1.0"?><!-- by hand --><gexf version="1.3">')
    'gexf'
    """
    found = ROOT.match(head)
    return None if found is None else found[1].decode("utf-8", "replace")


def xml_elements(
    source: Source, format: str, starts: Collection[str], ends: Collection[str], kept: Collection[str] = ()
) -> Iterator[tuple[str, Any]]:
    """Yield the name and the element of those that start or end; files that define entities are refused.

    Parameters
    ----------
    source : Source
    format : str
        What errors call the format.
    starts, ends : collections of str
        Elements to yield when they start, and when they end.
    kept : collection of str
        Those among ``ends`` whose content is still needed after they were yielded.
    """
    parser: Any = ElementTree.XMLPullParser(["start", "end"])
    last = b""
    try:
        with source.open() as file:
            while chunk := file.read(CHUNK):
                if b"<!DOCTYPE" in last + chunk or b"<!ENTITY" in last + chunk or b"\0" in chunk:
                    raise FileError(source.path, f"a {format} file is UTF-8 and has no document type definition")
                last = chunk[-10:]
                parser.feed(chunk)
                yield from _found(parser, starts, ends, kept)
        parser.close()
        yield from _found(parser, starts, ends, kept)
    except ElementTree.ParseError as error:
        raise FileError(source.line(error.position[0]), f"not {format}: {error}") from error
    except (UnicodeError, LookupError) as error:
        raise FileError(source.path, f"not {format} in UTF-8: {error}") from error


def local_name(element: Any) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def quoted(text: str) -> str:
    """Return text as the value of an attribute, in quotes; blanks of every kind come back as they are."""
    return quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _found(
    parser: Any, starts: Collection[str], ends: Collection[str], kept: Collection[str]
) -> Iterator[tuple[str, Any]]:
    for event, element in parser.read_events():
        name = local_name(element)
        if name in (starts if event == "start" else ends):
            yield name, element
            if event == "end" and name not in kept:
                element.clear()
