"""One of two processes of `orthonet cluster` is lost at each stage: the other ends with a sentence, no folder is a mixture."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from orthonet.cli.run_folder import Run

SCRIPT = Path(__file__).parent.parent / "embedding" / "scripts" / "lose_at_stage.py"
LOOPBACK = "lo0" if sys.platform == "darwin" else "lo"
CASES = [
    *(f"{stage}-{victim}" for stage in ("search", "merging", "training", "evidence", "placement") for victim in "01"),
    "results-0",
    "writing-0",
]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")]


@pytest.fixture(scope="module")
def home(tmp_path_factory, clouds, orthonet):
    """A folder in which every case was tried, and at last a run that nobody disturbed in the folder of the last case."""
    from orthonet.files import write_network

    home = tmp_path_factory.mktemp("lost")
    write_network(clouds.graph, home / "edges.csv", nodes=home / "nodes.csv")
    files = home / "edges.csv", "-f", home / "nodes.csv"
    done = orthonet("cluster", *files, "-k", 2, "--steps", 5, "--no-report", "-o", home / "old")
    assert done.exit_code == 0, done.output
    environment = os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": LOOPBACK}
    command = [sys.executable, str(SCRIPT), str(home), *CASES, "nothing-none"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=1800)
    assert done.returncode == 0, done.stderr
    return home


def clusters_of(run, labels_of):
    """Return the number of clusters of a run; anything but a whole run fails."""
    record, model = Run.of(run).record, Run.of(run).model()
    np.testing.assert_array_equal(labels_of(run), model.labels_)
    assert model.n_clusters == record["parameters"]["n_clusters"]
    assert len((run / "embedding.csv").read_text().splitlines()[0].split(",")) == model.n_clusters + 1
    return model.n_clusters


def test_nobody_lost(home, labels_of):
    assert json.loads((home / "nothing-none" / "codes.json").read_text()) == [0, 0]
    assert clusters_of(home / "nothing-none" / "out", labels_of) == 3


@pytest.mark.parametrize("case", CASES)
def test_a_worker_is_lost(home, labels_of, case):
    folder, victim = home / case, int(case[-1])
    codes = json.loads((folder / "codes.json").read_text())
    other = 1 - victim
    assert codes[victim] == -signal.SIGKILL
    said = (folder / f"said-{other}.txt").read_text()
    assert "Traceback" not in said
    assert codes[other] in (0, 2)  # 0: at the end of a fit it needs the other one no more
    if codes[other] == 2:
        assert "another process of this fit has ended, or cannot be reached" in said.splitlines()[-1]
    else:
        assert case.startswith(("evidence", "placement", "results", "writing"))
    assert clusters_of(folder / "out", labels_of) == (3 if codes[0] == 0 else 2)
    assert not (folder / ".out.old").exists()


def test_under_torchrun_all_ends(home, labels_of):
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    script = (
        "import os, sys; from lose_at_stage import kill_at, main\n"
        "os.environ['RANK'] == '1' and kill_at('training')\n"
        "main()\n"
    )
    (home / "lost.py").write_text(f"import sys; sys.path.insert(0, {str(SCRIPT.parent)!r})\n{script}")
    files = [str(home / "edges.csv"), "-f", str(home / "nodes.csv")]
    command = ["cluster", *files, "-k", "3", "--steps", "5", "--no-report", "-o", str(home / "old")]
    done = subprocess.run(
        [*launch, str(home / "lost.py"), *command],
        env=os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": LOOPBACK},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 1
    assert "Signal 9 (SIGKILL)" in done.stderr  # torchrun names what happened
    assert clusters_of(home / "old", labels_of) == 2
