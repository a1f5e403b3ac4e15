"""``orthonet paper`` as its users run it, in a process of its own where that matters: it starts others, which load torch."""

import json
import subprocess
import sys

import pytest


def alone(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "orthonet", "paper", *arguments], capture_output=True, text=True, timeout=300
    )


@pytest.mark.slow
def test_figures_are_written_with_their_data(tmp_path):
    done = alone("figure1", "figure4", "-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {f"figure{n}.{kind}" for n in (1, 4) for kind in ("json", "md", "png")}
    kept = json.loads((tmp_path / "out" / "figure1.json").read_text())
    assert kept["records"]["toy"]["nmi"] > 0.9
    assert "NMI" in done.stdout


@pytest.mark.slow
def test_sets_that_are_not_here_are_left_out_and_said_so(orthonet, tmp_path, monkeypatch):
    monkeypatch.delenv("ORTHONET_DATA_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    done = orthonet("paper", "table1", "--quick", "-o", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    assert "left out 9 (Mfeat" in done.stdout
    assert "ORTHONET_DATA_HOME" in done.stdout
    assert (tmp_path / "out-quick" / "table1.md").exists()


@pytest.mark.parametrize(
    ("arguments", "said"), [(["table9"], "table9"), (["figure4", "--jobs", "0"], "--jobs"), ([], "figure5")]
)
def test_wrong_arguments_are_named(arguments, said):
    done = alone(*arguments)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.slow
def test_a_figure_that_was_stopped_is_said_so_and_made_with_more_time(orthonet, tmp_path):
    stopped = orthonet("paper", "figure2", "--limit", "1", "-o", tmp_path)
    assert "stopped after 1 s" in stopped.stdout
    assert not (tmp_path / "figure2.png").exists()
    done = orthonet("paper", "figure2", "--quick", "-o", tmp_path / ".")
    assert done.exit_code == 0, done.stderr


def test_a_file_in_the_place_of_the_folder_is_left_alone(orthonet, tmp_path):
    (tmp_path / "out").write_text("mine")
    done = orthonet("paper", "figure4", "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert "is a file; name a folder with --output" in done.stderr
    assert (tmp_path / "out").read_text() == "mine"
