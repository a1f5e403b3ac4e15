"""`orthonet info`: what is in a file or a run, or what is installed here."""

from __future__ import annotations

import os
import platform
import re
import shutil
from dataclasses import asdict
from importlib import metadata
from pathlib import Path

from orthonet.cli.inputs import Inputs
from orthonet.cli.reading import read_inputs
from orthonet.cli.run_folder import Run
from orthonet.cli.shards import shards_of
from orthonet.cli.talk import Talk
from orthonet.support.text import listed


def run_info(inputs: Inputs, talk: Talk) -> None:
    """Describe the inputs; without any, about this installation."""
    files = list(inputs.files or ())
    if not (files or inputs.layer or inputs.view or inputs.two_mode):
        _installation(talk)
    elif len(files) == 1 and files[0].is_dir() and shards_of(inputs) is None:
        _run(files[0], talk)
    else:
        _network(inputs, talk)


def _network(inputs: Inputs, talk: Talk) -> None:
    with talk.waiting("reading"):
        given = read_inputs(inputs)
    for note in given.notes:
        talk.say(note)
    summary = given.graph.summary()
    talk.say(f"\n{summary}")
    names = given.graph.feature_names
    if names:
        talk.say(f"\nfeatures: {listed(names, 20)}")
    if given.attributes:
        talk.say(f"about the nodes: {listed(list(given.attributes), 20)}")
    talk.result(
        {
            "nodes": given.graph.n_nodes,
            "layers": [asdict(layer) for layer in summary.layers],
            "two_mode": [asdict(relation) for relation in summary.two_mode],
            "features": list(names) if names else 0 if given.graph.features is None else given.graph.features.shape[1],
            "attributes": list(given.attributes),
            "read": list(given.notes),
        }
    )


def _run(folder: Path, talk: Talk) -> None:
    run = Run.of(folder)
    record = run.record
    command = record.get("command")
    lines = {
        "date": record.get("date"),
        "command": " ".join(["orthonet", *map(str, command[1:])]) if isinstance(command, list) else None,
        "nodes": record.get("nodes"),
        "layers": ", ".join(map(str, record.get("layers", []))),
        "two-mode relations": ", ".join(map(str, record.get("two_mode", []))),
        "features": record.get("features"),
        "clusters": ", ".join(map(str, record.get("cluster_sizes", []))),
        "mean confidence": record.get("mean_confidence"),
        "seconds": record.get("seconds"),
        "files": ", ".join(sorted(path.name for path in run.folder.iterdir() if not path.name.startswith("."))),
    }
    for name, value in lines.items():
        if value not in (None, ""):
            shown = ", ".join(f"{one} {number}" for one, number in value.items()) if isinstance(value, dict) else value
            talk.say(f"{name}: {shown}")
    for message in record.get("warnings", []):
        talk.say(f"warning: {message}")
    talk.result(record)


def _installation(talk: Talk) -> None:
    installed = _packages()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    talk.say(f"orthonet {metadata.version('orthonet')}, Python {platform.python_version()}, {platform.system()}")
    talk.say(f"{cores} cores, GPU: {_gpu() or 'none'}")
    for extra, packages in installed.items():
        shown = ", ".join(f"{name} {version or 'not installed'}" for name, version in packages.items())
        talk.say(f"{extra}: {shown}")
    talk.result(
        {
            "orthonet": metadata.version("orthonet"),
            "python": platform.python_version(),
            "cores": cores,
            "packages": installed,
        }
    )


def _gpu() -> str | None:
    """Return the name of the GPU; torch, which takes seconds to load, is asked for it only where there is a driver."""
    if shutil.which("nvidia-smi") is None:
        return None
    import torch

    return torch.cuda.get_device_name(0) if torch.cuda.is_available() else None


def _packages() -> dict[str, dict[str, str | None]]:
    """Return for the core and for each extra the packages it asks for and their versions, None for those not installed."""
    found: dict[str, dict[str, str | None]] = {}
    for requirement in metadata.requires("orthonet") or ():
        name = re.split(r"[\s<>=!~;\[]", requirement, maxsplit=1)[0]
        extra = re.search(r"""extra == ['"](.+?)['"]""", requirement)
        if name != "orthonet":
            found.setdefault(extra.group(1) if extra else "core", {})[name] = _version(name)
    return {extra: packages for extra, packages in found.items() if extra not in ("test", "lint", "docs")}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
