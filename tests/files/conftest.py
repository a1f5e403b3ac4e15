"""Files of a test's own, and both readers of tables."""

import pytest

from orthonet.files import read_network
from orthonet.files.tables import columns as columns_module


@pytest.fixture
def write(tmp_path):
    """Write text or bytes to a file, and return its path."""

    def write(content, name="edges.csv"):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / name

    return write


@pytest.fixture
def row_by_row(monkeypatch):
    """Tables are read without polars."""
    monkeypatch.setattr(columns_module, "is_installed", lambda module: False)


@pytest.fixture(params=["polars", "row by row"])
def reader(request):
    """Each test that uses this holds for both readers of tables."""
    if request.param == "polars":
        pytest.importorskip("polars")
    else:
        request.getfixturevalue("row_by_row")


@pytest.fixture
def write_table(write):
    """Write text or bytes to table.csv, or to a file of another name, and return its path."""
    return lambda content, name="table.csv": write(content, name)


@pytest.fixture(scope="session")
def read_or_refused():
    """A reader returns a graph that holds what graphs promise, or raises one of two errors, in a line with the file's name."""

    def read(file, **options):
        try:
            graph = read_network(file, **options).graph()
        except (ValueError, OSError) as error:
            assert file.name in str(error), error
            assert "\n" not in str(error), error
            return
        for layer in graph.layers:
            assert (layer != layer.T).nnz == 0
            assert layer.nnz
            assert (layer.data > 0).all()
            assert not layer.diagonal().any()

    return read
