"""The documents' code runs, and their tables are the measured ones."""

import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WITH_CODE = [document for document in DOCUMENTS if "```python" in document.read_text()]


@pytest.mark.parametrize("document", WITH_CODE, ids=lambda path: path.name)
@pytest.mark.filterwarnings("ignore:layer:UserWarning")
def test_python_in_a_document_runs(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = "\n".join(re.findall(r"```python\n(.*?)```", document.read_text(), re.DOTALL))
    exec(compile(code, document.name, "exec"), {})  # noqa: S102


@pytest.mark.parametrize(
    ("script", "results", "table"),
    [
        ("benchmarks/fit.py", "benchmarks/results/fit.json", "fit"),
        ("benchmarks/aggregation.py", "benchmarks/results/aggregation.json", "aggregation"),
        ("benchmarks/pyriemann_mean.py", "benchmarks/results/pyriemann_mean.json", "pyriemann"),
        ("experiments/compressed.py", "experiments/results/compressed.json", "compressed"),
        ("benchmarks/training.py", "benchmarks/results/training.json", "training"),
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


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text()):
        if not target.startswith("http"):
            assert (document.parent / target).exists(), target
