"""How a result came about: command, code, settings, versions, times, warnings."""

from __future__ import annotations

import inspect
import json
import platform
import shlex
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import orthonet
from orthonet.report.fitted import Fitted, Labelling, is_orthonet
from orthonet.report.page import plain, shortened
from orthonet.support.text import listed

PACKAGES = ("numpy", "scipy", "scikit-learn", "torch", "plotly")
"""Packages whose versions the page names."""


def command_line(command: str | Sequence[str] | None) -> str | None:
    """Return a command as it is typed, from a string or from arguments such as ``sys.argv``."""
    if command is None or isinstance(command, str):
        return command or None
    arguments = [str(one) for one in command]
    if not arguments:
        return None
    program = Path(arguments[0]).name
    start = ["python", "-m", "orthonet"] if program == "__main__.py" else [program]
    return shlex.join([*start, *arguments[1:]])


def changed_settings(model: Any) -> dict[str, Any]:
    """Return the settings of an estimator that are not its defaults."""
    if not hasattr(model, "get_params"):
        return {}
    defaults = {name: one.default for name, one in inspect.signature(type(model).__init__).parameters.items()}
    given = model.get_params(deep=False)
    if is_orthonet(model):
        from orthonet.clustering.parameters import without_defaults

        given = without_defaults(given)
    return {name: value for name, value in given.items() if not _same(value, defaults.get(name))}


def python_code(fitted: Fitted, opening: str | None = None) -> str:
    """Return the lines that make the same model and page again; ``opening`` are those that make ``graph``."""
    graph, model = fitted.graph, fitted.model
    settings = changed_settings(model) | ({"n_clusters": model.n_clusters} if hasattr(model, "n_clusters") else {})
    arguments, remarks = [], []
    for name in sorted(settings, key=lambda one: (one != "n_clusters", one == "random_state", one)):
        value = settings[name]
        if isinstance(value, Mapping):  # where it ran and what it kept there is of no use elsewhere
            value = {option: one for option, one in value.items() if option not in ("checkpoint_dir", "distributed")}
        text = _literal(value)
        if text is None:
            remarks.append(
                f"# {name} was {shortened(' '.join(repr(settings[name]).split()))}: it cannot be written here"
            )
        elif name != "verbose" and value != {}:
            arguments.append(f"{name}={text}")
    home = "orthonet" if fitted.method == "OrthoNet" else type(model).__module__
    features = "" if graph.features is None else ", features"
    features += ", layers_from_features=True" if graph.layers_from_features else ""
    features += ", two_mode=two_mode" if graph.two_mode else ""
    layers = f"layers{features}" if graph.n_layers else f"(){features}"
    made = (
        "from orthonet import MultilayerGraph\n\n"
        f"graph = MultilayerGraph({layers})  # yours: {graph.n_nodes:,} nodes, {graph.n_layers} layers"
    )
    if isinstance(model, Labelling):
        imported = "from orthonet.report.fitted import Labelling"
        fitting = f"model = Labelling(labels)  # yours: {model.source}, integers from 0"
    else:
        imported = f"from {home} import {fitted.method}"
        fitting = f"model = {fitted.method}({', '.join(arguments)}).fit(graph)"
    lines = [
        imported,
        "from orthonet import write_report",
        opening or made,
        *remarks,
        fitting,
        'write_report(graph, model, "report.html")',
    ]
    return "\n".join(lines)


def seed_of(model: Any, record: Mapping[str, Any]) -> str:
    """Return the seed, or say that it is unknown."""
    seed = getattr(model, "random_state", None)
    seed = record.get("seed", seed) if seed is None else seed
    if isinstance(seed, int | np.integer):
        return str(int(seed))
    return "unknown; a new fit will differ in details"


def versions(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the versions in the run's record, else those of today."""
    kept = record.get("versions")
    if isinstance(kept, Mapping):
        return {str(name): str(version) for name, version in kept.items()}
    found = {"orthonet": str(record.get("version", orthonet.__version__)), "python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def times(model: Any, record: Mapping[str, Any]) -> dict[str, float]:
    """Return the seconds that steps took, as far as they were recorded."""
    found: dict[str, float] = {}
    aggregation = getattr(model, "aggregation_", None)
    if isinstance(aggregation, Mapping) and isinstance(aggregation.get("seconds"), int | float):
        found["aggregating the layers"] = float(aggregation["seconds"])
    for key in ("seconds", "times"):
        kept = record.get(key)
        if isinstance(kept, Mapping):
            found |= {str(name): float(value) for name, value in kept.items() if isinstance(value, int | float)}
        elif isinstance(kept, int | float):
            found["all"] = float(kept)
    return found


def rest_of(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what else a record holds, as text."""
    shown_elsewhere = {
        *("command", "code", "version", "versions", "warnings", "seconds", "times", "seed", "parameters"),
        *("scores", "truth", "feature_means", "cluster_numbers"),
    }
    return [
        (str(name), value if isinstance(value, str) else shortened(json.dumps(plain(value), ensure_ascii=False), 300))
        for name, value in record.items()
        if name not in shown_elsewhere
    ]


def observations(fitted: Fitted, modularities: Mapping[str, float]) -> list[str]:
    """Return what a reader of the result should know, whether or not somebody was warned of it."""
    found = []
    sizes = np.bincount(fitted.labels, minlength=fitted.n_clusters)
    if (sizes == 0).any():
        found.append(f"{int((sizes == 0).sum())} of the {fitted.n_clusters} clusters are empty; ask for fewer.")
    if not getattr(fitted.model, "complete_", True):
        found.append("Training was interrupted: the model is not complete.")
    tol = fitted.tol
    if tol is not None and len(fitted.turns) and fitted.turns[-1] > tol and len(fitted.losses):
        found.append(
            f"Training stopped at max_iter={len(fitted.losses):,} while the embedding still turned by {fitted.turns[-1]:.2g} "
            f"in 20 steps (tol={tol:g})."
        )
    layers = [layer for layer in fitted.graph.summary().layers if layer.n_isolated]
    if layers:
        counts = listed([f"{layer.name!r} {layer.n_isolated:,} of {layer.n_present:,}" for layer in layers])
        found.append(f"Nodes without an edge in a layer, which then says nothing about their cluster: {counts}.")
    weak = [f"{name!r} {value:.3f}" for name, value in modularities.items() if not value > 0.05]
    if weak:
        found.append(
            f"Layers in which the clusters are hardly seen, by their modularity (chance gives 0): {listed(weak)}."
        )
    return found


def _same(value: Any, default: Any) -> bool:
    if isinstance(value, tuple | list) and isinstance(default, tuple | list):
        return list(value) == list(default)
    return type(value) is type(default) and bool(np.all(value == default))


def _literal(value: Any) -> str | None:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        texts = {name: _literal(one) for name, one in value.items()}
        return None if None in texts.values() else "{" + ", ".join(f"{n!r}: {t}" for n, t in texts.items()) + "}"
    if isinstance(value, list | tuple):
        return None if any(_literal(one) is None for one in value) else repr(value)
    return repr(value) if value is None or isinstance(value, bool | int | float | str) else None
