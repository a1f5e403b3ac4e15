"""The section about the clusters: how large they are, how sure, and which features set each apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orthonet.graph.modularity import cluster_sizes
from orthonet.report.feature_differences import Contrast, FeatureTable, feature_contrasts
from orthonet.report.fitted import Fitted
from orthonet.report.page import (
    MINUS,
    NOTHING,
    Html,
    figure,
    markup,
    number,
    paragraph,
    percent,
    probability,
    section,
    shortened,
    table,
)

TOP_FEATURES = 5
"""Features that are listed for each cluster: those that set it most apart."""
SMALL = 0.1
"""Standard deviations below which a difference of means sets nobody apart."""


def clusters_section(fitted: Fitted, features: FeatureTable | None) -> tuple[Html, dict[str, Any]]:
    """Say how large the clusters are, how sure, and which features set them apart."""
    sizes = cluster_sizes(fitted.labels, fitted.n_clusters)
    names = fitted.feature_names
    columns = ["cluster", "nodes", "share"] + ["confidence"] * (fitted.confidence is not None)
    rows = []
    for cluster, size in enumerate(sizes):
        row: list[Any] = [_badge(cluster, fitted), size, percent(size / len(fitted.labels))]
        if fitted.confidence is not None:
            own = fitted.confidence[fitted.labels == cluster]
            row.append(probability(float(own.mean())) if size else NOTHING)
        rows.append(row)
    parts = [
        figure(
            "sizes",
            f"Sizes of the {fitted.n_clusters} clusters, from {number(int(sizes.min()))} to {number(int(sizes.max()))} nodes.",
            "Nodes in each cluster.",
        ),
        table("Clusters", columns, rows),
    ]
    if fitted.confidence is not None:
        parts.append(paragraph("Confidence is the mean probability of the nodes' own label.", "quiet"))
    if features is not None:
        found = enumerate(feature_contrasts(features, TOP_FEATURES))
        apart = [(_badge(cluster, fitted), _contrast_list(contrasts, names)) for cluster, contrasts in found]
        words = (
            "Mean in the cluster less mean of all others, in standard deviations over all nodes; in brackets the two means. "
            f"Differences below {SMALL:g} are left out."
        )
        parts += [
            Html("<h3>What sets each cluster apart</h3>"),
            table("Features that differ most", ("cluster", "features"), apart, words=(0, 1)),
            paragraph(words, "quiet"),
        ]
    return section("clusters", "The clusters", *parts), {"sizes": {"kind": "sizes", "values": sizes}}


def _badge(cluster: int, fitted: Fitted) -> Html:
    """Return a cluster's name beside a patch of its colour, which is only an ornament."""
    return Html(
        f'<span class="patch patch-{cluster % 10}" aria-hidden="true"></span>{markup(fitted.cluster_names[cluster])}'
    )


def _contrast_list(contrasts: Sequence[Contrast], names: Sequence[str]) -> Html:
    large = [one for one in contrasts if abs(one.difference) >= SMALL]
    if not large:
        return Html(NOTHING)
    lines = "".join(
        f'<li><span class="feature">{markup(shortened(names[one.feature]))}</span> <b>{"+" if one.difference > 0 else MINUS}'
        f"{abs(one.difference):.2f}</b> <span class=quiet>({number(one.mean_inside)} | {number(one.mean_outside)})</span></li>"
        for one in large
    )
    return Html(f'<ul class="contrasts">{lines}</ul>')
