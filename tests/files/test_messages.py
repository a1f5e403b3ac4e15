"""Messages show what cannot be seen, and stay short, whatever is in a file or its name."""

import subprocess
import sys

import pytest

from orthonet import read_network
from orthonet.cli.wording import in_options
from orthonet.files.errors import FileError
from orthonet.support.text import LONGEST_MESSAGE, sentence, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ünï 漢字", "plain ünï 漢字"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\u202etxt.exe", "a\\u202etxt.exe"),
        ("a\u2066b", "a\\u2066b"),
        ("a\x00b\x07", "a\\x00b\\x07"),
        ("\udc80", "\\udc80"),
        ("می\u200cخواهم", "می\u200cخواهم"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text, shown):
    assert visible(text) == shown
    assert str(FileError("x.csv", f"node {text} is odd")) == f"x.csv: node {shown} is odd"
    assert in_options(f"node {text}") == f"node {shown}"


def test_a_reason_is_one_line():
    assert str(FileError("x.mat", "no variable (a\tb\nc) is a view")) == r"x.mat: no variable (a\tb\nc) is a view"


def test_the_name_of_a_file_that_is_not_there_is_written_out(tmp_path):
    for name in ("r\x7fn.csv", "r\tn\n.csv", "\u202erun.csv"):
        with pytest.raises(FileNotFoundError, match="there is no such file") as caught:
            read_network(tmp_path / name)
        assert str(caught.value).isprintable()


def test_a_file_with_odd_content_is_refused_in_a_short_visible_line(tmp_path):
    file = tmp_path / "e.csv"
    file.write_text(f"source,target,weight\na,b,1\n\x1b]0;\u202eevil{'x' * 70_000},b,not a number\n")
    with pytest.raises(ValueError) as caught:
        read_network(file)
    file.write_text(f"source,target,weight\na,b,1\na,b,\x1b]0;\u202eevil{'x' * 70_000}\n")
    with pytest.raises(ValueError) as again:
        read_network(file)
    for said in (str(caught.value), str(again.value)):
        assert str(file) in said
        assert said.isprintable()
        assert len(said) < 2 * LONGEST_MESSAGE


def test_long_sentences_lose_their_middle():
    text = sentence("start " + "x" * 100_000 + " end")
    assert text.startswith("start")
    assert text.endswith("end")
    assert len(text) < LONGEST_MESSAGE + 10


def test_a_closed_standard_output_is_no_error(tmp_path):
    (tmp_path / "e.csv").write_text("source,target\na,b\nb,c\n")
    command = f"exec '{sys.executable}' -m orthonet info '{tmp_path / 'e.csv'}' >&-"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
