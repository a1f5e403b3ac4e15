"""A short run of the attack: spoiled files and numbers are read, or refused in a line that names them."""

import inputs as attack
import pytest

pytest.importorskip("polars")


def test_some_hundred_spoiled_inputs_are_read_or_refused(tmp_path):
    files = attack.good_files(tmp_path)
    for name, content in files.items():
        assert attack.attempt(tmp_path, name, content) == "read", name
    outcomes = [attack.attempt(tmp_path, name, content) for _, name, content in attack.inputs(files, 1, 0, 400)]
    assert min(outcomes.count("read"), outcomes.count("refused")) > 50


def test_the_same_seed_gives_the_same_inputs_wherever_one_starts(tmp_path):
    files = attack.good_files(tmp_path)
    assert list(attack.inputs(files, 3, 5, 10)) == list(attack.inputs(files, 3, 0, 20))[5:15]
