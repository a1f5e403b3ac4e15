"""Optional imports, progress and safe files."""

import time

import pytest

from orthonet.support.files import write_atomically
from orthonet.support.optional import require
from orthonet.support.progress import progress


def test_a_missing_package_says_what_to_install():
    with pytest.raises(ImportError, match=r"flying needs the package 'antigravity9'.*pip install 'orthonet\[fly\]'"):
        require("antigravity9.wings", extra="fly", purpose="flying")


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    file = tmp_path / "labels.csv"
    write_atomically(file, b"old")
    monkeypatch.setattr("os.fsync", lambda descriptor: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_atomically(file, b"new")
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_progress_is_silent_unless_somebody_waits(capsys):
    with progress("work", 3) as report:
        report(3, "done")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("verbose", [False, 0])
def test_progress_is_silent_when_told_so(capsys, verbose, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress("work", 3, verbose=verbose) as report:
        report(3, "done")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("verbose", [True, 1])
def test_progress_shows_itself_when_asked(capsys, verbose):
    with progress("work", 3, verbose=verbose) as report:
        report(1, "loss 0.5")
        report(3, "loss 0.1")
    assert "work" in capsys.readouterr().err


def test_progress_shows_itself_within_a_slow_step_if_asked(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setattr("orthonet.support.progress.PATIENCE_SECONDS", 0.05)
    for slow_steps in (False, True):
        with progress("work", 3, slow_steps=slow_steps) as report:
            report(0, "the slow one")
            time.sleep(0.4)
            seen = capsys.readouterr().err
        assert ("the slow one" in seen) == slow_steps


def test_progress_stops_when_the_work_fails():
    with pytest.raises(RuntimeError, match="broken"), progress("work", 3, verbose=True) as report:
        report(1, "")
        raise RuntimeError("broken")
