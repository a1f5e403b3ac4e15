"""Every constant of the evidence package, read from its source, with how it was chosen."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

from orthonet import evidence
from orthonet.paper import scores

BY_SCORES = {
    "recombination.CELLS_PER_CLUSTER": "**yes**: among none, 3, 4 and 6",
    "recombination.SMALLEST_MOVED": "**yes**: with it or without, with NMI beside support, on the same 18; the value by reason",
    "rows of words": "**yes**: as they are, or scaled to equal sums",
    "weights of edges": "**yes**: among the weight, its square root, ln(1 + w) and the weight up to twice the mean",
    "graph_sources.DENSE": "**yes**: with it, or edges for all layers; the value lies between ACM (0.24) and DBLP (0.30)",
    "gaussian.OBSERVATIONS": "**yes**: among 1, 2 and 4, on sets that are not here (below)",
    "gaussian.MOST_DIMENSIONS": "**yes**: among 10 and 30, on the same sets",
    "gaussian.COMMON_VALUE": "**yes**: with it, or all columns; the value by reason, on the same sets",
    "shared covariance": "**yes**: among 1, d + 1 and 2 d + 1, on the same sets",
    "mending.LOOK_AGAIN": "**yes**: among 0.1 and 0.02, on made data",
    "mending.SHAKEN_UP_TO": "**yes**: whether mending is cut short up to it, on AUCS and 3sources; the value by reason",
    "proposals.inputs.DISTANCES": "**yes**: among 320,000, 100,000 and 50,000, the fastest, with NMI beside support, the last "
    "two on 18 sets that are not here",
    "proposals.registry.FEW_STARTS": "**yes**: among 1 and 3, on AUCS",
    "annealing.SLOW_ROUNDS": "**yes**: among 25, 50 and 100, with NMI beside support, on Cora and four sets that are not here",
    "mending.SHAKES": "**yes**: with shaking or without, on 18 networks that are not here",
    "counts of memberships": "**yes**: among the count, its square root, ln(1 + n) and 1, on DBLP and 12 other sets",
    "feature_values.MOST_VALUES": "**yes**: among 10 and 20, on tables that are not here, which are alike, and for time",
    "feature_values.MOST_CATEGORIES": "**yes**: with it or without, for time; language families gained",
    "sources of categories": "**yes**: with neighbours or alone, and neighbours by all columns or by numbers, "
    "on 33 tables that are not here",
    "columns of a category": "**yes**: of unit variance each, or together, on the same tables",
    "sources of words": "**yes**: words alone, or with the layer made of them, on 13 sets that are not here",
    "confidence.SHAKES": "**yes**: 2 and 8, by calibration and time, on 54 sets that are not here",
    "search.MADE_AGAIN": "**yes**: with it or without, on 3sources, AUCS and the same 54; the value by reason",
    "confidence.STARTS": "**yes**: proposals as they were, drawn or the most supported, or the best partitions found; "
    "by calibration, on 73 sets that are not here; the value by reason",
    "choice": "**yes**: the sum of supports, or each source relative to the most that it gives to any partition",
}
"""What was chosen with a look at scores. Everything else was chosen by reasons."""
TAKEN_OVER = (
    "mending.MOVING_SHARE",
    "mending.MAX_ROUNDS",
    "proposals.filtered.TERMS",
    "proposals.inputs.DIMENSIONS",
    "proposals.registry.FINER",
    "proposals.spectral.EVALUATIONS",
    "graph_sources.FEATURE_NEIGHBORS",
    "strengths of the filter",
)
"""Values of an exploratory script, whose scores were seen; none was varied since."""
ELSEWHERE = {"orthonet.graph.features": ("ZEROS",)}
"""Modules outside the package → constants of theirs that evidence depends on."""
WITHOUT_A_NAME = (
    ("rows of words", "not rescaled", "a node with more words makes more observations"),
    ("weights of edges", "square root", "evens out the variance of counts"),
    ("shared covariance", "d + 1", "nodes that the covariance of all clusters counts for in that of one"),
    ("sources of words", "words alone", "a single layer that was made of words is a copy of them"),
    ("counts of memberships", "square root", "evens out the variance of counts"),
    ("sources of categories", "values alone", "how many values two nodes share is a poor distance"),
    (
        "columns of a category",
        "unit variance together",
        "a category of many values would count many times as much as a number",
    ),
    ("choice", "sum of supports", "a source of noise explains itself best, so no source is measured by its own best"),
    (
        "strengths of the filter",
        "1, 4, 16",
        "a of features averaged over the relations; 4 where layers were made from features",
    ),
    ("regularization", "1", "mean degrees added to each degree before eigenvectors; 0 where features are averaged"),
    ("spectrum", "½", "of ‖w‖² in the objective of the weights from the spectrum, as its authors have it"),
)
"""Choices that are not constants of a module: what, value, meaning."""


def table() -> str:
    """Return a Markdown table of all constants."""
    constants = list(named())
    unknown = {*BY_SCORES, *TAKEN_OVER}.difference(name for name, *_ in (*constants, *WITHOUT_A_NAME))
    if unknown:
        raise ValueError(f"there are no constants {sorted(unknown)} any more")
    rows = [[f"`{name}`", value, meaning, chosen_how(name)] for name, value, meaning in constants]
    rows += [[name, value, meaning, chosen_how(name)] for name, value, meaning in WITHOUT_A_NAME]
    return scores.table(["constant", "value", "meaning", "chosen with a look at labels"], rows)


def chosen_how(name: str) -> str:
    """Say whether a value was chosen with a look at labels."""
    return BY_SCORES.get(name, "taken over from an exploratory script" if name in TAKEN_OVER else "no")


def named() -> Iterator[tuple[str, str, str]]:
    """Yield the name, the value and the meaning of each number in capitals of the package."""
    inside = sorted(one.name for one in pkgutil.walk_packages(evidence.__path__, f"{evidence.__name__}."))
    for module_name in (*inside, *ELSEWHERE):
        module = importlib.import_module(module_name)
        short = module_name.removeprefix(f"{evidence.__name__}.").removeprefix("orthonet.")
        for name, meaning in _documented(Path(str(module.__file__))):
            value = getattr(module, name)
            if isinstance(value, int | float) and name in ELSEWHERE.get(module_name, (name,)):
                yield f"{short}.{name}", f"{value:,.4g}" if isinstance(value, float) else f"{value:,}", meaning


def _documented(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the names in capitals that a module assigns, and the string below each."""
    body = ast.parse(file.read_text()).body
    for here, below in zip(body, [*body[1:], None], strict=True):
        if not isinstance(here, ast.Assign):
            continue
        names = [node.id for target in here.targets for node in ast.walk(target) if isinstance(node, ast.Name)]
        text = ""
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
            text = " ".join(below.value.value.split())
        yield from ((name, text) for name in names if name.isupper())
