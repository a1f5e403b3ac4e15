"""Put tables made from results into the documents, between the comment marks that name them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from orthonet.paper.results import environment
from orthonet.support.files import write_atomically

ROOT = Path(__file__).parent.parent
PAGES = ("results.md", "reproduction.md", "choice.md", "evidence.md", "number-of-clusters.md", "distributed.md")
DOCUMENTS = (ROOT / "README.md", *(ROOT / "docs" / name for name in PAGES))


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
