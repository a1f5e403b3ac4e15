"""What each cluster is called: by a category that most of its nodes have, or as `OrthoNet.explain_clusters` calls it.

A name is for the reader. Nothing was found by it, and two clusters may deserve the same one; the number stands before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from orthonet.report.categories import Category
from orthonet.report.fitted import Fitted
from orthonet.support.text import shortened, visible

GOOD_MATCH = 0.5
"""F1 above which a category names a cluster: most of those who have it are inside, and most inside have it."""
COMMON, PIECES = 0.3, 2
"""Share of a cluster from which a value belongs to its name, and values in a name at most."""
LONGEST = 60
"""Letters of a name."""


def cluster_titles(fitted: Fitted, marks: Sequence[Sequence[Category]]) -> list[str]:
    """Return the number and the name of each cluster, as in "0 · team: red"; its own name where it has one."""
    numbers = fitted.cluster_names
    if any(name != str(place) for place, name in enumerate(numbers)):
        return list(numbers)
    told = ["" if one is None else visible(one.name) for one in fitted.explanation or [None] * fitted.n_clusters]
    named = [_by_category(of_cluster) for of_cluster in marks]
    # Where two clusters have the same category, what else is known tells them apart.
    names = [
        name if name and named.count(name) == 1 else ", ".join(filter(None, (name, other)))
        for name, other in zip(named, told, strict=True)
    ]
    return [
        f"{place} · {shortened(name, LONGEST)}" if name else place for place, name in zip(numbers, names, strict=True)
    ]


def _by_category(marks: Sequence[Category]) -> str:
    """Return the column that matches best, with all its values that are common in the cluster."""
    if not marks or marks[0].match < GOOD_MATCH:
        return ""
    column = marks[0].column
    values = [one.value for one in marks if one.column == column and one.inside >= COMMON]
    return f"{visible(column)}: {' and '.join(visible(value) for value in values[:PIECES] or [marks[0].value])}"
