"""Explanations of a fitted model: why a node is where it is, and what defines each cluster.

All of it is read from what the fit kept (`orthonet.clustering.result`), so that a model that was saved and loaded explains the
same. Nats are natural units of information: 1 nat of evidence makes one cluster e = 2.7 times as likely against another, before
tempering (`OrthoNet.temperature_`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from orthonet.clustering.result import FitResult
from orthonet.support.plain_tables import PlainTable, ShownAsTable
from orthonet.support.text import counted, listed, shortened

Kind = Literal["source", "word", "feature", "group"]

NATS = "+.1f"
"""How nats are written."""
TYPICAL, ODD = 5, 5
"""Members of each cluster that are named: those with most evidence, and those with the lowest confidence."""
IN_NAME = 3
"""Words, features or members that a cluster is called by."""
TELLING = 0.1
"""Nats per node that a feature, or all words or groups together, must say for a cluster to be in its name."""
SURE = 0.95
"""Confidence from which on a member is not odd."""


@dataclass(frozen=True)
class SourceSays:
    """What one source (a layer, a two-mode relation, the words, the features) says of a node."""

    source: str
    own: float
    """Nats for the node's cluster, against chance."""
    runner_up: float
    """Nats for the runner-up."""
    difference: float
    """The first less the second: what `OrthoNet.evidence_` has."""
    without: int
    """Cluster that the other sources say most for, if this one is left out and all other nodes stay where they are."""


@dataclass(frozen=True)
class NodeTerm:
    """What one word, group or feature of a node says for its cluster against the runner-up."""

    name: str
    kind: Kind
    difference: float
    """In nats. Words and groups are parts of what their source says; a dense feature is taken as if it were alone."""
    value: float
    """What the node has of it."""


@dataclass(frozen=True)
class NodeExplanation(ShownAsTable):
    """Why a node is in its cluster and not in the next one; shows itself as a table, in a notebook too.

    Attributes
    ----------
    node : str or int
        The node's id.
    position : int
    cluster, runner_up : int
        The node's cluster, and the one that all sources together say most for among the others.
    confidence, runner_up_probability : float
    sources : tuple of SourceSays
        In the order of `OrthoNet.source_names_`.
    terms : tuple of NodeTerm
        The words, groups and features that say most, for the cluster or against it, the strongest first.
    """

    node: Any
    position: int
    cluster: int
    runner_up: int
    confidence: float
    runner_up_probability: float
    sources: tuple[SourceSays, ...]
    terms: tuple[NodeTerm, ...]

    @property
    def table(self) -> PlainTable:
        """A row for each source, then one for each term."""
        columns = ("says", "kind", f"for {self.cluster}", f"for {self.runner_up}", "difference", "without it")
        rows: list[tuple[Any, ...]] = []
        for one in self.sources:
            stays = "stays" if one.without == self.cluster else f"moves to {one.without}"
            rows.append((one.source, "source", one.own, one.runner_up, one.difference, stays))
        rows += [(_with_value(term), term.kind, None, None, term.difference, None) for term in self.terms]
        formats = dict.fromkeys(columns[2:5], NATS)
        return PlainTable(columns, rows, self._heading, formats)

    @property
    def _heading(self) -> str:
        return (
            f"node {self.node}: cluster {self.cluster} with confidence {self.confidence:.2f}; runner-up {self.runner_up} "
            f"with {self.runner_up_probability:.2f}; in nats"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class ClusterSource:
    """What one source says for a cluster."""

    source: str
    evidence: float
    """Nats for the cluster against each member's runner-up, as a mean over its members."""
    movers: int
    """Members that the other sources would rather have elsewhere, if this source is left out."""


@dataclass(frozen=True)
class ClusterTerm:
    """A word, group or feature that defines a cluster."""

    name: str
    kind: Kind
    nats: float
    """What it says for the cluster, as a mean over its members."""
    inside: float
    """Share of the members that have the word or are in the group; mean of a dense feature."""
    outside: float
    """The same of all other nodes."""


@dataclass(frozen=True)
class Member:
    """A member of a cluster that is worth a look."""

    node: Any
    position: int
    confidence: float
    evidence: float
    """Nats of all sources together, for the cluster against the member's runner-up."""
    runner_up: int


@dataclass(frozen=True)
class ClusterExplanation:
    """What defines a cluster.

    Attributes
    ----------
    cluster : int
    name : str
        Its most telling words, groups or features, or its most typical members.
    size : int
    share : float
        Of all nodes.
    confidence : float
        Mean over its members; 0 of an empty cluster.
    nearest : int or None
        The cluster that is the runner-up of most members.
    sources : tuple of ClusterSource
        Those that say most for it first.
    terms : tuple of ClusterTerm
        At most 20, those that say most for it first.
    typical : tuple of Member
        Those with most evidence.
    odd : tuple of Member
        Those with a confidence below 0.95, the lowest first.
    """

    cluster: int
    name: str
    size: int
    share: float
    confidence: float
    nearest: int | None
    sources: tuple[ClusterSource, ...]
    terms: tuple[ClusterTerm, ...]
    typical: tuple[Member, ...]
    odd: tuple[Member, ...]


@dataclass(frozen=True)
class ClustersExplanation(ShownAsTable):
    """What defines each cluster; a sequence of `ClusterExplanation` that shows itself as a table, in a notebook too."""

    clusters: tuple[ClusterExplanation, ...]

    def __len__(self) -> int:
        return len(self.clusters)

    def __iter__(self) -> Iterator[ClusterExplanation]:
        return iter(self.clusters)

    def __getitem__(self, cluster: int) -> ClusterExplanation:
        return self.clusters[cluster]

    @property
    def table(self) -> PlainTable:
        """A row for each cluster."""
        columns = ("cluster", "name", "nodes", "confidence", "defined by", "typical", "odd")
        rows = []
        for one in self.clusters:
            sources = listed([f"{source.source} {source.evidence:{NATS}}" for source in one.sources[:IN_NAME]])
            typical, odd = (listed([member.node for member in some[:IN_NAME]]) for some in (one.typical, one.odd))
            rows.append((one.cluster, one.name, one.size, one.confidence if one.size else None, sources, typical, odd))
        return PlainTable(columns, rows, f"{counted(len(rows), 'cluster')}; evidence in nats", {"confidence": ".2f"})

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data, for JSON."""
        return asdict(self)


def details_of(model: Any) -> Mapping[str, npt.NDArray[Any]]:
    """Return what explanations of a fitted `OrthoNet` are made of, for all nodes at once, by the names in `DETAIL_ARRAYS`."""
    return model._result.details


def explain_node(result: FitResult, node: Any) -> NodeExplanation:
    """Explain why a node is in its cluster, see `OrthoNet.explain`."""
    position = position_of(result.node_ids, node)
    arrays, details = result.arrays, result.details
    own, evidence = details["own_evidence"][position], arrays["evidence"][position]
    probabilities, runner_up = arrays["probabilities"][position], int(details["runner_up"][position])
    sources = tuple(
        SourceSays(name, float(own[index]), float(own[index] - evidence[index]), float(evidence[index]), int(without))
        for index, (name, without) in enumerate(zip(result.source_names, details["without"][position], strict=True))
    )
    names = result.term_names
    found = zip(
        *(details[name][position] for name in ("node_terms", "node_term_nats", "node_term_values")), strict=True
    )
    return NodeExplanation(
        _plain(result.node_ids[position]),
        position,
        int(arrays["labels"][position]),
        runner_up,
        float(result.confidence[position]),
        float(probabilities[runner_up]),
        sources,
        tuple(
            NodeTerm(names[term], _kind(term, result), float(nats), float(value))
            for term, nats, value in found
            if term >= 0 and nats != 0
        ),
    )


def explain_clusters(result: FitResult) -> ClustersExplanation:
    """Explain what defines each cluster, see `OrthoNet.explain_clusters`."""
    labels, names = result.arrays["labels"], result.term_names
    total = result.arrays["evidence"].sum(axis=1)
    found = []
    for cluster in range(result.n_clusters):
        members = np.flatnonzero(labels == cluster)
        terms = tuple(_cluster_terms(result, cluster, names))
        by_evidence = members[np.lexsort([members, -total[members], -result.confidence[members].round(2)])]
        by_doubt = members[np.lexsort([members, total[members], result.confidence[members]])]
        unsure = by_doubt[result.confidence[by_doubt] < SURE]
        typical = _members(result, by_evidence[:TYPICAL], total)
        rivals = np.bincount(result.details["runner_up"][members], minlength=result.n_clusters)
        found.append(
            ClusterExplanation(
                cluster,
                _name(terms, typical, named=result.feature_names is not None),
                len(members),
                len(members) / len(labels),
                float(result.confidence[members].mean()) if members.size else 0.0,
                int(rivals.argmax()) if members.size else None,
                _cluster_sources(result, cluster, members),
                terms,
                typical,
                _members(result, unsure[:ODD], total),
            )
        )
    return ClustersExplanation(tuple(found))


def position_of(node_ids: npt.NDArray[Any], node: Any) -> int:
    """Return where a node is: by its id, by its id as text, or by its position, as text too."""
    ids = node_ids.tolist()
    plain = _plain(node)
    for candidates in (ids, list(map(str, ids))):
        if plain in candidates:
            return candidates.index(plain)
    if isinstance(plain, str) and plain.isdecimal():
        plain = int(plain)
    if isinstance(plain, int) and not isinstance(plain, bool) and -len(ids) <= plain < len(ids):
        return plain % len(ids)
    raise ValueError(
        f"node is {node!r}, which is no id of the {len(ids):,} nodes and no position among them; ids are {listed(ids, 5)}"
    )


def _cluster_sources(result: FitResult, cluster: int, members: npt.NDArray[np.intp]) -> tuple[ClusterSource, ...]:
    evidence, without = result.arrays["evidence"][members], result.details["without"][members]
    says = [
        ClusterSource(
            name,
            float(evidence[:, index].mean()) if members.size else 0.0,
            int((without[:, index] != cluster).sum()),
        )
        for index, name in enumerate(result.source_names)
    ]
    return tuple(sorted(says, key=lambda one: -one.evidence))


def _cluster_terms(result: FitResult, cluster: int, names: tuple[str, ...]) -> Iterator[ClusterTerm]:
    parts = ("cluster_terms", "cluster_term_nats", "cluster_term_inside", "cluster_term_outside")
    for term, nats, inside, outside in zip(*(result.details[part][cluster] for part in parts), strict=True):
        if term >= 0:
            yield ClusterTerm(names[term], _kind(term, result), float(nats), float(inside), float(outside))


def _members(result: FitResult, positions: npt.NDArray[np.intp], total: npt.NDArray[np.float64]) -> tuple[Member, ...]:
    runner_up = result.details["runner_up"]
    return tuple(
        Member(
            _plain(result.node_ids[one]),
            int(one),
            float(result.confidence[one]),
            float(total[one]),
            int(runner_up[one]),
        )
        for one in positions
    )


def _name(terms: tuple[ClusterTerm, ...], typical: tuple[Member, ...], *, named: bool) -> str:
    """Return what a cluster is called by: what most of its nodes have, or its most typical members."""
    words = sum(one.nats for one in terms if one.kind != "feature")
    telling = [
        one
        for one in terms
        if (one.nats if one.kind == "feature" else words) >= TELLING and (named or one.kind == "group")
    ][:IN_NAME]
    if telling:
        return ", ".join(_in_words(one) for one in telling)
    return "like " + listed([shortened(str(one.node), 30) for one in typical[:IN_NAME]]) if typical else "empty"


def _in_words(term: ClusterTerm) -> str:
    name = shortened(term.name, 30)
    if term.kind != "feature":
        return name
    return f"{'high' if term.inside > term.outside else 'low'} {name}"


def _kind(term: int, result: FitResult) -> Kind:
    if term >= result.n_features:
        return "group"
    return "word" if result.words else "feature"


def _with_value(term: NodeTerm) -> str:
    return term.name if term.kind == "word" and term.value == 1 else f"{term.name} = {term.value:.4g}"


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
