"""Errors carry the file, the row and the argument as fields; their text is the whole sentence."""

import copy

import pytest

from orthonet.files import FileError, read_features, read_network
from orthonet.files.errors import Place, naming_file, reading
from orthonet.support.sentences import Argument, Sentence


def caught(read):
    with pytest.raises(FileError) as found:
        read()
    return found.value


def test_an_error_about_a_row(write):
    file = write("source,target,weight\na,b,1\nb,c,\n")
    error = caught(lambda: read_network(file))
    assert (error.path, error.row, error.argument) == (file, 2, "missing_weights")
    assert error.reason == "no weight (1 row has none); pass missing_weights='one' or 'drop'"
    assert str(error) == f"{file}, row 2: {error.reason}"


def test_an_error_about_an_argument(write):
    file = write("id,x\na,1\nb,2\n", "nodes.csv")
    error = caught(lambda: read_features(file, ignore=["y"]))
    assert (error.path, error.row, error.argument) == (file, None, "ignore")
    assert str(error) == f"{file}: ignore='y' is not a column; its columns are 'id', 'x'"


def test_an_error_about_a_whole_file(write):
    file = write("source,target\n")
    error = caught(lambda: read_network(file))
    assert (error.path, error.row, error.argument, error.reason) == (file, None, None, "has no edges")
    assert str(error) == f"{file} has no edges"


def test_an_error_is_a_value_error_that_can_be_copied():
    error = FileError(Place("a.csv", 3, "line"), "pass ", Argument("heading", True))
    again = copy.copy(error)
    assert isinstance(again, ValueError)
    assert str(again) == str(error) == "a.csv, line 3: pass heading=True"
    assert (again.path, again.row, again.argument) == (error.path, 3, "heading")
    assert again.args[0].parts[-1].values == (True,)


def test_any_error_while_reading_names_the_file():
    with pytest.raises(FileError, match=r"a\.csv: the weights are wrong"), naming_file("a.csv"):
        raise ValueError("the weights are wrong")
    with pytest.raises(OSError, match=r"a\.csv: no space"), naming_file("a.csv"):
        raise OSError("no space")


def test_an_error_that_names_its_file_is_left_alone():
    with pytest.raises(FileError) as found, naming_file("a.csv"):
        raise FileError("b.csv", "is another file")
    assert str(found.value) == "b.csv: is another file"


def test_arguments_stay_marked_when_an_error_gets_its_file():
    with pytest.raises(FileError) as found, naming_file("a.csv"):
        raise ValueError(Sentence("raise ", Argument("n_neighbors")))
    assert found.value.argument == "n_neighbors"


def test_whatever_a_parser_raises_is_about_the_file(tmp_path):
    with (
        pytest.raises(FileError, match=r"x is not a table, or is damaged \(it has no 'y'\)"),
        reading(tmp_path / "x", "a table"),
    ):
        raise KeyError("y")
