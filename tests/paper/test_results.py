"""Measurements as a file: nothing lost, nothing half-written, the machine named."""

import json

import pytest

from orthonet.paper.results import Results


def test_what_was_added_is_found_again(tmp_path):
    first = Results(tmp_path / "new" / "table.json", threads=1)
    first.add("b", {"nmi": 0.5})
    first.add("a", {"nmi": 0.25})
    again = Results(tmp_path / "new" / "table.json")
    assert {key: record["nmi"] for key, record in again.records.items()} == {"a": 0.25, "b": 0.5}


def test_the_machine_and_the_versions_are_kept_once_for_a_run(tmp_path):
    results = Results(tmp_path / "table.json", threads=1)
    for key in "abc":
        results.add(key, {})
    kept = json.loads((tmp_path / "table.json").read_text())
    (environment,) = kept["environments"]
    assert environment["threads"] == 1
    assert {"date", "cpu", "python", "numpy", "torch", "orthonet"} <= set(environment)
    assert {record["environment"] for record in kept["records"].values()} == {0}


@pytest.mark.parametrize("content", ["", "[1, 2]", '{"records": {}}', "nonsense"])
def test_a_file_of_something_else_is_named_and_left_alone(tmp_path, content):
    (tmp_path / "table.json").write_text(content)
    with pytest.raises(ValueError, match=r"table\.json does not contain results of `orthonet paper`"):
        Results(tmp_path / "table.json")
    assert (tmp_path / "table.json").read_text() == content
