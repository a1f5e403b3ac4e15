"""Parquet and HDF5 files from others are read once where a crash or a hang does no harm, before they are read here."""

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csr_array

from orthonet.files import annotated, isolation, read_network, read_views
from orthonet.files.annotated import read_annotated

pytest.importorskip("polars")
anndata, h5py = pytest.importorskip("anndata"), pytest.importorskip("h5py")
BROKEN = Path(__file__).parent / "broken"


def refused(read, file):
    with pytest.raises(ValueError) as caught:
        read(file)
    said = str(caught.value)
    assert file.name in said
    assert said.isprintable()
    return said


@pytest.fixture
def cells(tmp_path):
    matrix = np.triu(np.random.default_rng(0).random((6, 6)), 1)
    graph = csr_array(matrix + matrix.T)
    data = anndata.AnnData(np.random.default_rng(1).random((6, 2)), obsp={"connectivities": graph})
    data.write_h5ad(tmp_path / "cells.h5ad")
    return tmp_path / "cells.h5ad"


def test_a_parquet_file_on_which_polars_ends_the_program_is_refused():
    assert "is not a whole Parquet file: it is damaged" in refused(read_network, BROKEN / "aborts.parquet")


def test_a_parquet_file_on_which_polars_stumbles_is_answered_for_with_backtraces_on_too(monkeypatch):
    monkeypatch.setenv("RUST_BACKTRACE", "1")
    isolation._close_idle()
    said = refused(read_network, BROKEN / "panics.parquet")
    assert "is not a whole Parquet file" in said
    assert "took more than" not in said


def test_a_reader_that_took_too_long_is_not_asked_twice(tmp_path, monkeypatch):
    (tmp_path / "waiting.py").write_text("import time\ntime.sleep(600)\n")
    isolation._close_idle()
    with monkeypatch.context() as patch:
        patch.setattr(isolation, "READER", tmp_path / "waiting.py")
        isolation._idle.append(isolation._Reader())  # as if it had read a file before
    monkeypatch.setattr(isolation, "PATIENCE", 0.2)
    begun = []
    monkeypatch.setattr(isolation, "_Reader", lambda: begun.append(1))
    with pytest.raises(isolation.ReaderError, match="took more than"):
        isolation.asked({}, 0, 1)
    assert not begun


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="has no timers")
def test_a_reader_that_hangs_ends_although_who_asked_is_gone(tmp_path):
    (tmp_path / "polars.py").write_text("import threading\nthreading.Event().wait()\n")
    request = {"path": "", "sample_rows": 1, "memory": 2**28, "seconds": 1, "patience": 0.5}
    asking = "import subprocess, sys\nreader = subprocess.Popen([sys.executable, '-P', sys.argv[1]], stdin=subprocess.PIPE)\n"
    asking += "reader.stdin.write(sys.argv[2].encode() + b'\\n')\nreader.stdin.flush()\n"
    command = [sys.executable, "-c", asking, str(isolation.READER), json.dumps(request)]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    # The pipe is closed when both have ended: whoever asked at once, the reader by its alarm.
    subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, timeout=300)


def test_an_hdf5_file_that_is_read_without_end_is_refused(tmp_path, monkeypatch):
    (tmp_path / "cells.h5ad").write_bytes(gzip.decompress((BROKEN / "hangs.h5ad.gz").read_bytes()))
    monkeypatch.setattr(annotated, "SPARE_SECONDS", 1)
    assert "took more than 1 seconds" in refused(read_annotated, tmp_path / "cells.h5ad")


def test_a_whole_file_is_read(cells):
    assert read_annotated(cells).graph.n_nodes == 6


@pytest.mark.parametrize(("part", "value"), [("indptr", 3_000_000), ("indices", 99), ("indices", -1)])
def test_a_sparse_matrix_whose_indices_lead_elsewhere_is_refused(cells, part, value):
    with h5py.File(cells, "r+") as file:
        file["obsp/connectivities"][part][1] = value
    refused(read_annotated, cells)


def test_what_is_in_another_file_is_not_fetched(cells, tmp_path):
    (tmp_path / "secret").write_bytes(bytes(96))
    with h5py.File(cells, "r+") as file:
        file["uns"]["other"] = h5py.ExternalLink(str(tmp_path / "secret"), "/x")
    assert "is in another file" in refused(read_annotated, cells)
    with h5py.File(cells, "r+") as file:
        del file["uns"]["other"]
        file["uns"].create_dataset("other", (12,), dtype="f8", external=[(str(tmp_path / "secret"), 0, 96)])
    assert "is in another file" in refused(read_annotated, cells)


def test_groups_that_contain_themselves_are_refused(cells):
    with h5py.File(cells, "r+") as file:
        file["uns"]["again"] = file["uns"]
    assert "contain themselves" in refused(read_annotated, cells)


def test_an_array_that_claims_a_terabyte_is_refused(cells):
    with h5py.File(cells, "r+") as file:
        file["uns"].create_dataset("large", (2**37,), dtype="f8", chunks=(2**10,))
    assert "claims more memory" in refused(read_annotated, cells)


def test_numbers_that_are_missing_beside_relations_name_their_file(tmp_path):
    relation = np.triu(np.random.default_rng(0).random((6, 6)), 1)
    relation += relation.T
    features = np.ones((6, 3))
    features[0, 1] = np.nan
    savemat(
        tmp_path / "set.mat", {"feature": features, "PAP": relation, "PLP": relation > 0.5, "label": np.arange(6) % 2}
    )
    said = refused(lambda file: read_views(file).graph(), tmp_path / "set.mat")
    assert "NaN" in said
