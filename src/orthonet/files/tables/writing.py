"""Write tables: delimited text and Parquet as bytes, through polars where it is installed."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from orthonet.support.optional import is_installed, require

TableKind = Literal["csv", "tsv", "parquet"]


def table_bytes(columns: Mapping[str, Any], kind: TableKind) -> bytes:
    """Return equally long columns of text or numbers as a table with a heading; numbers come back exactly."""
    if kind == "parquet" or (is_installed("polars") and not _needs_quotes(columns)):
        polars = require("polars", extra="files", purpose="writing Parquet files")
        frame = polars.DataFrame({name: np.asarray(column) for name, column in columns.items()})
        buffer = io.BytesIO()
        if kind == "parquet":
            frame.write_parquet(buffer)
        else:
            frame.write_csv(buffer, separator="\t" if kind == "tsv" else ",")
        return buffer.getvalue()
    text = io.StringIO()
    rows = csv.writer(text, delimiter="\t" if kind == "tsv" else ",", quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    rows.writerow(columns)
    rows.writerows(zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True))
    return text.getvalue().encode()


def _needs_quotes(columns: Mapping[str, Any]) -> bool:
    """Return whether some text has blanks at its ends, or line ends, which only quotes keep."""
    for column in columns.values():
        values = np.asarray(column)
        if values.dtype.kind == "U":
            names = np.unique(values).tolist()
            if any(one != one.strip() or "\r" in one or "\n" in one for one in names):
                return True
    return any(name != name.strip() for name in columns)
