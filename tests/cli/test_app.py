"""The commands as a whole: help, examples, completion, and how quickly they answer."""

import os
import subprocess
import sys

import pytest

typer = pytest.importorskip("typer")

COMMANDS = ("cluster", "predict", "compare", "explain", "report", "convert", "info", "demo", "paper")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(orthonet, command):
    done = orthonet(command, "--help")
    assert done.exit_code == 0
    assert "Example" in done.stdout
    assert f"orthonet {command}" in done.stdout
    for option in ("--json", "--quiet"):
        assert option in done.stdout


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from orthonet.cli.app import app\n"
        "try: app(['cluster', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'torch', 'polars', 'pandas', 'matplotlib', 'plotly'} & set(sys.modules)\n"
        "print(sorted(heavy), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_every_command_is_there(orthonet):
    shown = orthonet("--help").stdout
    assert all(command in shown for command in COMMANDS)


def test_wrong_options_leave_with_2(orthonet):
    assert orthonet("cluster", "--no-such-option").exit_code == 2
    assert orthonet("no-such-command").exit_code == 2
    assert orthonet("cluster", "edges.csv").exit_code == 2  # -k is missing


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete_commands_and_options(shell):
    words = "orthonet cluster --neigh"
    asked = {
        "bash": {"COMP_WORDS": words, "COMP_CWORD": "2", "_ORTHONET_COMPLETE": "complete_bash"},
        "zsh": {"_TYPER_COMPLETE_ARGS": words, "_ORTHONET_COMPLETE": "complete_zsh"},
        "fish": {
            "_TYPER_COMPLETE_ARGS": words,
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
            "_ORTHONET_COMPLETE": "complete_fish",
        },
    }[shell]
    command = [sys.executable, "-c", "import sys; sys.argv[0] = 'orthonet'; from orthonet.cli import main; main()"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | asked, check=False)
    assert "--neighbors" in done.stdout


def test_the_help_names_every_format_and_every_method(orthonet):
    from orthonet.comparison.methods import METHODS
    from orthonet.files.registry import FORMATS

    shown = " ".join(orthonet("compare", "--help").stdout.replace("│", " ").split())
    assert all(name in shown for name in METHODS)
    assert all(name in shown for name in FORMATS)
    shown = " ".join(orthonet("convert", "--help").stdout.replace("│", " ").split())
    assert all(name in shown for name in FORMATS)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_short_way_to_help_shows_the_same(orthonet, command):
    environment = os.environ | {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(
        [sys.executable, "-c", "from orthonet.cli import main; main()", command, "--help"],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    shown = orthonet(command, "--help").stdout
    assert [line.split() for line in done.stdout.splitlines()] == [
        line.replace("root ", "orthonet ").split() for line in shown.splitlines()
    ]
