"""`orthonet explain`, and clusters whose number is chosen."""

import json

import pytest

pytest.importorskip("typer")


@pytest.fixture(scope="module")
def run(orthonet, clouds, tmp_path_factory):
    """The folder of a run with ``-k auto``, and what it printed."""
    from orthonet.files import write_network

    folder = tmp_path_factory.mktemp("explained")
    write_network(clouds.graph, folder / "edges.csv", nodes=folder / "nodes.csv")
    files = [folder / "edges.csv", "-f", folder / "nodes.csv"]
    done = orthonet("cluster", *files, "-k", "auto", "--steps", 20, "--no-report", "-o", folder / "out")
    assert done.exit_code == 0, done.output
    return folder / "out", done.stdout


def test_chosen_number_is_said_and_recorded(run):
    folder, said = run
    record = json.loads((folder / "run.json").read_text())
    assert record["clusters"] == record["cluster_numbers"]["chosen"] == 3
    assert len(record["cluster_sizes"]) == 3
    assert record["parameters"]["n_clusters"] == "auto"
    assert "3 clusters, reliability" in said
    assert "chosen" in said


def test_clusters_are_explained(orthonet, run):
    done = orthonet("explain", run[0])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("3 clusters; evidence in nats\n")
    assert "What defines them" in done.stdout


def test_node_is_explained_for_people_and_for_machines(orthonet, run):
    done = orthonet("explain", run[0], 17)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("node 17: cluster ")
    assert "stays" in done.stdout
    found = json.loads(orthonet("explain", run[0], 17, "--json").stdout)
    assert found["position"] == 17
    assert [one["source"] for one in found["sources"]]
    clusters = json.loads(orthonet("explain", run[0], "--json").stdout)["clusters"]
    assert sum(one["size"] for one in clusters) == 150


def test_unknown_node_is_refused_in_a_sentence(orthonet, run):
    done = orthonet("explain", run[0], "nobody")
    assert done.exit_code == 2
    assert done.stderr.startswith("orthonet explain: node is 'nobody', which is no id of the 150 nodes")
    assert done.stderr.count("\n") == 1


def test_compare_chooses_the_number_once_for_all_methods(orthonet, run):
    edges = run[0].parent / "edges.csv"
    done = orthonet("compare", edges, "-k", "2:5", "--methods", "spectral,leiden", "--runs", 1, "--json")
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    assert record["clusters"] == record["cluster_numbers"]["chosen"] == 3
    assert [row["n_clusters"] for row in record["cluster_numbers"]["candidates"]] == [2, 3, 4, 5]
