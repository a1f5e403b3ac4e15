"""The embedding as an interactive scatter plot: where each node lies, and what it can be coloured by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from orthonet.clustering.assignment import unit_rows
from orthonet.clustering.projection_2d import flatten, flattening, sample
from orthonet.report.feature_differences import FeatureTable, telling_features
from orthonet.report.fitted import Fitted
from orthonet.report.page import Html, floats, markup, packed, shortened

WEBGL_ABOVE = 10_000
"""Points above which the graphics card draws them."""
SAMPLE_ABOVE = 200_000
"""Points above which a random sample stands for all."""
MAX_VALUES = 40_000
"""Values of features on the page at most, in 0.1 MB; of more, the features that differ most between clusters are kept."""
LEAST_FEATURES = 20
"""Features that are kept in any case, however many nodes there are."""
CLUSTERS = "Clusters"
"""Title of the first choices to colour points by; their colours span 0 to 1."""


@dataclass(frozen=True)
class Scatter:
    """Data for the page's script, the reader's controls, a caption, and what can be done with the mouse."""

    data: dict[str, Any]
    controls: Html
    caption: str
    hint: str


def scatter(
    fitted: Fitted,
    table: FeatureTable | None,
    *,
    sample_above: int = SAMPLE_ABOVE,
    max_values: int = MAX_VALUES,
) -> Scatter | None:
    """Prepare the scatter plot; None if the method has no embedding."""
    if fitted.embedding is None:
        return None
    n_nodes, n_dims = fitted.embedding.shape
    shown = sample(n_nodes, sample_above)
    places = flatten(unit_rows(fitted.embedding[shown]))
    most = max(LEAST_FEATURES, max_values // len(shown))
    groups = _columns(fitted, table, shown, most)
    columns = [column for _, members in groups for _, column in members]
    data = {
        "kind": "scatter",
        "x": floats(places[:, 0]),
        "y": floats(places[:, 1]),
        "cluster": floats(fitted.labels[shown]),  # exact: whole numbers
        "ids": [shortened(str(node), 80) for node in fitted.graph.node_ids[shown].tolist()],
        "sizes": np.bincount(fitted.labels, minlength=fitted.n_clusters),
        "confidence": next((i for i, one in enumerate(columns) if one["name"] == "confidence"), None),
        "columns": columns,
        "webglAbove": WEBGL_ABOVE,
        "axes": _axes(len(shown), n_dims),
    }
    how = flattening(len(shown), n_dims).replace("principal", "its two principal")
    caption = (
        f"Each point is a node: its row of the {n_dims}-dimensional embedding, scaled to unit length and brought to the plane "
        f"by {how}. "
        + (
            "Neighbours in the plane are neighbours in the embedding; distances between far clusters mean little. "
            if how == "t-SNE"
            else "Clusters that overlap here may be apart in the other dimensions. "
            if n_dims > 2
            else ""
        )
        + "Colours of degrees and features span the middle 98 % of the nodes."
    )
    if len(shown) < n_nodes:
        caption += f" A random sample of {len(shown):,} of the {n_nodes:,} nodes is drawn."
    n_varying = 0 if table is None else int((table.deviation > 0).sum())
    if n_varying > most:
        caption += (
            f" To stay small the page has {most:,} of the {n_varying:,} features that vary: those whose variance lies most "
            "between the clusters."
        )
    hint = "Hover or tap for the node; in the legend, click a cluster to hide it and double-click to see it alone."
    return Scatter(data, _controls(groups), caption, hint)


def _axes(n_points: int, n_dims: int) -> tuple[str, str]:
    if n_dims == 1:
        return "embedding", ""
    name = flattening(n_points, n_dims).removesuffix("s")
    return f"{name} 1", f"{name} 2"


def _columns(
    fitted: Fitted, table: FeatureTable | None, shown: npt.NDArray[np.intp], most: int
) -> list[tuple[str, list[tuple[str, dict[str, Any]]]]]:
    """Return groups of columns that points can be coloured by: a group's title, and in it a title and data each."""
    groups: list[tuple[str, list[tuple[str, Any]]]] = [(CLUSTERS, [])]
    if fitted.confidence is not None:
        groups[0][1].append(("confidence", fitted.confidence[shown]))
    degrees = [(name, np.asarray(layer.sum(axis=1)).ravel()[shown]) for name, layer in _layers(fitted)]
    groups.append(("Degree in layer (sum of weights)", [(f"degree in {name}", values) for name, values in degrees]))
    if table is not None and fitted.graph.features is not None:
        names = fitted.feature_names
        chosen = telling_features(table, most)
        all_of_them = len(chosen) == int((table.deviation > 0).sum())
        title = "Features" if all_of_them else f"Features: the {len(chosen):,} that differ most of {len(names):,}"
        groups.append((title, [(names[one], _column(fitted.graph.features, one, shown)) for one in chosen]))
    found = []
    for title, members in groups:
        kept = [(name, packed(values), _colour_range(values, title)) for name, values in members]
        found.append((title, [(name, {"name": name, "range": ends, **data}) for name, data, ends in kept if data]))
    return found


def _colour_range(values: npt.NDArray[np.float64], group: str) -> tuple[float, float]:
    """Return where the colours begin and end: confidence at 0 and 1, else about the middle 98 %, lest one node rule all."""
    if group == CLUSTERS:
        return 0.0, 1.0
    low, high = np.percentile(values, [1, 99])
    return (float(low), float(high)) if low < high else (float(values.min()), float(values.max()))


def _layers(fitted: Fitted) -> list[tuple[str, Any]]:
    return list(zip(fitted.graph.layer_names, fitted.graph.layers, strict=True))


def _column(features: Any, column: int, shown: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    values = features[:, [column]]
    return np.asarray(values.toarray() if issparse(values) else values, dtype=np.float64).ravel()[shown]


def _controls(groups: list[tuple[str, list[tuple[str, dict[str, Any]]]]]) -> Html:
    options, place = [], 0
    for position, (title, members) in enumerate(groups):
        inside = '<option value="cluster" selected>cluster</option>' if position == 0 else ""
        for name, _ in members:
            inside += f'<option value="{place}">{markup(shortened(name))}</option>'
            place += 1
        if inside:
            options.append(f'<optgroup label="{markup(title)}">{inside}</optgroup>')
    return Html(
        '<p class="controls"><label for="colour-by">Colour by</label> '
        f'<select id="colour-by" autocomplete="off">{"".join(options)}</select> '
        '<label for="find-node">Find node</label> '
        '<input id="find-node" type="search" autocomplete="off" spellcheck="false" placeholder="its id"> '
        '<output id="found-node" for="find-node"></output></p>'
    )
