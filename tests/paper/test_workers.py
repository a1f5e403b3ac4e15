"""Measurements in processes of their own: what they return, when they fail, when they take too long."""

import importlib
import os
from pathlib import Path

import pytest

from orthonet.paper.workers import Task, run_tasks


@pytest.fixture(autouse=True)
def measurements(monkeypatch):
    """Functions in a module that other processes find too: they inherit the path."""
    monkeypatch.syspath_prepend(Path(__file__).parent / "scripts")
    return importlib.import_module("measurements")


def run(*tasks, jobs=1, limit=60.0):
    return {task.key: record for task, record in run_tasks(tasks, jobs=jobs, limit=limit)}


def test_every_task_comes_back_with_its_record(measurements):
    tasks = [Task(str(number), measurements.double, (number,)) for number in range(5)]
    assert run(*tasks, jobs=2) == {str(number): {"double": 2 * number} for number in range(5)}


def test_a_failure_is_a_record_and_stops_nobody_else(measurements):
    found = run(Task("bad", measurements.refuse, (0,)), Task("good", measurements.double, (1,)))
    assert found == {"bad": {"error": "ValueError: not today"}, "good": {"double": 2}}


def test_what_takes_too_long_is_stopped_and_the_rest_goes_on(measurements):
    found = run(Task("slow", measurements.sleep, (600,)), Task("good", measurements.double, (1,)), limit=5.0)
    assert found == {"slow": {"stopped_after": 5.0}, "good": {"double": 2}}


def test_a_process_that_dies_is_reported_and_replaced(measurements):
    found = run(Task("dead", measurements.leave, (3,)), Task("good", measurements.double, (1,)))
    assert "ended with code 3" in found["dead"]["error"]
    assert found["good"] == {"double": 2}


@pytest.mark.parametrize(("jobs", "wanted"), [(1, None), (2, "1")])
def test_side_by_side_each_has_one_thread(measurements, jobs, wanted, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    found = run(Task("a", measurements.threads, (0,)), Task("b", measurements.threads, (0,)), jobs=jobs)
    assert {record["threads"] for record in found.values()} == {wanted}
    assert "OMP_NUM_THREADS" not in os.environ


def test_one_process_serves_many_tasks(measurements):
    found = run(*(Task(str(i), measurements.threads, (i,)) for i in range(3)))
    assert len({record["process"] for record in found.values()}) == 1
    assert os.getpid() not in {record["process"] for record in found.values()}


def test_what_a_measurement_warns_of_is_kept(measurements):
    assert run(Task("a", measurements.warn, ("mind the gap",)))["a"] == {"fine": True, "warnings": ["mind the gap"]}
