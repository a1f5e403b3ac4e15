"""`orthonet convert`: a network, or a run with its clusters, into a file for another program."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from orthonet.cli.earlier_run import read_again
from orthonet.cli.inputs import Inputs
from orthonet.cli.reading import read_inputs
from orthonet.cli.run_folder import Run, check_new_file
from orthonet.cli.shards import check_new_shards, shards_of, write_new_shards
from orthonet.cli.talk import Talk
from orthonet.files import write_network
from orthonet.files.annotated import SUFFIXES
from orthonet.files.registry import FORMATS, format_by_suffix
from orthonet.graph.convert import to_anndata, to_cx2, to_mudata, write_result
from orthonet.graph.membership_layers import with_membership_layers
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.files import write_atomically, writing
from orthonet.support.folders import ending_tidily, staged
from orthonet.support.locks import reserved

CX2 = ".cx2"
"""What Cytoscape's files are called; they are written, not read."""


@dataclass(frozen=True)
class Content:
    """What is to be written.

    Attributes
    ----------
    graph : MultilayerGraph
    columns : dict of names to arrays of N values
        About the nodes, beside the features.
    notes : tuple of str
    model : OrthoNet, or None
        Of a run.
    """

    graph: MultilayerGraph
    columns: dict[str, Any]
    notes: tuple[str, ...]
    model: Any = None


def run_convert(
    inputs: Inputs,
    output: Path | None,
    format: str | None,
    nodes: Path | None,
    force: bool,
    talk: Talk,
    n_shards: int | None = None,
) -> None:
    """Read and write; the last file is the one to write if none was named by --output."""
    files = list(inputs.files or ())
    if output is None:
        if len(files) + len(inputs.layer or ()) + len(inputs.view or ()) + len(inputs.two_mode or ()) < 2 or not files:
            raise ValueError("name a file to read and a file to write: orthonet convert net.mpx net.graphml")
        output = files.pop()
    if n_shards is not None:
        _to_shards(replace(inputs, files=files), output, n_shards, force, talk)
        return
    target = check_new_file(output)
    if target.exists() and not force:
        raise FileExistsError(f"{output} is there already; pass --force to replace it")
    plain = [suffix.lower() for suffix in target.suffixes if suffix.lower() != ".gz"]
    whole = format is None and plain[-1:] == [target.suffix.lower()]
    annotated = whole and target.suffix.lower() in (*SUFFIXES, CX2)
    kind = format or format_by_suffix(plain[-1] if plain else "")
    kind = target.suffix.lower() if annotated else kind
    with talk.waiting("reading"):
        content = _content(replace(inputs, files=files), kind)
    for note in content.notes:
        talk.say(note)
    with talk.waiting("writing"):
        if annotated:
            written = _moved(target, None, force, lambda staged, _: [_write_annotated(content, staged)])
        else:
            written = _moved(
                target,
                nodes,
                force,
                lambda staged, table: write_network(
                    content.graph, staged, format=format, nodes=table, attributes=content.columns
                ),
            )
    talk.say(f"wrote {', '.join(map(str, written))}")
    talk.result({"output": [str(path) for path in written], "read": list(content.notes)})


def _to_shards(inputs: Inputs, output: Path, n_shards: int, force: bool, talk: Talk) -> None:
    """Read, and write a folder of shards."""
    folder = check_new_shards(output, force)
    with talk.waiting("reading"):
        content = _content(inputs, "npz")  # which holds what shards hold
    for note in content.notes:
        talk.say(note)
    with talk.waiting("writing"):
        written = write_new_shards(content.graph, folder, n_shards)
    talk.say(f"wrote {n_shards} shards, {len(written)} files, to {output}")
    talk.result({"output": [str(path) for path in written], "read": list(content.notes)})


def _content(inputs: Inputs, kind: str | None) -> Content:
    """Read a run, or files, for a format of this kind."""
    files = list(inputs.files or ())
    if len(files) == 1 and files[0].is_dir() and shards_of(inputs) is None:
        return _of_run(files[0], kind)
    return _of_files(inputs, kind)


def _of_files(inputs: Inputs, kind: str | None) -> Content:
    """Return a network; the columns about its nodes come with it where the format has room for them."""
    given = read_inputs(inputs)
    room = kind not in FORMATS or FORMATS[kind].holds_attributes
    columns = {name: column for name, column in given.attributes.items() if room and not _is_feature(name, given.graph)}
    return Content(given.graph, columns, given.notes)


def _of_run(folder: Path, kind: str | None) -> Content:
    """Return the network of a run, with the cluster and its confidence among the columns about the nodes."""
    given, model = read_again(Run.of(folder))
    graph, told = given.graph, list(given.notes)
    if kind != "npz" and graph.two_mode:
        told.append(f"in the place of memberships, a layer of nodes with like ones: {', '.join(graph.two_mode)}")
        graph = with_membership_layers(graph)
    columns = {name: column for name, column in given.attributes.items() if not _is_feature(name, graph)}
    if kind != CX2 and kind not in FORMATS:  # an AnnData or MuData has places of its own for what was found
        return Content(graph, columns, tuple(told), model)
    found = {}
    for name, values in (("cluster", model.labels_), ("confidence", np.round(model.confidence_, 4))):
        taken = name in columns or _is_feature(name, graph)
        found[f"orthonet {name}" if taken else name] = values
    notes = [*told, f"columns about the nodes: {', '.join([*found, *columns])}"]
    features: Any = graph.features
    if kind != "npz" and issparse(features):
        notes.append(f"{kind} has no room for the {features.shape[1]:,} sparse features; they are left out")
        features = None
    present: Any = graph.present
    if (kind == CX2 or not FORMATS[kind].holds_missing_nodes) and not np.all(present):
        here = zip(graph.layer_names, present, strict=True)
        columns |= {f"in {name}": mask.astype(np.int64) for name, mask in here if not mask.all()}
        notes.append("nodes that a layer lacks have a 0 in the column 'in LAYER'")
        present = None
    graph = MultilayerGraph(
        dict(zip(graph.layer_names, graph.layers, strict=True)),
        features,
        node_ids=graph.node_ids,
        present=present,
        layers_from_features=graph.layers_from_features and features is not None,
        feature_names=None if features is None else graph.feature_names,
        two_mode=graph.two_mode,
    )
    return Content(graph, found | columns, tuple(notes), model)


def _is_feature(name: str, graph: MultilayerGraph) -> bool:
    return name in (graph.feature_names or ())


def _write_annotated(content: Content, target: Path) -> Path:
    """Write a file for Cytoscape; or for AnnData or MuData, with what the model found where scanpy's plots look for it."""
    if target.suffix.lower() == CX2:
        to_cx2(content.graph, content.columns).write_as_raw_cx2(str(target))
        return target
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries about their own next versions
        data = to_mudata(content.graph) if target.suffix.lower() == ".h5mu" else to_anndata(content.graph)
        for name, column in content.columns.items():
            values = np.asarray(column)
            data.obs[name] = values.astype(object) if values.dtype.kind == "U" else values
        if content.model is not None:
            write_result(data, content.model)
        data.write(target)
    return target


def _moved(target: Path, nodes: Path | None, force: bool, write: Callable[[Path, Path | None], Any]) -> list[Path]:
    """Write all files beside the target first; move them when each is whole, and none replaces another unasked."""
    whole = target.resolve()
    with ending_tidily(), writing(target), reserved(whole), staged(whole) as folder:
        table = None if nodes is None else folder / nodes.name
        made = write(folder / target.name, table)
        places = [
            check_new_file(nodes) if file == table and nodes is not None else target.parent / file.name for file in made
        ]
        taken = [str(place) for place in places if place.exists()]
        if taken and not force:
            raise FileExistsError(f"{', '.join(taken)} is there already; pass --force to replace it")
        if len(places) > 1:  # a network must never stand beside the table of another one
            target.unlink(missing_ok=True)
        for file, place in reversed(list(zip(made, places, strict=True))):
            if place.parent.resolve() == whole.parent:
                file.replace(place)
            else:
                write_atomically(place, file.read_bytes())
    return places
