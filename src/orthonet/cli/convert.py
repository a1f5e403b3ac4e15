"""`orthonet convert`: a network from one file format to another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from orthonet.cli.inputs import Inputs
from orthonet.cli.reading import read_inputs
from orthonet.cli.run_folder import check_new_file
from orthonet.cli.talk import Talk
from orthonet.files import write_network
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.files import write_atomically, writing
from orthonet.support.folders import ending_tidily, staged
from orthonet.support.locks import reserved


def run_convert(
    inputs: Inputs, output: Path | None, format: str | None, nodes: Path | None, force: bool, talk: Talk
) -> None:
    """Read and write; the last file is the one to write if none was named by --output."""
    files = list(inputs.files or ())
    if output is None:
        if len(files) + len(inputs.layer or ()) + len(inputs.view or ()) < 2 or not files:
            raise ValueError("name a file to read and a file to write: orthonet convert net.mpx net.graphml")
        output = files.pop()
    target = check_new_file(output)
    if target.exists() and not force:
        raise FileExistsError(f"{output} is there already; pass --force to replace it")
    with talk.waiting("reading"):
        given = read_inputs(replace(inputs, files=files))
    for note in given.notes:
        talk.say(note)
    with talk.waiting("writing"):
        written = _write(given.graph, target, format, nodes, force)
    talk.say(f"wrote {', '.join(map(str, written))}")
    talk.result({"output": [str(path) for path in written], "read": list(given.notes)})


def _write(graph: MultilayerGraph, target: Path, format: str | None, nodes: Path | None, force: bool) -> list[Path]:
    """Write all files beside the target first; move them when each is whole, and none replaces another unasked."""
    whole = target.resolve()
    with ending_tidily(), writing(target), reserved(whole), staged(whole) as folder:
        table = None if nodes is None else folder / nodes.name
        made = write_network(graph, folder / target.name, format=format, nodes=table)
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
