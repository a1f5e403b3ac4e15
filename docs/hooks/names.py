"""An mkdocs hook: names of the library in running text lead to their place in the reference."""

import re
from pathlib import Path
from typing import Any

APART = re.compile(r"(<a\b.*?</a>|<autoref\b.*?</autoref>|<h\d\b.*?</h\d>|<pre\b.*?</pre>)", re.DOTALL)
NAME = re.compile(r"<code>([A-Za-z_][\w.]*)(\([^<]*\))?</code>")
EMPTY = re.compile(r"\u2013\s*<div class=\"doc-md-description\">\s*</div>")


def on_config(config: Any) -> None:
    """Read once which names the reference pages hold."""
    config["extra"]["reference_names"] = names_in(Path(config["docs_dir"]) / "reference")


def on_page_content(html: str, config: Any, **_: Any) -> str:
    """Mark the names in a page; mkdocs-autorefs links those that it knows."""
    names = config["extra"]["reference_names"]
    pieces = APART.split(EMPTY.sub("", html))  # a parameter without a word about it needs no dash
    pieces[::2] = [NAME.sub(lambda found: linked(found, names), piece) for piece in pieces[::2]]
    return "".join(pieces)


def names_in(folder: Path) -> dict[str, str]:
    """Return where each name is, under its whole path and under its endings: `graph.knn.knn_layer`, `knn_layer`.

    A short name in small letters is a word as well, or a parameter, and is left alone: `laplacian`, `rand`.
    """
    names: dict[str, str] = {}
    for page in sorted(folder.glob("*.md")):
        for path in re.findall(r"^::: ([\w.]+)", page.read_text(), re.MULTILINE):
            parts = path.split(".")
            for start in range(len(parts)):
                ending = ".".join(parts[start:])
                if "." in ending or "_" in ending or not ending.islower():
                    names.setdefault(ending, path)
    return names


def linked(found: re.Match[str], names: dict[str, str]) -> str:
    """Return a piece of code as a link if it is a name, or a method of one."""
    owner, rest = found[1], ""
    while owner not in names and "." in owner:
        owner, _, last = owner.rpartition(".")
        rest = f".{last}{rest}"
    if owner not in names:
        return found[0]
    return f'<autoref optional identifier="{names[owner]}{rest}">{found[0]}</autoref>'
