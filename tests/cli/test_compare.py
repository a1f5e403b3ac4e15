"""`orthonet compare`: one table for several methods, with a reference and without."""

import csv
import json

import numpy as np
import pytest

from orthonet import MultilayerGraph, metrics
from orthonet.baselines import KMeans
from orthonet.graph.modularity import modularity

pytest.importorskip("typer")


@pytest.fixture(scope="module")
def kmeans_labels(clouds):
    return [KMeans(3, random_state=seed).fit(clouds.graph).labels_ for seed in (0, 1)]


@pytest.fixture
def compared(orthonet, network):
    """The folder of a comparison of two methods with the true classes, over two seeds."""
    arguments = [network / "edges.csv", "-f", network / "nodes.csv", "-k", 3, "--truth", network / "truth.csv"]
    done = orthonet("compare", *arguments, "--methods", "kmeans,spectral", "--runs", 2, "-o", network / "out")
    assert done.exit_code == 0, done.output
    assert "NMI" in done.stdout
    return network / "out"


def test_with_truth_there_are_scores(compared, clouds, kmeans_labels):
    record = json.loads((compared / "comparison.json").read_text())
    assert [row["method"] for row in record["methods"]] == ["K-means", "spectral, mean of layers"]
    expected = np.mean([metrics.nmi(clouds.labels, labels) for labels in kmeans_labels])
    assert record["methods"][0]["nmi"] == pytest.approx(expected, abs=1e-4)
    assert record["methods"][0]["stability"] == pytest.approx(metrics.adjusted_rand(*kmeans_labels), abs=1e-4)


def test_the_labels_of_each_method_stand_beside_the_truth(compared, clouds, kmeans_labels, rows_of):
    rows = rows_of(compared / "comparison-labels.csv")
    np.testing.assert_array_equal([int(row["K-means"]) for row in rows], kmeans_labels[0])
    assert [row["truth"] for row in rows] == [str(label) for label in clouds.labels]


def test_a_comparison_writes_tables_and_a_picture(compared):
    names = {"comparison.json", "comparison.csv", "comparison.png", "comparison-labels.csv"}
    assert {file.name for file in compared.iterdir()} == names
    assert (compared / "comparison.png").read_bytes().startswith(b"\x89PNG")


def test_without_truth_there_are_stability_and_modularity(orthonet, views, clouds):
    done = orthonet("compare", *views, "-k", 3, "--methods", "kmeans", "--json")
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout)["methods"]
    assert set(row["modularity"]) == {"first", "second", "c"}
    graph = MultilayerGraph.from_views(np.hsplit(clouds.graph.features, 3))
    labels = KMeans(3, random_state=0).fit(graph).labels_
    assert row["modularity"]["first"] == pytest.approx(modularity(graph.layers[0], labels, 3), abs=1e-6)
    assert 0 <= row["stability"] <= 1
    assert "nmi" not in row


def test_a_method_that_cannot_work_is_reported_and_the_others_go_on(orthonet, network):
    done = orthonet("compare", network / "edges.csv", "-k", 3, "--methods", "kmeans,spectral", "--runs", 1)
    assert done.exit_code == 0, done.output
    assert "K-means: needs features" in done.stdout
    done = orthonet("compare", network / "edges.csv", "-k", 3, "--methods", "kmeans", "--runs", 1)
    assert done.exit_code == 1


@pytest.mark.slow
def test_the_usual_methods(orthonet, views):
    done = orthonet("compare", *views, "-k", 3, "--runs", 1, "--json")
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)["methods"]
    assert [row["method"] for row in rows][-1] == "OrthoNet"
    assert len(rows) == 6
    assert all(row["runs"] == 1 for row in rows if "failure" not in row)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--methods", "voodoo"], "--methods: there is no voodoo; there are kmeans, "),
        (["--truth", "nowhere.csv"], "nowhere.csv: there is no such file"),
        (["-k", "zero"], "--clusters must be a whole number >= 2"),
        (["-k", "151"], "--clusters 151 is more than the 150 nodes"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_in_a_sentence(orthonet, views, tmp_path, arguments, message):
    done = orthonet("compare", *views, "-k", 3, "-o", tmp_path / "out", *arguments)
    assert done.exit_code == 2, done.output
    assert message in done.stderr
    assert not (tmp_path / "out").exists()


def test_many_layers_have_one_column(orthonet, clouds, tmp_path):
    lines = ["source,target,layer"]
    for number in range(9):
        pairs = clouds.graph.layers[number % 3].tocoo()
        lines += [f"{i},{j},a relation of kind {number}" for i, j in zip(pairs.row, pairs.col, strict=True) if i < j]
    (tmp_path / "edges.csv").write_text("\n".join(lines) + "\n")
    done = orthonet(
        "compare", tmp_path / "edges.csv", "-k", 3, "--methods", "spectral", "--runs", 1, "-o", tmp_path / "out"
    )
    assert done.exit_code == 0, done.output
    assert "modularity, mean of 9 layers" in done.stdout
    with (tmp_path / "out" / "comparison.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert sum(name.startswith("modularity a relation") for name in row) == 9


def test_a_comparison_beside_a_run_leaves_the_run_alone(orthonet, network):
    out = network / "out"
    given = [network / "edges.csv", "-f", network / "nodes.csv", "-k", 3, "-o", out]
    assert orthonet("cluster", *given, "--steps", 5, "--no-report").exit_code == 0
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    assert orthonet("compare", *given, "--methods", "kmeans", "--runs", 1).exit_code == 0
    assert {file: file.read_bytes() for file in before} == before
