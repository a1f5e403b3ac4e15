"""Mutation fuzzing of readers, models, runs, checkpoints and `fit`: ``python tests/attack/fuzz.py --inputs 100000``.

Inputs are tried in processes with limits of memory and time, so that a crash or a hang is counted and the rest goes on. A
process marks in a file what it does, one byte per input; the same command goes on behind the last input that was tried.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import inputs as attack

BATCH, SECONDS, MOST_MEMORY = 25_000, 120, 2**30
"""Inputs per process, seconds for one input, and bytes that a process may come to hold more than it had at first."""
UNTRIED, BEGUN, FOREIGN = b"\0", b"?", b"!"
MARKS = {b"+": "read", b"-": "refused", FOREIGN: "foreign"}
"""What a process notes of each input."""


def batch(seed, start, count, state_file):
    """Try inputs in this process; each is marked before and after it is tried."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    marks = os.open(state_file.with_suffix(".marks"), os.O_WRONLY)
    mark_of = {name: mark for mark, name in MARKS.items()}
    with tempfile.TemporaryDirectory() as home, state_file.with_suffix(".foreign").open("a") as foreign:
        files = attack.good_files(Path(home))
        limit_memory()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for number, name, content in attack.inputs(files, seed, start, count):
            os.pwrite(marks, BEGUN, number - start)
            signal.alarm(SECONDS)
            try:
                outcome = attack.attempt(Path(home), name, content)
            except attack.Foreign as error:
                outcome = "foreign"
                foreign.write(f"{number} {name} {error}\n")
                foreign.flush()
            signal.alarm(0)
            os.pwrite(marks, mark_of[outcome], number - start)
    grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    print(grown)  # noqa: T201


def limit_memory():
    """Let this process have no more than twice `MOST_MEMORY` of further addresses, and leave no core behind."""
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else None
    if pages is not None:
        most = pages * resource.getpagesize() + 2 * MOST_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def absorb(state, marks, names):
    """Count what a process has marked; return the number of the input that it ended in, or None."""
    noted = marks.read_bytes() if marks.exists() else b""
    tried = noted.rstrip(UNTRIED)
    for place, mark in enumerate(tried):
        name = attack.name_of(names, state["seed"], state["next"] + place)
        counts = state["kinds"].setdefault(name, {"read": 0, "refused": 0, "foreign": 0, "crashes": 0})
        counts[MARKS.get(bytes([mark]), "crashes")] += 1
    ended_in = state["next"] + len(tried) - 1 if tried.endswith(BEGUN) else None
    state["next"] += len(tried)
    marks.write_bytes(b"")
    return ended_in


def attack_all(seed, total, state_file, first=0):
    """Try the inputs from ``first`` to ``total``, a batch per process, from where the state file says."""
    state = {"seed": seed, "next": first, "kinds": {}, "crashes": [], "memory": 0, "seconds": 0, "processor_seconds": 0}
    if state_file.exists():
        state = json.loads(state_file.read_text())
    marks = state_file.with_suffix(".marks")
    with tempfile.TemporaryDirectory() as home:
        names = attack.names_of(attack.good_files(Path(home)))
    stopped_in = absorb(state, marks, names)
    if stopped_in is not None:  # by whoever stopped this program; the input is tried again
        name = attack.name_of(names, state["seed"], stopped_in)
        state["kinds"][name]["crashes"] -= 1
        state["next"] = stopped_in
    while state["next"] < total:
        begun, start, count = time.monotonic(), state["next"], min(BATCH, total - state["next"])
        state_file.write_text(json.dumps(state, indent=1))
        marks.write_bytes(UNTRIED * count)
        spent = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        command = [sys.executable, __file__, "--batch", str(start), str(count), "--seed", str(state["seed"])]
        done = subprocess.run([*command, "--state", str(state_file)], capture_output=True, text=True)
        ended_in = absorb(state, marks, names)
        if done.returncode == 0:
            state["memory"] = max(state["memory"], int(done.stdout.split()[-1]))
        elif ended_in is None:
            raise RuntimeError(f"a process ended with {done.returncode} outside of an input: {done.stderr[-2000:]}")
        else:  # killed by a crash or by its alarm: go on behind the input
            state["crashes"].append(f"{ended_in} ended with {done.returncode}: {done.stderr[-500:]}")
        state["seconds"] = round(state["seconds"] + time.monotonic() - begun, 1)
        spent = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - spent
        state["processor_seconds"] = round(state["processor_seconds"] + spent, 1)
        state_file.write_text(json.dumps(state, indent=1))
        print(summary(state), flush=True)  # noqa: T201
    return all(not state["crashes"] and not counts["foreign"] for counts in state["kinds"].values()) and (
        state["memory"] < MOST_MEMORY
    )


def again(seed, numbers):
    """Try single inputs in this process, such as those that went wrong before."""
    well = True
    with tempfile.TemporaryDirectory() as home:
        files = attack.good_files(Path(home))
        for number in numbers:
            for _, name, content in attack.inputs(files, seed, number, 1):
                try:
                    outcome = attack.attempt(Path(home), name, content)
                except attack.Foreign as error:
                    outcome, well = str(error), False
                print(number, name, outcome, flush=True)  # noqa: T201
    return well


def summary(state):
    """Return the state with the counts of all kinds added up."""
    found = {name: one for name, one in state.items() if name not in ("kinds", "crashes")}
    for outcome in ("read", "refused", "foreign", "crashes"):
        found[outcome] = sum(counts[outcome] for counts in state["kinds"].values())
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument(
        "--first", type=int, default=0, help="where to begin, for several of these programs side by side"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--state", type=Path, default=Path("attack.json"))
    parser.add_argument("--batch", type=int, nargs=2, help="for the processes that this program starts")
    parser.add_argument("--only", type=int, nargs="+", help="try these inputs alone, and say what became of each")
    given = parser.parse_args()
    if given.only:
        sys.exit(0 if again(given.seed, given.only) else 1)
    elif given.batch:
        batch(given.seed, *given.batch, given.state)
    else:
        sys.exit(0 if attack_all(given.seed, given.inputs, given.state, given.first) else 1)
