"""`orthonet cluster`: files in, files out, and a sentence for what is wrong."""

import csv
import json

import numpy as np
import pytest
from scipy.sparse import save_npz

from orthonet import MultilayerGraph, OrthoNet, metrics

testing = pytest.importorskip("typer.testing")


def orthonet(*arguments):
    from orthonet.cli.app import app

    return testing.CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def views(clouds, tmp_path):
    """The three clouds as a table with a header, one without, and an array."""
    first, second, third = np.hsplit(clouds.graph.features, 3)
    np.savetxt(tmp_path / "first.csv", first, delimiter=",", header="x,y", comments="")
    np.savetxt(tmp_path / "second.tsv", second, delimiter="\t")
    np.save(tmp_path / "third.npy", third)
    return [
        f"--view={name}" for name in (tmp_path / "first.csv", tmp_path / "second.tsv", f"c={tmp_path / 'third.npy'}")
    ]


def rows_of(file):
    with file.open() as lines:
        return list(csv.DictReader(lines))


def test_views_become_labels_embedding_and_model(views, clouds, tmp_path):
    out = tmp_path / "deep" / "out"
    done = orthonet("cluster", *views, "-k", 3, "--steps", 30, "--seed", 4, "-o", out)
    assert done.exit_code == 0, done.output
    assert "150 nodes in 3 groups of" in done.stdout
    assert {file.name for file in out.iterdir()} == {"labels.csv", "embedding.npy", "model", "run.json"}

    rows = rows_of(out / "labels.csv")
    assert [row["node"] for row in rows] == [str(node) for node in range(150)]
    labels = np.array([int(row["label"]) for row in rows])
    assert metrics.nmi(clouds.labels, labels) > 0.9
    assert all(1 / 3 - 1e-4 <= float(row["confidence"]) <= 1 for row in rows)

    model = OrthoNet.load(out / "model")
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_array_equal(np.load(out / "embedding.npy"), model.embedding_)
    np.testing.assert_array_equal(model.predict(clouds.graph.features), labels)
    record = json.loads((out / "run.json").read_text())
    assert (record["nodes"], record["layers"], record["steps"]) == (150, ["first", "second", "c"], model.n_steps_)
    assert record["complete"] is True
    assert record["parameters"]["random_state"] == 4
    assert record["cluster_sizes"] == np.bincount(labels).tolist()


def test_it_does_what_the_estimator_does(views, clouds, tmp_path):
    done = orthonet("cluster", *views, "-k", 3, "--steps", 30, "--neighbors", 7, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    graph = MultilayerGraph.from_views(np.hsplit(clouds.graph.features, 3), n_neighbors=7)
    expected = OrthoNet(3, n_neighbors=7, max_steps=30, random_state=0).fit(graph)
    found = [int(row["label"]) for row in rows_of(tmp_path / "out" / "labels.csv")]
    np.testing.assert_array_equal(found, expected.labels_)


@pytest.mark.parametrize("with_features", [True, False])
def test_layers_with_and_without_features(clouds, tmp_path, with_features):
    save_npz(tmp_path / "one.npz", clouds.graph.layers[0])
    np.save(tmp_path / "two.npy", clouds.graph.layers[1].toarray())
    np.save(tmp_path / "features.npy", clouds.graph.features)
    given = ["--features", tmp_path / "features.npy"] if with_features else []
    layers = [f"--layer={tmp_path / 'one.npz'}", f"--layer={tmp_path / 'two.npy'}"]
    done = orthonet("cluster", *layers, *given, "-k", 3, "--steps", 30, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert len(rows_of(tmp_path / "out" / "labels.csv")) == 150
    assert OrthoNet.load(tmp_path / "out" / "model").n_features_in_ == (6 if with_features else 0)


@pytest.fixture
def files(clouds, tmp_path):
    np.save(tmp_path / "view.npy", clouds.graph.features)
    np.save(tmp_path / "flat.npy", clouds.labels)
    (tmp_path / "words.csv").write_text("a,b\nx,y\n")
    (tmp_path / "table.xlsx").write_text("")
    for empty in ("empty.npy", "empty.npz", "empty.csv"):
        (tmp_path / empty).write_text("")
    (tmp_path / "noise.npz").write_text("not a zip file")
    save_npz(tmp_path / "cut.npz", clouds.graph.layers[0])
    (tmp_path / "cut.npz").write_bytes((tmp_path / "cut.npz").read_bytes()[:500])
    (tmp_path / "cut.npy").write_bytes((tmp_path / "view.npy").read_bytes()[:500])
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "pass either --view files, from which layers are built, or --layer files"),
        (["--view=view.npy", "--layer=view.npy"], "pass either --view files"),
        (["--view=view.npy", "--features=view.npy"], "--features goes with --layer"),
        (["--view=nowhere.csv"], "there is no file nowhere.csv"),
        (["--view=shape=nowhere.csv"], "there is no file nowhere.csv"),
        (["--layer=view.npy"], r"view.npy has shape (150, 6); a layer is a square matrix"),
        (["--layer=flat.npy"], r"flat.npy has shape (150,); a layer is a square matrix"),
        (["--view=words.csv"], "words.csv is not a table of numbers"),
        (["--view=table.xlsx"], "table.xlsx: tables are .npy, .npz"),
        (["--view=empty.npy"], "empty.npy is not a NumPy array of numbers, or is cut off"),
        (["--view=empty.npz"], "empty.npz is not a scipy sparse matrix, or is cut off"),
        (["--view=noise.npz"], "noise.npz is not a scipy sparse matrix"),
        (["--view=empty.csv"], "empty.csv is empty"),
        (["--view=cut.npz"], "cut.npz is not a scipy sparse matrix, or is cut off"),
        (["--view=cut.npy"], "cut.npy is not a NumPy array of numbers, or is cut off"),
        (["--view=view.npy", "--device=abacus"], "device must be"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_in_a_sentence(files, monkeypatch, arguments, message):
    monkeypatch.chdir(files)
    done = orthonet("cluster", *arguments, "-k", 3, "-o", "out")
    assert done.exit_code == 2
    assert done.stderr.startswith("orthonet cluster: ")
    assert message in done.stderr
    assert not (files / "out").exists()
