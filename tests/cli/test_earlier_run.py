"""What an earlier run says it read is not taken at its word."""

import json

import pytest

from orthonet.cli.earlier_run import read_again
from orthonet.cli.run_folder import Run


@pytest.mark.parametrize(
    "changed",
    [
        {"inputs": {"own_fea\x7fures": True}},
        {"inputs": {"files": "\u202e" * 9000}},
        {"inputs": {}, "checksums": {"nothing\x1b[31m": "0"}},
        {"inputs": {}, "checksums": {"nul\0": "0"}},
    ],
)
def test_what_is_said_of_a_record_is_one_line_without_control_characters(tmp_path, changed):
    (tmp_path / "run.json").write_text(json.dumps({"checksums": {}} | changed))
    with pytest.raises((ValueError, OSError)) as caught:
        read_again(Run.of(tmp_path))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 2000
