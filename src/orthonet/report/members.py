"""Who is typical of a cluster and who is odd: tables of nodes that can be sorted, filtered and downloaded.

Typical members have the most evidence for their cluster against their runner-up. Odd ones lie between clusters, or sources
contradict each other about them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.report.fitted import Fitted
from orthonet.report.page import NOTHING, Cell, Html, confidence, number, paragraph, section, shortened, signed, table

Nodes = npt.NDArray[np.intp]

TYPICAL = 5
"""Typical members that are listed of each cluster."""
MAX_ODD = 100
"""Odd members that are listed: the least sure."""
MAX_LISTED = 500
"""Nodes up to which all of them are listed."""
UNSURE = 0.8
"""Confidence below which a node lies between clusters."""
SILENCE = 0.05
"""Nats below which a source has nothing to say."""
STRONG = 1.0
"""Nats of a source, for or against a node's cluster, that are an opinion: odds of e = 2.7 to one."""


def typical_members(fitted: Fitted, most: int = TYPICAL) -> list[Nodes]:
    """Return for each cluster the nodes with the most evidence for it, or the highest confidence; none if there is neither."""
    if fitted.explanation is not None:
        positions = [[member.position for member in one.typical[:most]] for one in fitted.explanation]
        return [np.array(one, dtype=np.intp) for one in positions]
    if fitted.confidence is None:
        return [np.empty(0, dtype=np.intp) for _ in range(fitted.n_clusters)]
    order = np.argsort(-fitted.confidence, kind="stable")
    return [order[fitted.labels[order] == cluster][:most] for cluster in range(fitted.n_clusters)]


def odd_members(fitted: Fitted, most: int = MAX_ODD) -> tuple[Nodes, int]:
    """Return the nodes that are unsure or contradicted, the least sure first, and how many there are in all."""
    if fitted.confidence is None:
        return np.empty(0, dtype=np.intp), 0
    odd = fitted.confidence < UNSURE
    if fitted.evidence is not None:
        odd |= contradicted(fitted.evidence)
    found = np.flatnonzero(odd)
    return found[np.argsort(fitted.confidence[found], kind="stable")][:most], len(found)


def contradicted(evidence: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return of which nodes one source speaks clearly for their cluster, and another clearly against it."""
    return np.asarray((evidence.max(axis=1) >= STRONG) & (evidence.min(axis=1) <= -STRONG))


def members_section(fitted: Fitted, titles: list[str]) -> Html:
    """Return the tables of members; nothing if the method does not say how sure it is."""
    if fitted.confidence is None:
        return Html("")
    columns, words = _columns(fitted)
    typical = np.concatenate([*typical_members(fitted), np.empty(0, dtype=np.intp)]).astype(np.intp)
    odd, n_odd = odd_members(fitted)
    parts: list[str] = [
        Html("<h3>Typical members</h3>"),
        paragraph("Those with the most evidence for their cluster." if fitted.evidence is not None else "The surest."),
        table("Typical members", columns, _rows(fitted, typical, titles), words=words, file="typical-members"),
        Html("<h3>Odd members</h3>"),
        paragraph(_said_of_odd(fitted, len(odd), n_odd)),
    ]
    if n_odd:
        rows = [[*row, _why(fitted, node)] for row, node in zip(_rows(fitted, odd, titles), odd, strict=True)]
        parts.append(table("Odd members", [*columns, "why"], rows, words={*words, len(columns)}, file="odd-members"))
    n_nodes = fitted.graph.n_nodes
    if n_nodes <= MAX_LISTED:
        every = np.arange(n_nodes)
        parts += [
            Html('<div class="screen"><h3>All nodes</h3>'),
            table("All nodes", columns, _rows(fitted, every, titles), words=words, file="all-nodes"),
            Html("</div>\n"),
        ]
    if fitted.evidence is not None:
        parts.append(
            paragraph(
                "Under the name of a source: nats that it says for the node's cluster against the runner-up, the cluster that "
                "comes next. 0 is no opinion, what is negative speaks for the runner-up; 1 nat makes odds of 2.7 to 1.",
                "quiet",
            )
        )
    return section("members", "Typical and odd members", *parts)


def _columns(fitted: Fitted) -> tuple[list[str], set[int]]:
    columns = ["node", "cluster", "confidence"]
    words = {0, 1}
    if fitted.runner_up is not None:
        words.add(len(columns))
        columns.append("runner-up")
    return [*columns, *(shortened(name, 28) for name in fitted.sources)], words


def _rows(fitted: Fitted, nodes: Nodes, titles: list[str]) -> list[list[Any]]:
    runner_up, evidence, sure = fitted.runner_up, fitted.evidence, fitted.confidence
    ids = fitted.graph.node_ids
    rows: list[list[Any]] = []
    for node in nodes.tolist():
        row: list[Any] = [
            Cell(shortened(str(ids[node]), 80), ids[node]),
            Cell(titles[fitted.labels[node]], fitted.cluster_names[fitted.labels[node]]),
            NOTHING if sure is None else confidence(float(sure[node])),
        ]
        if runner_up is not None:
            row.append(Cell(fitted.cluster_names[runner_up[node]], fitted.cluster_names[runner_up[node]]))
        if evidence is not None:
            row += [signed(float(nats)) for nats in evidence[node]]
        rows.append(row)
    return rows


def _said_of_odd(fitted: Fitted, n_shown: int, n_odd: int) -> str:
    what = f"less sure than {UNSURE:g}"
    if fitted.evidence is not None:
        what += f", or one source says {STRONG:g} nat or more for their cluster and another as much against it"
    if not n_odd:
        return f"None: no node is {what}."
    shown = "" if n_shown == n_odd else f"; the {n_shown:,} least sure are listed"
    verb = "is" if n_odd == 1 else "are"
    return f"{number(n_odd)} of {number(fitted.graph.n_nodes)} nodes {verb} {what}{shown}."


def _why(fitted: Fitted, node: int) -> str:
    """Return what is odd about a node, in words."""
    reasons = []
    own, runner_up = fitted.cluster_names[fitted.labels[node]], fitted.runner_up
    if fitted.evidence is not None and not np.abs(fitted.evidence[node]).max(initial=0.0) > SILENCE:
        return "no source says anything of it"
    if fitted.confidence is not None and fitted.confidence[node] < UNSURE:
        other = "others" if runner_up is None else fitted.cluster_names[runner_up[node]]
        reasons.append(f"between {own} and {other}")
    if fitted.evidence is not None:
        nats = fitted.evidence[node]
        if contradicted(fitted.evidence[[node]])[0]:
            speaking = [name for name, one in zip(fitted.sources, nats, strict=True) if one <= -STRONG]
            reasons.append(f"{' and '.join(speaking)} against its cluster, {fitted.sources[int(nats.argmax())]} for it")
    without = fitted.details.get("without")
    if without is not None and len(fitted.sources) > 1:
        elsewhere = without[node] != fitted.labels[node]
        needed = [name for name, moves in zip(fitted.sources, elsewhere, strict=True) if moves]
        if needed:
            reasons.append(f"would be elsewhere without {' or without '.join(needed)}")
    return "; ".join(reasons)
