"""One process of a fit of shards is killed: the others end with a sentence and exit code 2, and no folder is left behind."""

import json
import os
import shutil
import signal

import pytest

from partitioned.conftest import started

CASES = ["reading-1-2", "search-0-2", "search-3-4", "aggregation-1-2", "training-1-2", "evidence-0-2", "placement-1-2"]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")]


@pytest.fixture(scope="module")
def home(folders, tmp_path_factory):
    """A folder in which every case was tried, and at last one in which nobody was lost."""
    home = tmp_path_factory.mktemp("lost")
    started("lose_a_process.py", home, folders / "mixed", *CASES, "nothing-none-2")
    return home


def test_nobody_lost(home):
    folder = home / "nothing-none-2"
    assert json.loads((folder / "codes.json").read_text()) == [0, 0]
    record = json.loads((folder / "out" / "run.json").read_text())
    assert record["processes"] == 2
    assert sum(record["cluster_sizes"]) == record["nodes"] == 241


def test_where_one_cannot_read_its_shards_all_end(folders, tmp_path):
    shutil.copytree(folders / "mixed", tmp_path / "broken")
    (tmp_path / "broken" / "shard-0003.edges.parquet").unlink()
    started("lose_a_process.py", tmp_path, tmp_path / "broken", "nothing-none-2")
    folder = tmp_path / "nothing-none-2"
    assert json.loads((folder / "codes.json").read_text()) == [2, 2]
    said = [(folder / f"said-{rank}.txt").read_text() for rank in range(2)]
    assert "process 1 could not read its shards of" in said[0]
    assert "shard-0003.edges.parquet: there is no such file, but shards.json names it" in said[1]
    assert not (folder / "out").exists()


@pytest.mark.parametrize("case", CASES)
def test_a_process_is_lost(home, case):
    folder, victim = home / case, int(case.split("-")[1])
    codes = json.loads((folder / "codes.json").read_text())
    assert codes[victim] == -signal.SIGKILL
    for rank, code in enumerate(codes):
        if rank != victim:
            said = (folder / f"said-{rank}.txt").read_text()
            assert code == 2, said
            assert "Traceback" not in said
            assert "another process of this fit has ended, or cannot be reached" in said.splitlines()[-1]
    assert not (folder / "out").exists()
    assert not (folder / ".out.part").exists()
