"""``python -m choice measure``, ``constants`` and ``publish``, from the folder experiments."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tables import publish

from choice import constants, leiden, runs, tables
from choice.measure import LEIDEN, NETWORK


def main() -> None:
    """Do what the first argument says."""
    parser = argparse.ArgumentParser(prog="python -m choice", description=__doc__)
    parser.add_argument("step", choices=("measure", "constants", "publish"))
    parser.add_argument("--sets", nargs="+", default=runs.all_sets(), choices=runs.all_sets(), metavar="SET")
    parser.add_argument("--seeds", type=int, help=f"{runs.SEEDS}, or {runs.SETTING_SEEDS} for constants")
    parser.add_argument("--jobs", type=int, default=1, help="runs side by side")
    parser.add_argument("--no-network", action="store_true", help="leave the net out: minutes instead of hours")
    parser.add_argument("--no-leiden", action="store_true", help="leave Leiden out although it is installed")
    parser.add_argument("--results", type=Path, default=runs.RESULTS, help="the file that results are kept in")
    given = parser.parse_args()
    if given.step == "measure":
        with_leiden = leiden.is_installed() and not given.no_leiden
        joining = (() if given.no_network else (NETWORK,)) + ((LEIDEN,) if with_leiden else ())
        runs.run(runs.choices(given.sets, given.seeds or runs.SEEDS, joining), given.jobs, given.results, joining)
    elif given.step == "constants":
        runs.run(runs.settings(given.sets, given.seeds or runs.SETTING_SEEDS), given.jobs, given.results)
    else:
        records = json.loads(given.results.read_text())["records"]
        for mark, render in tables.PIECES.items():
            publish(mark, render(records))
        publish("choice-constants", constants.table())


if __name__ == "__main__":
    main()
