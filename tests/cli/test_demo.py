"""The command line as a user calls it: in a process of its own."""

import csv
import json
import subprocess
import sys

import pytest

pytest.importorskip("typer")


def orthonet(*arguments, cwd):
    command = [sys.executable, "-c", "from orthonet.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    return folder, orthonet("demo", "--data", "gaussians", "--output", "out", cwd=folder)


@pytest.mark.slow
def test_demo_prints_a_table_of_all_methods(demo):
    _, done = demo
    assert done.returncode == 0, done.stderr
    for words in (
        "K-means",
        "cloud 3",
        "mean of layers",
        "geometric mean",
        "OrthoNet",
        "purity",
        "NMI",
        "ARI",
        "seconds",
    ):
        assert words in done.stdout
    assert "Wrote to out" in done.stdout


@pytest.mark.slow
def test_demo_writes_pictures_labels_and_scores(demo):
    folder, _ = demo
    files = {file.name for file in (folder / "out").iterdir()}
    expected = {"layers.png", "embedding.png", "labels.csv", "scores.json", "report.html"}
    assert files == {f"gaussians-{name}" for name in expected} | {"overview.png"}
    for picture in (folder / "out").glob("*.png"):
        assert picture.read_bytes().startswith(b"\x89PNG")
    with (folder / "out" / "gaussians-labels.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1000
    assert {row["cluster"] for row in rows} == {"0", "1", "2", "3", "4"}
    scores = json.loads((folder / "out" / "gaussians-scores.json").read_text())["scores"]
    assert scores[-1]["method"] == "OrthoNet"
    assert scores[-1]["nmi"] > 0.95


def test_wrong_calls_get_a_sentence_and_exit_code_2(tmp_path):
    (tmp_path / "taken").write_text("a file")
    done = orthonet("demo", "--output", "taken", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "orthonet demo: taken is a file; name a folder with --output\n")
    assert orthonet("demo", "--data", "mnist", cwd=tmp_path).returncode == 2
    assert orthonet("demo", "--seed", "-1", cwd=tmp_path).returncode == 2
    assert [file.name for file in tmp_path.iterdir()] == ["taken"]


def test_help_and_version(tmp_path):
    assert "orthonet demo --data digits" in orthonet("demo", "--help", cwd=tmp_path).stdout
    assert orthonet("--version", cwd=tmp_path).stdout.startswith("orthonet 0.")


def test_help_loads_no_torch():
    code = "import sys\nimport orthonet.cli.app\nsys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_demo_does_not_need_the_paper():
    code = (
        "import sys\nimport orthonet.cli.demo\nsys.exit(any(name.startswith('orthonet.paper') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
