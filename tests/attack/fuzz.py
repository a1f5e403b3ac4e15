"""Mutation fuzzing of the readers, of model folders and of `fit`: ``python tests/attack/fuzz.py --inputs 100000``.

Inputs are tried in processes with limits of memory and time, so that a crash or a hang is counted and the rest goes on. The
counts are kept in a file after each batch; the same command goes on where it was stopped.
"""

import argparse
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import inputs as attack

BATCH, SECONDS, MOST_MEMORY = 2000, 30, 2**30
"""Inputs per process, seconds for one input, and bytes that a process may come to hold more than it had at first."""


def batch(seed, start, count, log):
    """Try inputs in this process; the number of each is written down before it is tried."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    outcomes = {"read": 0, "refused": 0, "foreign": [], "memory": 0}
    with tempfile.TemporaryDirectory() as home:
        files = attack.good_files(Path(home))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for number, name, content in attack.inputs(files, seed, start, count):
            log.write_text(f"{number} {name}")
            signal.alarm(SECONDS)
            try:
                outcomes[attack.attempt(Path(home), name, content)] += 1
            except attack.Foreign as error:
                outcomes["foreign"].append(f"{number} {name} {error}")
            signal.alarm(0)
    grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    outcomes["memory"] = grown
    print(json.dumps(outcomes))  # noqa: T201


def attack_all(seed, total, state_file):
    """Try ``total`` inputs, a batch per process, from where the state file says."""
    state = {"seed": seed, "next": 0, "read": 0, "refused": 0, "foreign": [], "crashes": [], "memory": 0, "seconds": 0}
    if state_file.exists():
        state = json.loads(state_file.read_text())
    while state["next"] < total:
        begun, start, count = time.monotonic(), state["next"], min(BATCH, total - state["next"])
        log = state_file.with_suffix(".now")
        command = [
            sys.executable,
            __file__,
            "--batch",
            str(start),
            str(count),
            "--seed",
            str(state["seed"]),
            "--log",
            str(log),
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            found = json.loads(done.stdout)
            for name in ("read", "refused", "foreign"):
                state[name] += found[name]
            state["memory"] = max(state["memory"], found["memory"])
            state["next"] = start + count
        else:  # killed by a crash or by its alarm: go on behind the input
            state["crashes"].append(f"{log.read_text()} ended with {done.returncode}: {done.stderr[-300:]}")
            state["next"] = int(log.read_text().split()[0]) + 1
        state["seconds"] = round(state["seconds"] + time.monotonic() - begun, 1)
        state_file.write_text(json.dumps(state, indent=1))
        print({name: len(one) if isinstance(one, list) else one for name, one in state.items()}, flush=True)  # noqa: T201
    return not state["crashes"] and not state["foreign"] and state["memory"] < MOST_MEMORY


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--state", type=Path, default=Path("attack.json"))
    parser.add_argument("--batch", type=int, nargs=2)
    parser.add_argument("--log", type=Path)
    given = parser.parse_args()
    if given.batch:
        batch(given.seed, *given.batch, given.log)
    else:
        sys.exit(0 if attack_all(given.seed, given.inputs, given.state) else 1)
