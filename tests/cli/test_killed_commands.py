"""Each command is killed (kill -9) before each of its file operations: what it writes is whole, or not there, or as before."""

import os
import shutil

import numpy as np
import pytest

from killing import killed
from orthonet import OrthoNet
from orthonet.cli.run_folder import Run
from orthonet.files.tables import columns as columns_module
from orthonet.files.tables import writing as writing_module

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
MOST = 300
"""No command has as many file operations."""


@pytest.fixture
def without_polars(monkeypatch):
    """The threads of polars do not fork."""
    for module in (columns_module, writing_module):
        monkeypatch.setattr(module, "is_installed", lambda module: False)


@pytest.fixture
def small(tmp_path, without_polars):
    """Two rings of six nodes with one edge between them, and features."""
    rows = ["source,target"]
    for first in (0, 6):
        rows += [f"{first + one},{first + (one + step) % 6}" for one in range(6) for step in (1, 2)]
    (tmp_path / "edges.csv").write_text("\n".join([*rows, "0,6"]) + "\n")
    values = np.random.default_rng(0).random((12, 2)) + np.repeat([[0], [5]], 6, axis=0)
    lines = [f"{node},{x:.4f},{y:.4f}" for node, (x, y) in enumerate(values)]
    (tmp_path / "nodes.csv").write_text("\n".join(["id,x,y", *lines]) + "\n")
    return tmp_path


@pytest.fixture
def cluster(orthonet, small):
    """Return a function that clusters the small network into a folder; the number of clusters tells runs apart."""

    def run(clusters, output, *options):
        files = small / "edges.csv", "-f", small / "nodes.csv"
        done = orthonet("cluster", *files, "-k", clusters, "--steps", 2, "-o", output, *options)
        assert done.exit_code == 0, done.output
        return done

    return run


def contents(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def clusters_of(run, labels_of):
    """Return the number of clusters that everything in a run's folder agrees on."""
    record, model = Run.of(run).record, Run.of(run).model()
    found = record["parameters"]["n_clusters"]
    assert model.n_clusters == found
    np.testing.assert_array_equal(labels_of(run), model.labels_)
    assert len((run / "embedding.csv").read_text().splitlines()[0].split(",")) == found + 1
    assert f"12 nodes in {found} clusters" in (run / "report.html").read_text()
    return found


@pytest.mark.slow
def test_cluster_with_a_report_over_an_earlier_run(tmp_path, cluster, labels_of):
    cluster(2, tmp_path / "old")
    found = []
    for last in range(1, MOST):
        output = tmp_path / str(last) / "out"
        shutil.copytree(tmp_path / "old", output)
        if not killed(lambda: cluster(3, output), last):  # noqa: B023 - done at once
            break
        found.append(clusters_of(output, labels_of))
        shutil.rmtree(output.parent)
    assert clusters_of(output, labels_of) == 3
    assert sorted(path.name for path in output.parent.iterdir()) == ["out"]
    assert len(found) > 40
    assert set(found) == {2, 3}
    assert found == sorted(found)  # one step decides


def one_file_at_a_time(make, file, expected):
    """Kill a command before each of its operations; its file is the old or the new one, and a last run leaves nothing else."""
    before, found = contents(file.parent), []
    for last in range(1, MOST):
        was_killed = killed(make, last)
        now = contents(file.parent)
        found.append("old" if now.pop(str(file.name)) == before[file.name] else "new")
        left = {name for name in now.keys() - before.keys() if not name.startswith(f".{file.name}.")}
        assert not left
        assert {name: now[name] for name in before if name != file.name} == {
            name: content for name, content in before.items() if name != file.name
        }
        if not was_killed:
            break
        file.write_bytes(before[file.name])
    assert contents(file.parent).keys() == before.keys()  # what was killed is tidied away
    assert file.read_bytes() == expected
    assert found == sorted(found, key=lambda one: one == "new")
    assert set(found[:-1]) == {"old"} or set(found) == {"old", "new"}
    assert len(found) > 4
    return len(found) - 1


@pytest.mark.slow
def test_predict(orthonet, cluster, tmp_path):
    cluster(2, tmp_path / "out", "--no-report")
    target = tmp_path / "out" / "nodes-labels.csv"

    def predict():
        done = orthonet("predict", tmp_path / "out", tmp_path / "nodes.csv")
        assert done.exit_code == 0, done.output

    predict()
    expected = target.read_bytes()
    target.write_text("earlier")
    assert one_file_at_a_time(predict, target, expected) >= 4


@pytest.mark.slow
def test_report(orthonet, cluster, tmp_path):
    cluster(2, tmp_path / "out", "--no-report")
    target = tmp_path / "out" / "report.html"

    def report():
        done = orthonet("report", tmp_path / "out")
        assert done.exit_code == 0, done.output

    report()
    expected = target.read_bytes()
    target.write_text("earlier")
    assert one_file_at_a_time(report, target, expected) >= 4


@pytest.mark.parametrize("suffix", ["npz", "mtx", "graphml", "gexf", "gml", "mpx", "net"])
def test_convert_to_one_file(orthonet, small, suffix):
    (small / "new").mkdir()
    target = small / "new" / f"net.{suffix}"

    def convert():
        done = orthonet("convert", small / "edges.csv", target, "--force")
        assert done.exit_code == 0, done.output

    convert()
    expected = target.read_bytes()
    target.write_text("earlier")
    assert one_file_at_a_time(convert, target, expected) >= 4


@pytest.mark.slow
def test_convert_of_a_run(orthonet, cluster, tmp_path):
    cluster(2, tmp_path / "out", "--no-report")
    (tmp_path / "new").mkdir()
    target = tmp_path / "new" / "net.gexf"

    def convert():
        done = orthonet("convert", tmp_path / "out", "-o", target, "--force")
        assert done.exit_code == 0, done.output

    convert()
    expected = target.read_bytes()
    target.write_text("earlier")
    assert one_file_at_a_time(convert, target, expected) >= 4


def test_a_model_saved_into_a_new_folder(tmp_path, clouds):
    model, found = OrthoNet(3, random_state=0, training={"max_iter": 2}).fit(clouds.graph), []
    for last in range(1, MOST):
        folder = tmp_path / str(last)
        was_killed = killed(lambda: model.save(folder), last)  # noqa: B023 - done at once
        if (folder / "model.json").exists():
            np.testing.assert_array_equal(OrthoNet.load(folder).labels_, model.labels_)
            found.append("whole")
        else:
            with pytest.raises(FileNotFoundError, match="does not contain a model"):
                OrthoNet.load(folder)
            found.append("nothing")
        if not was_killed:
            break
        model.save(folder)
        assert len(list(folder.iterdir())) == 2
    assert set(found) == {"nothing", "whole"}
    assert found == sorted(found)
