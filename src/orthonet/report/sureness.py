"""How sure the clusters are: confidence, stability, and scores where the classes are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from orthonet.report.fitted import Fitted
from orthonet.report.members import UNSURE
from orthonet.report.page import Html, figure, markup, number, paragraph, percent, probability, section, table

SCORES = {
    "purity": "share of nodes whose class is the most frequent one of their cluster",
    "nmi": "normalised mutual information: 0 if clusters tell nothing about classes, 1 if they are the same",
    "ari": "adjusted Rand index: pairs of nodes that agree, 0 by chance, 1 if the same",
    "accuracy": "share of nodes that are right if each cluster is matched to one class",
}
"""What each score means, in a few words."""
N_BINS = 20


def sureness_section(fitted: Fitted, record: Mapping[str, Any]) -> tuple[Html, dict[str, Any]]:
    """Say how sure the labels are; nothing if neither the method nor known classes tell."""
    parts: list[str] = []
    data: dict[str, Any] = {}
    sure = fitted.confidence
    if sure is not None:
        unsure = int((sure < UNSURE).sum())
        said = f"Mean confidence is <b>{markup(probability(float(sure.mean())))}</b>; "
        said += (
            f"{number(unsure)} of {number(len(sure))} nodes are below {UNSURE:g}"
            if unsure
            else f"no node is below {UNSURE:g}"
        )
        stability = getattr(fitted.model, "stability_", None)
        calibrated = fitted.explanation is not None and _by_evidence(fitted)
        if calibrated and stability is not None:
            kept = percent(float(stability))
            said += f". <b>{kept}</b> of the nodes kept their cluster when the data was resampled (stability)"
        parts.append(Html(f"<p>{said}.</p>\n"))
        counts, _ = np.histogram(np.clip(sure, 0, 1), bins=N_BINS, range=(0, 1))
        data["confidence"] = {"kind": "histogram", "values": counts}
        parts.append(
            figure(
                "confidence",
                f"Histogram of the confidence of {number(len(sure))} nodes, mean {probability(float(sure.mean()))}.",
                "Nodes by their confidence.",
            )
        )
        meaning = (
            "Confidence is calibrated by resampling: of the nodes given 0.9, about nine in ten keep their cluster when the "
            "data is drawn anew. It does not mean that nine in ten are right: where the data shows something else than the "
            "classes you have in mind, labels can be stable and be others."
            if calibrated
            else "Confidence is how much nearer a node is to its own cluster's centre than to the others; it is not calibrated."
        )
        parts.append(paragraph(meaning, "quiet"))
    scores = record.get("scores")
    if isinstance(scores, Mapping):
        parts.append(_scores(scores, record.get("truth")))
    return (section("sureness", "How sure is it?", *parts), data) if parts else (Html(""), {})


def _by_evidence(fitted: Fitted) -> bool:
    how = getattr(fitted.model, "assign_labels", "evidence")
    return (how.get("method", "evidence") if isinstance(how, Mapping) else getattr(how, "method", how)) == "evidence"


def _scores(scores: Mapping[str, Any], truth: Any) -> Html:
    known = scores.get("nodes")
    against = f"Scores against {truth}" if truth else "Scores against the known classes"
    caption = f"{against}, known of {number(known)} nodes" if isinstance(known, int) else against
    rows = [
        (name, f"{value:.3f}", SCORES.get(name, ""))
        for name, value in scores.items()
        if name != "nodes" and isinstance(value, int | float)
    ]
    return Html(f"<h3>{markup(against)}</h3>" + table(caption, ("score", "value", "meaning"), rows, words=(0, 2)))
