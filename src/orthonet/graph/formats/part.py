"""One file as its reader found it, and how files become one network: the policies for rows that fit no graph as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from orthonet.graph.features import Features
from orthonet.graph.formats.merging import Merge, merged_pairs, n_different_rows
from orthonet.graph.formats.network_file import Column, Edges, NetworkFile
from orthonet.graph.formats.report import LayerReport, ReadReport
from orthonet.support.text import counted

UnknownNodes = Literal["refuse", "drop"]
MissingWeights = Literal["refuse", "one", "drop"]


@dataclass(frozen=True)
class Rows:
    """The rows of a layer as they stand in a file.

    Attributes
    ----------
    source, target : arrays of int
        Positions among the ids of the file.
    weight : array of float, or None
        NaN where a row has none; None if the file has no weights.
    where : callable
        Says where a row, counted from 0, stands: the opening of an error.
    directed : bool
    merge : {"sum", "max"}
        What several rows for one pair come to.
    dropped : mapping of reasons to int
        Rows the reader left out itself.
    two_way : array of bool, or None
        In a directed layer: the rows that nevertheless have no direction.
    """

    source: npt.NDArray[np.integer[Any]]
    target: npt.NDArray[np.integer[Any]]
    weight: npt.NDArray[np.float64] | None
    where: Callable[[int], str]
    directed: bool = False
    merge: Merge = "sum"
    dropped: Mapping[str, int] = field(default_factory=dict)
    two_way: npt.NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class Part:
    """A file before its nodes are matched with those of other files; without ids its nodes are counted from 0."""

    path: Path
    ids: npt.NDArray[Any] | None
    n_nodes: int
    layers: Mapping[str, Rows]
    attributes: Mapping[str, Column] = field(default_factory=dict)
    present: Mapping[str, npt.NDArray[np.bool_]] = field(default_factory=dict)
    features: Features | None = None
    feature_names: tuple[str, ...] | None = None
    layers_from_features: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Policy:
    """What to do with rows that fit no graph as they are; see `orthonet.graph.read.read_network`."""

    directed: bool | None = None
    duplicates: Merge | None = None
    unknown_nodes: UnknownNodes = "refuse"
    missing_weights: MissingWeights = "refuse"


def part_of(network: NetworkFile, merge: Merge = "max") -> Part:
    """Return what a reader of a `NetworkFile` found as a part."""
    layers = {
        name: Rows(
            edges.source,
            edges.target,
            edges.weight,
            lambda row, name=name: f"{network.path}, edge {row + 1} of layer {name!r}",  # type: ignore[misc]
            edges.directed,
            merge,
        )
        for name, edges in network.layers.items()
    }
    return Part(network.path, network.node_ids, len(network.node_ids), layers, network.attributes, network.present)


def joined(parts: Sequence[Part], policy: Policy, known: npt.NDArray[Any] | None, known_from: str) -> NetworkFile:
    """Return one network of several files, over the ``known`` nodes or else over those that the files name."""
    nodes, places = _nodes(parts, known, known_from)
    if policy.unknown_nodes == "refuse":
        _check_known(parts, places, policy, nodes, known_from)
    layers: dict[str, Edges] = {}
    present: dict[str, npt.NDArray[np.bool_]] = {}
    reports = []
    for part, place in zip(parts, places, strict=True):
        for name, rows in part.layers.items():
            if name in layers:
                first = next(one.path for one in parts if name in one.layers)
                raise ValueError(f"{part.path}: a layer {name!r} was read before, from {first}; name them apart")
            layers[name], report = _merged(rows, name, part, place, len(nodes), policy)
            reports.append(report)
        for name, mask in part.present.items():
            present[name] = _placed(mask, place, len(nodes), False)
    if not layers:
        raise ValueError(f"{parts[0].path} has no edges")
    alone = parts[0] if len(parts) == 1 and known is None else None
    return NetworkFile(
        parts[0].path,
        nodes,
        layers,
        _attributes(parts, places, len(nodes)),
        present,
        ReadReport(len(nodes), tuple(reports), tuple(note for part in parts for note in part.notes)),
        None if alone is None else alone.features,
        None if alone is None else alone.feature_names,
        alone is not None and alone.layers_from_features,
    )


def _nodes(
    parts: Sequence[Part], known: npt.NDArray[Any] | None, known_from: str
) -> tuple[npt.NDArray[Any], list[npt.NDArray[np.int64] | None]]:
    """Return all nodes, and where those of each file stand among them: None where they are the same, −1 for strangers."""
    counted = [part for part in parts if part.ids is None]
    for part in counted:
        n_nodes = counted[0].n_nodes if known is None else len(known)
        if part.n_nodes != n_nodes:
            other = counted[0].path if known is None else known_from
            raise ValueError(f"{part.path} has {part.n_nodes} nodes, but {other} has {n_nodes}")
    named = [part for part in parts if part.ids is not None]
    if known is None and counted and named:
        raise ValueError(
            f"{counted[0].path} counts its nodes, but {named[0].path} names them; pass a node table as features to match them"
        )
    if known is None and counted:
        return np.arange(counted[0].n_nodes), [None] * len(parts)
    if known is None and len(parts) == 1 and parts[0].ids is not None:
        return parts[0].ids, [None]
    lists = ([] if known is None else [known]) + [part.ids for part in named if part.ids is not None]
    if len({ids.dtype.kind for ids in lists}) > 1:
        lists = [ids.astype(str) for ids in lists]
    place: dict[Any, int] = {}
    for ids in lists if known is None else lists[:1]:
        for one in ids.tolist():
            place.setdefault(one, len(place))
    found = iter(lists if known is None else lists[1:])
    places: list[npt.NDArray[np.int64] | None] = []
    for part in parts:
        if part.ids is None:
            places.append(None)
        else:
            places.append(np.array([place.get(one, -1) for one in next(found).tolist()], dtype=np.int64))
    return np.array(list(place)) if known is None else lists[0], places


def _merged(
    rows: Rows,
    name: str,
    part: Part,
    place: npt.NDArray[np.int64] | None,
    n_nodes: int,
    policy: Policy,
) -> tuple[Edges, LayerReport]:
    """Apply the policies to the rows of a layer."""
    source, target = np.asarray(rows.source), np.asarray(rows.target)
    n_rows = len(source)
    dropped = dict(rows.dropped)
    keep = np.ones(n_rows, dtype=bool)
    weight, n_filled = _weights(rows, policy, keep, dropped)
    if place is not None:
        source, target = place[source], place[target]
        strange = ((source < 0) | (target < 0)) & keep
        if strange.any():
            dropped["unknown node"] = int(strange.sum())
            keep &= ~strange
    loops = source == target
    if loops.any() and (loops := loops & keep).any():
        dropped["self-loop"] = int(loops.sum())
        keep &= ~loops
    if not keep.all():
        source, target, weight = source[keep], target[keep], weight[keep]
    directed = rows.directed if policy.directed is None else policy.directed
    merge = policy.duplicates or rows.merge
    if directed and rows.two_way is not None:
        both = rows.two_way[keep]
        n_different = n_different_rows(source, target, both)
        source, target = np.concatenate([source, target[both]]), np.concatenate([target, source[both]])
        edges = merged_pairs(source, target, np.concatenate([weight, weight[both]]), n_nodes, directed, merge)
    else:
        edges = merged_pairs(source, target, weight, n_nodes, directed, merge)
        n_different = len(edges.source)
    n_all = n_rows + sum(rows.dropped.values())
    n_repeated = int(keep.sum()) - n_different
    return edges, LayerReport(name, part.path, n_all, dropped, n_repeated, n_filled, directed)


def _weights(
    rows: Rows, policy: Policy, keep: npt.NDArray[np.bool_], dropped: dict[str, int]
) -> tuple[npt.NDArray[np.float64], int]:
    """Return weights that are finite and >= 0 wherever ``keep`` is left, and how many were filled."""
    if rows.weight is None:
        return np.ones(len(keep)), 0
    weight, n_filled = np.asarray(rows.weight), 0
    if len(weight) and weight.min() > 0 and weight.max() < np.inf:
        return weight, 0
    missing = np.isnan(weight)
    if missing.any():
        if policy.missing_weights == "refuse":
            first = int(missing.argmax())
            raise ValueError(
                f"{rows.where(first)}: no weight ({_have(int(missing.sum()))} none); pass missing_weights='one' or 'drop'"
            )
        if policy.missing_weights == "one":
            weight, n_filled = np.where(missing, 1.0, weight), int(missing.sum())
        else:
            dropped["no weight"] = int(missing.sum())
            keep &= ~missing
    wrong = np.isinf(weight) | (weight < 0)
    if wrong.any():
        first = int(wrong.argmax())
        raise ValueError(
            f"{rows.where(first)}: a weight must be finite and >= 0, got {weight[first]:g} "
            f"({counted(int(wrong.sum()), 'such row')}); weights are similarities"
        )
    nothing = (weight == 0) & keep
    if nothing.any():
        dropped["weight 0"] = int(nothing.sum())
        keep &= ~nothing
    return weight, n_filled


def _check_known(
    parts: Sequence[Part],
    places: Sequence[npt.NDArray[np.int64] | None],
    policy: Policy,
    nodes: npt.NDArray[Any],
    known_from: str,
) -> None:
    """Refuse rows that name a node which the node table lacks, with the first of them and the count of all."""
    first, n_strange = None, 0
    for part, place in zip(parts, places, strict=True):
        if place is None or not (place < 0).any():
            continue
        for rows in part.layers.values():
            keep = np.ones(len(rows.source), dtype=bool)
            _weights(rows, policy, keep, {})
            strange = ((place[rows.source] < 0) | (place[rows.target] < 0)) & keep
            n_strange += int(strange.sum())
            if first is None and strange.any():
                row = int(strange.argmax())
                end = int(rows.source[row] if place[rows.source[row]] < 0 else rows.target[row])
                first = rows.where(row), part.ids[end : end + 1].tolist()[0] if part.ids is not None else end
    if first is not None:
        where, node = first
        names = "1 row names such a node" if n_strange == 1 else f"{n_strange:,} rows name such nodes"
        raise ValueError(
            f"{where}: node {node!r} is not in {known_from} ({names}){_written_otherwise(node, nodes)}; pass "
            "unknown_nodes='drop' to leave them out"
        )


def _written_otherwise(node: Any, nodes: npt.NDArray[Any]) -> str:
    """Return a hint if one of the nodes differs only by zeros in front, or by .0 at its end."""
    bare = _bare(str(node))
    other = next((one for one in nodes.tolist() if _bare(str(one)) == bare), None)
    return "" if other is None else f" (ids are written differently: '{node}' here, '{other}' there)"


def _bare(text: str) -> str:
    return re.sub(r"\.0+$", "", text).lstrip("0") if re.fullmatch(r"\d+(\.0+)?", text) else text


def _have(n_rows: int) -> str:
    return f"{counted(n_rows, 'row')} {'has' if n_rows == 1 else 'have'}"


def _attributes(
    parts: Sequence[Part], places: Sequence[npt.NDArray[np.int64] | None], n_nodes: int
) -> dict[str, Column]:
    found: dict[str, Column] = {}
    for part, place in zip(parts, places, strict=True):
        for name, column in part.attributes.items():
            found.setdefault(name, _placed(column, place, n_nodes, np.nan if column.dtype.kind == "f" else ""))
    return found


def _placed(column: npt.NDArray[Any], place: npt.NDArray[np.int64] | None, n_nodes: int, missing: Any) -> Any:
    if place is None:
        return column
    spread = np.full(n_nodes, missing, dtype=column.dtype)
    spread[place[place >= 0]] = column[place >= 0]
    return spread
