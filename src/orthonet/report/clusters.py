"""The sections about the clusters: what each is called, how large, and what defines it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orthonet.files.tables.feature_values import category_name
from orthonet.graph.modularity import cluster_sizes
from orthonet.report.categories import Category
from orthonet.report.evidence import cluster_evidence
from orthonet.report.feature_differences import Contrast, FeatureTable, feature_contrasts
from orthonet.report.fitted import Fitted
from orthonet.report.members import typical_members
from orthonet.report.page import (
    MINUS,
    NOTHING,
    Html,
    confidence,
    figure,
    markup,
    number,
    paragraph,
    percent,
    section,
    share,
    shortened,
    table,
)
from orthonet.support.text import listed

TOP_FEATURES = 5
"""Features that are listed for each cluster: those that set it most apart; the same of categories, words and groups."""
SMALL = 0.1
"""Standard deviations below which a difference of means sets nobody apart."""
SHOWN_MEMBERS = 3


def clusters_section(fitted: Fitted, titles: Sequence[str]) -> tuple[Html, dict[str, Any]]:
    """Say what the clusters are called, how large they are and how sure."""
    sizes = cluster_sizes(fitted.labels, fitted.n_clusters)
    typical = typical_members(fitted, SHOWN_MEMBERS)
    sure, known = fitted.confidence, any(map(len, typical))
    columns = ["cluster", "nodes", "share"] + ["confidence"] * (sure is not None) + ["typical members"] * known
    rows = []
    for cluster, size in enumerate(sizes):
        row: list[Any] = [badge(cluster, titles), size, share(size / len(fitted.labels))]
        if sure is not None:
            own = sure[fitted.labels == cluster]
            row.append(confidence(float(own.mean())) if size else NOTHING)
        if known:
            ids = fitted.graph.node_ids[typical[cluster]].tolist()
            row.append(", ".join(shortened(str(one), 24) for one in ids) or NOTHING)
        rows.append(row)
    words = (0, len(columns) - 1) if known else (0,)
    parts = [table("Clusters", columns, rows, words=words, file="clusters")]
    if sure is not None:
        parts.append(
            paragraph(
                "The number of a cluster is that in the files, 0 is the largest; its name is only for reading. Confidence is "
                "the mean probability of the nodes' own label. Typical members have the most evidence for their cluster.",
                "quiet",
            )
        )
    parts.append(
        figure(
            "sizes",
            f"Sizes of the {fitted.n_clusters} clusters, from {number(int(sizes.min()))} to {number(int(sizes.max()))} nodes.",
            "Nodes in each cluster.",
        )
    )
    return section("clusters", "What are the clusters?", *parts), {"sizes": {"kind": "sizes", "values": sizes}}


def definition_section(
    fitted: Fitted, titles: Sequence[str], features: FeatureTable | None, marks: Sequence[Sequence[Category]]
) -> Html:
    """Say what sets each cluster apart: categories, words and groups by share, features by means, layers by evidence."""
    parts: list[str] = []
    told = [[f"<b>{_category_name(one)}</b> {_shares(one)}" for one in of[:TOP_FEATURES]] for of in marks]
    if any(told):
        rows = [(badge(cluster, titles), _list(lines)) for cluster, lines in enumerate(told)]
        parts += [
            Html("<h3>By the columns about the nodes</h3>"),
            table("Values that are more frequent in a cluster", ("cluster", "values"), rows, words=(0, 1)),
            paragraph(_said_of_columns(fitted, marks), "quiet"),
        ]
    said = _terms(fitted)
    if any(said):
        rows = [(badge(cluster, titles), _list(lines)) for cluster, lines in enumerate(said)]
        parts += [
            Html("<h3>By words and groups</h3>"),
            table("Words and groups that speak for a cluster", ("cluster", "words and groups"), rows, words=(0, 1)),
            paragraph("Share of the cluster's nodes that have it, against the share of all others.", "quiet"),
        ]
    if features is not None and not _features_are_words(fitted):
        found = feature_contrasts(features, TOP_FEATURES, without=_of_categories(fitted, marks))
        lists = [_contrasts(one, fitted.feature_names) for one in found]
        apart = [(badge(cluster, titles), _list(lines)) for cluster, lines in enumerate(lists)]
        words = (
            "Mean in the cluster less mean of all others, in standard deviations over all nodes; in brackets the two means, or "
            f"shares of what is only 0 or 1. Differences below {SMALL:g} are left out."
        )
        parts.append(Html("<h3>By features</h3>"))
        if any(lists):
            parts.append(table("Features that differ most", ("cluster", "features"), apart, words=(0, 1)))
            parts.append(paragraph(words, "quiet"))
        else:
            other = "other feature" if _of_categories(fitted, marks) else "feature"
            parts.append(
                paragraph(f"No {other} differs by {SMALL:g} standard deviations between a cluster and the rest.")
            )
    if layers := cluster_evidence(fitted, list(titles)):
        parts += [Html("<h3>By layers and other sources of evidence</h3>"), *layers]
    return section("definition", "What defines each cluster?", *parts) if parts else Html("")


def badge(cluster: int, titles: Sequence[str]) -> Any:
    """Return a cluster's name beside a patch of its colour, which is only an ornament."""
    return Html(f'<span class="patch patch-{cluster % 10}" aria-hidden="true"></span>{markup(titles[cluster])}')


def _category_name(one: Category) -> str:
    return markup(f"{shortened(one.column, 30)}: {shortened(one.value, 40)}")


def _said_of_columns(fitted: Fitted, marks: Sequence[Sequence[Category]]) -> str:
    used = sorted(_used_columns(fitted, marks))
    known = (
        "no features: the clusters were found without them" if not used else f"no features, but for {listed(used, 20)}"
    )
    return (
        "Share of the cluster's nodes with the value, against the share of all others; of the nodes whose value is known. "
        f"These columns are {known}."
    )


def _used_columns(fitted: Fitted, marks: Sequence[Sequence[Category]]) -> set[str]:
    """Return the columns of which each category is a feature."""
    columns = {one.column for of_cluster in marks for one in of_cluster}
    names = fitted.graph.feature_names or ()
    return {column for column in columns if any(name.startswith(category_name(column, "")) for name in names)}


def _of_categories(fitted: Fitted, marks: Sequence[Sequence[Category]]) -> list[int]:
    """Return the features that are categories of columns which have been told of already."""
    openings = tuple(category_name(column, "") for column in _used_columns(fitted, marks))
    return [place for place, name in enumerate(fitted.feature_names) if openings and name.startswith(openings)]


def _shares(one: Any) -> str:
    return f'{percent(one.inside)} <span class="quiet">| {percent(one.outside)}</span>'


def _terms(fitted: Fitted) -> list[list[str]]:
    """Return the words and groups that say most for each cluster, as lines of HTML."""
    return [
        [
            f"<b>{markup(shortened(term.name, 40))}</b> {_shares(term)}"
            for term in [one for one in cluster.terms if one.kind in ("word", "group")][:TOP_FEATURES]
        ]
        for cluster in fitted.explanation or ()
    ]


def _features_are_words(fitted: Fitted) -> bool:
    return any(term.kind == "word" for cluster in fitted.explanation or () for term in cluster.terms)


def _list(lines: Sequence[str]) -> Html:
    return Html(f'<ul class="contrasts">{"".join(f"<li>{line}</li>" for line in lines)}</ul>' if lines else NOTHING)


def _contrasts(contrasts: Sequence[Contrast], names: Sequence[str]) -> list[str]:
    """Return the features that set a cluster apart, as lines of HTML."""

    def means(one: Contrast) -> str:
        return " | ".join((percent if one.is_word else number)(mean) for mean in (one.mean_inside, one.mean_outside))

    return [
        f'<span class="feature">{markup(shortened(names[one.feature]))}</span> <b>{"+" if one.difference > 0 else MINUS}'
        f"{abs(one.difference):.2f}</b> <span class=quiet>({means(one)})</span>"
        for one in contrasts
        if abs(one.difference) >= SMALL
    ]
