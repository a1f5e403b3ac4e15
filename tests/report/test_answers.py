"""The report's answers (names, sureness, definitions, sources, members, number of clusters) are those of the numbers."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from orthonet import MultilayerGraph, OrthoNet, datasets
from orthonet.report import cluster_number, members
from orthonet.report.evidence import changed_without, sources_table
from orthonet.report.fitted import Fitted, Labelling
from orthonet.report.html import report_page

HEADINGS = [
    "Before you read on",
    "What are the clusters?",
    "The clusters in a picture",
    "How sure is it?",
    "What defines each cluster?",
    "Which layers matter, and which contradict?",
    "Typical and odd members",
    "Could there be another number of clusters?",
    "What was clustered",
    "Training",
    "To get this again",
]


@pytest.fixture(scope="module")
def company():
    data = datasets.make_multilayer_sbm(
        120, 4, 3, n_noisy_layers=1, p_in=0.16, p_out=0.02, n_features=2, random_state=0
    )
    names = [f"p{number}" for number in range(120)]
    graph = MultilayerGraph(
        dict(zip(("mail", "work", "lunch", "noise"), data.graph.layers, strict=True)),
        data.graph.features,
        node_ids=names,
        feature_names=["age", "tenure"],
    )
    model = OrthoNet(3, random_state=0, training={"max_iter": 30}).fit(graph)
    return SimpleNamespace(graph=graph, model=model, teams=np.array(["red", "blue", "grey"])[data.labels])


@pytest.fixture(scope="module")
def text(company):
    record = {"scores": {"nodes": 118, "nmi": 0.9876}, "truth": "team", "warnings": ["beware"]}
    return report_page(company.graph, company.model, attributes={"team": company.teams}, record=record).decode()


def section(text, name):
    return text.split(f'<section id="{name}"')[1].split("</section>")[0]


def cells(table):
    rows = re.findall(r"<tr>(.*?)</tr>", table.split("<tbody>")[1], re.DOTALL)
    return [[re.sub("<.*?>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]


def test_questions_are_answered_in_the_order_of_a_reader(text):
    assert re.findall(r"<h2[^>]*>(.*?)</h2>", text) == HEADINGS


def test_clusters_are_called_by_the_column_that_fits(company, text):
    names = [row[0] for row in cells(section(text, "clusters"))]
    for cluster, name in enumerate(names):
        most = max(set(company.teams), key=lambda team: (company.teams[company.model.labels_ == cluster] == team).sum())
        assert name == f"{cluster} · team: {most}"


def test_without_such_a_column_they_are_called_as_they_are_explained(company):
    names = [row[0] for row in cells(section(report_page(company.graph, company.model).decode(), "clusters"))]
    told = company.model.explain_clusters()
    assert names == [f"{one.cluster} · {one.name}" for one in told]


def test_scores_are_a_table_and_warnings_stand_first(text):
    assert ["nmi", "0.988"] in [row[:2] for row in cells(section(text, "sureness").split("<h3>")[1])]
    assert "Scores against team, known of 118 nodes" in text
    assert text.index("beware") < text.index("What are the clusters?")


def test_columns_are_told_by_share(company, text):
    told = section(text, "definition")
    own = company.model.labels_ == 0
    team = re.search(r"<b>team: (\w+)</b> (\d+) %", told)
    assert int(team[2]) == round(100 * (company.teams[own] == team[1]).mean())
    assert "the clusters were found without them" in told


def test_sources_are_in_the_order_of_what_they_say(company, text):
    rows = cells(section(text, "agreement"))
    means = dict(zip(company.model.source_names_, company.model.evidence_.mean(axis=0), strict=True))
    shown = [row[0] for row in rows[: len(means)]]
    assert shown == sorted(means, key=lambda name: -means[name])
    fitted = Fitted.of(company.graph, company.model)
    hang = changed_without(fitted)
    without = np.array(
        [[one.without for one in company.model.explain(node).sources] for node in company.graph.node_ids]
    )
    np.testing.assert_array_equal(hang, (without != company.model.labels_[:, None]).sum(axis=0))
    parts, _ = sources_table(fitted)
    least = min(means, key=lambda name: means[name])
    assert re.search(rf"Matters least: (layer )?<b>{least}</b>", parts[0])


def test_typical_and_odd_members_are_those_of_the_numbers(company):
    fitted = Fitted.of(company.graph, company.model)
    for cluster, typical in enumerate(members.typical_members(fitted)):
        assert (company.model.labels_[typical] == cluster).all()
        assert typical.tolist() == [one.position for one in company.model.explain_clusters()[cluster].typical]
    odd, n_odd = members.odd_members(fitted)
    low, high = company.model.evidence_.min(axis=1), company.model.evidence_.max(axis=1)
    wanted = (company.model.confidence_ < 0.8) | ((low <= -1) & (high >= 1))
    assert set(odd.tolist()) == set(np.flatnonzero(wanted).tolist())
    assert n_odd == wanted.sum() > 0
    assert (np.diff(company.model.confidence_[odd]) >= 0).all()


def test_all_nodes_are_listed_with_what_each_source_says(company, text):
    rows = {row[0]: row for row in cells(section(text, "members").split("All nodes</h3>")[1])}
    assert list(rows) == company.graph.node_ids.tolist()
    node = int(company.model.confidence_.argmin())
    shown = [one.replace("−", "-").replace("+", "") for one in rows[f"p{node}"][4:]]
    np.testing.assert_allclose([float(one) for one in shown], company.model.evidence_[node], atol=0.051)
    assert rows[f"p{node}"][2] == f"{company.model.confidence_[node]:.2f}"
    assert [int(row[3]) for row in rows.values()] == [company.model.explain(name).runner_up for name in rows]


def test_why_a_node_is_odd_is_said_in_words(rng, ring, model_with):
    evidence = np.array([[3.0, -2.0], [0.2, 0.1], [0.0, 0.0], [5.0, 4.0]])
    model = model_with(
        [0, 0, 1, 1],
        confidence=np.array([0.95, 0.6, 0.5, 1.0]),
        probabilities=np.array([[0.95, 0.05], [0.6, 0.4], [0.5, 0.5], [0.0, 1.0]]),
        evidence=evidence,
        source_names=("work", "lunch"),
    )
    page = report_page(MultilayerGraph([ring(4)], node_ids=list("abcd")), model).decode()
    told = {
        row[0]: row[-1] for row in cells(section(page, "members").split("Odd members</h3>")[1].split("All nodes")[0])
    }
    assert told == {
        "a": "lunch against its cluster, work for it",
        "b": "between 0 and 1",
        "c": "no source says anything of it",
    }


def test_a_method_that_says_nothing_of_its_sureness_has_no_such_sections(ring, model_with):
    page = report_page(MultilayerGraph([ring(6)]), model_with([0, 1] * 3)).decode()
    assert not {"sureness", "members", "number"} & set(re.findall(r'<section id="(\w+)"', page))


def test_labels_from_elsewhere_are_described_by_columns(ring):
    named = Labelling(np.arange(12) % 2, "labels from city", ["Ulm", "Köln"])
    page = report_page(MultilayerGraph([ring(12)]), named, attributes={"job": np.array(["cook", "smith"] * 6)}).decode()
    assert re.findall(r"<b>job: (\w+)</b> 100 %", section(page, "definition")) == ["cook", "smith"]


def test_a_column_of_another_length_is_refused(company):
    with pytest.raises(ValueError, match=r"attributes\['team'\] has shape \(3,\), but graph has 120 nodes"):
        report_page(company.graph, company.model, attributes={"team": ["a", "b", "c"]})


def candidate(n_clusters, worth, votes=0.0):
    return SimpleNamespace(
        n_clusters=n_clusters, worth=worth, support=2.0, information=3.0, entropy=1.0, reproducibility=0.9, votes=votes
    )


def test_where_the_number_was_chosen_the_table_of_all_is_shown(ring, model_with):
    numbers = SimpleNamespace(
        candidates=(candidate(2, 1.0, 0.25), candidate(3, 2.0, 0.75), candidate(4, 1.0)),
        chosen=3,
        reliability=0.75,
        alternatives=(2,),
        pays=True,
    )
    model = model_with([0, 1, 2] * 4, confidence=np.ones(12), cluster_numbers=numbers)
    body, data = cluster_number.number_section(Fitted.of(MultilayerGraph([ring(12)]), model), ["0", "1", "2"])
    assert [(row[0], row[1], row[-1]) for row in cells(body)] == [
        ("2", "50 %", "stands"),
        ("3", "100 %", "chosen"),
        ("4", "50 %", ""),
    ]
    assert "<b>3</b> clusters were chosen, on 75 % of resampled data sets, too. <b>2</b> stands as well." in body
    assert data["numbers"]["chosen"] == 3
    assert data["numbers"]["worth"] == [0.5, 1.0, 0.5]


def test_the_table_of_a_number_that_was_chosen_is_that_of_the_model(company):
    model = OrthoNet((2, 5), random_state=0, training={"max_iter": 5}).fit(company.graph)
    page = report_page(company.graph, model).decode()
    rows = cells(section(page, "number"))[:4]
    assert [int(row[0]) for row in rows] == [2, 3, 4, 5]
    assert [row[0] for row in rows if row[-1] == "chosen"] == [str(model.n_clusters_)]
    assert [row[2] for row in rows] == [f"{one.support:.2f}" for one in model.cluster_numbers_.candidates]
    assert 'data-figure="numbers"' in page


def test_warnings_that_are_alike_are_one(company):
    warned = ["layer 'a': 3 pieces, do it", "layer 'b': 14 pieces, do it", "other"]
    page = report_page(company.graph, company.model, warnings=warned).decode()
    lines = re.findall(r"<li>(.*?)</li>", section(page, "warnings"))
    assert lines[:2] == ["layer &#x27;a&#x27;: 3 pieces, do it (The same of &#x27;b&#x27;.)", "other"]
