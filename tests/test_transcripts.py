"""What the documents show on a terminal is what comes out when it is typed.

A block below a line ``<!-- transcript -->`` is run, and its output compared; ``…`` in the document stands for anything within a
line, or, on a line of its own, for any lines. The blocks of a page share a folder, and its Python blocks their names.

- ``console``: lines that start with ``$ `` are commands (``\\`` at the end goes on below), what follows is their stdout and
  stderr. A command must leave with 0; one that should not is written ``command; echo $?``. `orthonet` is a fork of a process
  that has loaded torch (see warm.py).
- ``python`` or ``pycon`` with ``>>>``: a doctest.

``<!-- needs: data, anndata -->`` in a page: the real data sets are the folder ``data`` in the folder of the page, and a package
is needed; without them the page is skipped.
"""

import doctest
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from warm import warm_commands

ROOT = Path(__file__).parent.parent
MARK = re.compile(r"^<!-- transcript -->$", re.MULTILINE)
BLOCK = re.compile(r"^<!-- transcript -->\n```(console|python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANY = "…"
TIMEOUT = 300
STEADY = {"COLUMNS": "100", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "OMP_NUM_THREADS": "1", "TERM": "dumb"}
"""Environment of all commands: what they print does not depend on the terminal from which tests are run."""


@dataclass(frozen=True)
class Step:
    """One command of a console block, and what it should print."""

    line: int
    command: str
    wanted: str


def pages():
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [document for document in documents if MARK.search(document.read_text())]


@pytest.fixture(scope="session")
def commands():
    """A folder in which `orthonet` starts sooner."""
    with TemporaryDirectory() as folder, warm_commands(Path(folder), os.environ | STEADY) as scripts:
        yield scripts


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.name)
@pytest.mark.slow
def test_a_page_shows_what_comes_out(page, tmp_path, monkeypatch, commands):
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    run_page(page, tmp_path, monkeypatch)


@pytest.mark.slow
def test_the_installed_script_does_what_the_pages_commands_do(tmp_path, commands):
    (tmp_path / "edges.csv").write_text("a,b\nb,c\n")
    for command in ("orthonet --version", "orthonet info edges.csv", "orthonet info missing.csv; echo left with $?"):
        installed, warm = (
            subprocess.run(
                ["/bin/bash", "-c", command],
                cwd=tmp_path,
                env=os.environ | STEADY | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"},
                capture_output=True,
                text=True,
                check=True,
            )
            for scripts in (Path(sys.executable).parent, commands)
        )
        assert (installed.stdout, installed.stderr) == (warm.stdout, warm.stderr)
        assert installed.stdout


def run_page(page, folder, monkeypatch):
    text = page.read_text()
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) == len(MARK.findall(text)), f"{page.name}: a mark without a block right below it"
    provide(re.findall(r"<!-- needs: (.*?) -->", text), folder)
    monkeypatch.chdir(folder)
    names = {"__name__": "__main__"}
    for block in blocks:
        first_line = text.count("\n", 0, block.start(2)) + 1
        if block[1] == "console":
            for step in steps(block[2], first_line):
                run_command(step, page.name, folder)
        else:
            run_doctest(block[2], names, page.name, first_line)


def provide(needs, folder):
    """Link the data sets, and see that packages are there."""
    for need in (name.strip() for names in needs for name in names.split(",")):
        if need == "data":
            home = os.environ.get("ORTHONET_DATA_HOME")
            if home is None or not Path(home).is_dir():
                pytest.skip("needs the real data sets: set ORTHONET_DATA_HOME to their folder")
            (folder / "data").symlink_to(Path(home).resolve(), target_is_directory=True)
        else:
            pytest.importorskip(need)


def steps(block, first_line):
    """Cut a console block into its commands and what follows each."""
    found, lines = [], block.splitlines()
    while lines:
        line = first_line + len(block.splitlines()) - len(lines)
        opening = lines.pop(0)
        assert opening.startswith("$ "), f"line {line}: a console block starts with a command: $ …, got {opening!r}"
        command = [opening.removeprefix("$ ")]
        while command[-1].endswith("\\") and lines:
            command.append(lines.pop(0))
        wanted = []
        while lines and not lines[0].startswith("$ "):
            wanted.append(lines.pop(0))
        found.append(Step(line, "\n".join(command), "\n".join(wanted)))
    return found


def run_command(step, name, folder):
    here = Path(sys.executable).parent
    ran = subprocess.run(
        ["/bin/bash", "-c", step.command],
        cwd=folder,
        env=os.environ | STEADY | {"PATH": f"{os.environ['PATH']}{os.pathsep}{here}"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=TIMEOUT,
        check=False,
    )
    where = f"{name}, line {step.line}: $ {step.command}"
    assert ran.returncode == 0, f"{where}\nleft with {ran.returncode}:\n{ran.stdout}"
    assert matches(step.wanted, ran.stdout), f"{where}\n--- in the document\n{step.wanted}\n--- came\n{ran.stdout}"


class Shown(doctest.OutputChecker):
    """Compares as the console blocks do."""

    def check_output(self, want, got, optionflags):
        return super().check_output(want, got, optionflags) or matches(want, got)


def run_doctest(block, names, name, first_line):
    test = doctest.DocTestParser().get_doctest(block, names, name, name, first_line - 1)
    assert test.examples, f"{name}, line {first_line}: a transcript in Python has lines that start with >>>"
    printed = []
    runner = doctest.DocTestRunner(Shown(), verbose=False)
    result = runner.run(test, out=printed.append, clear_globs=False)
    names.update(test.globs)  # the parser gave the test a copy
    assert not result.failed, "".join(printed)


def matches(wanted, got):
    """Tell whether text is what a document shows, in which … stands for anything."""
    parts = []
    for line in wanted.rstrip().splitlines():
        whole = line.strip() == ANY
        parts.append(r"(?:.*\n)*" if whole else ".*".join(map(re.escape, line.rstrip().split(ANY))) + r"\n")
    came = "".join(f"{line.rstrip()}\n" for line in got.rstrip().splitlines())
    return re.fullmatch("".join(parts), came) is not None


@pytest.mark.parametrize(
    ("wanted", "got", "same"),
    [
        ("one\ntwo", "one\ntwo\n", True),
        ("one\ntwo", "one\ntoo\n", False),
        ("one", "one\ntwo\n", False),
        ("took … s", "took 3.25 s", True),
        ("took … s", "took 3.25 s\nand more", False),
        ("first\n…\nlast", "first\na\nb\nlast", True),
        ("first\n…\nlast", "first\nlast", True),
        ("first\n…\nlast", "first\na\nb", False),
        ("a.b [c] (d)", "a.b [c] (d)   \n\n", True),
        ("", "", True),
        ("", "unforeseen", False),
    ],
)
def test_what_an_ellipsis_stands_for(wanted, got, same):
    assert matches(wanted, got) is same


def written(tmp_path, *blocks, opening=""):
    page = tmp_path / "page.md"
    page.write_text(
        opening + "".join(f"<!-- transcript -->\n```{kind}\n{text}\n```\n\nprose\n\n" for kind, text in blocks)
    )
    folder = tmp_path / "run"
    folder.mkdir()
    return page, folder


def test_a_true_page_passes_and_its_blocks_share_a_folder_and_names(tmp_path, monkeypatch):
    run_page(
        *written(
            tmp_path,
            ("console", "$ echo one \\\n    two > words.txt\n$ cat words.txt; echo three >&2; exit 0\none two\nthree"),
            ("pycon", ">>> words = open('words.txt').read().split()\n>>> words\n['one', …]"),
            ("python", ">>> len(words)\n2"),
        ),
        monkeypatch,
    )


@pytest.mark.parametrize(
    ("kind", "text", "wanted"),
    [
        ("console", "$ echo one\ntwo", r"page.md, line 3: \$ echo one"),
        ("console", "$ true\n$ echo one", "line 4"),
        ("console", "$ echo one; exit 3\none", "left with 3"),
        ("console", "echo one\none", "starts with a command"),
        ("pycon", ">>> 1 + 1\n3", "(?s)line 3.*Expected.*3.*Got.*2"),
        ("pycon", ">>> 1 + missing\n3", "NameError"),
        ("python", "1 + 1", "start with >>>"),
        ("text", "nothing", "without a block"),
    ],
)
def test_a_false_page_fails_and_names_the_line(kind, text, wanted, tmp_path, monkeypatch):
    with pytest.raises(AssertionError, match=wanted):
        run_page(*written(tmp_path, (kind, text)), monkeypatch)


def test_data_is_linked_where_a_page_asks_for_it(tmp_path, monkeypatch):
    home = tmp_path / "sets"
    home.mkdir()
    (home / "edges.csv").write_text("a,b\n")
    monkeypatch.setenv("ORTHONET_DATA_HOME", str(home))
    page, folder = written(
        tmp_path, ("console", "$ cat data/edges.csv\na,b"), opening="<!-- needs: data, numpy -->\n\n"
    )
    run_page(page, folder, monkeypatch)


@pytest.mark.parametrize("need", ["data", "a_package_that_is_not_there"])
def test_a_page_is_skipped_without_what_it_needs(need, tmp_path, monkeypatch):
    monkeypatch.delenv("ORTHONET_DATA_HOME", raising=False)
    page, folder = written(tmp_path, ("console", "$ false"), opening=f"<!-- needs: {need} -->\n\n")
    with pytest.raises(pytest.skip.Exception):
        run_page(page, folder, monkeypatch)
