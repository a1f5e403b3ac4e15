"""Put tables made from results into the documents, between the comment marks that name them."""

from __future__ import annotations

import os
import platform
import re
from datetime import date
from importlib.metadata import version
from pathlib import Path

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


def environment() -> dict[str, str | int | None]:
    """Return what measurements depend on beside the code."""
    packages = {name: version(name) for name in ("numpy", "scipy", "scikit-learn", "torch", "orthonet")}
    return {
        "date": date.today().isoformat(),
        "cpus": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        **packages,
    }
