"""Tables of what was measured, for docs/choice.md."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from choice.sets import SETS
from choice.settings import SETTINGS
from orthonet.paper import scores
from orthonet.paper.scores import Records

Record = Mapping[str, Any]
MEANS = ("nmi", "before", "after", "regret", "found")
"""Columns whose means over the sets are told."""
BEFORE, AFTER = 0, 3
"""Where NMI stands in the numbers of a proposal."""


def runs_of(records: Records, data: str) -> list[Record]:
    """Return the runs of a set with the default settings, whole or failed."""
    return [one for one in scores.of(records, data=data) if "setting" not in one]


def by_set(records: Records) -> str:
    """Return one row for each set: what was chosen, what was possible, and what it took."""
    rows, measured = [], []
    for data in SETS:
        found = runs_of(records, data)
        whole = [one for one in found if "nmi" in one]
        if not found:
            continue
        size = [str(whole[0]["n_nodes"]), str(whole[0]["n_clusters"])] if whole else ["", ""]
        rows.append(
            [
                data,
                *size,
                f"**{scores.cell(found, 'nmi')}**",
                *(
                    _mean(whole, column)
                    for column in ("before", "after", "regret", "found", "leiden_nmi", "default_nmi")
                ),
                scores.seconds(found),
                _origins(whole),
            ]
        )
        if whole:
            measured.append({name: scores.mean(whole, name) for name in MEANS})
    if measured:
        means = [_mean(measured, column) for column in MEANS]
        rows.append([f"mean of {len(measured)} sets", "", "", *means, "", "", "", ""])
    header = ["set", "nodes", "K", "chosen: NMI", "best proposal before mending", "best after mending", "regret"]
    return scores.table(
        [*header, "best of all found", "chosen with Leiden", "`OrthoNet().fit`", "seconds", "chosen from (runs)"], rows
    )


def by_proposal(records: Records) -> str:
    """Return one row for each proposal: its mean NMI over the sets it was made on, and how often it was chosen."""
    reached: dict[str, dict[str, list[list[float]]]] = defaultdict(lambda: defaultdict(list))
    chosen: Counter[str] = Counter()
    n_runs = 0
    for data in SETS:
        for one in runs_of(records, data):
            if "proposals" not in one:
                continue
            n_runs += 1
            chosen[_kind(one["origin"])] += 1
            for name, numbers in one["proposals"].items():
                reached[_kind(name)][data].append([numbers[BEFORE], numbers[AFTER]])
    rows = []
    for name, of_sets in sorted(reached.items(), key=lambda item: (-chosen[item[0]], item[0])):
        before, after = np.mean([np.mean(numbers, axis=0) for numbers in of_sets.values()], axis=0)
        rows.append([name, str(len(of_sets)), f"{before:.3f}", f"{after:.3f}", f"{chosen[name]} of {n_runs}"])
    return scores.table(["proposal", "sets", "mean NMI before mending", "after", "chosen"], rows)


def by_source(records: Records) -> str:
    """Return the weight of each source, its corroboration and its observations per node, as means over seeds."""
    rows = []
    for data in SETS:
        whole = [one for one in runs_of(records, data) if "weights" in one]
        for name in whole[0]["weights"] if whole else ():
            values = [
                f"{np.mean([one[column][name] for one in whole]):.2f}"
                for column in ("weights", "corroboration", "observations")
            ]
            rows.append([data, name, *values])
    return scores.table(["set", "source", "weight", "corroboration", "observations per node"], rows)


def left_out(records: Records, setting: str) -> str:
    """Return, for each set, the value that is best on all other sets by mean NMI, and the NMI that it gives on this one."""
    values = SETTINGS[setting].values
    reached = {data: [_reached(records, data, setting, value) for value in values] for data in SETS}
    reached = {data: row for data, row in reached.items() if not np.isnan(row).any()}
    if len(reached) < 2:
        return scores.NOT_MEASURED
    table = np.array(list(reached.values()))
    rows, judged = [], []
    for index, data in enumerate(reached):
        best = int(np.delete(table, index, axis=0).mean(axis=0).argmax())
        judged.append(table[index, best])
        rows.append([data, *(f"{nmi:.3f}" for nmi in table[index]), values[best], f"{table[index, best]:.3f}"])
    rows.append(["mean", *(f"{nmi:.3f}" for nmi in table.mean(axis=0)), "", f"{np.mean(judged):.3f}"])
    header = ["set", f"{values[0]} (default)", *values[1:], "best on the other sets", "NMI it gives here"]
    return scores.table(header, rows)


def _reached(records: Records, data: str, setting: str, value: str) -> float:
    """Return the mean NMI over the seeds that all values of the setting were measured with, NaN if there is none."""
    default = SETTINGS[setting].default
    varied = [one for one in scores.of(records, data=data, setting=setting) if "nmi" in one]
    of_value = {
        other: {one["seed"]: one["nmi"] for one in varied if one["value"] == other}
        for other in SETTINGS[setting].others
    }
    # Other values are measured without the net.
    of_value[default] = {one["seed"]: one["search_nmi"] for one in runs_of(records, data) if "search_nmi" in one}
    seeds = set.intersection(*(set(found) for found in of_value.values()))
    return float(np.mean([of_value[value][seed] for seed in seeds])) if seeds else float("nan")


def _mean(records: Sequence[Record], column: str) -> str:
    value = scores.mean(records, column)
    return "" if np.isnan(value) else f"{value:.3f}"


def _origins(records: Sequence[Record]) -> str:
    counted = Counter(one["origin"] for one in records).most_common()
    return ", ".join(f"{name} ({count})" for name, count in counted)


def _kind(name: str) -> str:
    """Return the name of a proposal without what differs between sets: the number of a layer."""
    return re.sub(r"^layer \d+", "each layer", name)


PIECES: dict[str, Callable[[Records], str]] = {
    "choice": by_set,
    "choice-proposals": by_proposal,
    "choice-sources": by_source,
    **{
        f"choice-left-out-{index}": lambda records, setting=setting: left_out(records, setting)
        for index, setting in enumerate(SETTINGS, start=1)
    },
}
"""Mark in docs/choice.md → its table."""
