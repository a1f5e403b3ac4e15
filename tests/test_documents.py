"""The documents' code runs, and their tables are the measured ones."""

import ast
import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

from orthonet.clustering.judging import NETWORK
from orthonet.evidence.proposals import PROPOSALS

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Those marked as transcripts are run, with what they print, by test_transcripts.py.
PYTHON = re.compile(r"(?<!<!-- transcript -->\n)```python\n(.*?)```", re.DOTALL)
WITH_CODE = [document for document in DOCUMENTS if PYTHON.search(document.read_text())]


@pytest.mark.parametrize("document", WITH_CODE, ids=lambda path: path.name)
@pytest.mark.filterwarnings("ignore:layer:UserWarning")
@pytest.mark.slow
def test_python_in_a_document_runs(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = "\n".join(PYTHON.findall(document.read_text()))
    exec(compile(code, document.name, "exec"), {})  # noqa: S102


@pytest.mark.parametrize(
    ("script", "results", "table"),
    [
        ("benchmarks/fit.py", "benchmarks/results/fit.json", "fit"),
        ("benchmarks/aggregation.py", "benchmarks/results/aggregation.json", "aggregation"),
        ("benchmarks/pyriemann_mean.py", "benchmarks/results/pyriemann_mean.json", "pyriemann"),
        ("experiments/compressed.py", "experiments/results/compressed.json", "compressed"),
        ("benchmarks/training.py", "benchmarks/results/training.json", "training"),
        ("benchmarks/reading.py", "benchmarks/results/reading.json", "reading"),
        ("benchmarks/scale/run.py", "benchmarks/results/scale.json", "scale"),
        ("benchmarks/beside_spectral.py", "benchmarks/results/beside_spectral.json", "beside-spectral"),
        ("benchmarks/shards.py", "benchmarks/results/shards.json", "shards"),
    ],
)
def test_tables_are_made_from_the_kept_results(script, results, table, monkeypatch):
    module = loaded(script, monkeypatch)
    kept = json.loads((ROOT / results).read_text())
    assert_published(table, module.render(kept.get("rows") or kept["parts"]))


def test_the_papers_tables_are_made_from_the_kept_results(monkeypatch):
    publish = loaded("experiments/publish.py", monkeypatch)
    for mark, (name, render) in publish.PIECES.items():
        assert_published(mark, render(publish.read(name)))


def loaded(script, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT / "experiments")])
    spec = importlib.util.spec_from_file_location(Path(script).stem, ROOT / script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assert_published(mark, table):
    holders = [document for document in DOCUMENTS if f"<!-- {mark}:" in document.read_text()]
    assert holders, mark
    for document in holders:
        assert table.strip() in document.read_text(), mark


def test_every_public_name_of_the_readme_can_be_imported_as_it_says():
    lines = re.findall(r"^from orthonet import .+$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert len(lines) > 2
    for line in lines:
        exec(line, {})  # noqa: S102


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text()):
        if not target.startswith("http"):
            assert (document.parent / target).exists(), target


def test_the_table_of_warnings_has_them_all_and_no_others():
    rows = re.findall(r"^\| \*(.+?)\* \|", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE)
    shown = {row: re.compile(".*".join(map(re.escape, row.split("…"))), re.DOTALL) for row in rows}
    given = [text for path in sorted((ROOT / "src").rglob("*.py")) for text in warnings_in(path)]
    assert given
    assert [text for text in given if not any(row.search(text) for row in shown.values())] == []
    assert [text for text, row in shown.items() if not any(map(row.search, given))] == []


def test_the_table_of_proposals_is_that_of_the_registry():
    text = (ROOT / "docs" / "reference" / "evidence.md").read_text()
    *rows, last = re.findall(r"^\| `(.+?)`( \(costly\))? \| (.+) \|$", text, re.MULTILINE)
    assert rows == [(one.name, " (costly)" * one.costly, one.reason) for one in PROPOSALS.values()]
    assert last[0] == NETWORK


def warnings_in(path):
    """Return the texts of the warnings in a source file, with … where a value goes."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "warn_user":
            pieces = [part for part in ast.walk(node.args[0]) if isinstance(part, ast.JoinedStr | ast.Constant)]
            strings = pieces[0].values if isinstance(pieces[0], ast.JoinedStr) else pieces[:1]
            yield "".join(part.value if isinstance(part, ast.Constant) else "…" for part in strings)
