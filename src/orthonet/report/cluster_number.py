"""Whether there could be another number of clusters: the table of K where it was chosen, and which clusters are near."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from orthonet.report.clusters import badge
from orthonet.report.fitted import Fitted, Labelling
from orthonet.report.members import UNSURE
from orthonet.report.page import Cell, Html, figure, number, paragraph, percent, section, share, table
from orthonet.support.text import listed

HEADING = "Could there be another number of clusters?"


def number_section(fitted: Fitted, titles: Sequence[str]) -> tuple[Html, dict[str, Any]]:
    """Say how the number of clusters was chosen, or that it was given, and which clusters are hardest to tell apart."""
    if isinstance(fitted.model, Labelling) or fitted.confidence is None:
        return Html(""), {}
    chosen = getattr(fitted.model, "cluster_numbers_", None)
    parts, data = (_given(fitted), {}) if chosen is None else _chosen(chosen)
    return section("number", HEADING, *parts, *_nearest(fitted, titles)), data


def _given(fitted: Fitted) -> list[Html]:
    said = f"The number of clusters, {number(fitted.n_clusters)}, was given, and no other was tried."
    if fitted.explanation is not None:
        said += ' n_clusters="auto" (-k auto on the command line) tries a range, and says which numbers stand.'
    return [paragraph(said)]


def _chosen(chosen: Any) -> tuple[list[Html], dict[str, Any]]:
    """Return the choice in words, in a picture and as a table."""
    best = max((one.worth for one in chosen.candidates), default=0.0)
    said = (
        f"<b>{number(chosen.chosen)}</b> clusters were chosen, on {percent(chosen.reliability)} of resampled data sets, too. "
        if chosen.pays
        else f"<b>Nothing speaks for more than one cluster</b>; {number(chosen.chosen)} was the least bad. "
    )
    said += (
        f"<b>{listed(chosen.alternatives, 8)}</b> stand{'s' * (len(chosen.alternatives) == 1)} as well."
        if chosen.alternatives
        else "No other number stands beside it."
    )
    rows = [
        (
            one.n_clusters,
            share(one.worth / best if best > 0 else np.nan),
            *(Cell(f"{nats:.2f}", round(nats, 4)) for nats in (one.support, one.information, one.entropy)),
            share(one.reproducibility),
            share(one.votes),
            _verdict(one.n_clusters, chosen),
        )
        for one in chosen.candidates
    ]
    columns = ("clusters", "worth", "support", "information", "entropy", "found again", "votes", "verdict")
    words = (
        "Worth, as a share of the best: what the clusters predict of each node (support, nats per node) against the nats that "
        "it takes to write them down (entropy), times how far resampled data finds the same clusters again. Information is the "
        "same as support with no node left out: it always rises. Votes: share of the resampled data sets on which this number "
        "is worth most."
    )
    data = {
        "numbers": {
            "kind": "numbers",
            "x": [one.n_clusters for one in chosen.candidates],
            "worth": [one.worth / best if best > 0 else None for one in chosen.candidates],
            "again": [one.reproducibility for one in chosen.candidates],
            "chosen": chosen.chosen,
        }
    }
    label = f"Worth of each number of clusters, largest at {chosen.chosen}; the numbers are in the table below."
    parts = [
        Html(f"<p>{said}</p>\n"),
        figure(
            "numbers", label, "Worth of each number of clusters, and how far resampled data finds the same ones again."
        ),
        table("Numbers of clusters", columns, rows, words=(7,), file="numbers-of-clusters"),
        paragraph(words, "quiet"),
    ]
    return parts, data


def _verdict(n_clusters: int, chosen: Any) -> str:
    return "chosen" if n_clusters == chosen.chosen else "stands" if n_clusters in chosen.alternatives else ""


def _nearest(fitted: Fitted, titles: Sequence[str]) -> list[Html]:
    """Return which cluster is nearest to each, and how many members lie between the two."""
    runner_up, sure = fitted.runner_up, fitted.confidence
    if runner_up is None or sure is None:
        return []
    rows = []
    for cluster in range(fitted.n_clusters):
        own = fitted.labels == cluster
        if not own.any():
            continue
        nearest = int(np.bincount(runner_up[own], minlength=fitted.n_clusters).argmax())
        between = int((own & (runner_up == nearest) & (sure < UNSURE)).sum())
        rows.append((badge(cluster, titles), titles[nearest], between, share(between / own.sum())))
    words = (
        f"Nearest is the runner-up of most members; between the two are members less sure than {UNSURE:g}. Where that is a "
        "large share of both clusters, one cluster may do for them."
    )
    columns = ("cluster", "nearest cluster", "members between", "share")
    return [table("Clusters that are near each other", columns, rows, words=(0, 1)), paragraph(words, "quiet")]
