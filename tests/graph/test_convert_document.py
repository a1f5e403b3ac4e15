"""The examples of docs/interop.md that need optional packages; tests/test_documents.py runs the others."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / "docs" / "interop.md"
BLOCKS = re.findall(r"```(?:python|py)\n(.*?)```", PAGE.read_text(), re.DOTALL)
PACKAGES = ("igraph", "torch_geometric", "anndata", "mudata", "polars")


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore:.*name.*:UserWarning", "ignore:Transforming to str index")
def test_the_examples_run():
    namespace: dict[str, object] = {}
    missing = set()
    for block in BLOCKS:
        needed = [package for package in PACKAGES if re.search(rf"\b{package}\b", block)]
        try:
            for package in needed:
                pytest.importorskip(package)
        except pytest.skip.Exception:
            missing.update(needed)
            continue
        exec(compile(block, PAGE.name, "exec"), namespace)  # noqa: S102
    if missing:
        pytest.skip(f"the rest ran; some examples need one of {', '.join(sorted(missing))}")
