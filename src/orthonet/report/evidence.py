"""Which layers matter, and which contradict: what each source says for the clusters, in nats."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.report.fitted import Fitted
from orthonet.report.members import STRONG, contradicted
from orthonet.report.page import (
    Cell,
    Html,
    figure,
    markup,
    number,
    paragraph,
    share,
    shortened,
    signed,
    table,
)

UNCONFIRMED = 0.05
"""Corroboration below which the other sources know nothing of what a source shows."""


def sources_table(fitted: Fitted) -> tuple[list[Html], dict[str, Any]]:
    """Return how much each source says, the one that says most first, in words, a picture and a table."""
    if fitted.evidence is None:
        return [], {}
    evidence, names = fitted.evidence, fitted.sources
    means = evidence.mean(axis=0)
    order = np.argsort(-means, kind="stable")
    corroboration = getattr(fitted.model, "corroboration_", None)
    changed = changed_without(fitted)
    columns = ["source", "nats per node", "share", "nodes for", "nodes against"]
    columns += ["corroborated"] * (corroboration is not None) + ["labels that hang on it"] * (changed is not None)
    total = np.maximum(means, 0).sum()
    rows = []
    for source in order.tolist():
        nats = evidence[:, source]
        row: list[Any] = [
            names[source],
            signed(float(means[source]), 2),
            share(max(means[source], 0) / total if total > 0 else np.nan),
            int((nats >= STRONG).sum()),
            int((nats <= -STRONG).sum()),
        ]
        if corroboration is not None:
            row.append(Cell(f"{float(corroboration[source]):.2f}", round(float(corroboration[source]), 4)))
        if changed is not None:
            row.append(int(changed[source]))
        rows.append(row)
    words = (
        "Nats per node: what the source says for a node's own cluster against its runner-up, mean over the nodes. For and "
        f"against: nodes of which it says {STRONG:g} nat or more, either way. Corroborated, 0 to 1: how far the clusters that "
        "the other sources find explain what this one shows; near 0 it stands alone."
    )
    if changed is not None:
        words += " Labels that hang on it: nodes that the other sources together would put elsewhere."
    label = "Nats per node that each source says for the clusters; the numbers are in the table below."
    data = {
        "sources": {
            "kind": "sources",
            "names": [shortened(names[source], 28) for source in order],
            "values": means[order],
        }
    }
    parts = [
        _sentences(fitted, means, order, corroboration, changed),
        figure("sources", label, "What each source says for the clusters that were found, mean over the nodes."),
        table("What each source says", columns, rows, file="sources"),
        paragraph(words, "quiet"),
    ]
    return parts, data


def changed_without(fitted: Fitted) -> npt.NDArray[np.int64] | None:
    """Return how many nodes would be in another cluster if a source were left out; None if the model does not say."""
    if fitted.explanation is None:
        return None
    counts = dict.fromkeys(fitted.sources, 0)
    for cluster in fitted.explanation:
        for one in cluster.sources:
            counts[one.source] += one.movers
    return np.array([counts[name] for name in fitted.sources], dtype=np.int64)


def cluster_evidence(fitted: Fitted, titles: list[str]) -> list[Html]:
    """Return a table of what each source says for each cluster."""
    if fitted.evidence is None:
        return []
    rows = []
    for cluster in range(fitted.n_clusters):
        own = fitted.evidence[fitted.labels == cluster]
        means = own.mean(axis=0) if len(own) else np.full(len(fitted.sources), np.nan)
        rows.append([titles[cluster], *(signed(float(one), 2) for one in means)])
    columns = ["cluster", *(shortened(name, 28) for name in fitted.sources)]
    words = (
        "Nats per node of the cluster, for it against the runner-up of each node: a large number means that this source shows "
        "the cluster."
    )
    return [table("Sources of each cluster", columns, rows), paragraph(words, "quiet")]


def _sentences(
    fitted: Fitted, means: npt.NDArray[np.float64], order: npt.NDArray[np.intp], corroboration: Any, changed: Any
) -> Html:
    """Say which source matters most and least, and which contradicts."""
    names, relations = fitted.sources, set(fitted.graph.relation_names)

    def told(source: int) -> str:
        kind = "layer " if names[source] in relations else ""
        without = "" if changed is None else f"; without it {_count(int(changed[source]), 'label')} would change"
        return f"{kind}<b>{markup(names[source])}</b> ({signed(float(means[source])).text} nats per node{without})"

    text = f"Matters most: {told(int(order[0]))}."
    if len(names) > 1:
        among = [one for one in order.tolist() if names[one] in relations]
        text += f" Matters least: {told(int(order[-1]))}"
        other = among[-1] if names[int(order[-1])] not in relations and len(among) > 1 else None
        text += "." if other is None else f", and among the relations {told(other)}."
    alone = [
        markup(name)
        for name, one in zip(names, () if corroboration is None else corroboration, strict=False)
        if one < UNCONFIRMED
    ]
    if alone and len(names) > 1:
        text += f" What {' and '.join(alone)} {'shows' if len(alone) == 1 else 'show'} is not confirmed by the others."
    n_contradicted = int(contradicted(fitted.evidence).sum()) if fitted.evidence is not None else 0
    text += (
        f" Sources contradict each other about {number(n_contradicted)} of {number(len(fitted.labels))} nodes."
        if n_contradicted
        else " No node has sources that clearly contradict each other."
    ) * (len(names) > 1)
    return Html(f"<p>{text}</p>\n")


def _count(count: int, thing: str) -> str:
    return f"{number(count)} {thing}" + "s" * (count != 1)
