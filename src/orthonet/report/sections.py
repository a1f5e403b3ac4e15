"""The sections of the report, each from numbers to HTML and to data for the page's script."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from datetime import datetime
from typing import Any

import numpy as np

from orthonet.clustering.plot import look_steps
from orthonet.graph.modularity import Agreement
from orthonet.report import provenance
from orthonet.report.blocks import block_pictures
from orthonet.report.evidence import sources_table
from orthonet.report.feature_differences import FeatureTable
from orthonet.report.fitted import Fitted, Labelling
from orthonet.report.page import (
    MINUS,
    NOTHING,
    Html,
    figure,
    listing,
    markup,
    number,
    pairs,
    paragraph,
    percent,
    probability,
    section,
    shortened,
    table,
)
from orthonet.report.scatter import scatter
from orthonet.support.text import listed

Figures = dict[str, dict[str, Any]]
LEFT_OUT: tuple[Html, Figures] = (Html(""), {})
"""A section that the page does not have."""


SHOWN_WARNINGS = 5
"""Warnings that are shown at the top of the page; the others are folded."""


def header(title: str, fitted: Fitted, contents: Sequence[tuple[str, str]]) -> Html:
    """Return the head of the page: the numbers to know first, and where to find the rest."""
    graph = fitted.graph
    tiles = [
        ("nodes", number(graph.n_nodes)),
        ("layers", number(graph.n_layers)),
        ("edges", number(sum(layer.n_edges for layer in graph.summary().layers))),
        *([("two-mode relations", number(len(graph.two_mode)))] if graph.two_mode else []),
        ("features", "none" if graph.features is None else number(graph.features.shape[1])),
        ("clusters", number(fitted.n_clusters)),
    ]
    if fitted.confidence is not None:
        tiles.append(("mean confidence", probability(float(fitted.confidence.mean()))))
    if fitted.evidence is not None and hasattr(fitted.model, "stability_"):
        tiles.append(("stability", probability(float(fitted.model.stability_))))
    shown = "".join(f"<div><dt>{markup(name)}</dt><dd>{markup(value)}</dd></div>" for name, value in tiles)
    links = "".join(f'<li><a href="#{markup(place)}">{markup(name)}</a></li>' for place, name in contents)
    written = f"{fitted.method}, written {datetime.now().astimezone():%d %B %Y, %H:%M %Z}"
    return Html(
        f'<header><h1>{markup(title)}</h1>\n<p class="quiet">{markup(written)}</p>\n<dl class="tiles">{shown}</dl>\n'
        f'<nav aria-label="Contents"><ul>{links}</ul></nav>\n'
        '<noscript><p class="warned">The pictures need JavaScript; the tables do not.</p></noscript></header>\n'
    )


def layers_section(fitted: Fitted) -> tuple[Html, Figures]:
    """Say what was clustered."""
    graph = fitted.graph
    weights = fitted.layer_weights
    weighted = set(weights) >= set(graph.layer_names)
    columns = ["layer", "nodes", "missing", "edges", "density", "components", "isolated"] + ["weight"] * weighted
    rows = [
        [
            layer.name,
            layer.n_present,
            layer.n_missing,
            layer.n_edges,
            percent(layer.density),
            layer.n_components,
            layer.n_isolated,
            *([weights[layer.name]] if weighted else []),
        ]
        for layer in graph.summary().layers
    ]
    if graph.features is None:
        features = "The nodes have no features; the layers alone were used."
    else:
        made = " The layers were made from them." if graph.layers_from_features else ""
        features = f"Each node has {number(graph.features.shape[1])} features.{made}"
        for name in weights.keys() - set(graph.relation_names) if weighted else ():
            features += (
                f" One more layer, {name}, joins nodes with similar features; its weight was {number(weights[name])}."
            )
    words = (
        "Missing nodes are those that a layer says nothing about; isolated ones are present but have no edge. "
        "Density is the share of the pairs of nodes that is joined. Components count the isolated nodes."
    ) + " Weight is how much the layer counted when the layers were aggregated." * weighted
    joined = f"{_count(graph.n_nodes, 'node')}, joined in {_count(graph.n_layers, 'layer')}"
    if graph.two_mode:
        joined += f" and {_count(len(graph.two_mode), 'two-mode relation')}"
    body = (
        paragraph(f"{joined}. {features}"),
        *((table("Layers", columns, rows), paragraph(words, "quiet")) if graph.n_layers else ()),
        *_two_mode_table(fitted),
    )
    return section("layers", "What was clustered", *body), {}


def _two_mode_table(fitted: Fitted) -> tuple[Html, ...]:
    """Return a table of the two-mode relations, and what its columns mean; nothing if there are none."""
    relations, weights = fitted.graph.summary().two_mode, fitted.layer_weights
    if not relations:
        return ()
    weighted = set(weights) >= set(fitted.graph.relation_names)
    columns = ["two-mode relation", "nodes", "in no group", "groups", "memberships", "largest group", "groups of one"]
    rows = [[*astuple(one), *([weights[one.name]] if weighted else [])] for one in relations]
    words = (
        (
            "A two-mode relation says which groups the nodes belong to. Groups of one node join nobody, and count for nothing."
        )
        + " Weight is how much the layer of nodes with like memberships counted when the layers were aggregated."
        * weighted
    )
    return table("Two-mode relations", columns + ["weight"] * weighted, rows), paragraph(words, "quiet")


def embedding_section(fitted: Fitted, features: FeatureTable | None) -> tuple[Html, Figures]:
    """Show the embedding."""
    if isinstance(fitted.model, Labelling):
        return LEFT_OUT
    found = scatter(fitted, features)
    if found is None:
        return section("embedding", "The clusters in a picture", paragraph(f"{fitted.method} makes no embedding.")), {}
    label = (
        f"Scatter plot of {number(fitted.graph.n_nodes)} nodes in the plane, in {fitted.n_clusters} clusters; what the points "
        "are coloured by can be chosen."
    )
    signs = (
        paragraph(
            "Ten colours and ten symbols together tell the clusters apart: colour by the last digit, symbol by the tens.",
            "quiet",
        )
        if fitted.n_clusters > 10
        else ""
    )
    picture = figure("embedding", label, found.caption, controls=found.controls, hint=found.hint)
    return section("embedding", "The clusters in a picture", picture, signs), {"embedding": found.data}


def agreement_section(fitted: Fitted, agreement: Sequence[Agreement]) -> tuple[Html, Figures]:
    """Say which sources matter and which contradict, how far each layer agrees with the clusters, and draw its blocks."""
    body, data = sources_table(fitted)
    if agreement:
        body += [Html("<h3>How far each layer agrees with the clusters</h3>"), *_agreement(agreement)]
        pictures, more = block_pictures(fitted)
        body.append(pictures)
        data |= more
        data["agreement"] = {
            "kind": "agreement",
            "names": [shortened(one.name, 28) for one in agreement],
            "within": [one.within_share for one in agreement],
            "chance": [one.by_chance for one in agreement],
        }
    return (section("agreement", "Which layers matter, and which contradict?", *body), data) if body else LEFT_OUT


def _agreement(agreement: Sequence[Agreement]) -> list[Html]:
    rows = [
        (
            one.name,
            _decimals(one.modularity),
            percent(one.within_share),
            percent(one.by_chance),
            percent(one.density_within),
            percent(one.density_between),
        )
        for one in agreement
    ]
    columns = ("layer", "modularity", "weight within", "by chance", "pairs joined within", "pairs joined between")
    words = (
        "Weight within is the share of the edge weight that joins nodes of one cluster; by chance is what shuffled ends of the "
        "same edges would give, and modularity the difference of the two. A layer that knows nothing of the clusters has "
        "modularity 0."
    )
    label = "Share of each layer's edge weight within clusters, and by chance; the numbers are in the table below."
    return [
        figure("agreement", label, "Share of the edge weight within clusters, beside what chance would give."),
        table("Agreement of each layer with the clusters", columns, rows),
        paragraph(words, "quiet"),
    ]


def training_section(fitted: Fitted) -> tuple[Html, Figures]:
    """Show how training went."""
    if isinstance(fitted.model, Labelling):
        return LEFT_OUT
    model, steps = fitted.model, len(fitted.losses)
    if not steps:
        return section("training", "Training", paragraph(f"{fitted.method} keeps no history of training.")), {}
    history = getattr(model, "history_", {})
    facts: list[tuple[str, Any]] = [("steps", steps), ("last loss", float(fitted.losses[-1]))]
    if len(fitted.turns):
        facts.append(("last turn", float(fitted.turns[-1])))
    if "agreement" in history:
        facts.append(("agreement of the nets", float(np.asarray(history["agreement"]).ravel()[0])))
    aggregation = getattr(model, "aggregation_", None) or {}
    facts += [(f"aggregation: {name}", _brief(value)) for name, value in aggregation.items()]
    data: Figures = {
        "loss": {"kind": "line", "x": np.arange(1, steps + 1), "y": fitted.losses, "title": "loss", "axis": "step"}
    }
    parts = [
        figure("loss", f"Loss over {steps} training steps.", "Loss before each step, mean over the nets.", kind="half")
    ]
    if len(fitted.turns):
        tol = fitted.tol
        data["turn"] = {
            "kind": "line",
            "x": look_steps(steps, len(fitted.turns)),
            "y": np.maximum(fitted.turns, 1e-12),
            "title": "turn",
            "axis": "step",
            "log": True,
            "level": tol,
        }
        caption = "How far the embedding turned since the look before (1 less the mean squared cosine)" + (
            f"; training stops below {tol:g}, the dotted line." if tol is not None else "."
        )
        parts.append(figure("turn", f"Turn of the embedding at {len(fitted.turns)} looks.", caption, kind="half"))
    body = Html('<div class="side-by-side">' + "".join(parts) + "</div>\n")
    words = "The nets start from different random weights; their agreement is 1 if all found the same embedding."
    told_apart = paragraph(words, "quiet") if "agreement" in history else ""
    return section("training", "Training", body, pairs("What came of it", facts), told_apart), data


def warnings_section(warned: Sequence[str], seen: Sequence[str]) -> tuple[Html, Figures]:
    """List what was warned of while fitting, and what the report itself noticed; nothing if there is nothing."""
    lines = [f"<li>{markup(line)}</li>" for line in (*_alike(warned), *seen)]
    if not lines:
        return LEFT_OUT
    first, rest = lines[:SHOWN_WARNINGS], lines[SHOWN_WARNINGS:]
    body = f"<ul>{''.join(first)}</ul>\n"
    if rest:
        body += _folded(f"{len(rest)} more", f"<ul>{''.join(rest)}</ul>")
    return section("warnings", "Before you read on", body), {}


def _alike(lines: Sequence[str]) -> list[str]:
    """Return sentences that differ in names and numbers only as one, with the names of the others."""
    kinds: dict[str, list[str]] = {}
    for line in lines:
        kinds.setdefault(re.sub(r"'[^']*'|[\d.,]+", "…", line), []).append(line)
    found = []
    for first, *others in kinds.values():
        names = [name for one in others for name in re.findall(r"'[^']*'", one)[:1]]
        found.append(f"{first} (The same of {listed(names, 10)}.)" if names else first)
        found += [] if names else others
    return found


def reproduction_section(
    fitted: Fitted, command: str | None, code: str | None, record: Mapping[str, Any]
) -> tuple[Html, Figures]:
    """Say how to get the same result again."""
    model = fitted.model
    parts: list[str] = []
    if command:
        parts += ["<h3>Command</h3>", listing(command, "Command")]
    parts += ["<h3>Python</h3>", listing(provenance.python_code(fitted, code), "Python code")]
    took = provenance.times(model, record)
    facts = [] if isinstance(model, Labelling) else [("seed", provenance.seed_of(model, record))]
    facts += [(f"seconds, {name}", f"{value:.3g}") for name, value in took.items()]
    facts += provenance.versions(record).items()
    parts.append(pairs("Versions" if isinstance(model, Labelling) else "Seed, times and versions", facts))
    if hasattr(model, "get_params"):
        changed = provenance.changed_settings(model)
        settings = [
            (name, _brief(value) + (" *" if name in changed else ""))
            for name, value in model.get_params(deep=False).items()
        ]
        parts.append(_folded("All settings", pairs("Settings; * is not the default", settings)))
    kept = provenance.rest_of(record)
    if kept:
        parts.append(_folded("The rest of the run's record", pairs("Record", kept)))
    return section("reproduce", "To get this again", *parts), {}


def _folded(title: str, body: str) -> Html:
    return Html(f"<details><summary>{markup(title)}</summary>{body}</details>\n")


def _decimals(value: float) -> str:
    return f"{value:.3f}".replace("-", MINUS) if np.isfinite(value) else NOTHING


def _brief(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return shortened(", ".join(f"{name}: {_brief(one)}" for name, one in value.items()), 200)
    return shortened(" ".join(str(value).split()), 120)


def _count(count: int, thing: str) -> str:
    return f"{number(count)} {thing}" + ("s" if count != 1 else "")
