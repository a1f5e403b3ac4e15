"""The manifest of a network in shards: what the network is, and which files its shards consist of.

shards.json                      nodes, bounds of the shards, names, and the size and SHA-256 of every other file
shard-0000.edges.parquet         layer, source, target, weight: all edges of the shard's nodes, so that each edge is there twice
shard-0000.nodes.parquet         id, and where there are any: "present NAME" of each layer, "feature 0", "feature 1", …
shard-0000.memberships.parquet   relation, node, group, weight: of two-mode relations, where there are any
shard-0000.words.parquet         node, feature, value: sparse features, where there are any
groups.parquet                   relation, group, name: where groups have names

Layers, relations, groups and features are numbered from 0, nodes too, over all shards. A shard belongs to the manifest if its
files are the ones that the manifest describes: those of another data set, or damaged ones, are refused before they are read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from orthonet.files.errors import FileError
from orthonet.files.source import PathType, Source
from orthonet.support.regular_files import opened_inside
from orthonet.support.text import one_line

MANIFEST, GROUPS = "shards.json", "groups.parquet"
KIND, VERSION = "orthonet shards", 1
MOST_BYTES = 2**28
"""A larger manifest is not read."""
MOST_SHARDS = 10_000
HASHED = 2**20
"""Bytes that are hashed at a time."""


@dataclass(frozen=True)
class Manifest:
    """What is known of a network before any of its shards is read.

    Attributes
    ----------
    folder : Path
    bounds : tuple of int
        The first node of each shard, and the number of nodes.
    layers : tuple of str
    two_mode : mapping of str to int
        Groups of each two-mode relation.
    n_features : int
    sparse_features : bool
    feature_names : tuple of str, or None
    layers_from_features : bool
    lacking : bool
        Whether the tables of nodes say which nodes a layer lacks.
    files : mapping of str to (int, str)
        Bytes and SHA-256 of each file.
    digest : str
        SHA-256 of the manifest itself.
    """

    folder: Path
    bounds: tuple[int, ...]
    layers: tuple[str, ...]
    two_mode: Mapping[str, int]
    n_features: int
    sparse_features: bool
    feature_names: tuple[str, ...] | None
    layers_from_features: bool
    lacking: bool
    files: Mapping[str, tuple[int, str]]
    digest: str

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.bounds[-1]

    @property
    def n_shards(self) -> int:
        """Number of shards."""
        return len(self.bounds) - 1

    @classmethod
    def of(cls, folder: PathType) -> Manifest:
        """Read and check the manifest of a folder."""
        home = Path(folder).expanduser()
        path = home / MANIFEST
        if not path.is_file():
            raise FileNotFoundError(
                f"{home} is no folder of shards: there is no file {path}; orthonet convert NETWORK -o FOLDER --shards 4 "
                "makes one"
            )
        with opened_inside(home, MANIFEST) as (opened, size):
            if size > MOST_BYTES:
                raise FileError.about(path, f"has {size:,} bytes, more than any manifest of shards")
            content = opened.read(MOST_BYTES)
        try:
            said = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise FileError.about(path, f"is cut or damaged: {one_line(str(error))}") from None
        return cls(home, **_checked(said, path), digest=hashlib.sha256(content).hexdigest())

    def file(self, name: str) -> Source:
        """Return a file of the folder, once it is the one that the manifest describes."""
        path, about = self.folder / name, self.files.get(name)
        if about is None:
            raise FileError.about(self.folder / MANIFEST, f"does not name the file {name}, which it should have")
        if not path.is_file():
            raise FileNotFoundError(
                f"{path}: there is no such file, but {MANIFEST} names it; copy all {self.n_shards} shards, or convert again"
            )
        source = Source.of(path)
        if source.size != about[0]:
            raise FileError.about(
                path,
                f"has {source.size:,} bytes, but {MANIFEST} says {about[0]:,}: it is cut, or a shard of other data",
            )
        if sha256(path) != about[1]:
            raise FileError.about(path, f"is not the file that {MANIFEST} describes: it is damaged, or of other data")
        return source


def is_shards(path: Any) -> bool:
    """Tell whether a path is a folder of shards."""
    try:
        return (Path(path).expanduser() / MANIFEST).is_file()
    except (TypeError, ValueError, OSError):
        return False


def shard_file(shard: int, table: str) -> str:
    """Return the name of a table of a shard."""
    return f"shard-{shard:04d}.{table}.parquet"


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    found = hashlib.sha256()
    with path.open("rb") as opened:
        while block := opened.read(HASHED):
            found.update(block)
    return found.hexdigest()


def _checked(said: Any, path: Path) -> dict[str, Any]:
    """Return the fields of a manifest, or raise with the first that is not as it was written."""
    if not isinstance(said, dict) or said.get("format") != KIND:
        raise FileError.about(path, f'is not a manifest of shards: it does not say "format": "{KIND}"')
    if said.get("version") != VERSION:
        got = one_line(repr(said.get("version")), 50)
        raise FileError.about(path, f"is of version {got}, but this OrthoNet reads version {VERSION}")

    def wanted(name: str, right: bool, what: str) -> Any:
        if not right:
            raise FileError(path, f"{name!r} must be {what}, got {one_line(repr(said.get(name)), 100)}")
        return said[name]

    bounds: Any = said.get("bounds")
    rising = _integers(bounds) and 2 <= len(bounds) <= MOST_SHARDS + 1 and bounds[0] == 0
    rising = rising and all(low < high for low, high in pairwise(bounds))
    groups: Any = said.get("two_mode")
    names = said.get("feature_names")
    n_features = said.get("features")
    files = said.get("files")
    whole = isinstance(files, dict) and all(_describes(one) for one in files.values())
    relations = isinstance(groups, dict) and _integers(list(groups.values())) and min([1, *groups.values()]) > 0
    layers = wanted("layers", _texts(said.get("layers")), "a list of different names")
    wanted("two_mode", relations and not set(groups) & set(layers), "numbers of groups by names that no layer has")
    if not layers and not groups:
        raise FileError(path, "it names neither layers nor two-mode relations")
    return {
        "bounds": tuple(wanted("bounds", rising, "a list of rising node numbers from 0 on")),
        "layers": tuple(layers),
        "two_mode": dict(groups),
        "n_features": wanted("features", _integers([n_features]), "the number of features"),
        "sparse_features": _truth(said, "sparse_features", wanted),
        "feature_names": None
        if names is None
        else tuple(
            wanted("feature_names", _texts(names) and len(names) == n_features, f"{n_features} different names")
        ),
        "layers_from_features": _truth(said, "layers_from_features", wanted),
        "lacking": _truth(said, "lacking", wanted),
        "files": {
            name: (one["bytes"], one["sha256"])
            for name, one in wanted("files", whole, "the bytes and SHA-256 of each file").items()
        },
    }


def _truth(said: Mapping[str, Any], name: str, wanted: Any) -> bool:
    return bool(wanted(name, isinstance(said.get(name), bool), "true or false"))


def _integers(values: Any) -> bool:
    return isinstance(values, list) and all(type(one) is int and one >= 0 for one in values)


def _texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(one, str) for one in values) and len(set(values)) == len(values)


def _describes(one: Any) -> bool:
    return isinstance(one, dict) and type(one.get("bytes")) is int and isinstance(one.get("sha256"), str)
