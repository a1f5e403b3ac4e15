"""`orthonet report`, `convert` and `info`."""

import json
from shutil import copytree

import numpy as np
import pytest

from orthonet.files import read_network

pytest.importorskip("typer")


def cluster_in(network, orthonet):
    """Cluster a network in its folder, by the names of its files there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(network)
        done = orthonet("cluster", "edges.csv", "-f", "nodes.csv", "-k", 3, "--steps", 20, "-o", "out", "--no-report")
    assert done.exit_code == 0, done.output
    return network / "out"


@pytest.fixture
def run(orthonet, network, monkeypatch):
    monkeypatch.chdir(network)
    return cluster_in(network, orthonet)


@pytest.fixture(scope="module")
def first_run(orthonet, network_in, tmp_path_factory):
    return cluster_in(network_in(tmp_path_factory.mktemp("first")), orthonet)


@pytest.fixture
def copied_run(first_run, network):
    """A copy of one run for all tests that do not ask for the files it was made of; its record names those of the first."""
    return copytree(first_run, network / "out")


def test_a_report_on_an_earlier_run_from_any_folder(orthonet, run, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    done = orthonet("report", run, "--title", "Our <people>")
    assert done.exit_code == 0, done.output
    page = (run / "report.html").read_text()
    assert "Our &lt;people&gt;" in page
    assert "read_network(&#x27;edges.csv&#x27;, features=&#x27;nodes.csv&#x27;)" in page


def test_a_report_on_changed_files_is_refused(orthonet, run):
    with (run.parent / "edges.csv").open("a") as file:
        file.write("0,149,cloud 0,1\n")
    done = orthonet("report", run)
    assert done.exit_code == 2
    assert "edges.csv changed since the run" in done.stderr
    assert not (run / "report.html").exists()
    (run.parent / "edges.csv").unlink()
    done = orthonet("report", run)
    assert done.exit_code == 2
    assert "edges.csv: there is no such file" in done.stderr


def test_a_report_on_labels_from_elsewhere(orthonet, network):
    arguments = [network / "edges.csv", "-f", network / "nodes.csv", "-o", network / "page.html"]
    done = orthonet("report", *arguments, "--labels", network / "truth.csv")
    assert done.exit_code == 0, done.output
    assert "150 nodes in 3 clusters" in (network / "page.html").read_text()
    done = orthonet("report", *arguments, "--labels", "town")
    assert done.exit_code == 0, done.output
    assert "town 2" in (network / "page.html").read_text()
    done = orthonet("report", *arguments)
    assert done.exit_code == 2
    assert "with --labels FILE" in done.stderr


@pytest.mark.parametrize("suffix", ["npz", "graphml", "gexf", "gml", "mpx", "edges", "net", "parquet", "tsv.gz"])
def test_convert_keeps_the_graph(orthonet, network, suffix):
    target = network / f"net.{suffix}"
    done = orthonet("convert", network / "edges.csv", target, "-f", network / "nodes.csv")
    assert done.exit_code == 0, done.output
    written = done.stdout.splitlines()[-1].removeprefix("wrote ").split(", ")
    beside = [path for path in written[1:] if "nodes" in path]
    first = read_network(network / "edges.csv", features=network / "nodes.csv").graph()
    again = read_network(target, features=beside[0] if beside else True).graph()
    assert again.layer_names == first.layer_names
    np.testing.assert_array_equal(again.node_ids.astype(str), first.node_ids.astype(str))
    np.testing.assert_allclose(again.features, first.features)
    for one, other in zip(first.layers, again.layers, strict=True):
        assert abs(one - other).max() < 1e-12


def test_convert_replaces_nothing_unasked(orthonet, network):
    (network / "net.npz").write_text("precious")
    done = orthonet("convert", network / "edges.csv", network / "net.npz")
    assert done.exit_code == 2
    assert "net.npz is there already; pass --force to replace it" in done.stderr
    assert (network / "net.npz").read_text() == "precious"


def test_convert_replaces_a_file_when_forced(orthonet, network):
    (network / "net.npz").write_text("old")
    done = orthonet("convert", network / "edges.csv", network / "net.npz", "--force")
    assert done.exit_code == 0, done.output
    first, again = (read_network(network / name).graph() for name in ("edges.csv", "net.npz"))
    assert again.layer_names == first.layer_names
    for one, other in zip(first.layers, again.layers, strict=True):
        assert abs(one - other).max() < 1e-12
    assert not list(network.glob(".*"))


def test_convert_writes_no_format_that_it_does_not_know(orthonet, network):
    done = orthonet("convert", network / "edges.csv", network / "net.xyz")
    assert done.exit_code == 2
    assert "net.xyz" in done.stderr
    assert not (network / "net.xyz").exists()


def test_convert_asks_for_a_file_to_write(orthonet, network):
    done = orthonet("convert", network / "edges.csv")
    assert done.exit_code == 2
    assert "name a file to read and a file to write" in done.stderr


def test_convert_replaces_no_table_of_nodes_unasked(orthonet, network):
    (network / "net.nodes.csv").write_text("precious")
    done = orthonet("convert", network / "edges.csv", "-f", network / "nodes.csv", "-o", network / "net.csv")
    assert done.exit_code == 2
    assert "net.nodes.csv is there already; pass --force to replace it" in done.stderr
    assert (network / "net.nodes.csv").read_text() == "precious"
    assert not (network / "net.csv").exists()
    assert not list(network.glob(".*.part"))


NOT_THE_RECORD = "run.json is not the record of a run: {name!r} is not as it was written"
NOT_AS_WRITTEN = "the run's record has {value!r} for {name}, which is not as it was written"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("inputs", [1], NOT_THE_RECORD),
        ("inputs", {"category": 5}, NOT_AS_WRITTEN),
        ("inputs", {"category": [5]}, NOT_AS_WRITTEN),
        ("inputs", {"files": 5}, NOT_AS_WRITTEN),
        ("inputs", {"features": 3}, NOT_AS_WRITTEN),
        ("inputs", {"unheard_of": "x"}, "the run's record has inputs of another version: {name}"),
        ("warnings", 5, NOT_THE_RECORD),
        ("layers", 5, NOT_THE_RECORD),
        ("cluster_sizes", None, NOT_THE_RECORD),
        ("code", 5, NOT_THE_RECORD),
        ("command", 5, NOT_THE_RECORD),
    ],
    ids=str,
)
def test_a_record_changed_by_hand_is_refused(orthonet, copied_run, name, value, said):
    run = copied_run
    record = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(record | {name: value}))
    part, content = next(iter(value.items())) if isinstance(value, dict) else (name, value)
    sentence = said.format(name=part, value=content)
    refused = {"report": ["report", run], "predict": ["predict", run, run.parent / "nodes.csv"]}
    if said == NOT_THE_RECORD:
        refused["info"] = ["info", run]
    else:  # which shows what is there, and reads none of the inputs
        assert orthonet("info", run).exit_code == 0
    for command, arguments in refused.items():
        done = orthonet(*arguments)
        assert done.exit_code == 2, done.output
        assert done.stderr.startswith(f"orthonet {command}: ")
        assert done.stderr.endswith(f"{sentence}\n")
        assert done.stderr.count("\n") == 1
    assert not (run / "report.html").exists()
    assert not (run / "nodes-labels.csv").exists()


def test_convert_views_into_a_network(orthonet, views, clouds, tmp_path):
    done = orthonet("convert", *views, "-o", tmp_path / "net.npz")
    assert done.exit_code == 0, done.output
    graph = read_network(tmp_path / "net.npz").graph()
    assert graph.layers_from_features
    np.testing.assert_allclose(graph.features, clouds.graph.features)


def test_info_about_a_network(orthonet, network):
    done = orthonet("info", network / "edges.csv", "-f", network / "nodes.csv")
    assert done.exit_code == 0, done.output
    for words in ("150 nodes, 3 layers", "components", "about the nodes: town"):
        assert words in done.stdout
    told = json.loads(orthonet("info", network / "edges.csv", "--json").stdout)
    assert (told["nodes"], [layer["name"] for layer in told["layers"]]) == (150, ["cloud 0", "cloud 1", "cloud 2"])


def test_info_about_a_run_and_about_this_installation(orthonet, copied_run):
    done = orthonet("info", copied_run)
    assert done.exit_code == 0, done.output
    assert "command: orthonet" in done.stdout
    assert "layers: cloud 0, cloud 1, cloud 2" in done.stdout
    done = orthonet("info")
    assert done.exit_code == 0, done.output
    assert "core: numpy" in done.stdout
    assert "torch" in json.loads(orthonet("info", "--json").stdout)["packages"]["core"]
