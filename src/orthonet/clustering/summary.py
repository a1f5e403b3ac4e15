"""What a fitted model found, as a notebook shows it: a line of numbers, a table of clusters, one of layers."""

from __future__ import annotations

from html import escape

import numpy as np

from orthonet.clustering.plot import how_training_ended
from orthonet.clustering.result import FitResult
from orthonet.support.text import html_table, one_line

MAX_ROWS = 20
"""Clusters, and layers, that a table lists; it counts the others."""


def model_html(result: FitResult, heading: str) -> str:
    """Return what a fit found as HTML: everything escaped, no colours of its own, nothing fetched."""
    labels, confidence = result.arrays["labels"], result.confidence
    n_nodes, n_clusters = len(labels), result.n_clusters
    sizes = np.bincount(labels, minlength=n_clusters)
    sums = np.bincount(labels, confidence, minlength=n_clusters)
    features = f"{result.n_features:,} features" if result.n_features else "no features"
    lines = [
        f"{n_nodes:,} nodes in {n_clusters:,} clusters, {features}, mean confidence {confidence.mean():.2f}",
        f"aggregation: {one_line(result.aggregation['method'])}",
        f"training: {how_training_ended(result)}",
    ]
    n_empty = int((sizes == 0).sum())
    if n_empty:
        lines.append(f"{n_empty:,} of {n_clusters:,} clusters are empty")
    clusters = [
        (str(cluster), f"{size:,}", f"{size / n_nodes:.1%}", f"{sums[cluster] / size:.2f}" if size else "")
        for cluster, size in enumerate(sizes[:MAX_ROWS].tolist())
    ]
    rest = sizes[MAX_ROWS:]
    more = f"and {len(rest):,} more, of {rest.max():,} to {rest.min():,} nodes" if len(rest) else ""
    weights = result.arrays["layer_weights"].tolist()
    layers = [
        (one_line(name), f"{weight:.3g}")
        for name, weight in zip(result.layer_names[:MAX_ROWS], weights[:MAX_ROWS], strict=True)
    ]
    n_more = len(weights) - len(layers)
    tables = (
        html_table(("cluster", "nodes", "share", "confidence"), clusters, more=more),
        html_table(("layer", "weight"), layers, more=f"and {n_more:,} more" if n_more else ""),
    )
    return (
        f"<pre>{escape(heading)}</pre><p>{'<br>'.join(map(escape, lines))}</p>"
        '<div style="display: flex; flex-wrap: wrap; align-items: flex-start; gap: 2em">'
        + "".join(f"<div>{table}</div>" for table in tables)
        + "</div>"
    )
