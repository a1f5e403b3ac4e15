"""Trainings that are killed go on to the same result: at every step, twice in a row, and at random moments."""

import os

import kills
import pytest

pytestmark = [pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork"), pytest.mark.slow]


def test_killed_at_every_file_operation_of_a_training_and_again_while_it_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(kills, "STEPS", 6)
    course = kills.Course("dense", tmp_path)
    killed_at = 0
    for last in range(1, 12 * kills.STEPS):
        if not course.train(last):
            break
        killed_at += 1
        course.train(2 + last % 5)  # in the step that comes next, or the one after it
        assert course.ends_as_expected(), f"killed before operation {last}"
    assert killed_at >= 3 * kills.STEPS  # a checkpoint is opened, flushed to the disk, and put in place
    assert course.ends_as_expected()


def test_killed_at_random_moments(tmp_path):
    counts, wrong = kills.kill_many(8, 1, tmp_path)
    assert not wrong
    assert sum(counts.values()) >= 8
    assert len(counts) == len(kills.SETTINGS)
