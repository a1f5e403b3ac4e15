"""`orthonet predict` places new nodes by edges to known ones and by memberships, with a table of features or without."""

import numpy as np
import pytest

from orthonet import MultilayerGraph, OrthoNet, TwoMode, datasets

pytest.importorskip("typer")

NAMES = [f"p{number}" for number in range(90)]


def people():
    return datasets.make_multilayer_sbm(90, 2, 3, p_in=0.5, p_out=0.02, n_features=2, random_state=0)


@pytest.fixture(scope="module")
def company(orthonet, tmp_path_factory):
    """A run on two relations, a table of nodes and clubs; 80 of 90 people are known to it."""
    folder = tmp_path_factory.mktemp("company")
    data = people()
    graph = data.graph
    clubs = {name: f"club {team}" for name, team in zip(NAMES, data.labels, strict=True)}
    for part, wanted in (("old", lambda i, j: max(i, j) < 80), ("new", lambda i, j: max(i, j) >= 80)):
        for name, layer in zip(("mail", "lunch"), graph.layers, strict=True):
            pairs = [(i, j) for i, j in zip(*layer.tocoo().coords, strict=True) if i < j and wanted(i, j)]
            rows = [f"{NAMES[i]},{NAMES[j]}" for i, j in pairs]
            (folder / f"{part}-{name}.csv").write_text("\n".join(["source,target", *rows]) + "\n")
    for part, some in (("old", range(80)), ("new", range(80, 90))):
        rows = [f"{NAMES[i]},{clubs[NAMES[i]]}" for i in some]
        (folder / f"{part}-clubs.csv").write_text("\n".join(["node,group", *rows]) + "\n")
        rows = [f"{NAMES[i]},{graph.features[i, 0]},{graph.features[i, 1]}" for i in some]
        (folder / f"{part}.csv").write_text("\n".join(["id,age,tenure", *rows]) + "\n")
    relations = [f"--layer={name}={folder / f'old-{name}.csv'}" for name in ("mail", "lunch")]
    relations += [f"--two-mode=clubs={folder / 'old-clubs.csv'}", "-f", folder / "old.csv"]
    done = orthonet("cluster", *relations, "-k", 3, "--steps", 20, "--no-report", "-o", folder / "out")
    assert done.exit_code == 0, done.output
    return folder


def layers(company, *names):
    return [f"--layer={name}={company / f'new-{name}.csv'}" for name in names]


def labels_of(rows):
    return {row["node"]: int(row["label"]) for row in rows}


def test_edges_alone_place_those_that_the_model_does_not_know(orthonet, company, rows_of):
    done = orthonet("predict", company / "out", *layers(company, "mail", "lunch"), "-o", company / "edges.out.csv")
    assert done.exit_code == 0, done.output
    found = labels_of(rows_of(company / "edges.out.csv"))
    assert set(found) == set(NAMES[80:])
    model = OrthoNet.load(company / "out" / "model")
    data = people()
    whole = MultilayerGraph(dict(zip(("mail", "lunch"), data.graph.layers, strict=True)), node_ids=NAMES)
    np.testing.assert_array_equal([found[name] for name in NAMES[80:]], model.predict(whole)[80:])


def test_memberships_alone_place_new_nodes(orthonet, company, rows_of):
    option = f"--two-mode=clubs={company / 'new-clubs.csv'}"
    done = orthonet("predict", company / "out", option, "-o", company / "clubs.out.csv")
    assert done.exit_code == 0, done.output
    found = labels_of(rows_of(company / "clubs.out.csv"))
    model = OrthoNet.load(company / "out" / "model")
    groups = [line.split(",")[1] for line in (company / "new-clubs.csv").read_text().splitlines()[1:]]
    names = sorted(set(groups))
    incidence = np.array([[float(group == name) for name in names] for group in groups])
    alone = MultilayerGraph((), node_ids=NAMES[80:], two_mode={"clubs": TwoMode(incidence, names)})
    np.testing.assert_array_equal([found[name] for name in NAMES[80:]], model.predict(alone))


def test_with_a_table_its_nodes_are_labelled_by_features_and_edges(orthonet, company, rows_of):
    given = [company / "out", company / "new.csv", *layers(company, "lunch"), "-o", company / "both.out.csv"]
    done = orthonet("predict", *given)
    assert done.exit_code == 0, done.output
    rows = rows_of(company / "both.out.csv")
    assert [row["node"] for row in rows] == NAMES[80:]
    data = people()
    whole = MultilayerGraph({"lunch": data.graph.layers[1]}, data.graph.features, node_ids=NAMES)
    model = OrthoNet.load(company / "out" / "model")
    wanted = model.predict_proba(whole)[80:]
    np.testing.assert_array_equal([int(row["label"]) for row in rows], wanted.argmax(axis=1))
    np.testing.assert_allclose([float(row["confidence"]) for row in rows], wanted.max(axis=1), atol=1e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--layer=phone=new-mail.csv"], "not fitted on a layer 'phone'; its layers are mail, lunch: write"),
        (["--two-mode=choir=new-clubs.csv"], "not fitted on a two-mode relation 'choir'"),
        (["new.csv", "--layer=mail=strange.csv"], "name nobody, known neither to the model nor to new.csv"),
    ],
)
def test_what_the_model_does_not_know_is_refused_by_name(orthonet, company, monkeypatch, options, message):
    (company / "strange.csv").write_text("source,target\np80,nobody\n")
    monkeypatch.chdir(company)
    done = orthonet("predict", "out", *options, "-o", "never.csv")
    assert done.exit_code == 2
    assert message in done.stderr
    assert not (company / "never.csv").exists()


def test_numbers_and_names_among_the_ids_are_the_same_nodes(orthonet, tmp_path, rows_of):
    layer = datasets.make_multilayer_sbm(
        40, 1, 2, p_in=0.6, p_out=0.02, kind="informative", random_state=0
    ).graph.layers[0]
    rows = [f"{i},{j}" for i, j in zip(*layer.tocoo().coords, strict=True) if i < j]
    (tmp_path / "mail.csv").write_text("\n".join(["source,target", *rows]) + "\n")
    done = orthonet(
        *("cluster", f"--layer=mail={tmp_path / 'mail.csv'}", "-k", 2, "--steps", 10),
        *("--no-report", "-o", tmp_path / "out"),
    )
    assert done.exit_code == 0, done.output
    model = OrthoNet.load(tmp_path / "out" / "model")
    friends = np.flatnonzero(model.labels_ == 1)[:5]
    edges = [f"newcomer,{model.node_ids_[friend]}" for friend in friends]
    (tmp_path / "new.csv").write_text("\n".join(["source,target", *edges]) + "\n")
    done = orthonet("predict", tmp_path / "out", f"--layer=mail={tmp_path / 'new.csv'}")
    assert done.exit_code == 0, done.output
    assert labels_of(rows_of(tmp_path / "out" / "new-labels.csv")) == {"newcomer": 1}


def test_a_run_with_memberships_goes_to_gephi_with_a_layer_of_like_ones(orthonet, company):
    networkx = pytest.importorskip("networkx")
    done = orthonet("convert", company / "out", "-o", company / "net.gexf")
    assert done.exit_code == 0, done.output
    assert "in the place of memberships, a layer of nodes with like ones: clubs" in done.stdout
    read = networkx.read_gexf(company / "net.gexf")
    assert {layer for _, _, layer in read.edges(data="layer")} == {"mail", "lunch", "clubs"}
    clubs = dict(line.split(",") for line in (company / "old-clubs.csv").read_text().splitlines()[1:])
    assert all(clubs[one] == clubs[other] for one, other, layer in read.edges(data="layer") if layer == "clubs")
