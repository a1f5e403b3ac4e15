"""The folder of a run: labels, embedding, model, record and report; it is the earlier run or this one, never a mixture.

labels.csv      node, label, confidence           (or .parquet)
embedding.csv   node, x1 … xK                     (or .parquet)
model/          the fitted model, for `orthonet predict`
run.json        command, settings, versions, seed, inputs with checksums, times, warnings
report.html     a page about it all
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from orthonet.cli.inputs import Tables
from orthonet.cli.talk import json_text
from orthonet.files.tables.writing import table_bytes
from orthonet.support.files import write_atomically, writing
from orthonet.support.folders import ending_tidily, replace_folder
from orthonet.support.locks import reserved
from orthonet.support.regular_files import opened_inside

if TYPE_CHECKING:
    from orthonet.clustering.estimator import OrthoNet  # loads torch, which `info` and `convert` do without

MODEL, RECORD, REPORT = "model", "run.json", "report.html"
MAX_RECORD_BYTES = 64 * 2**20
"""A larger record is not read."""
OURS = (MODEL, RECORD, REPORT, "labels.csv", "labels.parquet", "embedding.csv", "embedding.parquet")
"""What a run may write into its folder, and the next one replaces."""
KINDS: dict[str, Any] = {
    "command": list,
    "versions": dict,
    "parameters": dict,
    "inputs": dict,
    "checksums": dict,
    "read": list,
    "code": str,
    "layers": list,
    "feature_means": (list, type(None)),
    "cluster_sizes": list,
    "seconds": dict,
    "warnings": list,
}
"""What parts of a record are, so that one that was changed by hand is refused in one place."""


@dataclass(frozen=True)
class Run:
    """A run that was written to a folder."""

    folder: Path
    record: Mapping[str, Any]

    @classmethod
    def of(cls, folder: Path) -> Run:
        """Open the folder of a run."""
        folder = folder.expanduser()
        file = folder / RECORD
        if not folder.is_dir() or not file.is_file():
            raise FileNotFoundError(f"{folder} is no folder of `orthonet cluster`: there is no file {file}")
        try:
            with opened_inside(folder, RECORD) as (opened, size):
                if size > MAX_RECORD_BYTES:
                    raise ValueError(f"it has {size:,} bytes, more than any record")
                record = json.loads(opened.read(MAX_RECORD_BYTES))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{file} is cut or damaged: {error}") from None
        if not isinstance(record, dict):
            raise ValueError(f"{file} is not the record of a run")
        for name, kind in KINDS.items():
            if name in record and not isinstance(record[name], kind):
                raise ValueError(f"{file} is not the record of a run: {name!r} is not as it was written")
        return cls(folder, record)

    def model(self) -> OrthoNet:
        """Load the model."""
        from orthonet.clustering.estimator import OrthoNet

        return OrthoNet.load(self.folder / MODEL)


def labels_table(nodes: npt.NDArray[Any], labels: Any, confidence: Any, kind: Tables) -> bytes:
    """Return a table of nodes, their labels and how sure they are."""
    return table_bytes({"node": node_column(nodes), "label": labels, "confidence": np.round(confidence, 4)}, kind)


def embedding_table(nodes: npt.NDArray[Any], embedding: npt.NDArray[np.float64], kind: Tables) -> bytes:
    """Return a table of nodes and their coordinates."""
    return table_bytes(
        {"node": node_column(nodes), **{f"x{axis + 1}": row for axis, row in enumerate(embedding.T)}}, kind
    )


def write_run(output: Path, files: Mapping[str, bytes], model: OrthoNet) -> None:
    """Write everything beside the folder, and put it in place in one step; other files in the folder come along."""

    def fill(folder: Path) -> None:
        for name, content in files.items():
            write_atomically(folder / name, content)
        model.save(folder / MODEL)

    kept = f"the earlier run in {output} was kept" if (output / RECORD).is_file() else ""
    with ending_tidily(), writing(output, kept):
        replace_folder(output.resolve(), fill, OURS)


@contextmanager
def reserved_output(output: Path) -> Iterator[None]:
    """Keep other runs out of a folder; folders above it that are missing are made, and removed if nothing came there."""
    folder = output.resolve()
    missing = [parent for parent in folder.parents if not parent.exists()]
    with writing(output):
        folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        with reserved(folder):
            yield
    finally:
        for parent in missing:
            with suppress(OSError):  # it is not empty
                parent.rmdir()


def check_folder(output: Path) -> Path:
    """Refuse, before any work is done, a folder that cannot be made or written to."""
    folder = output.expanduser()
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{output} is a file; name a folder with --output")
    home = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    if not home.is_dir() or not os.access(home, os.W_OK | os.X_OK):
        raise PermissionError(f"{output} cannot be written: {home} is {'not writable' if home.is_dir() else 'a file'}")
    return folder


def check_output(output: Path) -> Path:
    """Refuse, before any work is done, a folder that holds something other than a run, or that cannot be replaced."""
    folder = check_folder(output)
    if folder.is_dir():
        whole = folder.resolve()
        if whole.is_mount():
            raise PermissionError(f"{output} is where a disk is mounted, and cannot be replaced; name a folder in it")
        if not os.access(whole.parent, os.W_OK | os.X_OK):
            raise PermissionError(f"{output} cannot be replaced: {whole.parent} is not writable")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / RECORD).is_file():
        raise FileExistsError(f"{output} is not empty and holds no earlier run; name a new folder with --output")
    return folder


def check_new_file(path: Path) -> Path:
    """Refuse, before any work is done, a file that cannot be written."""
    file = path.expanduser()
    if file.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file with --output")
    if not file.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {file.parent}")
    return file


def record_bytes(record: Mapping[str, Any]) -> bytes:
    """Return a record as the content of a JSON file."""
    return (json_text(record) + "\n").encode()


def node_column(nodes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return ids in a form that every table can hold."""
    return nodes if nodes.dtype.kind in "iuU" else nodes.astype(str)
