"""`orthonet cluster`: files in, files out, and a sentence for what is wrong."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import save_npz

from orthonet import MultilayerGraph, OrthoNet, metrics

pytest.importorskip("typer")
WRITTEN = {"labels.csv", "embedding.csv", "model", "run.json", "report.html"}


@pytest.fixture(scope="module")
def run_of_views(orthonet, views_in, tmp_path_factory):
    """The folder of a run on three views with seed 4, and what it printed."""
    folder = tmp_path_factory.mktemp("views")
    out = folder / "deep" / "out"
    done = orthonet("cluster", *views_in(folder), "-k", 3, "--steps", 30, "--seed", 4, "-o", out)
    assert done.exit_code == 0, done.output
    return out, done.stdout


def test_a_run_says_what_it_found_and_writes_its_files(run_of_views):
    out, printed = run_of_views
    assert "150 nodes in 3 clusters of" in printed
    assert {file.name for file in out.iterdir()} == WRITTEN


def test_the_labels_of_a_run_are_the_clusters_with_their_confidence(run_of_views, clouds, rows_of, labels_of):
    out, _ = run_of_views
    rows = rows_of(out / "labels.csv")
    assert [row["node"] for row in rows] == [str(node) for node in range(150)]
    assert metrics.nmi(clouds.labels, labels_of(out)) > 0.9
    assert all(1 / 3 - 1e-4 <= float(row["confidence"]) <= 1 for row in rows)


def test_the_tables_of_a_run_are_those_of_its_model(run_of_views, clouds, rows_of, labels_of):
    out, _ = run_of_views
    model = OrthoNet.load(out / "model")
    np.testing.assert_array_equal(model.labels_, labels_of(out))
    embedding = [[float(row[f"x{axis}"]) for axis in (1, 2, 3)] for row in rows_of(out / "embedding.csv")]
    np.testing.assert_array_equal(embedding, model.embedding_)
    np.testing.assert_array_equal(model.predict(clouds.graph.features), labels_of(out))


def test_the_record_of_a_run_says_what_was_fitted_and_how(run_of_views, labels_of):
    out, _ = run_of_views
    record = json.loads((out / "run.json").read_text())
    steps = OrthoNet.load(out / "model").n_iter_
    assert (record["nodes"], record["layers"], record["steps"]) == (150, ["first", "second", "c"], steps)
    assert record["complete"] is True
    assert record["seed"] == record["parameters"]["random_state"] == 4
    assert record["cluster_sizes"] == np.bincount(labels_of(out)).tolist()
    assert set(record["seconds"]) == {"reading", "fitting", "report", "all"}
    assert {"orthonet", "python", "numpy", "torch"} <= set(record["versions"])


def test_edges_with_a_table_of_nodes(orthonet, network, clouds, monkeypatch, labels_of):
    monkeypatch.chdir(network)
    done = orthonet(
        "cluster", "edges.csv", "--features", "nodes.csv", "-k", 3, "--steps", 30, "-o", "out", "--truth", "truth.csv"
    )
    assert done.exit_code == 0, done.output
    assert "150 nodes, 3 layers" in done.stdout
    assert "columns of text, not features: 'town'" in done.stdout
    graph = MultilayerGraph(list(clouds.graph.layers), clouds.graph.features)
    expected = OrthoNet(3, random_state=0, training={"max_iter": 30}).fit(graph)
    np.testing.assert_array_equal(labels_of(network / "out"), expected.labels_)
    record = json.loads((network / "out" / "run.json").read_text())
    assert record["scores"]["nmi"] == pytest.approx(metrics.nmi(clouds.labels, expected.labels_), abs=1e-4)
    assert f"nmi {record['scores']['nmi']:.3f}" in done.stdout


def test_the_code_in_the_record_makes_the_same_graph(orthonet, network, clouds, monkeypatch):
    monkeypatch.chdir(network)
    arguments = ["edges.csv", "-f", "nodes.csv", "--unknown-nodes", "drop", "--symmetrize", "mean"]
    done = orthonet("cluster", *arguments, "-k", 3, "--steps", 5, "-o", "out", "--no-report")
    assert done.exit_code == 0, done.output
    made = {}
    exec(json.loads((network / "out" / "run.json").read_text())["code"], made)  # noqa: S102
    assert made["graph"].layer_names == clouds.graph.layer_names
    for one, other in zip(made["graph"].layers, clouds.graph.layers, strict=True):
        assert abs(one - other).max() < 1e-12
    np.testing.assert_allclose(made["graph"].features, clouds.graph.features)


def test_a_column_of_the_nodes_as_truth(orthonet, network):
    arguments = [network / "edges.csv", "-f", network / "nodes.csv", "-k", 3, "--steps", 30, "-o", network / "out"]
    done = orthonet("cluster", *arguments, "--truth", "town", "--no-report")
    assert done.exit_code == 0, done.output
    assert json.loads((network / "out" / "run.json").read_text())["scores"]["nmi"] > 0.9


def test_a_column_of_numbers_that_is_the_truth_is_no_feature(orthonet, network, clouds):
    rows = (network / "nodes.csv").read_text().splitlines()
    codes = ["code", *map(str, clouds.labels)]
    (network / "nodes.csv").write_text("\n".join(f"{row},{code}" for row, code in zip(rows, codes, strict=True)) + "\n")
    arguments = [network / "edges.csv", "-f", network / "nodes.csv", "-k", 3, "--steps", 30, "-o", network / "out"]
    done = orthonet("cluster", *arguments, "--truth", "code", "--no-report")
    assert done.exit_code == 0, done.output
    record = json.loads((network / "out" / "run.json").read_text())
    assert (record["features"], record["inputs"]["ignore"]) == (6, ["code"])
    assert record["scores"]["nodes"] == 150


def test_a_column_of_a_file_as_truth(orthonet, network):
    arguments = [network / "edges.csv", "-k", 3, "--steps", 30, "-o", network / "out", "--no-report"]
    done = orthonet("cluster", *arguments, "--truth", f"{network / 'nodes.csv'}:town")
    assert done.exit_code == 0, done.output
    assert json.loads((network / "out" / "run.json").read_text())["scores"]["nmi"] > 0.9


def test_nodes_without_a_class_count_in_no_score(orthonet, network, clouds, labels_of):
    rows = (network / "nodes.csv").read_text().splitlines()
    rows[1:31] = [row.rpartition(",")[0] + "," for row in rows[1:31]]
    (network / "nodes.csv").write_text("\n".join(rows) + "\n")
    arguments = [network / "edges.csv", "-f", network / "nodes.csv", "-k", 3, "--steps", 30, "-o", network / "out"]
    done = orthonet("cluster", *arguments, "--truth", "town", "--no-report")
    assert "known of 120 nodes" in done.stdout
    scores = json.loads((network / "out" / "run.json").read_text())["scores"]
    assert scores["nmi"] == pytest.approx(metrics.nmi(clouds.labels[30:], labels_of(network / "out")[30:]), abs=1e-4)


def test_a_column_that_is_ignored_is_no_feature(orthonet, network):
    names = (network / "nodes.csv").read_text().splitlines()[0].split(",")
    arguments = [network / "edges.csv", "-f", network / "nodes.csv", "-k", 3, "--steps", 5, "-o", network / "out"]
    done = orthonet("cluster", *arguments, "--ignore", names[1], "--no-report")
    assert done.exit_code == 0, done.output
    assert OrthoNet.load(network / "out" / "model").feature_names_in_.tolist() == names[2:7]


def test_it_does_what_the_estimator_does(orthonet, views, clouds, tmp_path, labels_of):
    done = orthonet("cluster", *views, "-k", 3, "--steps", 30, "--neighbors", 7, "-o", tmp_path / "out", "--no-report")
    assert done.exit_code == 0, done.output
    graph = MultilayerGraph.from_views(np.hsplit(clouds.graph.features, 3), n_neighbors=7)
    expected = OrthoNet(3, n_neighbors=7, random_state=0, training={"max_iter": 30}).fit(graph)
    np.testing.assert_array_equal(labels_of(tmp_path / "out"), expected.labels_)


def test_other_settings_and_weights_of_layers(orthonet, views, clouds, tmp_path, labels_of):
    options = [
        "--set",
        "network.hidden_layers=(20,)",
        "--set",
        "epsilon=0.01",
        "--set",
        "network=linear",
        "--layer-weight",
        "c=3",
    ]
    done = orthonet("cluster", *views, "-k", 3, "--steps", 20, *options, "-o", tmp_path / "out", "--no-report")
    assert done.exit_code == 0, done.output
    graph = MultilayerGraph.from_views(np.hsplit(clouds.graph.features, 3))
    expected = OrthoNet(
        3,
        epsilon=0.01,
        layer_weights=[1, 1, 3],
        random_state=0,
        network={"kind": "linear", "hidden_layers": (20,)},
        training={"max_iter": 20},
    ).fit(graph)
    np.testing.assert_array_equal(labels_of(tmp_path / "out"), expected.labels_)


@pytest.mark.parametrize("with_features", [True, False])
def test_matrices_with_and_without_features(orthonet, clouds, tmp_path, with_features, rows_of):
    save_npz(tmp_path / "one.npz", clouds.graph.layers[0])
    save_npz(tmp_path / "two.npz", clouds.graph.layers[1])
    np.save(tmp_path / "features.npy", clouds.graph.features)
    given = ["--features", tmp_path / "features.npy"] if with_features else []
    layers = [f"--layer={tmp_path / 'one.npz'}", f"--layer=b={tmp_path / 'two.npz'}"]
    done = orthonet("cluster", *layers, *given, "-k", 3, "--steps", 30, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert len(rows_of(tmp_path / "out" / "labels.csv")) == 150
    model = OrthoNet.load(tmp_path / "out" / "model")
    assert model.n_features_in_ == (6 if with_features else 0)
    assert model.layer_names_ == ("one", "b")


def test_a_matlab_file_of_views(orthonet, clouds, tmp_path):
    first, second, third = np.hsplit(clouds.graph.features, 3)
    savemat(tmp_path / "set.mat", {"X1": first, "X2": second, "X3": third, "gnd": clouds.labels + 1})
    done = orthonet(
        "cluster", tmp_path / "set.mat", "-k", 3, "--steps", 30, "-o", tmp_path / "out", "--truth", "labels"
    )
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "out" / "run.json").read_text())["scores"]["nmi"] > 0.9


def test_parquet_tables(orthonet, views, tmp_path):
    polars = pytest.importorskip("polars")
    done = orthonet(
        "cluster", *views, "-k", 3, "--steps", 5, "--tables", "parquet", "-o", tmp_path / "out", "--no-report"
    )
    assert done.exit_code == 0, done.output
    assert {file.name for file in (tmp_path / "out").iterdir()} == {
        "labels.parquet",
        "embedding.parquet",
        "model",
        "run.json",
    }
    frame = polars.read_parquet(tmp_path / "out" / "labels.parquet")
    assert frame.columns == ["node", "label", "confidence"]
    assert frame["node"].to_list() == list(range(150))


def test_a_second_run_replaces_the_first(orthonet, views, tmp_path):
    for clusters, tables in ((3, "csv"), (4, "parquet")):
        done = orthonet(
            "cluster", *views, "-k", clusters, "--steps", 5, "--tables", tables, "-o", tmp_path / "out", "--no-report"
        )
        assert done.exit_code == 0, done.output
    assert {file.name for file in (tmp_path / "out").iterdir()} == {
        "labels.parquet",
        "embedding.parquet",
        "model",
        "run.json",
    }
    assert OrthoNet.load(tmp_path / "out" / "model").n_clusters == 4
    assert [file.name for file in tmp_path.iterdir() if ".part" in file.name] == []


def test_json_for_machines_and_quiet_for_scripts(orthonet, views, tmp_path):
    arguments = ["cluster", *views, "-k", 3, "--steps", 5, "-o", tmp_path / "out", "--no-report"]
    told = json.loads(orthonet(*arguments, "--json").stdout)
    assert told["files"] == ["labels.csv", "embedding.csv", "model", "run.json"]
    assert sum(told["cluster_sizes"]) == told["nodes"] == 150
    done = orthonet(*arguments, "--quiet")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")


@pytest.fixture
def files(clouds, tmp_path):
    np.save(tmp_path / "view.npy", clouds.graph.features)
    save_npz(tmp_path / "layer.npz", clouds.graph.layers[0])
    save_npz(tmp_path / "wide.npz", clouds.graph.layers[0][:, :99])
    (tmp_path / "named.csv").write_text("ann,bob\nbob,eve\n")
    (tmp_path / "words.csv").write_text("a,b\nx,y\n")
    (tmp_path / "taken").write_text("a file")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("precious")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a file of edges, or files by --layer NAME=FILE, or tables by --view NAME=FILE"),
        (
            ["--view=view.npy", "--layer=layer.npz"],
            "from views (--view, or one .mat file) or read from files of edges, not both",
        ),
        (["named.csv", "--view=view.npy"], "not both"),
        (["--view=view.npy", "--features=view.npy"], "--features and --category go with files of edges"),
        (["named.csv", "--features=view.npy"], "view.npy cannot name its nodes, but named.csv does"),
        (["--view=nowhere.csv"], "nowhere.csv: there is no such file"),
        (["--view=shape=nowhere.csv"], "nowhere.csv: there is no such file"),
        (["nowhere.csv"], "nowhere.csv: there is no such file"),
        (["full"], "full is a directory, not a file"),
        (["--layer=wide.npz"], "must be square (nodes x nodes), got shape 150 x 99"),
        (["--view=words.csv"], "words.csv"),
        (["--view=a=view.npy", "--view=a=view.npy"], "are both called 'a'; write NAME=FILE"),
        (["--view==view.npy"], "write NAME=FILE"),
        (["--view=view.npy", "--device=abacus"], "device must be"),
        (["--view=view.npy", "--set", "epsilom=1"], "--set epsilom=1: write NAME=VALUE with one of aggregation, "),
        (["--view=view.npy", "--set", "epsilon=-1"], "epsilon"),
        (["--view=view.npy", "--set", "tol=1"], "--set tol=1: write aggregation.tol=1 or training.tol=1"),
        (["--view=view.npy", "--set", "n_networks=1"], "--set n_networks=1: write training.n_networks=1"),
        (
            ["--view=view.npy", "--set", "training.tolerance=1"],
            "--set training.tolerance=1: write NAME=VALUE with one of",
        ),
        (["--view=view.npy", "--set", "training.max_iter=9"], "this setting has an option of its own, --steps"),
        (["--view=view.npy", "--set", "training.tol=-1"], "training.tol must be a finite number >= 0, got -1"),
        (
            ["--view=view.npy", "--set", "aggregation.p=1"],
            "unknown option 'p': aggregation.method 'geometric' takes dtype",
        ),
        (["--view=view.npy", "--set", "n_clusters=4"], "this setting has an option of its own, --clusters"),
        (
            ["--view=view.npy", "--layer-weight", "x=1"],
            "--layer-weight x=1: write LAYER=NUMBER with one of the layers view",
        ),
        (["--view=view.npy", "--layer-weight", "view=much"], "'much' is not a number"),
        (["--view=view.npy", "--truth", "nowhere"], "nowhere: there is no such file, and no such column"),
        (["--view=view.npy", "-o", "taken"], "taken is a file; name a folder with --output"),
        (["--view=view.npy", "-o", "full"], "full is not empty and holds no earlier run"),
        (
            ["--view=view.npy", "-k", "1"],
            "--clusters must be a whole number >= 2, auto, or a range such as 2:12, got '1'",
        ),
        (["--view=view.npy", "-k", "many"], "--clusters must be a whole number >= 2, auto, or a range"),
        (["--view=view.npy", "-k", "2:many"], "--clusters must be a whole number >= 2, auto, or a range"),
        (["--view=view.npy", "-k", "9:3"], "--clusters 9:3: a range goes from the smaller to the larger number"),
        (["--view=view.npy", "-k", "2:151"], "--clusters 2:151 is more than the 150 nodes"),
        (["--view=view.npy", "-k", "151"], "--clusters 151 is more than the 150 nodes"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_in_a_sentence(orthonet, files, monkeypatch, arguments, message):
    monkeypatch.chdir(files)
    before = sorted(file.name for file in files.rglob("*"))
    done = orthonet("cluster", "-k", 3, "-o", "out", *arguments)
    assert done.exit_code == 2, done.output
    assert done.stderr.startswith("orthonet cluster: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(file.name for file in files.rglob("*")) == before


def test_the_way_out_is_said_in_the_words_of_the_command_line(orthonet, tmp_path):
    (tmp_path / "edges.csv").write_text("a,b\nb,stranger\n")
    (tmp_path / "nodes.csv").write_text("id,x\na,1\nb,2\n")
    done = orthonet("cluster", tmp_path / "edges.csv", "-f", tmp_path / "nodes.csv", "-k", 2, "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert "edges.csv, row 2: node 'stranger' is not in" in done.stderr
    assert "pass --unknown-nodes drop to leave them out" in done.stderr


def contents(folder):
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.usefixtures("interruptible")
@pytest.mark.slow
def test_ctrl_c_in_training_keeps_an_earlier_run(orthonet, network, monkeypatch):
    monkeypatch.chdir(network)
    arguments = ["edges.csv", "-f", "nodes.csv", "-k", "3", "--no-report", "-o", "out"]
    assert orthonet("cluster", *arguments, "--steps", "5").exit_code == 0
    before = contents(network)
    assert network / "out" / "labels.csv" in before
    command = [sys.executable, "-m", "orthonet", "cluster", *arguments]
    endless = [*command, "--steps", "1000000", "--set", "training.tol=0"]
    running = subprocess.Popen(endless, cwd=network, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert "150 nodes" in running.stdout.readline()  # reading is done
        time.sleep(3)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=120)
    finally:
        running.kill()
    # Python ends itself by the signal if it came while a module was being made; a shell says 130 for both.
    assert running.returncode in (130, -signal.SIGINT)
    assert "interrupted" in errors
    assert "Traceback" not in errors
    assert contents(network) == before


@pytest.mark.skipif(os.name != "posix", reason="a pipe of the shell")
def test_a_reader_that_leaves_does_not_end_the_work(network, labels_of):
    command = f"{sys.executable} -m orthonet cluster edges.csv -k 3 --steps 5 --no-report -o out | true"
    command += "; echo ${PIPESTATUS[0]}"
    done = subprocess.run(["/bin/bash", "-c", command], cwd=network, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"
    assert done.stderr == ""
    assert len(labels_of(network / "out")) == 150


@pytest.mark.parametrize(
    "setting", ["network.hidden_layers=abc", "training.learning_rate=9e99", "training.tol=[1]", "smoothing=abc"]
)
def test_settings_of_a_wrong_kind(orthonet, network, setting):
    done = orthonet(
        "cluster", network / "edges.csv", "-f", network / "nodes.csv", "-k", 3, "--set", setting, "-o", network / "out"
    )
    assert done.exit_code == 2, done.output
    assert setting.partition("=")[0] in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (network / "out").exists()
