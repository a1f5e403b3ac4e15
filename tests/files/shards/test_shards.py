"""Networks in shards: written and read whole, read by parts, and refused when something is wrong with a file."""

import json
import shutil

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse

from orthonet import MultilayerGraph, TwoMode, read_network
from orthonet.files import FileError, Shards, write_shards
from orthonet.files.shards import MANIFEST, is_shards
from orthonet.files.tables.writing import table_bytes


def graphs():
    rng = np.random.default_rng(0)
    layers = []
    for _ in range(2):
        upper = np.triu(rng.random((23, 23)) < 0.2, k=1) * rng.integers(1, 9, (23, 23)) / 4
        layers.append(csr_array(upper + upper.T))
    clubs = csr_array((rng.random((23, 5)) < 0.3) * rng.integers(1, 4, (23, 5)))
    features = rng.normal(size=(23, 3))
    present = np.arange(23) > 4
    layers[1] = csr_array(layers[1].toarray() * present * present[:, None])
    yield "plain", MultilayerGraph(layers)
    yield "float32", MultilayerGraph(layers, features.astype(np.float32), layers_from_features=True)
    yield (
        "named",
        MultilayerGraph(
            {"work place": layers[0], "ü": layers[1]},
            features,
            node_ids=["NA", "", " b", *(f"node {index}" for index in range(20))][:23],
            feature_names=["id", "weight", "ß"],
            present=[None, present],
        ),
    )
    yield "numbered", MultilayerGraph(layers, node_ids=10**15 + np.arange(23))
    yield "sparse", MultilayerGraph(layers, csr_array(np.maximum(features, 0)), two_mode={"clubs": clubs})
    yield "groups", MultilayerGraph((), two_mode={"a": TwoMode(clubs, list("vwxyz")), "b": clubs})


GRAPHS = dict(graphs())


def assert_same(one, other):
    assert one.layer_names == other.layer_names
    assert one.feature_names == other.feature_names
    assert one.layers_from_features == other.layers_from_features
    np.testing.assert_array_equal(one.node_ids, other.node_ids)
    assert one.node_ids.dtype.kind == other.node_ids.dtype.kind
    for first, second in zip(one.layers, other.layers, strict=True):
        assert (first != second).nnz == 0
    np.testing.assert_array_equal(np.array(one.present), np.array(other.present))
    if one.features is None or issparse(one.features):
        assert one.features is other.features is None or (one.features != other.features).nnz == 0
    else:
        np.testing.assert_array_equal(one.features, other.features)
        assert one.features.dtype == other.features.dtype
    assert list(one.two_mode) == list(other.two_mode)
    for name, relation in one.two_mode.items():
        assert (relation.incidence != other.two_mode[name].incidence).nnz == 0
        assert relation.group_names == other.two_mode[name].group_names


@pytest.mark.parametrize("n_shards", [1, 4, 23])
@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_comes_back_as_it_was(tmp_path, name, n_shards):
    written = write_shards(GRAPHS[name], tmp_path / "net", n_shards)
    assert is_shards(tmp_path / "net")
    assert sorted(path.name for path in written) == sorted(path.name for path in (tmp_path / "net").iterdir())
    assert_same(read_network(tmp_path / "net").graph(), GRAPHS[name])


def test_one_shard_needs_no_other(tmp_path):
    graph = GRAPHS["sparse"]
    write_shards(graph, tmp_path / "net", 4)
    for path in (tmp_path / "net").glob("shard-*"):
        if not path.name.startswith("shard-0002"):
            path.unlink()
    rows = Shards.of(tmp_path / "net").read(2, 3)
    assert (rows.start, rows.stop) == (11, 17)
    for name, layer in zip(graph.layer_names, graph.layers, strict=True):
        assert (rows.layers[name] != layer[11:17]).nnz == 0
    assert (rows.two_mode["clubs"] != graph.two_mode["clubs"].incidence[11:17]).nnz == 0
    assert (rows.features != graph.features[11:17]).nnz == 0


@pytest.fixture
def folder(tmp_path):
    write_shards(GRAPHS["named"], tmp_path / "net", 3)
    return tmp_path / "net"


def changed(folder, **values):
    manifest = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps(manifest | values))


def test_a_missing_shard_is_named(folder):
    (folder / "shard-0001.edges.parquet").unlink()
    with pytest.raises(
        FileNotFoundError, match=r"shard-0001.edges.parquet: there is no such file, but shards.json names it"
    ):
        read_network(folder)


def test_a_shard_of_other_data_is_refused(folder, tmp_path):
    other = MultilayerGraph(GRAPHS["plain"].layers[::-1])
    write_shards(other, tmp_path / "other", 3)
    shutil.copy(tmp_path / "other" / "shard-0001.edges.parquet", folder)
    with pytest.raises(
        FileError, match=r"shard-0001.edges.parquet (has [\d,]+ bytes, but shards.json says|is not the file)"
    ):
        read_network(folder)


def test_a_damaged_shard_is_refused(folder):
    file = folder / "shard-0002.nodes.parquet"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(bytes(content))
    with pytest.raises(
        FileError, match=r"shard-0002.nodes.parquet is not the file that shards.json describes: it is damaged"
    ):
        read_network(folder)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"format": "other"}, r'is not a manifest of shards: it does not say "format": "orthonet shards"'),
        ({"version": 2}, r"is of version 2, but this OrthoNet reads version 1"),
        ({"bounds": [0, 9, 7, 23]}, r"'bounds' must be a list of rising node numbers from 0 on, got \[0, 9, 7, 23\]"),
        ({"bounds": 3}, r"'bounds' must be"),
        ({"bounds": [0, 7, 15, 24]}, r"shard-0002.nodes.parquet: it has 8 rows, but the shard 9 nodes"),
        ({"layers": ["a", "a"]}, r"'layers' must be a list of different names"),
        ({"layers": ["a"]}, r"shard-0000.nodes.parquet: its columns must be id, present a, feature 0"),
        ({"layers": [], "two_mode": {}}, r"it names neither layers nor two-mode relations"),
        ({"two_mode": {"work place": 3}}, r"'two_mode' must be numbers of groups by names that no layer has"),
        ({"two_mode": {"clubs": 3}}, r"does not name the file shard-0000.memberships.parquet"),
        ({"features": -1}, r"'features' must be the number of features"),
        ({"feature_names": ["a"]}, r"'feature_names' must be 3 different names"),
        ({"lacking": 1}, r"'lacking' must be true or false, got 1"),
        ({"files": {"a": 3}}, r"'files' must be the bytes and SHA-256 of each file"),
    ],
)
def test_a_manifest_that_is_not_as_written_is_refused(folder, values, sentence):
    changed(folder, **values)
    with pytest.raises(FileError, match=sentence):
        read_network(folder)


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe", b'{"format": ' + b"[" * 100_000])
def test_a_damaged_manifest_is_refused(folder, content):
    (folder / MANIFEST).write_bytes(content)
    with pytest.raises(FileError, match=r"shards.json is (cut or damaged|not a manifest)"):
        Shards.of(folder)


def rewritten(folder, table, **columns):
    """Replace a table of a shard, and let the manifest describe the new one."""
    from orthonet.files.shards.manifest import sha256

    file = folder / table
    file.write_bytes(table_bytes(columns, "parquet"))
    files = json.loads((folder / MANIFEST).read_text())["files"]
    changed(folder, files=files | {table: {"bytes": file.stat().st_size, "sha256": sha256(file)}})


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (
            {"layer": [0], "source": [9], "target": [1], "weight": [1.0]},
            r"'source' must hold whole numbers from 0 to 6, got 9",
        ),
        (
            {"layer": [0], "source": [1], "target": [23], "weight": [1.0]},
            r"'target' must hold whole numbers from 0 to 22, got 23",
        ),
        (
            {"layer": [2], "source": [1], "target": [2], "weight": [1.0]},
            r"'layer' must hold whole numbers from 0 to 1, got 2",
        ),
        ({"layer": [0], "source": [1], "target": [1], "weight": [1.0]}, r"an edge joins a node to itself"),
        ({"layer": [0], "source": [1], "target": [2], "weight": [-1.0]}, r"'weight' must hold finite numbers > 0"),
        ({"layer": [0], "source": [1], "target": [2], "weight": [np.inf]}, r"'weight' must hold finite numbers > 0"),
        (
            {"layer": [0], "source": [1], "target": [2], "weight": ["x"]},
            r"column 'weight' must hold numbers, got String",
        ),
        (
            {"layer": [0, 0], "source": [1, 1], "target": [2, 2], "weight": [1.0, 2.0]},
            r"1 pairs of 'work place' are there more",
        ),
        (
            {"layer": [0], "source": [1], "target": [22], "weight": [7.5]},
            r"between nodes \d+ and \d+ is not the same in the rows",
        ),
        ({"source": [1], "target": [2]}, r"its columns must be layer, source, target, weight, got source, target"),
    ],
)
def test_edges_that_fit_no_graph_are_refused(folder, columns, sentence):
    rewritten(folder, "shard-0000.edges.parquet", **columns)
    with pytest.raises(FileError, match=sentence):
        read_network(folder)


def test_a_folder_that_is_no_folder_of_shards(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"is no folder of shards: there is no file .*; orthonet convert NETWORK"
    ):
        Shards.of(tmp_path)


def test_nothing_is_written_over(folder):
    with pytest.raises(FileExistsError, match="is not empty; name a new folder for the shards"):
        write_shards(GRAPHS["plain"], folder, 2)


@pytest.mark.parametrize("n_shards", [0, 24])
def test_more_shards_than_nodes(tmp_path, n_shards):
    with pytest.raises(ValueError, match="n_shards must be an integer >= 1 and <= 23"):
        write_shards(GRAPHS["plain"], tmp_path / "net", n_shards)


def test_ids_of_mixed_kinds_are_refused(tmp_path):
    graph = MultilayerGraph([csr_array(np.array([[0, 1.0], [1, 0]]))], node_ids=["a", 2])
    with pytest.raises(ValueError, match="node ids are of mixed kinds"):
        write_shards(graph, tmp_path / "net", 1)
