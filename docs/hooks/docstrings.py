"""A griffe extension: what numpydoc writes in reStructuredText, in Markdown."""

import re
from typing import Any

import griffe

REFERENCE = re.compile(r"^\.\. \[(\d+)\] ((?:.+\n?)(?:^ {3,}.+\n?)*)", re.MULTILINE)
SEVERAL = re.compile(r"^(\w+(?:, \w+)+)( : .*)?\n((?: {4,}.*\n?)*)", re.MULTILINE)
LINK = re.compile(r"`([^`<]+?)\s+<(https?://[^>]+)>`_")
SEE_ALSO = re.compile(r"^See Also\n-+\n((?:\S.*\n?)+)", re.MULTILINE)
CHOICES = re.compile(r"^(\w+(?:, \w+)* : )(\{.*\}), optional$", re.MULTILINE)


class Numpydoc(griffe.Extension):
    """Rewrite literature, ``.. [1] …`` and ``[1]_``, links, and entries that griffe would misread."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite one docstring, once it is read and before it is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = markdown_of(obj.docstring.value)


def markdown_of(docstring: str) -> str:
    """Return a docstring whose literature is a list, and where each parameter has an entry of its own."""
    text = REFERENCE.sub(lambda found: f"{found[1]}. " + " ".join(found[2].split()) + "\n", docstring)
    # griffe would take the first of "{…}, optional" for the default.
    text = CHOICES.sub(r"\1\2 or None, optional", text)
    # … and would give all of "n_nodes, n_layers : int" the default of the first.
    text = SEVERAL.sub(one_by_one, text)
    text = SEE_ALSO.sub(lambda found: "**See also**\n\n" + re.sub(r"(?m)^(\S+) : ", r"- `\1`: ", found[1]), text)
    text = LINK.sub(r"[\1](\2)", text)
    return re.sub(r" ?\[(\d+)\]_", r" [\1]", text)


def one_by_one(found: re.Match[str]) -> str:
    """Repeat the entry of several parameters for each of them; a line of prose stays what it is."""
    names, kind, described = found.groups(default="")
    if not kind and not described:
        return found[0]
    return "".join(f"{name}{kind}\n{described}" for name in names.split(", "))
