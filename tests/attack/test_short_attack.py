"""A short run of the attack: spoiled files and numbers are read, or refused in a line that names them."""

import json

import fuzz
import inputs as attack
import pytest

pytest.importorskip("polars")


def test_some_hundred_spoiled_inputs_are_read_or_refused(tmp_path):
    files = attack.good_files(tmp_path)
    for name, content in files.items():
        assert attack.attempt(tmp_path, name, content) == "read", name
    outcomes = [attack.attempt(tmp_path, name, content) for _, name, content in attack.inputs(files, 1, 0, 400)]
    assert min(outcomes.count("read"), outcomes.count("refused")) > 50


def test_a_run_that_is_stopped_goes_on_and_counts_each_input_once(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz, "BATCH", 30)
    state = tmp_path / "attack.json"
    assert fuzz.attack_all(5, 30, state)
    before = json.loads(state.read_text())
    state.with_suffix(".marks").write_bytes(b"+-?" + bytes(27))  # stopped in the third input of the next batch
    assert fuzz.attack_all(5, 60, state)
    found = json.loads(state.read_text())
    assert (before["next"], found["next"]) == (30, 60)
    assert sum(sum(counts.values()) for counts in found["kinds"].values()) == 60
    assert found["crashes"] == []


def test_a_part_of_the_inputs_is_tried_by_itself(tmp_path):
    state = tmp_path / "attack.json"
    assert fuzz.attack_all(5, 140, state, first=120)
    found = json.loads(state.read_text())
    assert found["next"] == 140
    assert sum(sum(counts.values()) for counts in found["kinds"].values()) == 20


def test_the_same_seed_gives_the_same_inputs_wherever_one_starts(tmp_path):
    files = attack.good_files(tmp_path)
    assert list(attack.inputs(files, 3, 5, 10)) == list(attack.inputs(files, 3, 0, 20))[5:15]
