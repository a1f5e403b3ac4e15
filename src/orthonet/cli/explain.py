"""`orthonet explain`: what defines the clusters of an earlier run, and why a node is in its cluster."""

from __future__ import annotations

from pathlib import Path

from orthonet.cli.run_folder import Run
from orthonet.cli.talk import Talk
from orthonet.clustering.explanations import ClusterExplanation
from orthonet.support.plain_tables import PlainTable

SHOWN_TERMS = 5
"""Words, groups and features that are listed of each cluster."""


def run_explain(folder: Path, node: str | None, talk: Talk) -> None:
    """Print the explanation of a node, or of all clusters."""
    model = Run.of(folder).model()
    if node is not None:
        why = model.explain(node)
        talk.say(str(why))
        talk.result(why.to_dict())
        return
    clusters = model.explain_clusters()
    talk.say(str(clusters))
    terms = _terms(clusters.clusters)
    if terms.rows:
        talk.say("")
        talk.say(str(terms))
    talk.result(clusters.to_dict())


def _terms(clusters: tuple[ClusterExplanation, ...]) -> PlainTable:
    """Return the words, groups and features that define each cluster."""
    columns = ("cluster", "word, group or feature", "nats", "inside", "outside")
    rows = [
        (one.cluster, term.name, term.nats, term.inside, term.outside)
        for one in clusters
        for term in one.terms[:SHOWN_TERMS]
    ]
    title = "What defines them: shares of nodes with a word or in a group, means of features"
    return PlainTable(columns, rows, title, {"nats": "+.2f"})
