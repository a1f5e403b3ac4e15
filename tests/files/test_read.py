"""The one door for network files: what it finds, what it decides, and what it says about it."""

import gzip

import numpy as np
import pytest
from scipy.io import mmwrite
from scipy.sparse import csr_array, save_npz

from orthonet import MultilayerGraph
from orthonet.files import read_network
from orthonet.files.registry import format_of
from orthonet.files.source import Source
from orthonet.files.tables import columns as columns_module


def dense(network, **options):
    return {
        name: layer.toarray().tolist()
        for name, layer in zip(network.layers, network.graph(**options).layers, strict=True)
    }


WANTED = {"work": [[0, 2, 0], [2, 0, 0.5], [0, 0.5, 0]], "lunch": [[0, 0, 1], [0, 0, 0], [1, 0, 0]]}


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "text",
    [
        "source,target,layer,weight\nann,bob,work,2\nbob,eve,work,0.5\nann,eve,lunch,1\n",
        "ann,bob,work,2\nbob,eve,work,0.5\nann,eve,lunch,1",
        "ann\tbob\twork\t2\r\nbob\teve\twork\t.5\r\nann\teve\tlunch\t1e0\r\n",
        "From; To; Strength; Relation\nann; bob; 2; work\nbob; eve; 0.5; work\nann; eve; 1; lunch\n",
        "# a comment\n% another\nann bob work 2\nbob eve work 0.5\nann eve lunch 1\n",
        "  ann   bob work 2\nbob\teve  work 0.5\n ann eve lunch 1 \n",
        'note,"layer",weight,node_1,node_2\n"a,b",work,2,ann,bob\n,work,0.5,bob,eve\n,lunch,1,ann,eve\n\n\n',
        "\ufeffann,bob,work,2\nbob,eve,work,0.5\nann,eve,lunch,1",
        "ann|bob|2|work\nbob|eve|0.5|work\nann|eve|1|lunch\n",
        "\ufeffsource,target,layer,weight\rann,bob,work,2\rbob,eve,work,0.5\rann,eve,lunch,1\r",
    ],
)
def test_tables_of_edges_are_understood(write, text):
    for file in (write(text), write(gzip.compress(text.encode()), "packed.csv")):
        network = read_network(file)
        assert network.node_ids.tolist() == ["ann", "bob", "eve"]
        assert dense(network) == WANTED
        assert (network.report.n_rows, network.report.dropped) == (3, {})


@pytest.mark.usefixtures("reader")
def test_columns_can_be_named_and_counted(write):
    text = "x,y,z\n1,2,3\n2,5,4\n"
    assert read_network(write(text)).node_ids.tolist() == [1, 2, 5]
    network = read_network(write(text), source="y", target="z", weight=0)
    assert network.node_ids.tolist() == [2, 3, 5, 4]
    assert network.layers["edges"].weight.tolist() == [1, 2]
    assert read_network(write(text), heading=False).node_ids.tolist() == ["x", "y", "1", "2", "5"]
    with pytest.raises(ValueError, match=r"edges\.csv: weight='w' is not a column; its columns are 'x', 'y', 'z'"):
        read_network(write(text), weight="w")
    with pytest.raises(ValueError, match="one column cannot be two of"):
        read_network(write(text), source="x", target="x")


@pytest.mark.usefixtures("reader")
def test_a_third_column_of_numbers_is_the_weight_else_the_layer(write):
    assert dense(read_network(write("a,b,3\na,c,4\n"))) == {"edges": [[0, 3, 4], [3, 0, 0], [4, 0, 0]]}
    assert list(read_network(write("a,b,x\na,c,y\n")).layers) == ["x", "y"]


@pytest.mark.usefixtures("reader")
def test_ids_keep_their_spelling_and_their_order(write):
    assert read_network(write("9,10\n10,2\n")).node_ids.tolist() == [9, 10, 2]
    assert read_network(write("9,10\n10,2\n"), ids="text").node_ids.tolist() == ["9", "10", "2"]
    assert read_network(write("007,7\n7,NA\nNA,1.0\n")).node_ids.tolist() == ["007", "7", "NA", "1.0"]
    for odd in ("+5", "-0", "00", "1" * 30, "5 "):
        assert read_network(write(f'1,2\n1,"{odd}"\n'), heading=False).node_ids.tolist() == ["1", "2", odd]
    assert read_network(write("5,-6\n-6,10000000000000000\n")).node_ids.tolist() == [5, -6, 10**16]


def test_both_readers_of_tables_agree(write, monkeypatch, rng):
    pytest.importorskip("polars")
    names = [f"node {i}" for i in range(50)]
    for labels in (names, list(range(50))):
        lines = [
            f"{labels[i]},{labels[j]},l{k},{w:.3f}"
            for i, j, k, w in zip(*rng.integers(0, 50, (2, 400)), rng.integers(0, 3, 400), rng.random(400), strict=True)
        ]
        file = write("source,target,layer,weight\n" + "\n".join(lines) + "\n")
        fast = read_network(file)
        with monkeypatch.context() as patch:
            patch.setattr(columns_module, "is_installed", lambda module: False)
            slow = read_network(file)
        wanted = MultilayerGraph.from_edges([(a, b, c, float(w)) for a, b, c, w in (line.split(",") for line in lines)])
        assert fast.node_ids.tolist() == slow.node_ids.tolist()
        assert fast.report == slow.report
        graph, order = fast.graph(), [fast.node_ids.astype(str).tolist().index(one) for one in wanted.node_ids]
        for one, two in zip(graph.layers, slow.graph().layers, strict=True):
            assert abs(one - two).nnz == 0
        for name, layer in zip(wanted.layer_names, wanted.layers, strict=True):
            mine = graph.layers[graph.layer_names.index(name)]
            assert abs(mine[order][:, order] - layer).max() < 1e-12


def test_texts_whose_hashes_collide_are_kept_apart(monkeypatch):
    polars = pytest.importorskip("polars")
    from orthonet.files.tables import polars_columns

    monkeypatch.setattr(
        polars_columns, "_hashes", lambda series: [np.zeros(len(one), dtype=np.uint64) for one in series]
    )
    ids, (codes,) = polars_columns._text_codes([polars.Series(["b", "a", None, "b", ""])], "text")
    assert (ids.tolist(), codes.tolist()) == (["b", "a"], [0, 1, -1, 0, -1])
    columns = [polars.Series(["b", "a", None]), polars.Series(["c", "b", "a"])]
    ids, (one, other) = polars_columns._text_codes(columns, "text")
    assert (ids.tolist(), one.tolist(), other.tolist()) == (["b", "c", "a"], [0, 2, -1], [1, 0, 2])


def test_parquet_says_itself_what_is_text(tmp_path):
    polars = pytest.importorskip("polars")
    file = tmp_path / "edges.parquet"
    columns = {"from": [3, 1], "to": [1, 2], "kind": [10, 20], "note": ["x", "y"]}
    polars.DataFrame(columns).write_parquet(file)
    network = read_network(file)
    assert (network.node_ids.tolist(), list(network.layers)) == ([3, 1, 2], ["10", "20"])
    assert "columns not used: 'note'" in str(network.report)
    assert read_network(file, ids="text").node_ids.tolist() == ["3", "1", "2"]
    polars.DataFrame({"u": ["3", "1"], "v": ["1", "2"], "w": [1.5, None]}).write_parquet(file)
    network = read_network(file, missing_weights="one")
    assert (network.node_ids.tolist(), network.report.layers[0].n_filled) == (["3", "1", "2"], 1)
    polars.DataFrame({"u": [2**64 - 1], "v": [1]}, schema={"u": polars.UInt64, "v": polars.UInt64}).write_parquet(file)
    assert read_network(file).node_ids.tolist() == [str(2**64 - 1), "1"]
    polars.DataFrame({"u": ["a", None], "v": ["b", "c"]}).write_parquet(file)
    with pytest.raises(ValueError, match=r"edges\.parquet, row 2: no source"):
        read_network(file)
    polars.DataFrame({"u": [["a"]], "v": ["b"]}).write_parquet(file)
    with pytest.raises(ValueError, match=r"edges\.parquet: column 'u' holds List\(String\)"):
        read_network(file)
    polars.DataFrame({"u": ["a"], "v": ["b"], "weight": ["much"]}).write_parquet(file)
    with pytest.raises(ValueError, match=r"edges\.parquet, row 1: a weight must be a number, got 'much'"):
        read_network(file)


def test_parquet_without_polars_says_what_to_install(tmp_path, monkeypatch):
    import sys

    (tmp_path / "e.parquet").write_bytes(b"PAR1....PAR1")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"reading a Parquet file needs the package 'polars'.*orthonet\[files\]"):
        read_network(tmp_path / "e.parquet")


@pytest.mark.usefixtures("reader")
def test_each_policy_is_counted(write):
    text = "source,target,weight\na,b,1\nb,a,2\na,a,5\nb,c,\nc,x,1\na,c,0\n"
    nodes = write("id,age\na,1\nb,2\nc,3\n", "nodes.csv")
    network = read_network(write(text), features=nodes, unknown_nodes="drop", missing_weights="one")
    (layer,) = network.report.layers
    assert layer.dropped == {"unknown node": 1, "self-loop": 1, "weight 0": 1}
    assert (layer.n_rows, layer.n_kept, layer.n_repeated, layer.n_edges, layer.n_filled) == (6, 3, 1, 2, 1)
    assert dense(network) == {"edges": [[0, 3, 0], [3, 0, 1], [0, 1, 0]]}
    for part in ("3 of 6 rows kept", "1 self-loop (dropped)", "1 repeated (merged)", "1 without weight (taken as 1)"):
        assert part in str(network.report)
    options = {"unknown_nodes": "drop", "missing_weights": "drop"}
    assert read_network(write(text), features=nodes, **options).report.dropped["no weight"] == 1
    largest = read_network(write(text), features=nodes, duplicates="max", **options)
    assert dense(largest)["edges"][0][1] == 2
    oriented = read_network(write(text), features=nodes, directed=True, **options)
    assert dense(oriented)["edges"][0][1] == 2
    assert dense(oriented, symmetrize="min")["edges"][0][1] == 1
    assert oriented.report.layers[0].directed


@pytest.mark.usefixtures("reader")
def test_a_node_table_gives_nodes_order_and_features(write):
    edges = write("b,a\n")
    nodes = write("town;name;age;height\nUlm;c;1;0.5\nBonn;b;NA;1.5\n;a;3;2.5\n", "nodes.csv")
    network = read_network(edges, features=nodes)
    assert network.node_ids.tolist() == ["c", "b", "a"]
    graph = network.graph()
    assert graph.features.tolist() == [[1, 0.5], [2, 1.5], [3, 2.5]]
    assert graph.feature_names == ("age", "height")
    assert network.attributes["town"].tolist() == ["Ulm", "Bonn", ""]
    assert "column 'age': 1 missing value filled with the mean" in str(network.report)
    assert "columns of text, not features: 'town'" in str(network.report)
    with pytest.raises(ValueError, match=r"nodes\.csv, row 2: column 'age' has no value"):
        read_network(edges, features=nodes, missing_features="refuse")
    assert (
        read_network(
            write("Ulm,Bonn\n", "towns.csv"), features=write("a,b\nUlm,1\nBonn,2\n", "t.csv"), id_column="a"
        ).features
        is not None
    )
    bare = read_network(edges, features=write("c\na\nb\n", "ids.txt"))
    assert (bare.node_ids.tolist(), bare.features) == (["c", "a", "b"], None)
    mixed = read_network(write("7,8\n", "digits.csv"), features=write("id,x\n8,1\n7,2\nx,3\n", "m.csv"))
    assert mixed.node_ids.tolist() == ["8", "7", "x"]


def test_one_file_a_layer(write):
    work, lunch = write("a,b\nb,c\n", "work.csv"), write("c,d,2\n", "lunch.tsv")
    network = read_network([work, lunch])
    assert (list(network.layers), network.node_ids.tolist()) == (["work", "lunch"], ["a", "b", "c", "d"])
    assert list(read_network({"one": work, "two": lunch}).layers) == ["one", "two"]
    matrix = csr_array([[0, 1.0, 0], [1, 0, 1], [0, 1, 0]])
    save_npz(work.parent / "m.npz", matrix)
    mmwrite(work.parent / "n.mtx", matrix)
    both = read_network([work.parent / "m.npz", work.parent / "n.mtx"])
    assert both.node_ids.tolist() == [0, 1, 2]
    assert dense(both)["m"] == dense(both)["n"] == matrix.toarray().tolist()
    named = read_network([work.parent / "m.npz", work], features=write("id\na\nb\nc\n", "nodes.csv"))
    assert dense(named)["m"] == dense(named)["work"]
    with pytest.raises(
        ValueError, match=r"m\.npz numbers its nodes, but .*work\.csv names them; to match them, pass a table of nodes"
    ):
        read_network([work.parent / "m.npz", work])
    with pytest.raises(ValueError, match=r"a layer 'work' was read before, from .*work\.csv; name them apart"):
        read_network([work, work])
    with pytest.raises(ValueError, match=r"m\.npz has 3 nodes, but .*two\.csv has 2"):
        read_network(work.parent / "m.npz", features=write("id\na\nb\n", "two.csv"))
    with pytest.raises(ValueError, match="paths is empty"):
        read_network([])


def test_directed_matrices_are_made_symmetric(tmp_path):
    save_npz(tmp_path / "m.npz", csr_array([[0, 1.0], [3, 0]]))
    network = read_network(tmp_path / "m.npz")
    assert network.report.layers[0].directed
    assert dense(network)["m"][0][1] == 3
    assert dense(network, symmetrize="mean")["m"][0][1] == 2


def test_pajek_relations_are_read(write):
    text = (
        '*Network x\n*Vertices 4\n1 "ann lee" 0.1 0.2\n2 "bob"\n% comment\n*Arcs :1 "likes"\n1 2 2\n2 1 1\n'
        '*Edges :1\n2 3\n*Edgeslist :2 "work"\n1 2 3\n'
    )
    network = read_network(write(text, "net.net"))
    assert network.node_ids.tolist() == ["ann lee", "bob", "3", "4"]
    assert {name: edges.directed for name, edges in network.layers.items()} == {"likes": True, "work": False}
    assert dense(network)["likes"][0][1] == 2
    assert dense(network)["work"] == [[0, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]


def test_infomap_layers_are_read(write):
    text = (
        '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n*Multilayer\n# l n l n w\n1 1 1 2 0.5\n1 1 2 1 9\n2 2 2 3\n*Inter\n1 2 2 1\n'
    )
    network = read_network(write(text, "net.txt"))
    assert format_of(Source.of(network.path)) == "infomap"
    assert dense(network) == {"1": [[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0]], "2": [[0, 0, 0], [0, 0, 1], [0, 1, 0]]}
    assert network.report.dropped == {"between layers": 2}


def test_graphml_of_networkx_is_read(tmp_path):
    networkx = pytest.importorskip("networkx")
    graph = networkx.MultiGraph()
    graph.add_node("x", age=3, town="Ulm")
    graph.add_node("y", age=5)
    graph.add_edge("x", "y", layer="work", weight=0.25)
    graph.add_edge("x", "y", layer="lunch", weight=2)
    networkx.write_graphml(graph, tmp_path / "g.xml")
    network = read_network(tmp_path / "g.xml", features=True)
    assert {name: matrix[0][1] for name, matrix in dense(network).items()} == {"work": 0.25, "lunch": 2}
    assert (network.feature_names, network.features.tolist()) == (("age",), [[3], [5]])
    networkx.write_graphml(networkx.DiGraph([(1, 2), (2, 1), (2, 3)]), tmp_path / "d.graphml")
    network = read_network(tmp_path / "d.graphml")
    assert network.node_ids.tolist() == [1, 2, 3]
    assert network.report.layers[0].directed


def test_choices_are_checked(write):
    file = write("a,b\n")
    for name in ("ids", "unknown_nodes", "missing_weights", "missing_features", "duplicates", "format"):
        with pytest.raises(ValueError, match=f"{name} must be one of .*got 'maybe'"):
            read_network(file, **{name: "maybe"})
