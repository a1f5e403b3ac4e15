"""Put tables made from results into the documents, between the comment marks that name them."""

from __future__ import annotations

import json
import os
import platform
import re
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from orthonet.support.files import write_atomically

ROOT = Path(__file__).parent.parent
DOCUMENTS = (ROOT / "README.md", ROOT / "docs" / "results.md")


def publish(name: str, table: str) -> None:
    """Replace what stands between ``<!-- name: … -->`` and ``<!-- /name -->`` in the documents."""
    between = re.compile(rf"(<!-- {name}:[^>]*-->\n).*?(<!-- /{name} -->)", re.DOTALL)
    for document in DOCUMENTS:
        text = document.read_text()
        changed = between.sub(lambda match: f"{match[1]}\n{table}\n{match[2]}", text)
        if changed != text:
            write_atomically(document, changed.encode())


def keep(path: Path, rows: list[Any]) -> None:
    """Write measurements, and what they depend on beside the code, to a JSON file."""
    path.parent.mkdir(exist_ok=True)
    write_atomically(path, json.dumps({"environment": environment(), "rows": rows}, indent=1).encode())


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def environment() -> dict[str, str | int | None]:
    """Return what measurements depend on beside the code."""
    packages = {name: version(name) for name in ("numpy", "scipy", "scikit-learn", "torch", "orthonet")}
    return {
        "date": date.today().isoformat(),
        "cpu": _cpu_model(),
        "cpus": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "python": platform.python_version(),
        **packages,
    }
