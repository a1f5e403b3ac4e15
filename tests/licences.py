"""Check the licences of all that OrthoNet brings along, as it is installed: ``python tests/licences.py``.

What an ordinary installation brings must leave its users free to license their own work as they like. Packages under strict
licences are those of `STRICT` alone, and only the extras of `STRICT_EXTRAS` may lead to them. The licences are those that the
packages state themselves; nothing is asked over the network.
"""

import re
import sys
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

FREE = (
    r"MIT|MIT-CMU|BSD|0BSD|BSD[ -]\(?[23]-clause\)?|Apache|Apache-2\.0|Apache Software|ISC|ISCL|Zlib|CC0-1\.0|BSL-1\.0"
    r"|PSF-2\.0|Python Software Foundation|MPL-2\.0|Mozilla Public 2\.0|Unlicense|HPND|LLVM-exception"
)
"""Licences, one or several of which a package may have."""
STRICT = {"igraph", "leidenalg", "snfpy"}
"""Packages with other licences that are known (GPL, LGPL)."""
STRICT_EXTRAS = {"rivals", "igraph", "interop", "dev"}
"""Extras that bring them: for comparison, and for those who have igraph anyway."""


def licence(about):
    """Return the licence that a package states: as an expression, as a classifier, or in words."""
    if about.get("License-Expression"):
        return about["License-Expression"]
    classifiers = [one.split("::")[-1] for one in about.get_all("Classifier") or () if one.startswith("License ::")]
    stated = [one.strip() for one in classifiers if one.strip() != "OSI Approved"]
    return "; ".join(stated) or next(iter((about.get("License") or "").strip().splitlines()), "")


def is_free(stated):
    """Return whether each part of a licence is one of `FREE`."""
    words = re.sub(r"\(.*?\)|\bLicense\b", "", stated)
    parts = [" ".join(part.split()) for part in re.split(r"\bAND\b|\bOR\b|\bWITH\b|;", words)]
    return all(re.fullmatch(FREE, part, re.IGNORECASE) for part in parts)


def needed(name, extras, metadata_of):
    """Return the names of the packages that one brings along with its extras, as far as they are installed."""
    found, waiting = set(), [(canonicalize_name(name), frozenset(extras))]
    visited = set()
    while waiting:
        one = waiting.pop()
        if one in visited:
            continue
        visited.add(one)
        about = metadata_of(one[0])
        if about is None:
            continue
        found.add(one[0])
        for text in about.get_all("Requires-Dist") or ():
            requirement = Requirement(text)
            wanted = one[1] | {""}
            if requirement.marker is None or any(requirement.marker.evaluate({"extra": name}) for name in wanted):
                waiting.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    return found


def complaints(metadata_of, root="orthonet"):
    """Return a sentence for each package whose licence is not as it should be."""
    extras = set(metadata_of(root).get_all("Provides-Extra") or ())
    ordinary = needed(root, extras - STRICT_EXTRAS, metadata_of)
    found = []
    for name in sorted(ordinary | needed(root, extras, metadata_of)):
        stated = licence(metadata_of(name))
        if is_free(stated):
            continue
        if name in ordinary:
            found.append(f"{name}: {stated or 'no licence'}, but an ordinary installation brings it")
        elif name not in STRICT:
            found.append(f"{name}: {stated or 'no licence'}, which is not among those that are known")
    return found


def installed(name):
    """Return what an installed package says of itself, None if it is not installed."""
    try:
        return metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    wrong = complaints(installed)
    sys.exit("\n".join(wrong) or 0)
