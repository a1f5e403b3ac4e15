"""Every wrong file gives one line that names it, and the row where there is one, exit code 2, and nothing is written."""

import gzip
import io

import numpy as np
import pytest
from scipy.io import savemat

pytest.importorskip("typer")

EDGES = "source,target,layer,weight\n" + "".join(
    f"n{i},n{i + 1},work,1\nn{i},n{(i * 7) % 90},lunch,2\n" for i in range(90)
)


def bomb(pack):
    if pack == "gz":
        return gzip.compress(b"a,b\n" * 2**25)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, data=np.zeros(2**25), format=b"csr", shape=[1, 1], indices=[0], indptr=[0, 1])
    return buffer.getvalue()


def matlab_with_an_object():
    buffer = io.BytesIO()
    savemat(buffer, {"code": {"field": 1.0}, "X1": np.ones((3, 10)), "X2": np.ones((4, 10))})
    content = bytearray(buffer.getvalue())
    content[content.index(b"\x06\0\0\0\x08\0\0\0", 128) + 8] = 3  # Matlab's number of objects, where structs have 2
    return bytes(content)


WRONG = {
    "cut in the middle": ("edges.csv", EDGES[:1003].encode(), "edges.csv, row "),
    "wrong delimiter": (
        "edges.csv",
        EDGES.replace(",", ":").encode(),
        "edges.csv, line 1: expected at least 2 columns",
    ),
    "text in a weight column": (
        "edges.csv",
        (EDGES + "n1,n3,work,much\n").encode(),
        "edges.csv, row 181: a weight must be a number, got 'much'",
    ),
    "a negative weight": (
        "edges.csv",
        (EDGES + "n1,n3,work,-1\n").encode(),
        "edges.csv, row 181: a weight must be finite and >= 0",
    ),
    "no rows": ("edges.csv", b"source,target\n", "edges.csv has no edges"),
    "0 bytes": ("edges.csv", b"", "edges.csv is empty (0 bytes)"),
    "gzip bomb": ("edges.csv.gz", lambda: bomb("gz"), "edges.csv.gz unpacks to"),
    "zip bomb": ("net.npz", lambda: bomb("npz"), "net.npz unpacks to"),
    "not UTF-8": (
        "edges.csv",
        EDGES.replace("n5,", "né,").encode("latin-1"),
        "edges.csv, line 10: not a text file in UTF-8",
    ),
    "cut gzip": ("edges.csv.gz", gzip.compress(EDGES.encode(), mtime=0)[:-30], "edges.csv.gz is cut or damaged"),
    "an object in a .mat": ("set.mat", matlab_with_an_object, "set.mat holds the Matlab object 'code'"),
    "a cut .mat": ("set.mat", lambda: matlab_with_an_object()[:200], "set.mat"),
}


@pytest.mark.parametrize("command", ["cluster", "compare", "convert", "info"])
@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_file(orthonet, tmp_path, kind, command):
    name, content, message = WRONG[kind]
    (tmp_path / name).write_bytes(content() if callable(content) else content)
    arguments = {
        "cluster": ["-k", 3, "-o", tmp_path / "out"],
        "compare": ["-k", 3, "-o", tmp_path / "out"],
        "convert": ["-o", tmp_path / "out.npz"],
        "info": [],
    }[command]
    refused(orthonet(command, tmp_path / name, *arguments), message)
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_directory(orthonet, tmp_path):
    refused(orthonet("cluster", tmp_path, "-k", 3, "-o", tmp_path / "out"), "is a directory, not a file")
    assert list(tmp_path.iterdir()) == []


def test_one_layer_that_names_unknown_nodes(orthonet, tmp_path):
    (tmp_path / "good.csv").write_text("a,b\nb,c\n")
    (tmp_path / "bad.csv").write_text("a,b\nb,stranger\n")
    (tmp_path / "nodes.csv").write_text("id,x\na,1\nb,2\nc,3\n")
    layers = ["--layer", f"one={tmp_path / 'good.csv'}", "--layer", f"two={tmp_path / 'bad.csv'}"]
    done = orthonet("cluster", *layers, "-f", tmp_path / "nodes.csv", "-k", 2, "-o", tmp_path / "out")
    refused(done, "bad.csv, row 2: node 'stranger' is not in")
    assert not (tmp_path / "out").exists()


def test_an_earlier_run_survives_a_wrong_file(orthonet, network):
    arguments = ["-f", network / "nodes.csv", "-k", 3, "--steps", 5, "--no-report", "-o", network / "out"]
    assert orthonet("cluster", network / "edges.csv", *arguments).exit_code == 0
    before = {file: file.read_bytes() for file in (network / "out").rglob("*") if file.is_file()}
    (network / "edges.csv").write_text("source,target\n0,1\n0,")
    refused(orthonet("cluster", network / "edges.csv", *arguments), "edges.csv, row 2: no target")
    assert {file: file.read_bytes() for file in (network / "out").rglob("*") if file.is_file()} == before


def refused(done, message):
    assert done.exit_code == 2, done.output
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
