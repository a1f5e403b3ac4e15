"""Two-mode relations on the command line: clustered, described, converted, reported."""

import json

import numpy as np
import pytest

from orthonet import OrthoNet, metrics, read_network

pytest.importorskip("typer")
from orthonet.cli.app import app

N_NODES = 90
TEAMS = np.arange(N_NODES) % 3


@pytest.fixture
def run():
    from typer.testing import CliRunner

    def called(*arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return called


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    counts = rng.poisson(np.where(np.arange(24) % 3 == TEAMS[:, None], 0.8, 0.05))
    rows = [f"p{node},c{club},{counts[node, club]}" for node, club in zip(*np.nonzero(counts), strict=True)]
    (tmp_path / "visits.csv").write_text("\n".join(["person,club,times", *rows]))
    joined = rng.random((N_NODES, N_NODES)) < np.where(TEAMS[:, None] == TEAMS, 0.3, 0.02)
    edges = [f"p{one},p{other}" for one, other in zip(*np.nonzero(np.triu(joined, 1)), strict=True)]
    (tmp_path / "edges.csv").write_text("\n".join(["source,target", *edges]))
    (tmp_path / "nodes.csv").write_text("\n".join(["id,size", *(f"p{node},{node % 7}" for node in range(N_NODES))]))
    return tmp_path


def labels_of(folder):
    lines = (folder / "labels.csv").read_text().splitlines()[1:]
    found = {line.split(",")[0]: int(line.split(",")[1]) for line in lines}
    return [found[f"p{node}"] for node in range(N_NODES)]


def test_cluster_memberships_alone_and_beside_edges(run, files):
    visits = f"visits={files / 'visits.csv'}"
    for extra, weight in (([], []), ([files / "edges.csv"], ["--layer-weight", "visits=2"])):
        folder = files / f"out{len(extra)}"
        done = run("cluster", *extra, "--two-mode", visits, "-k", 3, "-o", folder, "--steps", 5, *weight)
        assert done.exit_code == 0, done.output
        assert "visits: 24 groups" in done.output
        assert metrics.nmi(TEAMS, labels_of(folder)) > 0.9
        record = json.loads((folder / "run.json").read_text())
        assert record["two_mode"] == ["visits"]
        assert str(files / "visits.csv") in record["checksums"]
        space: dict = {}
        exec(record["code"], space)  # noqa: S102
        assert list(space["graph"].two_mode) == ["visits"]
        report = (folder / "report.html").read_text()
        assert "Two-mode relations" in report
        assert "two-mode relation" in run("info", folder).output
        assert OrthoNet.load(folder / "model").group_counts_.tolist() == [24]
        assert run("report", folder, "-o", folder / "again.html").exit_code == 0


def test_features_beside_memberships_alone(run, files):
    visits = f"visits={files / 'visits.csv'}"
    told = run("info", "--two-mode", visits, "--features", files / "nodes.csv", "--json")
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    assert found["features"] == ["size"]
    assert found["two_mode"][0]["n_groups"] == 24


def test_convert_and_info(run, files):
    visits = f"visits={files / 'visits.csv'}"
    target = files / "net.npz"
    assert run("convert", files / "edges.csv", "--two-mode", visits, "-o", target).exit_code == 0
    assert list(read_network(target).graph().two_mode) == ["visits"]
    assert "1 two-mode relation" in run("info", target).output
    refused = run("convert", files / "edges.csv", "--two-mode", visits, "-o", files / "net.graphml")
    assert refused.exit_code == 2
    assert "graphml cannot hold two-mode relations ('visits'); write npz instead" in refused.output


def test_unknown_nodes_and_no_file_at_all(run, files):
    (files / "others.csv").write_text("node,group\np1,a\nnobody,a\np2,a\n")
    others = f"others={files / 'others.csv'}"
    refused = run("info", files / "edges.csv", "--two-mode", others)
    assert refused.exit_code == 2
    assert "names 1 nodes that the graph does not have, the first 'nobody'" in refused.output
    assert "--unknown-nodes drop" in refused.output
    assert run("info", files / "edges.csv", "--two-mode", others, "--unknown-nodes", "drop").exit_code == 0
    assert "--two-mode" in run("cluster", "-k", 3).output
