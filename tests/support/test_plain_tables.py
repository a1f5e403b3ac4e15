"""Tables that print without pandas."""

import pytest

from orthonet.support.plain_tables import PlainTable

TABLE = PlainTable(("name", "nats", "nodes"), [("a", 1.26, 10), ("long <b>", None, 2)], "A title", {"nats": "+.1f"})


def test_printed_columns_are_aligned_and_empty_cells_are_empty():
    assert str(TABLE).splitlines() == [
        "A title",
        "name      nats  nodes",
        "a         +1.3     10",
        "long <b>            2",
    ]


def test_notebook_view_is_escaped():
    html = TABLE._repr_html_()
    assert "long &lt;b&gt;" in html
    assert "<b>" not in html
    assert html.count("<tr>") == 3


def test_rows_are_dicts_and_frames():
    assert len(TABLE) == 2
    assert TABLE.to_dicts()[1] == {"name": "long <b>", "nats": None, "nodes": 2}
    pandas = pytest.importorskip("pandas")
    frame = TABLE.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["nodes"].tolist() == [10, 2]
