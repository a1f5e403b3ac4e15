"""Measurements kept as JSON: each under its own key, with the machine and the versions it was made by."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from orthonet.support.files import write_atomically

Record = Mapping[str, Any]
PACKAGES = ("numpy", "scipy", "scikit-learn", "torch", "orthonet")
"""Packages whose versions are kept with each measurement."""


class Results:
    """A JSON file of measurements; every change is written at once and whole, so a run that is cut off loses nothing.

    Parameters
    ----------
    path : Path
        The file; read if it is there.
    threads : int, optional
        Threads that each measurement may use; as many as torch uses here by default.

    Attributes
    ----------
    records : dict of str to dict
        What was measured, by key; ``record["environment"]`` is a position in `environments`.
    environments : list of dict
        Date, hardware and versions of each run that added something.
    """

    def __init__(self, path: Path, threads: int | None = None) -> None:
        self.path = path
        self.threads = threads
        self.records: dict[str, dict[str, Any]] = {}
        self.environments: list[dict[str, Any]] = []
        if path.exists():
            self._read()

    def add(self, key: str, record: Record) -> None:
        """Keep a measurement, beside what another run may have kept meanwhile."""
        if self.path.exists():
            self._read()
        here = environment(self.threads)
        if here not in self.environments:
            self.environments.append(here)
        self.records[key] = {**record, "environment": self.environments.index(here)}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        kept = {"environments": self.environments, "records": dict(sorted(self.records.items()))}
        write_atomically(self.path, (json.dumps(kept, indent=1) + "\n").encode())

    def _read(self) -> None:
        try:
            kept = json.loads(self.path.read_text())
            self.environments, self.records = list(kept["environments"]), dict(kept["records"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{self.path} does not contain results of `orthonet paper` ({error!r}): move it away and run again"
            ) from error


def environment(threads: int | None = None) -> dict[str, str | int | None]:
    """Return what measurements depend on beside the code."""
    return {
        "date": date.today().isoformat(),
        "cpu": _cpu_model(),
        "cpus": os.cpu_count(),
        "threads": torch.get_num_threads() if threads is None else threads,
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
    }


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
