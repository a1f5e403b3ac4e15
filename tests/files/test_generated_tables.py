"""Any table and any bytes, as features, views and labels: read back as they were written, or refused in one line."""

import csv
import gzip
import io

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from orthonet.files import read_features, read_labels, read_views
from orthonet.files.tables import columns as columns_module
from orthonet.support.optional import is_installed

RELAXED = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


WORDS = st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=6)


@st.composite
def tables(draw):
    n_rows, n_columns = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    ids = [f"n{word}" for word in draw(st.lists(WORDS, min_size=n_rows, max_size=n_rows, unique=True))]
    names = [f"f{word}" for word in draw(st.lists(WORDS, min_size=n_columns, max_size=n_columns, unique=True))]
    number = st.floats(-1e300, 1e300)
    return ids, names, [[draw(number) for _ in names] for _ in ids]


@RELAXED
@given(tables(), st.sampled_from(["csv", "tsv", "csv.gz", "parquet", "npy"]))
def test_what_was_written_is_read(tmp_path, table, kind):
    ids, names, values = table
    file = tmp_path / f"table.{kind}"
    if kind == "npy":
        np.save(file, np.array(values))
    elif kind == "parquet":
        polars = pytest.importorskip("polars")
        columns = {name: np.array(values)[:, index] for index, name in enumerate(names)}
        polars.DataFrame({"id": ids, **columns}).write_parquet(file)
    else:
        text = io.StringIO()
        rows = csv.writer(text, delimiter="\t" if kind == "tsv" else ",", quoting=csv.QUOTE_NONNUMERIC)
        rows.writerows([["id", *names], *([node, *row] for node, row in zip(ids, values, strict=True))])
        file.write_bytes(gzip.compress(text.getvalue().encode()) if kind == "csv.gz" else text.getvalue().encode())
    # Where words hold other delimiters, a small table may be taken for one separated by these.
    said = {"csv": ",", "csv.gz": ",", "tsv": "\t"}.get(kind) if set("".join(names + ids)) & set(",;|") else None
    read = read_features(file, delimiter=said)
    np.testing.assert_array_equal(read.features, values)
    if kind != "npy":
        assert (read.node_ids.tolist(), list(read.feature_names)) == (ids, names)


CELL = st.one_of(
    st.sampled_from(
        ["a", "b", "1", "2", "007", "", " ", "NA", "nan", "-1", "1e400", "0", '"', "id", "label", "#", "é"]
    ),
    st.text(max_size=4),
    st.integers(-3, 10**20).map(str),
    st.floats().map(repr),
)
TABLE = st.lists(st.lists(CELL, min_size=1, max_size=4), max_size=8)
NUMBERS = st.lists(st.lists(st.floats(-9, 9).map(repr), min_size=3, max_size=3), max_size=5)


def read_or_refused(read, file):
    try:
        read(file)
    except (ValueError, OSError) as error:
        assert file.name in str(error), error
        assert "\n" not in str(error)


def content_of(table):
    ids = None if table.node_ids is None else table.node_ids.tolist()
    return ids, table.feature_names, table.features.tolist(), {k: v.tolist() for k, v in table.attributes.items()}


@RELAXED
@given(
    NUMBERS, TABLE, st.sampled_from([",", "\t", ";", " ", ", "]), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans()
)
def test_any_table_is_read_or_refused(tmp_path, numbers, table, delimiter, end, heading):
    rows = ([["id", "x", "y"]] if heading else []) + numbers + table
    file = tmp_path / "generated.csv"
    file.write_bytes(end.join(delimiter.join(row) for row in rows).encode("utf-8", "surrogatepass"))
    read_or_refused(read_features, file)
    read_or_refused(read_views, file)
    read_or_refused(lambda file: read_labels(file, ["a", "b"]), file)


@pytest.mark.skipif(not is_installed("polars"), reason="needs polars")
@RELAXED
@given(NUMBERS, TABLE, st.booleans())
@example([["1", "2", "3"]], [[""], ["4", "5", ""]], True)
def test_both_readers_say_the_same_of_any_table(tmp_path, numbers, table, heading):
    rows = ([["id", "x", "y"]] if heading else []) + numbers + table
    file = tmp_path / "generated.csv"
    file.write_bytes("\n".join(",".join(row) for row in rows).encode("utf-8", "surrogatepass"))
    results = []
    for fast in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            if not fast:
                patch.setattr(columns_module, "is_installed", lambda module: False)
            try:
                found = read_features(file)
                results.append((*content_of(found), found.notes))
            except (ValueError, OSError) as error:
                results.append(str(error))
    assert results[0] == results[1]


@RELAXED
@given(
    st.binary(max_size=60),
    st.sampled_from(
        [b"", b"PAR1", b"PK\x03\x04", b"\x1f\x8b\x08", b"\x89HDF", b"\x93NUMPY\x01\x00v\x00", b"MATLAB 5.0"]
    ),
    st.sampled_from(["x", "x.csv", "x.npz", "x.npy", "x.parquet", "x.mat", "x.csv.gz"]),
)
def test_any_bytes_are_read_or_refused(tmp_path, content, start, name):
    file = tmp_path / f"generated{name}"
    file.write_bytes(start + content)
    read_or_refused(read_features, file)
    read_or_refused(read_views, file)
    read_or_refused(lambda file: read_labels(file, ["a", "b"]), file)
