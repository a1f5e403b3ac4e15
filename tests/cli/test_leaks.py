"""A column that is the answer: `orthonet cluster` says which columns are features, and which of them may be it."""

import json

import numpy as np
import pytest

pytest.importorskip("typer")


@pytest.fixture
def cluster(orthonet, clouds, network):
    """Cluster the three clouds with one more column about the nodes; return what was said and the warnings."""

    def cluster(name, values, *options):
        rows = (network / "nodes.csv").read_text().splitlines()
        more = [name, *map(str, values)]
        (network / "more.csv").write_text("\n".join(f"{row},{one}" for row, one in zip(rows, more, strict=True)) + "\n")
        arguments = [network / "edges.csv", "-f", network / "more.csv", "-k", 3, "--steps", 20, "--no-report"]
        done = orthonet("cluster", *arguments, "-o", network / "out", *options)
        assert done.exit_code == 0, done.output
        return done, json.loads((network / "out" / "run.json").read_text())

    return cluster


def leaks(record):
    return [message for message in record["warnings"] if "--ignore" in message]


def test_the_features_are_named(cluster, clouds, rng):
    done, record = cluster("age", rng.normal(size=150))
    assert "features: feature 0, feature 1, feature 2, feature 3, feature 4, feature 5, age" in done.stdout
    assert record["feature_names"][-1] == "age"
    assert leaks(record) == []


@pytest.mark.parametrize("name", ["group", "Target", "cluster"])
def test_a_column_called_like_the_answer(cluster, rng, name):
    done, record = cluster(name, rng.integers(0, 9, 150))
    assert leaks(record) == [
        f"the column {name!r} is among the features, but called like known classes; if that is what it holds, "
        "leave it out with --ignore"
    ]
    assert leaks(record)[0] in done.stderr
    _, record = cluster(name, rng.integers(0, 9, 150), "--ignore", name)
    assert leaks(record) == []
    assert name not in record["feature_names"]


def test_a_code_that_alone_tells_the_clusters(cluster, clouds):
    codes = np.array([7, 3, 5])[clouds.labels]
    done, record = cluster("code", codes)
    assert "the column 'code' is enough to tell the clusters apart" in done.stderr
    assert len(leaks(record)) == 1
    assert leaks(cluster("code", np.arange(150))[1]) == []


def test_columns_called_label_or_class_are_no_features(cluster, clouds):
    done, record = cluster("class", clouds.labels)
    assert "columns left out of the features: 'class'" in done.stdout
    assert leaks(record) == []
