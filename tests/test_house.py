"""The sizes that keep the house readable: files up to 400 lines, functions up to 50, constructors up to 12 parameters."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("src", "tests", "benchmarks", "experiments")
FILES = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))
MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 50
MOST_PARAMETERS = 12
LARGE_CONSTRUCTORS = {"OrthoNet"}


def functions(file):
    return [node for node in ast.walk(parsed(file)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def parsed(file):
    return ast.parse(file.read_text())


def body_lines(function):
    """Count the lines of a function's body, without its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def constructors(file):
    for owner in (node for node in ast.walk(parsed(file)) if isinstance(node, ast.ClassDef)):
        for node in owner.body:
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                yield owner.name, len([*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]) - 1


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_file_is_longer_than_400_lines(folder):
    lengths = {
        str(file.relative_to(ROOT)): len(file.read_text().splitlines())
        for file in FILES
        if file.is_relative_to(ROOT / folder)
    }
    assert lengths
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_function_body_is_longer_than_50_lines(folder):
    lengths = {
        f"{file.relative_to(ROOT)}:{one.lineno} {one.name}": body_lines(one)
        for file in FILES
        if file.is_relative_to(ROOT / folder)
        for one in functions(file)
    }
    assert lengths
    assert {name: length for name, length in lengths.items() if length > MOST_LINES_OF_A_FUNCTION} == {}


def test_no_constructor_has_more_than_12_parameters_but_that_of_orthonet():
    counts = {name: count for file in FILES for name, count in constructors(file)}
    assert counts.keys() >= LARGE_CONSTRUCTORS
    assert {name for name, count in counts.items() if count > MOST_PARAMETERS} <= LARGE_CONSTRUCTORS


def test_a_docstring_is_not_part_of_the_body():
    function = ast.parse('def f():\n    """One.\n\n    Two.\n    """\n    a = 1\n    return a\n').body[0]
    assert body_lines(function) == 2
