"""What a fitted model found, as a notebook shows it: a line of numbers, a table of clusters, one of layers."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from orthonet.clustering.plot import how_training_ended
from orthonet.support.text import html_table, one_line

if TYPE_CHECKING:
    from orthonet.clustering.estimator import OrthoNet

MAX_ROWS = 20


def model_html(model: OrthoNet) -> str:
    """Return the fitted model as HTML: everything escaped, no colours of its own, nothing fetched."""
    n_nodes, n_clusters = model.probabilities_.shape
    sizes = np.bincount(model.labels_, minlength=n_clusters)
    sums = np.bincount(model.labels_, model.confidence_, minlength=n_clusters)
    features = f"{model.n_features_in_:,} features" if model.n_features_in_ else "no features"
    lines = [
        f"{n_nodes:,} nodes in {n_clusters:,} clusters, {features}, mean confidence {model.confidence_.mean():.2f}",
        f"aggregation: {one_line(model.aggregation_.get('method', model.aggregation))}",
        f"training: {how_training_ended(model)}",
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
    weights = model.layer_weights_.tolist()
    layers = [
        (one_line(name), f"{weight:.3g}")
        for name, weight in zip(model.layer_names_[:MAX_ROWS], weights[:MAX_ROWS], strict=True)
    ]
    n_more = len(weights) - len(layers)
    tables = (
        html_table(("cluster", "nodes", "share", "confidence"), clusters, more=more),
        html_table(("layer", "weight"), layers, more=f"and {n_more:,} more" if n_more else ""),
    )
    return (
        f"<pre>{escape(repr(model))}</pre><p>{'<br>'.join(map(escape, lines))}</p>"
        '<div style="display: flex; flex-wrap: wrap; align-items: flex-start; gap: 2em">'
        + "".join(f"<div>{table}</div>" for table in tables)
        + "</div>"
    )
