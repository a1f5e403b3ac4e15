"""Shares of categories are those counted by hand, and ids and measures are no categories."""

import numpy as np
import pytest

from orthonet.report.categories import category_columns, marks


def test_shares_of_a_case_worked_by_hand():
    teams = np.array(["red", "red", "red", "blue", "blue", "blue", "", "red"])
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    first, second = marks({"team": teams}, labels, 2)
    assert [(one.column, one.value, one.inside) for one in first] == [("team", "red", 0.75)]
    assert first[0].outside == pytest.approx(1 / 3)  # of the three others whose team is known
    assert first[0].match == pytest.approx(2 * 3 / (4 + 4))
    assert [(one.value, one.inside, one.outside) for one in second] == [("blue", pytest.approx(2 / 3), 0.25)]


def test_a_value_that_is_the_cluster_matches_it_wholly():
    labels = np.repeat([0, 1, 2], [5, 4, 3])
    found = marks({"site": np.array(["Ulm", "Köln", "Bonn"])[labels]}, labels, 3)
    assert [(one.value, one.match, one.outside) for (one,) in found] == [
        ("Ulm", 1.0, 0.0),
        ("Köln", 1.0, 0.0),
        ("Bonn", 1.0, 0.0),
    ]


@pytest.mark.parametrize(
    ("column", "wanted"),
    [
        (["a", "a", "b", "b"], ["a", "a", "b", "b"]),
        ([1, 1, 2, 2], ["1", "1", "2", "2"]),
        ([1.0, 1.0, np.nan, 2.0, 2.0], ["1", "1", "", "2", "2"]),
        ([True, False, True, False], ["yes", "no", "yes", "no"]),
        (np.array(["a", None, "a", "b", "b"], dtype=object), ["a", "", "a", "b", "b"]),
    ],
    ids=str,
)
def test_what_a_category_is(column, wanted):
    assert category_columns({"it": np.array(column)})["it"].tolist() == wanted


@pytest.mark.parametrize(
    "column",
    [["p1", "p2", "p3", "p4"], ["same"] * 4, [0.5, 0.5, 1.5, 1.5], list(range(40)) * 2, ["", "", "", ""]],
    ids=["ids", "constant", "measures", "many numbers", "empty"],
)
def test_what_no_category_is(column):
    assert category_columns({"it": np.array(column)}) == {}


def test_clusters_may_be_empty_and_values_unknown():
    assert marks({"team": np.array(["a", "a", "", "b"])}, np.array([0, 0, 2, 2]), 3)[1] == []
