"""`orthonet compare`: several methods on the same data, in one table."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.table import Table

from orthonet.cli.choices import check_clusters
from orthonet.cli.inputs import Inputs
from orthonet.cli.reading import Given, read_inputs, read_truth
from orthonet.cli.run_folder import check_folder, node_column, record_bytes
from orthonet.cli.talk import Talk
from orthonet.cli.wording import in_options
from orthonet.clustering.choosing import check_range, choose_clusters
from orthonet.clustering.node_order import in_node_order
from orthonet.clustering.parameter_checks import ClusterRange, check_number_of_clusters
from orthonet.comparison.methods import DEFAULT_METHODS, METHODS, Fit, fits_of
from orthonet.comparison.outcomes import SCORES, Outcome, Reference, compare
from orthonet.evidence.cluster_numbers import ClusterNumbers
from orthonet.files.tables.writing import table_bytes
from orthonet.report.provenance import versions
from orthonet.support.checks import check_integer
from orthonet.support.files import write_atomically
from orthonet.support.memory import within_available_memory
from orthonet.support.optional import is_installed
from orthonet.support.progress import progress

NOTHING = "-"
"""What stands in the table for a number that there is not."""
MOST_LAYERS = 6
"""Layers that a table for people has a column for."""


def run_compare(
    inputs: Inputs,
    wanted: int | str | tuple[int, int],
    *,
    methods: Sequence[str],
    truth: str | None,
    runs: int,
    seed: int,
    output: Path | None,
    talk: Talk,
) -> bool:
    """Fit the methods, print the table, and write it if a folder was named; return whether all that could work did."""
    chosen = _chosen(methods)
    folder = None if output is None else check_folder(output)
    with talk.waiting("reading"):
        given = read_inputs(inputs, truth)
        reference = None if truth is None else read_truth(given, truth)
    for note in given.notes:
        talk.say(note)
    check_clusters(wanted, given.graph.n_nodes)
    numbers = None if isinstance(wanted, int) else _chosen_numbers(given, wanted, seed, talk)
    n_clusters = numbers.chosen if numbers is not None else check_integer(wanted, "n_clusters", minimum=2)
    fits = fits_of((METHODS[name] for name in chosen), given.graph, given.views, n_clusters)
    outcomes: list[Outcome] = []
    with progress("comparing", len(chosen) * runs, talk.verbose, slow_steps=True) as report, within_available_memory():

        def watched(title: str, fit: Fit) -> Fit:
            def run(one: int) -> Any:
                report(len(outcomes) * runs + one - seed, f"{title}, run {one - seed + 1} of {runs}")
                return fit(one)

            return run

        watched_fits = {title: watched(title, fit) for title, fit in fits.items()}
        for outcome in compare(watched_fits, range(seed, seed + runs), skip_failures=True):
            outcomes.append(outcome)
            report(len(outcomes) * runs, "")
    rows = [
        outcome.as_row(reference) | ({} if outcome.failure else {"modularity": outcome.modularity(given.graph)})
        for outcome in outcomes
    ]
    talk.show(_table(rows, given, n_clusters, runs, scored=reference is not None))
    for row in rows:
        if "failure" in row:
            talk.say(f"{row['method']}: {row['failure']}")
    record = {
        "clusters": n_clusters,
        "cluster_numbers": None if numbers is None else numbers.to_dict(),
        "nodes": given.graph.n_nodes,
        "layers": list(given.graph.layer_names),
        "seeds": list(range(seed, seed + runs)),
        "truth": truth,
        "versions": versions({}),
        "methods": rows,
    }
    if folder is not None:
        written = _write(folder, record, outcomes, given.graph.node_ids, reference)
        talk.say(f"wrote {', '.join(written)} to {output}/")
    talk.result(record)
    unable = {METHODS[name].title for name in chosen if METHODS[name].missing(given.graph, given.views) is not None}
    tried = [outcome for outcome in outcomes if outcome.method not in unable]
    return bool(tried) and all(outcome.failure is None for outcome in tried)


def _chosen_numbers(given: Given, wanted: str | tuple[int, int], seed: int, talk: Talk) -> ClusterNumbers:
    """Choose the number of clusters by evidence, once, for all methods."""
    numbers = check_number_of_clusters(wanted, "n_clusters")
    if not isinstance(numbers, ClusterRange):
        raise ValueError(f"--clusters {wanted} is not a range")
    check_range(numbers, given.graph.n_nodes)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = choose_clusters(in_node_order(given.graph)[0], numbers, seed, verbose=talk.verbose)
    for one in caught:
        talk.warn(in_options(one.message))
    talk.say(str(found))
    return found


def _chosen(methods: Sequence[str]) -> list[str]:
    names = [name.strip() for text in methods for name in text.split(",") if name.strip()]
    if not names:
        return list(DEFAULT_METHODS)
    if "all" in names:
        return list(METHODS)
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise ValueError(f"--methods: there is no {', '.join(unknown)}; there are {', '.join(METHODS)}, and all")
    return list(dict.fromkeys(names))


def _table(rows: Sequence[Mapping[str, Any]], given: Given, n_clusters: int, runs: int, *, scored: bool) -> Table:
    """Return the table for people: scores if there is a reference, else what can be seen without one."""
    scores = list(SCORES) if scored else []
    layers = [] if scored else list(given.graph.layer_names)
    many = len(layers) > MOST_LAYERS
    title = f"{given.graph.n_nodes:,} nodes, K = {n_clusters}, mean of {runs} run{'s' * (runs > 1)}"
    if layers:
        title += f"; modularity, mean of {len(layers)} layers" if many else "; modularity in each layer"
    table = Table(title=title, title_justify="left")
    table.add_column("method", no_wrap=True)
    for column in (
        "clusters",
        *(name.upper() if len(name) == 3 else name for name in scores),
        "stability",
        *(["modularity"] if many else layers),
        "seconds",
    ):
        table.add_column(column, justify="right")
    best = {name: max((row[name] for row in rows if name in row), default=None) for name in scores}
    for row in rows:
        if "failure" in row:
            table.add_row(row["method"], *[NOTHING] * (len(table.columns) - 1))
            continue
        shown = [_bold(row[name], row[name] == best[name]) for name in scores]
        stability = NOTHING if row["stability"] is None else f"{row['stability']:.3f}"
        values = [row["modularity"][name] for name in layers]
        support = [f"{value:.3f}" for value in ([float(np.mean(values))] if many else values)]
        table.add_row(row["method"], f"{row['clusters']:g}", *shown, stability, *support, f"{row['seconds']:.1f}")
    return table


def _bold(value: float, best: bool) -> str:
    return f"[bold]{value:.3f}[/bold]" if best else f"{value:.3f}"


def _write(
    folder: Path,
    record: Mapping[str, Any],
    outcomes: Sequence[Outcome],
    nodes: npt.NDArray[Any],
    reference: Reference | None,
) -> list[str]:
    """Write the record, the table, each method's labels, and a picture of how far the methods agree."""
    done = [outcome for outcome in outcomes if outcome.failure is None]
    columns: dict[str, Any] = {"node": node_column(nodes)}
    columns |= {outcome.method: outcome.labels[0] for outcome in done}
    if reference is not None:
        columns["truth"] = reference.classes
    flat = [
        {name: value for name, value in row.items() if name != "modularity"}
        | {f"modularity {layer}": round(value, 4) for layer, value in row.get("modularity", {}).items()}
        for row in record["methods"]
    ]
    names = list(dict.fromkeys(name for row in flat for name in row))
    table = {name: np.array(["" if row.get(name) is None else str(row[name]) for row in flat]) for name in names}
    files = {
        "comparison.json": record_bytes(record),
        "comparison.csv": table_bytes(table, "csv"),
        "comparison-labels.csv": table_bytes(columns, "csv"),  # not labels.csv: the folder may be that of a run
    }
    if is_installed("matplotlib") and done:
        from orthonet.comparison.pictures import draw_comparison
        from orthonet.support.drawing import png_bytes

        files["comparison.png"] = png_bytes(draw_comparison(done, reference))
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_atomically(folder / name, content)
    return list(files)
