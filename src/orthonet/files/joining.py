"""How files become one network: their nodes matched, and the policies for rows that fit no graph as they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.files.errors import FileError
from orthonet.files.network import Column, LayerRows, NetworkFile, NetworkPart
from orthonet.files.options import Policy
from orthonet.files.report import LayerReport, ReadReport
from orthonet.graph.edge_list import EdgeList
from orthonet.graph.two_mode import TwoMode, relation_at
from orthonet.support.sentences import Argument
from orthonet.support.text import counted

Positions = npt.NDArray[np.int64] | None
"""Where the nodes of a file stand among all nodes: None where they are the same, -1 for an unknown node."""


def joined(
    parts: Sequence[NetworkPart], policy: Policy, known: npt.NDArray[Any] | None, known_from: str
) -> NetworkFile:
    """Return one network of several files, over the ``known`` nodes or else over those that the files name."""
    nodes, places = _nodes(parts, known, known_from)
    if policy.unknown_nodes == "refuse":
        _check_known(parts, places, policy, nodes, known_from)
    layers: dict[str, EdgeList] = {}
    present: dict[str, npt.NDArray[np.bool_]] = {}
    reports = []
    for part, place in zip(parts, places, strict=True):
        for name, rows in part.layers.items():
            if name in layers:
                first = next(one.path for one in parts if name in one.layers)
                raise FileError(part.path, f"a layer {name!r} was read before, from {first}; name them apart")
            layers[name], report = _merged(rows, name, part, place, len(nodes), policy)
            reports.append(report)
        for name, mask in part.present.items():
            present[name] = _placed(mask, place, len(nodes), False)
    two_mode = _two_mode(parts, places, len(nodes))
    if not layers and not two_mode:
        raise FileError.about(parts[0].path, "has no edges")
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
        two_mode,
    )


def _two_mode(parts: Sequence[NetworkPart], places: Sequence[Positions], n_nodes: int) -> dict[str, TwoMode]:
    """Return the two-mode relations of all files, over all nodes."""
    found: dict[str, TwoMode] = {}
    for part, place in zip(parts, places, strict=True):
        for name, relation in part.two_mode.items():
            if name in found:
                raise FileError(part.path, f"a two-mode relation {name!r} was read before; name them apart")
            found[name] = relation if place is None else relation_at(relation, place, n_nodes)
    return found


def _nodes(
    parts: Sequence[NetworkPart], known: npt.NDArray[Any] | None, known_from: str
) -> tuple[npt.NDArray[Any], list[Positions]]:
    """Return all nodes, and the positions of those of each file among them."""
    numbered = [part for part in parts if part.ids is None]
    for part in numbered:
        n_nodes = numbered[0].n_nodes if known is None else len(known)
        if part.n_nodes != n_nodes:
            other = numbered[0].path if known is None else known_from
            raise FileError.about(part.path, f"has {part.n_nodes} nodes, but {other} has {n_nodes}")
    named = [part for part in parts if part.ids is not None]
    if known is None and numbered and named:
        raise FileError.about(
            numbered[0].path,
            f"numbers its nodes, but {named[0].path} names them; to match them, pass a table of nodes as ",
            Argument("features"),
        )
    if known is None and numbered:
        return np.arange(numbered[0].n_nodes), [None] * len(parts)
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
    places: list[Positions] = []
    for part in parts:
        if part.ids is None:
            places.append(None)
        else:
            places.append(np.array([place.get(one, -1) for one in next(found).tolist()], dtype=np.int64))
    return np.array(list(place)) if known is None else lists[0], places


def _merged(
    rows: LayerRows, name: str, part: NetworkPart, place: Positions, n_nodes: int, policy: Policy
) -> tuple[EdgeList, LayerReport]:
    """Apply the policies to the rows of a layer."""
    edges = rows.edges
    dropped = dict(rows.dropped)
    keep = np.ones(len(edges), dtype=bool)
    weight, n_filled = _weights(rows, policy, keep, dropped)
    source, target = np.asarray(edges.source), np.asarray(edges.target)
    if place is not None:
        source, target = place[source], place[target]
        unknown = ((source < 0) | (target < 0)) & keep
        if unknown.any():
            dropped["unknown node"] = int(unknown.sum())
            keep &= ~unknown
    loops = source == target
    if loops.any() and (loops := loops & keep).any():
        dropped["self-loop"] = int(loops.sum())
        keep &= ~loops
    directed = edges.directed if policy.directed is None else policy.directed
    kept = replace(
        edges,
        source=source,
        target=target,
        weight=weight,
        directed=directed,
        two_way=edges.two_way if directed else None,
    )
    if not keep.all():
        kept = kept.select(keep)
    merged = kept.merge(n_nodes, policy.duplicates or rows.merge)
    n_different = kept.n_pairs() if kept.two_way is not None else len(merged)
    n_all = len(edges) + sum(rows.dropped.values())
    n_repeated = int(keep.sum()) - n_different
    return merged, LayerReport(name, part.path, n_all, dropped, n_repeated, n_filled, directed)


def _weights(
    rows: LayerRows, policy: Policy, keep: npt.NDArray[np.bool_], dropped: dict[str, int]
) -> tuple[npt.NDArray[np.float64], int]:
    """Return weights that are finite and >= 0 wherever ``keep`` is left, and how many were filled."""
    weight, n_filled = np.asarray(rows.edges.weight), 0
    if len(weight) and weight.min() > 0 and weight.max() < np.inf:
        return weight, 0
    missing = np.isnan(weight)
    if missing.any():
        if policy.missing_weights == "refuse":
            first = int(missing.argmax())
            raise FileError(
                rows.place(first),
                f"no weight ({_have(int(missing.sum()))} none); pass ",
                Argument("missing_weights", "one", "drop"),
            )
        if policy.missing_weights == "one":
            weight, n_filled = np.where(missing, 1.0, weight), int(missing.sum())
        else:
            dropped["no weight"] = int(missing.sum())
            keep &= ~missing
    wrong = np.isinf(weight) | (weight < 0)
    if wrong.any():
        first = int(wrong.argmax())
        raise FileError(
            rows.place(first),
            f"a weight must be finite and >= 0, got {weight[first]:g} ({counted(int(wrong.sum()), 'such row')}); weights are "
            "similarities",
        )
    nothing = (weight == 0) & keep
    if nothing.any():
        dropped["weight 0"] = int(nothing.sum())
        keep &= ~nothing
    return weight, n_filled


def _check_known(
    parts: Sequence[NetworkPart],
    places: Sequence[Positions],
    policy: Policy,
    nodes: npt.NDArray[Any],
    known_from: str,
) -> None:
    """Refuse rows that name a node which the node table lacks, with the first of them and the count of all."""
    first, n_unknown = None, 0
    for part, place in zip(parts, places, strict=True):
        if place is None or not (place < 0).any():
            continue
        for rows in part.layers.values():
            source, target = rows.edges.source, rows.edges.target
            keep = np.ones(len(source), dtype=bool)
            _weights(rows, policy, keep, {})
            unknown = ((place[source] < 0) | (place[target] < 0)) & keep
            n_unknown += int(unknown.sum())
            if first is None and unknown.any():
                row = int(unknown.argmax())
                end = int(source[row] if place[source[row]] < 0 else target[row])
                first = rows.place(row), part.ids[end : end + 1].tolist()[0] if part.ids is not None else end
    if first is not None:
        where, node = first
        names = "1 row names such a node" if n_unknown == 1 else f"{n_unknown:,} rows name such nodes"
        raise FileError(
            where,
            f"node {node!r} is not in {known_from} ({names}){_written_otherwise(node, nodes)}; pass ",
            Argument("unknown_nodes", "drop"),
            " to leave them out",
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


def _attributes(parts: Sequence[NetworkPart], places: Sequence[Positions], n_nodes: int) -> dict[str, Column]:
    found: dict[str, Column] = {}
    for part, place in zip(parts, places, strict=True):
        for name, column in part.attributes.items():
            found.setdefault(name, _placed(column, place, n_nodes, np.nan if column.dtype.kind == "f" else ""))
    return found


def _placed(column: npt.NDArray[Any], place: Positions, n_nodes: int, missing: Any) -> Any:
    if place is None:
        return column
    spread = np.full(n_nodes, missing, dtype=column.dtype)
    spread[place[place >= 0]] = column[place >= 0]
    return spread
