"""`orthonet predict`: labels for new nodes, from features, edges and memberships, and the model of an earlier run."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import hstack, issparse

from orthonet.cli.inputs import NewNodes, named_files
from orthonet.cli.new_relations import has_relations, place_in_graph
from orthonet.cli.reading import as_column, as_columns, inputs_of
from orthonet.cli.run_folder import Run, check_new_file, labels_table
from orthonet.cli.talk import Talk
from orthonet.clustering.estimator import OrthoNet
from orthonet.files import FeatureTable, read_features
from orthonet.files.tables.feature_values import category_name
from orthonet.graph.features import Features
from orthonet.support.files import write_atomically
from orthonet.support.text import counted, listed


def run_predict(folder: Path, new: NewNodes, talk: Talk) -> None:
    """Read the new nodes, label them and write a table."""
    run = Run.of(folder)
    if new.output == "-":
        _check_standard_output(talk)
    target = None if new.output == "-" else check_new_file(_target(run, new))
    model = run.model()
    if new.table is None and not new.view and not has_relations(new):
        raise ValueError(
            "name a table of the new nodes, or --view NAME=FILE for each view the model was fitted on; or their edges by "
            "--layer NAME=FILE, or their memberships by --two-mode NAME=FILE"
        )
    if new.table is not None and new.view:
        raise ValueError("name one table of the new nodes or their views, not both")
    notes: list[str] = []
    warned: list[str] = []
    with talk.waiting("reading"):
        nodes, known, rows = _read(run, new, model, notes, warned)
    with talk.waiting("labelling"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")  # they were matched by name above
        probabilities = model.predict_proba(known)[rows]
    labels, confidence = probabilities.argmax(axis=1), probabilities.max(axis=1)
    content = labels_table(nodes, labels, confidence, new.tables)
    for note in notes if target is not None else ():
        talk.say(note)
    for message in warned:
        talk.warn(message)
    sizes = np.bincount(labels, minlength=model.n_clusters_).tolist()
    if target is None:
        with suppress(BrokenPipeError):  # whoever reads it has seen enough
            sys.stdout.buffer.write(content)
            sys.stdout.flush()
        return
    write_atomically(target, content)
    shown = listed([f"{size:,} in cluster {cluster}" for cluster, size in enumerate(sizes) if size], 20)
    talk.say(f"{counted(len(labels), 'new node')}: {shown}; mean confidence {confidence.mean():.2f}")
    talk.say(f"wrote {target}")
    talk.result(
        {
            "output": str(target),
            "nodes": len(labels),
            "cluster_sizes": sizes,
            "mean_confidence": confidence.mean(),
            "warnings": warned,
        }
    )


def _check_standard_output(talk: Talk) -> None:
    if talk.json:
        raise ValueError("--json and --output - both want standard output; name a file")
    if sys.stdout is None:
        raise ValueError("--output - writes to standard output, which is closed; name a file")


def _read(
    run: Run, new: NewNodes, model: OrthoNet, notes: list[str], warned: list[str]
) -> tuple[npt.NDArray[Any], Any, Any]:
    """Return the new nodes, what is known of them (features, or a graph where relations were named), and their rows in it."""
    inputs = inputs_of(run.record.get("inputs", {}))
    fill = (new.missing_features or inputs.missing_features) == "mean"
    options: dict[str, Any] = {
        "id_column": as_column(new.id_column),
        "missing_features": "keep" if fill else "refuse",  # filled below, with what the run knows
    }
    table = None
    if new.view:
        nodes, features = _of_views(run, new.view, options)
        table = nodes, _filled(features, run, model, notes)
    elif new.table is not None:
        categories = as_columns(inputs.category)
        read = read_features(str(new.table), categories=categories, **options)
        table = _nodes(read), _filled(_columns(read, model, categories, warned), run, model, notes)
    if table is not None and not has_relations(new):
        return *table, slice(None)
    placed = place_in_graph(inputs, new, model, table, run.record.get("feature_means"))
    return placed.nodes, placed.graph, placed.rows


def _target(run: Run, new: NewNodes) -> Path:
    if new.output is not None:
        return Path(new.output)
    stem = "new" if new.table is None else new.table.name.split(".")[0]
    return run.folder / f"{stem}-labels.{new.tables}"


def _nodes(table: FeatureTable) -> npt.NDArray[Any]:
    return np.arange(table.features.shape[0]) if table.node_ids is None else table.node_ids


def _columns(table: FeatureTable, model: OrthoNet, categories: Sequence[str | int], warned: list[str]) -> Features:
    """Return the features in the order that the model knows, by name where both have names.

    A category of the model's that no new node is in is a column of zeros; one that the model never saw counts for nothing.
    """
    wanted = list(getattr(model, "feature_names_in_", ()))
    if not wanted or table.feature_names is None:
        if table.features.shape[1] != model.n_features_in_:
            raise ValueError(
                f"{table.path} has {table.features.shape[1]:,} columns of features, but the model was fitted on "
                f"{model.n_features_in_:,}" + (f": {listed(wanted)}" if wanted else "")
            )
        return table.features
    place = {name: index for index, name in enumerate(table.feature_names)}
    named = [f"column {one}" if isinstance(one, int) else one for one in categories]
    openings = tuple(category_name(column, "") for column in named)
    missing = [name for name in wanted if name not in place]
    if lost := [name for name in missing if not (openings and name.startswith(openings))]:
        raise ValueError(f"{table.path} lacks features that the model was fitted on: {listed(lost)}")
    strange = [name for name in place if openings and name.startswith(openings) and name not in wanted]
    if strange:
        warned.append(f"{table.path}: the model never saw {listed(strange)}; they count for nothing")
    if not missing:
        return table.features[:, [place[name] for name in wanted]]
    columns = [
        np.zeros(table.features.shape[0]) if name in missing else table.features[:, place[name]] for name in wanted
    ]
    return np.column_stack(columns)


def _filled(features: Features, run: Run, model: OrthoNet, notes: list[str]) -> Features:
    """Fill empty cells with the means over the nodes that the model was fitted on, and note how many there were."""
    if issparse(features):
        return features
    gaps = np.isnan(features)
    if not gaps.any():
        return features
    means = run.record.get("feature_means")
    if not isinstance(means, list) or len(means) != features.shape[1]:
        raise ValueError(
            f"the new nodes have {counted(int(gaps.sum()), 'empty cell')}, but {run.folder} does not say what the means of its "
            "features are; fill them, or cluster again"
        )
    names = list(getattr(model, "feature_names_in_", [f"column {index}" for index in range(len(means))]))
    columns = [names[index] for index in np.flatnonzero(gaps.any(axis=0)).tolist()]
    cells = counted(int(gaps.sum()), "empty cell")
    notes.append(f"{cells} of {listed(columns, 5)} filled with the mean over the nodes of the run")
    return np.where(gaps, np.asarray(means, dtype=np.float64), features)


def _of_views(run: Run, texts: Sequence[str], options: dict[str, Any]) -> tuple[npt.NDArray[Any], Features]:
    """Return the new nodes and all views side by side, as the model was fitted on them."""
    sizes = run.record.get("views")
    if not isinstance(sizes, dict):
        raise ValueError(f"the model in {run.folder} was not fitted on views; name one table of the new nodes")
    named = named_files(list(texts), "--view")
    if set(named) != set(sizes):
        raise ValueError(f"the model was fitted on the views {', '.join(sizes)}, but got {', '.join(named)}")
    blocks: list[Any] = []
    nodes: npt.NDArray[Any] | None = None
    for name, size in sizes.items():
        table = read_features(str(named[name]), **options)
        if table.features.shape[1] != size:
            raise ValueError(f"{table.path} has {table.features.shape[1]:,} columns, but the view {name} has {size:,}")
        own = _nodes(table)
        nodes = own if nodes is None else nodes
        if len(own) != len(nodes) or set(own.tolist()) != set(nodes.tolist()):
            raise ValueError(f"{table.path} is not about the same {len(nodes):,} nodes as {named[next(iter(sizes))]}")
        blocks.append(_reordered(own, nodes, table.features))
    joined: Any = hstack(blocks, format="csr") if any(map(issparse, blocks)) else np.hstack(blocks)
    return (np.empty(0) if nodes is None else nodes), joined


def _reordered(nodes: npt.NDArray[Any], wanted: npt.NDArray[Any], features: Features) -> Features:
    """Return rows in another order of the same nodes."""
    if np.array_equal(nodes, wanted):
        return features
    place = {node: row for row, node in enumerate(nodes.tolist())}
    return features[[place[node] for node in wanted.tolist()]]
