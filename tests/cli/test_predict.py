"""`orthonet predict`: new nodes get the labels that the model gives them."""

import json
from shutil import copytree

import numpy as np
import pytest

from orthonet import OrthoNet

pytest.importorskip("typer")


@pytest.fixture(scope="module")
def first_run(orthonet, network_in, tmp_path_factory):
    """A folder with a network and a run on its edges and its table of nodes, which tests copy: one fit for all of them."""
    network = network_in(tmp_path_factory.mktemp("first"))
    arguments = [network / "edges.csv", "-f", network / "nodes.csv", "-k", 3, "--steps", 30, "--no-report"]
    done = orthonet("cluster", *arguments, "-o", network / "out")
    assert done.exit_code == 0, done.output
    return network


@pytest.fixture
def run(first_run, network):
    """The folder of such a run in the test's own network."""
    return copytree(first_run / "out", network / "out")


def new_table(path, features, names, ids):
    lines = [
        ",".join(["id", *names]),
        *(",".join([one, *map(repr, row)]) for one, row in zip(ids, features.tolist(), strict=True)),
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_new_nodes_are_labelled_as_the_model_does(orthonet, run, clouds, rows_of):
    model = OrthoNet.load(run / "model")
    names, new = model.feature_names_in_.tolist(), clouds.graph.features[:40] + 0.01
    ids = [f"new {row}" for row in range(40)]
    table = new_table(run.parent / "new.csv", new, names, ids)
    done = orthonet("predict", run, table)
    assert done.exit_code == 0, done.output
    rows = rows_of(run / "new-labels.csv")
    assert [row["node"] for row in rows] == ids
    np.testing.assert_array_equal([int(row["label"]) for row in rows], model.predict(new))
    probabilities = model.predict_proba(new).max(axis=1)
    np.testing.assert_allclose([float(row["confidence"]) for row in rows], probabilities, atol=1e-4)
    sizes = np.bincount(model.predict(new), minlength=3)
    shown = ", ".join(f"{size} in cluster {cluster}" for cluster, size in enumerate(sizes) if size)
    assert f"40 new nodes: {shown}; mean confidence" in done.stdout


def test_columns_are_found_by_name(orthonet, run, clouds, rows_of):
    names = OrthoNet.load(run / "model").feature_names_in_.tolist()
    straight = new_table(run.parent / "straight.csv", clouds.graph.features, names, [f"n{i}" for i in range(150)])
    mixed = np.column_stack([np.full(150, 1e6), clouds.graph.features[:, ::-1]])
    other = new_table(
        run.parent / "mixed.csv", mixed, ["unknown to the model", *names[::-1]], [f"n{i}" for i in range(150)]
    )
    for table in (straight, other):
        assert orthonet("predict", run, table).exit_code == 0
    assert rows_of(run / "straight-labels.csv") == rows_of(run / "mixed-labels.csv")


def test_categories_are_features_of_zeros_and_ones(orthonet, network, clouds, rows_of):
    arguments = [network / "edges.csv", "-f", network / "nodes.csv", "-k", 3, "--steps", 30, "--no-report"]
    done = orthonet("cluster", *arguments, "--category", "town", "-o", network / "out")
    assert done.exit_code == 0, done.output
    assert "column 'town': 3 categories, a feature each" in done.stdout
    model = OrthoNet.load(network / "out" / "model")
    assert model.feature_names_in_.tolist()[6:] == ["town=town 0", "town=town 1", "town=town 2"]
    names = model.feature_names_in_.tolist()[:6]
    new = clouds.graph.features[:3]
    lines = [",".join(["id", "town", *names])]
    lines += [
        ",".join([f"n{i}", town, *map(repr, row)])
        for i, (town, row) in enumerate(zip(["town 1", "mars", ""], new.tolist(), strict=True))
    ]
    (network / "new.csv").write_text("\n".join(lines) + "\n")
    done = orthonet("predict", network / "out", network / "new.csv")
    assert done.exit_code == 0, done.output
    assert "the model never saw town=mars; they count for nothing" in done.stderr
    expected = model.predict(np.hstack([new, [[0, 1, 0], [0, 0, 0], [0, 0, 0]]]))
    np.testing.assert_array_equal([int(row["label"]) for row in rows_of(network / "out" / "new-labels.csv")], expected)


def test_to_standard_output_and_as_json(orthonet, run, network):
    done = orthonet("predict", run, network / "nodes.csv", "-o", "-")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0] == "node,label,confidence"
    assert len(done.stdout.splitlines()) == 151
    told = json.loads(orthonet("predict", run, network / "nodes.csv", "-o", network / "there.csv", "--json").stdout)
    assert sum(told["cluster_sizes"]) == told["nodes"] == 150
    assert (network / "there.csv").is_file()


def test_a_model_of_views_takes_views(orthonet, views, clouds, tmp_path, rows_of):
    assert orthonet("cluster", *views, "-k", 3, "--steps", 30, "-o", tmp_path / "out", "--no-report").exit_code == 0
    done = orthonet("predict", tmp_path / "out", *views)
    assert done.exit_code == 0, done.output
    expected = OrthoNet.load(tmp_path / "out" / "model").predict(clouds.graph.features)
    np.testing.assert_array_equal([int(row["label"]) for row in rows_of(tmp_path / "out" / "new-labels.csv")], expected)
    done = orthonet("predict", tmp_path / "out", *views[:2])
    assert done.exit_code == 2
    assert "the model was fitted on the views first, second, c, but got first, second" in done.stderr


def test_gaps_are_filled_with_the_means_of_the_run_whatever_else_the_new_table_holds(orthonet, run, clouds, rows_of):
    model = OrthoNet.load(run / "model")
    names, means = model.feature_names_in_.tolist(), clouds.graph.features.mean(axis=0)
    new = clouds.graph.features[:5].copy()
    new[:, 1] = np.nan
    filled = np.where(np.isnan(new), means, new)
    text = [[("" if np.isnan(value) else repr(value)) for value in row] for row in new.tolist()]
    odd = [["1e4"] * len(names)] * 5
    for name, rows in (("one", text[:1]), ("few", text), ("beside odd ones", text + odd)):
        lines = [",".join(["id", *names]), *(",".join([f"n{i}", *row]) for i, row in enumerate(rows))]
        (run.parent / f"{name}.csv").write_text("\n".join(lines) + "\n")
        done = orthonet("predict", run, run.parent / f"{name}.csv")
        assert done.exit_code == 0, done.output
        n_gaps = min(len(rows), 5)
        cells = "1 empty cell" if n_gaps == 1 else f"{n_gaps} empty cells"
        assert f"{cells} of {names[1]} filled with the mean over the nodes of the run" in done.stdout
        found = rows_of(run / f"{name}-labels.csv")[:n_gaps]
        np.testing.assert_array_equal([int(row["label"]) for row in found], model.predict(filled)[:n_gaps])
        expected = model.predict_proba(filled).max(axis=1)[:n_gaps]
        np.testing.assert_allclose([float(row["confidence"]) for row in found], expected, atol=1e-4)


def test_a_run_that_refuses_gaps_predicts_none(orthonet, network):
    arguments = [network / "edges.csv", "-f", network / "nodes.csv", "-k", 3, "--steps", 5, "--no-report"]
    assert orthonet("cluster", *arguments, "--missing-features", "refuse", "-o", network / "out").exit_code == 0
    names = OrthoNet.load(network / "out" / "model").feature_names_in_.tolist()
    (network / "holes.csv").write_text(f"id,{','.join(names)}\na,,1,1,1,1,1\nb,2,1,1,1,1,1\n")
    done = orthonet("predict", network / "out", network / "holes.csv")
    assert done.exit_code == 2
    assert "has no value; pass --missing-features mean to fill it" in done.stderr
    assert orthonet("predict", network / "out", network / "holes.csv", "--missing-features", "mean").exit_code == 0
    record = json.loads((network / "out" / "run.json").read_text())
    (network / "out" / "run.json").write_text(json.dumps({**record, "feature_means": None}))
    done = orthonet("predict", network / "out", network / "holes.csv", "--missing-features", "mean")
    assert done.exit_code == 2
    assert "the new nodes have 1 empty cell, but" in done.stderr


def test_a_model_that_averages_over_neighbours_needs_the_edges(orthonet, network, rows_of):
    arguments = [network / "edges.csv", "-f", network / "nodes.csv", "-k", 3, "--steps", 20, "--no-report"]
    done = orthonet("cluster", *arguments, "--set", "smoothing=1", "-o", network / "out")
    assert done.exit_code == 0, done.output
    done = orthonet("predict", network / "out", network / "nodes.csv")
    assert done.exit_code == 2
    assert "needs their edges" in done.stderr
    done = orthonet("predict", network / "out", network / "nodes.csv", "--edges", network / "edges.csv")
    assert done.exit_code == 0, done.output
    model = OrthoNet.load(network / "out" / "model")
    found = [int(row["label"]) for row in rows_of(network / "out" / "nodes-labels.csv")]
    assert np.mean(np.array(found) == model.labels_) > 0.98


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "new.csv"], "nowhere is no folder of `orthonet cluster`"),
        (["out"], "name a table of the new nodes, or --view NAME=FILE"),
        (["out", "nowhere.csv"], "nowhere.csv: there is no such file"),
        (["out", "short.csv"], "short.csv lacks features that the model was fitted on"),
        (["out", "holes.csv", "--missing-features", "refuse"], "holes.csv, row 1"),
        (["out", "new.csv", "-o", "nowhere/new.csv"], "there is no folder nowhere"),
        (["out", "--view", "a=new.csv"], "was not fitted on views"),
        (["cut", "new.csv"], "run.json is cut or damaged"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_in_a_sentence(orthonet, run, monkeypatch, arguments, message):
    home = run.parent
    names = OrthoNet.load(run / "model").feature_names_in_.tolist()
    (home / "short.csv").write_text(f"id,{names[0]}\na,1\nb,2\n")
    (home / "holes.csv").write_text(f"id,{','.join(names)}\na,,1,1,1,1,1\nb,2,1,1,1,1,1\n")
    (home / "new.csv").write_text(f"id,{','.join(names)}\na,1,1,1,1,1,1\n")
    (home / "cut").mkdir()
    (home / "cut" / "run.json").write_text('{"command": [')
    monkeypatch.chdir(home)
    before = sorted(file.name for file in home.rglob("*"))
    done = orthonet("predict", *arguments)
    assert done.exit_code == 2, done.output
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(file.name for file in home.rglob("*")) == before
