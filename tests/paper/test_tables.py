"""What the tables say of measurements: mean and deviation, what was stopped, what failed, what others printed."""

import numpy as np
import pytest

from orthonet import datasets
from orthonet.paper import figure5, scores, table1, table2, table3
from orthonet.paper.methods import METHODS, PAPER_METHODS
from orthonet.paper.printed import TABLE1, TABLE2
from orthonet.paper.registry import EXPERIMENTS, Run
from orthonet.paper.sets import LOADERS, load, shrunk


def row(text, *starts):
    """Return the cells of the only row whose first cells are these, bold or not."""
    rows = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in text.splitlines()]
    (found,) = [cells for cells in rows if cells[: len(starts)] == list(starts)]
    return found


def record(**fields):
    return {"purity": 0.5, "nmi": 0.5, "ari": 0.5, "rand": 0.5, "accuracy": 0.5, "seconds": 1.0, **fields}


def test_a_cell_is_mean_and_deviation_over_the_seeds():
    records = [record(nmi=0.25), record(nmi=0.75)]
    assert scores.cell(records, "nmi") == "0.500 ± 0.250"
    assert scores.cell(records[:1], "nmi") == "0.250"
    assert scores.cell([*records, {"stopped_after": 9.0}], "nmi") == "0.500 ± 0.250 (2 of 3)"
    assert scores.seconds([record(seconds=1.0), record(seconds=9.0), record(seconds=2.0)]) == "2.0"


@pytest.mark.parametrize(
    ("records", "cell", "seconds"),
    [
        ([], "not run", ""),
        ([{"error": "ValueError: no"}], "failed", ""),
        ([{"stopped_after": 900.0}], "stopped", "> 900"),
    ],
)
def test_what_was_not_measured_is_not_a_number(records, cell, seconds):
    assert (scores.cell(records, "nmi"), scores.seconds(records)) == (cell, seconds)


def test_table2_puts_the_printed_row_beside_the_papers_way():
    ours = {
        "a": record(data="Mfeat", method="OrthoNet, as in the paper", nmi=0.95, seconds=20.0),
        "b": record(data="Mfeat", method="OrthoNet", nmi=0.97, seconds=30.0),
    }
    table = table2.render(ours).partition("**Mfeat**")[2]
    cells = row(table, "OrthoNet, as in the paper")
    assert cells[2] == "0.950"
    assert cells[6:] == ["0.956 / 0.913 / 0.906", "10.85"]
    default = row(table, "OrthoNet")
    assert default[2] == "0.970"
    assert default[6:] == ["", ""]  # the paper has no such row
    assert row(table, "GMC")[1] == "not run"


def test_the_summary_marks_the_best_of_each_set():
    ours = {
        "a": record(data="Mfeat", method="OrthoNet", nmi=0.95),
        "b": record(data="Mfeat", method="GMC", nmi=0.90),
        "c": record(data="Yelp", method="OrthoNet", nmi=0.30),
        "d": record(data="Yelp", method="GMC", nmi=0.40),
    }
    text = table2.summary(ours, ("Yelp", "Mfeat"))
    assert "| **OrthoNet** | 0.300 | **0.950** |" in text
    assert "| GMC | **0.400** | 0.900 |" in text


def test_table3_marks_published_rows_as_such():
    text = table3.render({"a": record(data="ACM", method="OrthoNet", accuracy=0.9)})
    assert row(text.partition("**DBLP**")[0], "VGMGC, as published")[1:4] == ["0.943", "0.773", "0.837"]


def test_table1_compares_both_learners():
    ours = {"a": record(data="Mfeat", layers="SPD", learner="OrthoNet", nmi=0.94)}
    cells = row(table1.render(ours), "Mfeat", "SPD", "OrthoNet")
    assert (cells[4], cells[7]) == ("0.940", "0.956 / 0.913 / 0.906")


def test_figure5_counts_its_models():
    ours = {str(i): {"data": "Mfeat", "fraction": 0.7, "nmi": 0.9, "repeat": i} for i in range(3)}
    assert row(figure5.render(ours), "Mfeat") == ["Mfeat", "3", "0.900 ± 0.000"]
    assert len(figure5.draw(ours).axes) == 1


def test_every_name_in_the_tables_is_known():
    assert set(TABLE2) <= set(table2.SETS) <= set(LOADERS)
    assert set(table3.SETS) <= set(LOADERS)
    assert {data for data, _ in TABLE1} == set(table1.BUILT)
    assert all(set(rows) <= set(PAPER_METHODS) for rows in TABLE2.values())
    assert set(figure5.SETS) <= set(LOADERS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_measurement_has_a_key_of_its_own(name):
    for quick in (True, False):
        keys = [task.key for task in EXPERIMENTS[name].tasks(quick)]
        assert len(keys) == len(set(keys)) > 0


def test_a_shrunk_set_keeps_whole_classes_where_it_can():
    data = datasets.load_digits(600)
    small = shrunk(data, 150)
    kept, counts = np.unique(small.labels, return_counts=True)
    assert kept.tolist() == [0, 1]
    assert counts.tolist() == [np.sum(data.labels == 0), np.sum(data.labels == 1)]
    assert small.graph.n_nodes == len(small.labels) == len(small.views[0])
    assert shrunk(data, 50).graph.n_nodes == 50


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.slow
def test_every_method_runs_on_generated_data(method):
    data = load("synthetic 2,000", 0, quick=True)
    found = METHODS[method].fit(data.graph, data.views, data.n_clusters, 0).labels_
    assert len(found) == 300


def test_a_run_that_was_cut_off_goes_on_where_it_stopped(tmp_path):
    first = Run("figure4", tmp_path)
    assert [task.key for task in first.remaining()] == ["clouds"]
    assert len(list(first.advance())) == 1
    again = Run("figure4", tmp_path)
    assert again.remaining() == []
    assert [path.name for path in again.write()] == ["figure4.md", "figure4.png"]


def test_failures_are_tried_again_and_what_took_too_long_if_it_has_more_time(tmp_path):
    run = Run("table1", tmp_path, quick=True, limit=5.0)
    first, second, third, *rest = run.remaining()
    run.results.add(first.key, {"error": "ValueError: no"})
    run.results.add(second.key, {"stopped_after": 5.0})
    run.results.add(third.key, {"stopped_after": 1.0})
    assert [task.key for task in run.remaining()] == [first.key, third.key, *(task.key for task in rest)]


@pytest.mark.parametrize("name", EXPERIMENTS)
@pytest.mark.parametrize("outcome", [{"stopped_after": 1.0}, {"error": "ValueError: no"}])
def test_what_was_stopped_or_failed_is_written_as_such(name, outcome, tmp_path):
    run = Run(name, tmp_path, quick=True)
    task = run.remaining()[0]
    run.results.add(task.key, {**task.about, **outcome})
    (written,) = [path for path in run.write() if path.suffix == ".md"]
    assert any(word in written.read_text() for word in ("stopped", "failed"))


def test_only_what_a_table_asks_for_is_shown(tmp_path):
    run = Run("figure5", tmp_path, quick=True)
    run.results.add("Mfeat | 0.7 | 9", {"data": "Mfeat", "fraction": 0.7, "repeat": 9, "nmi": 0.5})
    assert run.known() == {}


def test_two_runs_in_one_folder_lose_nothing(tmp_path):
    first, second = Run("figure5", tmp_path), Run("figure5", tmp_path)
    first.results.add("a", {})
    second.results.add("b", {})
    assert set(Run("figure5", tmp_path).results.records) == {"a", "b"}
