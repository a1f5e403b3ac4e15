"""AnnData and MuData files on the command line: read as they are, and refused in a sentence."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

pytest.importorskip("typer")
anndata = pytest.importorskip("anndata")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore:Cannot join columns:UserWarning")

N = 60
KINDS = np.arange(N) % 2


@pytest.fixture
def cells(rng):
    data = anndata.AnnData(
        rng.normal(size=(N, 4)) + 4 * KINDS[:, None],
        obs=pd.DataFrame({"depth": rng.random(N)}, index=[f"cell {index}" for index in range(N)]),
        var=pd.DataFrame(index=[f"gene {index}" for index in range(4)]),
    )
    data.obs["kind"] = pd.Categorical([f"kind {one}" for one in KINDS[:-1]] + [None])
    data.obsm["X_umap"] = rng.random((N, 2))
    return data


@pytest.fixture
def graph_file(cells, rng, tmp_path):
    near = csr_array(np.triu(rng.random((N, N)) < np.where(KINDS[:, None] == KINDS, 0.3, 0.01), 1), dtype=float)
    cells.obsp["connectivities"] = near  # directed: made symmetric
    cells.obsp["distances"] = near
    cells.write_h5ad(tmp_path / "graph.h5ad")
    return tmp_path / "graph.h5ad"


def test_the_graphs_of_an_anndata_are_clustered(orthonet, graph_file, labels_of):
    out = graph_file.parent / "out"
    done = orthonet("cluster", graph_file, "-k", 2, "--truth", "kind", "--steps", 20, "-o", out, "--no-report")
    assert done.exit_code == 0, done.output
    for words in ("layers are the graphs of obsp: connectivities", "not read: obsp['distances'], obsm['X_umap']"):
        assert words in done.stdout
    assert "known of 59 nodes: purity 1.000" in done.stdout
    assert len(labels_of(out)) == N
    code = json.loads((out / "run.json").read_text())["code"]
    namespace = {}
    exec(code, namespace)  # noqa: S102
    assert namespace["graph"].layer_names == ("connectivities",)
    assert orthonet("report", out).exit_code == 0


def test_an_anndata_without_graphs_has_a_layer_built_from_its_features(orthonet, cells, tmp_path):
    cells.write_h5ad(tmp_path / "plain.h5ad")
    done = orthonet("info", tmp_path / "plain.h5ad", "--neighbors", 5)
    assert done.exit_code == 0, done.output
    assert "obsp has no graph of similarities; the layer is built from X" in done.stdout
    assert "features: gene 0, gene 1, gene 2, gene 3" in done.stdout
    assert "about the nodes: depth, kind" in done.stdout


def test_a_mudata_has_a_layer_for_each_modality(orthonet, cells, tmp_path):
    mudata = pytest.importorskip("mudata")
    mudata.MuData({"rna": cells, "protein": cells[:50].copy()}).write_h5mu(tmp_path / "cells.h5mu")
    done = orthonet("convert", tmp_path / "cells.h5mu", tmp_path / "net.npz")
    assert done.exit_code == 0, done.output
    assert "a layer is built from each modality: rna (X), protein (X)" in done.stdout
    done = orthonet("info", tmp_path / "net.npz", "--json")
    assert [layer["n_missing"] for layer in json.loads(done.stdout)["layers"]] == [0, 10]


@pytest.mark.parametrize(("suffix", "package"), [("h5ad", "anndata"), ("h5mu", "mudata")])
def test_a_missing_package_is_a_sentence_with_the_extra(orthonet, tmp_path, monkeypatch, suffix, package):
    (tmp_path / f"cells.{suffix}").write_bytes(b"\x89HDF\r\n\x1a\n")
    monkeypatch.setitem(sys.modules, package, None)
    done = orthonet("info", tmp_path / f"cells.{suffix}")
    assert done.exit_code == 2
    assert f"reading an .{suffix} file needs the package '{package}'" in done.stderr
    assert "pip install 'orthonet[anndata]'" in done.stderr


def test_wrong_annotated_files(orthonet, graph_file):
    done = orthonet("info", graph_file, "--features", "nodes.csv")
    assert done.exit_code == 2
    assert "graph.h5ad has layers and features of its own: pass it alone" in done.stderr
    graph_file.write_text("junk")
    done = orthonet("info", graph_file)
    assert done.exit_code == 2
    assert "graph.h5ad cannot be read by anndata, or is damaged" in done.stderr
    assert done.stderr.count("\n") == 1
