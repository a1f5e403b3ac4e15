"""Files are opened in one place: looked at once, read once, and refused if they are not what they look like."""

import contextlib
import gzip
import io
import sys

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csr_array, save_npz

from orthonet import MultilayerGraph
from orthonet.files import read_features, read_labels, read_network, read_views, write_network
from orthonet.files import source as source_module
from orthonet.files.source import HEAD_BYTES, Source

OPENED = None


def _on_open(event, arguments):
    if event == "open" and OPENED is not None:
        OPENED.append(str(arguments[0]))


sys.addaudithook(_on_open)


@contextlib.contextmanager
def counting(path):
    """Count how often Python opens a file."""
    global OPENED
    OPENED, counts = [], []
    try:
        yield counts
    finally:
        counts.append(OPENED.count(str(path)))
        OPENED = None


@pytest.mark.usefixtures("row_by_row")
@pytest.mark.parametrize("name", ["n.csv", "n.csv.gz", "n.graphml", "n.mpx", "n.edges", "n.net", "n.npz"])
def test_a_network_is_looked_at_once_and_read_once(tmp_path, name):
    graph = MultilayerGraph([np.ones((4, 4))], layer_names=["n"])
    (file, *_) = write_network(graph, tmp_path / name)
    with counting(file) as opened:
        read_network(file)
    assert opened == [2]


@pytest.mark.usefixtures("row_by_row")
@pytest.mark.parametrize("read", [read_features, read_views, lambda file: read_labels(file, ["a", "b"], column="x")])
def test_a_table_is_looked_at_once_and_read_once(write, read):
    file = write("id,x\na,1\nb,2\n")
    with counting(file) as opened:
        read(file)
    assert opened == [2]


def test_views_of_a_matlab_file_are_read_at_once(tmp_path, rng):
    savemat(tmp_path / "set.mat", {"X1": rng.random((12, 3)), "X2": rng.random((12, 4)), "gnd": np.arange(12) % 3})
    with counting(tmp_path / "set.mat") as opened:
        read_views(tmp_path / "set.mat")
    assert opened == [2]


def test_a_sparse_matrix_is_read_at_once(tmp_path):
    save_npz(tmp_path / "s.npz", csr_array(np.eye(3)))
    with counting(tmp_path / "s.npz") as opened:
        read_features(tmp_path / "s.npz")
    assert opened == [2]


def test_the_head_of_a_packed_file_is_that_of_its_content(write):
    plain = b"a,b\n" * HEAD_BYTES
    packed, bare = Source.of(write(gzip.compress(plain), "a.csv.gz")), Source.of(write(plain, "a.csv"))
    assert packed.head == bare.head == plain[:HEAD_BYTES]
    assert (packed.whole, packed.suffix, packed.name) == (False, ".csv", "a")
    with packed.open() as file:
        assert file.read() == plain


def test_a_long_first_line_is_in_the_head(write):
    line = b"x" * (3 * HEAD_BYTES) + b"\n"
    assert Source.of(write(line)).head.startswith(line)


def test_lines_know_their_place(write):
    source = Source.of(write("\ufeffa\n\n  b \n"))
    assert [(str(place), text) for place, text in source.numbered_lines()] == [
        (f"{source.path}, line 1", "a"),
        (f"{source.path}, line 3", "b"),
    ]


READERS = [read_network, read_features, read_views, lambda path: read_labels(path, ["a"])]


@pytest.mark.parametrize("read", READERS)
def test_a_directory_is_not_a_file(tmp_path, read):
    with pytest.raises(IsADirectoryError, match="is a directory, not a file"):
        read(tmp_path)


@pytest.mark.parametrize("read", READERS)
def test_a_file_that_is_not_there_is_named(tmp_path, read):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv: there is no such file"):
        read(tmp_path / "nowhere.csv")


@pytest.fixture
def low_limit(monkeypatch):
    """Files that unpack to more than a megabyte are refused."""
    monkeypatch.setattr(source_module, "UNPACKED_LIMIT", 2**20)


@pytest.mark.usefixtures("low_limit")
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("edges.csv", b"a,b\n" * 2**20),
        ("net.mpx", b"a,b,c\n" * 2**20),
        ("net.net", b"*Vertices 2\n" + b"%\n" * 2**21),
        ("net.mtx", b"%%MatrixMarket matrix array real general\n" + b"%\n" * 2**21),
        ("net.graphml", b"<graphml>" + b" " * 2**21),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_packed_bomb_is_refused(write, name, content):
    with pytest.raises(ValueError, match=rf"{name} unpacks to .* bytes or more, over 200 times its own size"):
        read_network(write(gzip.compress(content), name))


@pytest.mark.usefixtures("low_limit")
@pytest.mark.parametrize("read", [read_network, read_features])
def test_an_archive_that_is_a_bomb_is_refused(write, read):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, data=np.zeros(2**20), format=b"csr", shape=[1, 1], indices=[0], indptr=[0, 1])
    with pytest.raises(ValueError, match=r"bomb\.npz unpacks to"):
        read(write(buffer.getvalue(), "bomb.npz"))


@pytest.mark.usefixtures("low_limit")
def test_a_table_of_features_that_is_a_bomb_is_refused(write):
    with pytest.raises(ValueError, match=r"bomb\.csv unpacks to"):
        read_features(write(gzip.compress(b"1,2\n" * 2**20), "bomb.csv"))


@pytest.mark.usefixtures("low_limit")
def test_a_matlab_file_that_is_a_bomb_is_refused(tmp_path):
    cell = np.empty((1, 1), dtype=object)
    cell[0, 0] = np.zeros((1000, 1000))
    savemat(tmp_path / "bomb.mat", {"X": cell}, do_compression=True)
    with pytest.raises(ValueError, match=r"bomb\.mat unpacks to"):
        read_views(tmp_path / "bomb.mat")
