"""Errors, warnings and notes of the library in the words of the command line; what a user wrote stays as it is."""

import json

import pytest

from orthonet.support.sentences import Argument, Sentence

pytest.importorskip("typer")


@pytest.fixture
def in_options():
    from orthonet.cli.wording import in_options

    return in_options


@pytest.mark.parametrize(
    ("argument", "option"),
    [
        (Argument("unknown_nodes", "drop"), "--unknown-nodes drop"),
        (Argument("missing_weights", "one", "drop"), "--missing-weights one or drop"),
        (Argument("heading", True), "--heading"),
        (Argument("heading", False), "--no-heading"),
        (Argument("layer", "kind"), "--layer-column kind"),
        (Argument("categories"), "--category"),
        (Argument("n_neighbors"), "--neighbors"),
        (Argument("orientation", "rows"), "orientation='rows'"),
    ],
    ids=str,
)
def test_an_argument_is_said_as_its_option(in_options, argument, option):
    assert in_options(Sentence("pass ", argument, "; so it is")) == f"pass {option}; so it is"


def test_only_what_is_marked_as_an_argument_is_replaced(in_options):
    assert in_options("weight=a.csv: raise n_neighbors") == "weight=a.csv: raise n_neighbors"


def test_a_message_is_one_line(in_options):
    assert in_options(ValueError("one\ntwo")) == "one two"


@pytest.mark.parametrize("folder", ["layer=work", "weight=1", "heading=False"])
def test_a_path_that_looks_like_an_argument_stays_as_it_is(orthonet, tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "part0.csv").write_text("source,target,weight\na,b,much\n")
    done = orthonet("info", f"{folder}/part0.csv")
    assert done.exit_code == 2
    assert f"{folder}/part0.csv, row 1: a weight must be a number, got 'much'" in done.stderr


def test_a_hive_partition_keeps_its_name(orthonet, tmp_path, monkeypatch):
    polars = pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "layer=work").mkdir()
    polars.DataFrame({"source": ["a"], "target": [None]}, strict=False).write_parquet("layer=work/part0.parquet")
    done = orthonet("info", "layer=work/part0.parquet")
    assert done.exit_code == 2
    assert done.stderr == "orthonet info: layer=work/part0.parquet, row 1: no target\n"


def test_a_note_names_the_option(orthonet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"n{i},n{i + 1},work" for i in range(20)]
    (tmp_path / "heading=True.csv").write_text("\n".join(["Von,Nach,Art", *rows, *rows]))
    done = orthonet("info", "heading=True.csv")
    assert done.exit_code == 0, done.output
    assert "heading=True.csv: took the first row as the heading; --no-heading makes it an edge" in done.stdout


def test_a_format_to_write_is_named_by_its_own_option(orthonet, tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\n")
    done = orthonet("convert", tmp_path / "edges.csv", tmp_path / "net.xyz")
    assert "no format is called '.xyz'; there are .csv, " in done.stderr
    assert done.stderr.endswith(", or pass --to\n")


def test_the_column_of_layers_is_named_by_its_own_option(orthonet, tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\n")
    done = orthonet("info", tmp_path / "edges.csv", "--layer-column", "kind")
    assert "edges.csv: --layer-column kind is not a column; its columns are 'source', 'target'" in done.stderr


@pytest.mark.parametrize(
    ("argument", "setting"),
    [
        (Argument("solver", "compressed"), "--set aggregation.solver=compressed"),
        (Argument("assign_labels", "kmeans"), "--set assign_labels=kmeans"),
        (Argument("layer_weights", None), "--set layer_weights=None"),
        (Argument("network.hidden_layers", (64, 9)), "--set network.hidden_layers=(64, 9)"),
    ],
    ids=str,
)
def test_an_argument_without_an_option_is_said_as_a_setting_that_is_understood(in_options, argument, setting):
    from orthonet.cli.cluster import parsed_settings

    said = in_options(Sentence("pass ", argument))
    assert said == f"pass {setting}"
    assert parsed_settings([said.removeprefix("pass --set ")]) == {
        setting.removeprefix("--set ").partition("=")[0]: argument.values[0]
    }


def test_warnings_in_the_record_and_in_the_report_name_options(orthonet, tmp_path):
    pairs = [f"n{2 * i},n{2 * i + 1}" for i in range(12)]
    (tmp_path / "edges.csv").write_text("\n".join(["source,target", *pairs]))
    done = orthonet("cluster", tmp_path / "edges.csv", "-k", 3, "--steps", 2, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "12 components" in done.stderr
    for text in (
        done.stderr,
        " ".join(json.loads((tmp_path / "out" / "run.json").read_text())["warnings"]),
        (tmp_path / "out" / "report.html").read_text().partition('id="warnings"')[2].partition("</section>")[0],
    ):
        assert "Raise --neighbors if it was built from features; else lower its weight in --layer-weight" in text
        assert "n_neighbors" not in text
