"""`orthonet cluster` on shards; one process is killed (kill -9) at a stage. In forks, so that torch is imported once.

Arguments: a folder for what comes of it, a folder of shards, and cases such as ``search-1-4``: the stage, the process that is
lost, and how many there are. For each case a folder with ``out``, what each process said, and ``codes.json``, how they ended.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from fit_together import forked, free_port

from orthonet.cli import main
from orthonet.cli.app import app  # noqa: F401 - imported once
from orthonet.clustering.shards import fit
from orthonet.partitioned.mending import RowMending

STAGES = {
    "reading": "read_own",
    "aggregation": "mean_rows",
    "training": "learn_rows",
    "evidence": "judge_rows",
    "placement": "place_rows",
}
"""What is done at each stage, by the name of the function that does it."""


def kill_this_process(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at(stage: str) -> None:
    """Put the end of this process in the place of what the stage does."""
    if stage in STAGES:
        setattr(fit, STAGES[stage], kill_this_process)
    elif stage == "search":  # in the middle of it
        mend, times = RowMending.mend, 0

        def mend_and_die(*arguments, **options):
            nonlocal times
            times += 1
            return kill_this_process() if times == 5 else mend(*arguments, **options)

        RowMending.mend = mend_and_die


def cluster(shards: Path, folder: Path, rank: int, stage: str, victim: str) -> None:
    said = os.open(folder / f"said-{rank}.txt", os.O_WRONLY | os.O_CREAT)
    os.dup2(said, 2)
    os.dup2(said, 1)
    if victim == str(rank):
        kill_at(stage)
    sys.argv = ["orthonet", "cluster", str(shards), "-k", "3", "--steps", "5", "-o", str(folder / "out")]
    main()


if __name__ == "__main__":
    home, shards = map(Path, sys.argv[1:3])
    for case in sys.argv[3:]:
        stage, victim, size = case.split("-")
        (home / case).mkdir()
        os.environ["MASTER_PORT"] = str(free_port())
        children = [
            forked(
                rank,
                int(size),
                lambda rank=rank, case=case, stage=stage, victim=victim: cluster(
                    shards, home / case, rank, stage, victim
                ),
            )
            for rank in range(int(size))
        ]
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        (home / case / "codes.json").write_text(json.dumps(codes))
