"""Networks from files: what is found, what becomes of rows that fit no graph, and what the report says about it."""

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


COLUMNS = "x,y,z\n1,2,3\n2,5,4\n"


@pytest.mark.usefixtures("reader")
def test_columns_can_be_named_and_counted(write):
    assert read_network(write(COLUMNS)).node_ids.tolist() == [1, 2, 5]
    network = read_network(write(COLUMNS), source="y", target="z", weight=0)
    assert network.node_ids.tolist() == [2, 3, 5, 4]
    assert network.layers["edges"].weight.tolist() == [1, 2]


@pytest.mark.usefixtures("reader")
def test_a_heading_can_be_read_as_an_edge(write):
    assert read_network(write(COLUMNS), heading=False).node_ids.tolist() == ["x", "y", "1", "2", "5"]


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight": "w"}, r"edges\.csv: weight='w' is not a column; its columns are 'x', 'y', 'z'"),
        ({"source": "x", "target": "x"}, r"edges\.csv: one column cannot be two of"),
    ],
)
def test_columns_that_are_named_wrongly(write, options, message):
    with pytest.raises(ValueError, match=message):
        read_network(write(COLUMNS), **options)


@pytest.mark.usefixtures("reader")
def test_a_third_column_of_numbers_is_the_weight_else_the_layer(write):
    assert dense(read_network(write("a,b,3\na,c,4\n"))) == {"edges": [[0, 3, 4], [3, 0, 0], [4, 0, 0]]}
    assert list(read_network(write("a,b,x\na,c,y\n")).layers) == ["x", "y"]


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("9,10\n10,2\n", [9, 10, 2]),
        ("5,-6\n-6,10000000000000000\n", [5, -6, 10**16]),
        ("007,7\n7,NA\nNA,1.0\n", ["007", "7", "NA", "1.0"]),
        *[(f'1,2\n1,"{odd}"\n', ["1", "2", odd]) for odd in ("+5", "-0", "00", "1" * 30, "5 ")],
    ],
)
def test_ids_keep_their_spelling_and_their_order(write, text, ids):
    assert read_network(write(text), heading=False).node_ids.tolist() == ids


@pytest.mark.usefixtures("reader")
def test_ids_can_stay_text(write):
    assert read_network(write("9,10\n10,2\n"), ids="text").node_ids.tolist() == ["9", "10", "2"]


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


@pytest.fixture
def parquet(tmp_path):
    """Write columns to a Parquet file."""
    polars = pytest.importorskip("polars")

    def write(columns, **options):
        polars.DataFrame(columns, **options).write_parquet(tmp_path / "edges.parquet")
        return tmp_path / "edges.parquet"

    return write


def test_integers_of_parquet_are_integer_ids(parquet):
    columns = {"from": [3, 1], "to": [1, 2], "kind": [10, 20], "note": ["x", "y"]}
    network = read_network(parquet(columns))
    assert (network.node_ids.tolist(), list(network.layers)) == ([3, 1, 2], ["10", "20"])
    assert "columns not used: 'note'" in str(network.report)
    assert read_network(parquet(columns), ids="text").node_ids.tolist() == ["3", "1", "2"]


def test_digits_in_text_of_parquet_are_text_ids(parquet):
    file = parquet({"u": ["3", "1"], "v": ["1", "2"], "w": [1.5, None]})
    network = read_network(file, missing_weights="one")
    assert (network.node_ids.tolist(), network.report.layers[0].n_filled) == (["3", "1", "2"], 1)


def test_integers_of_parquet_that_are_too_long_become_text(parquet):
    polars = pytest.importorskip("polars")
    file = parquet({"u": [2**64 - 1], "v": [1]}, schema={"u": polars.UInt64, "v": polars.UInt64})
    assert read_network(file).node_ids.tolist() == [str(2**64 - 1), "1"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"u": ["a", None], "v": ["b", "c"]}, r"edges\.parquet, row 2: no source"),
        ({"u": [["a"]], "v": ["b"]}, r"edges\.parquet: column 'u' holds List\(String\)"),
        (
            {"u": ["a"], "v": ["b"], "weight": ["much"]},
            r"edges\.parquet, row 1: a weight must be a number, got 'much'",
        ),
    ],
)
def test_wrong_parquet_tables(parquet, columns, message):
    with pytest.raises(ValueError, match=message):
        read_network(parquet(columns))


def test_parquet_without_polars_says_what_to_install(tmp_path, monkeypatch):
    import sys

    (tmp_path / "e.parquet").write_bytes(b"PAR1....PAR1")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"reading a Parquet file needs the package 'polars'.*orthonet\[files\]"):
        read_network(tmp_path / "e.parquet")


ODD_ROWS = "source,target,weight\na,b,1\nb,a,2\na,a,5\nb,c,\nc,x,1\na,c,0\n"


@pytest.fixture
def read_odd_rows(write):
    """Read rows that fit no graph as they are, with a table of the nodes a, b and c."""
    nodes = write("id,age\na,1\nb,2\nc,3\n", "nodes.csv")
    return lambda **options: read_network(write(ODD_ROWS), features=nodes, unknown_nodes="drop", **options)


@pytest.mark.usefixtures("reader")
def test_rows_that_are_dropped_or_filled_are_counted(read_odd_rows):
    network = read_odd_rows(missing_weights="one")
    (layer,) = network.report.layers
    assert layer.dropped == {"unknown node": 1, "self-loop": 1, "weight 0": 1}
    assert (layer.n_rows, layer.n_kept, layer.n_repeated, layer.n_edges, layer.n_filled) == (6, 3, 1, 2, 1)
    assert dense(network) == {"edges": [[0, 3, 0], [3, 0, 1], [0, 1, 0]]}


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "part", ["3 of 6 rows kept", "1 self-loop (dropped)", "1 repeated (merged)", "1 without weight (taken as 1)"]
)
def test_the_report_says_what_became_of_rows(read_odd_rows, part):
    assert part in str(read_odd_rows(missing_weights="one").report)


@pytest.mark.usefixtures("reader")
def test_rows_without_weight_can_be_dropped(read_odd_rows):
    assert read_odd_rows(missing_weights="drop").report.dropped["no weight"] == 1


@pytest.mark.usefixtures("reader")
def test_the_largest_of_several_rows_can_count(read_odd_rows):
    assert dense(read_odd_rows(missing_weights="drop", duplicates="max"))["edges"][0][1] == 2


@pytest.mark.usefixtures("reader")
def test_direction_can_count(read_odd_rows):
    network = read_odd_rows(missing_weights="drop", directed=True)
    assert network.report.layers[0].directed
    assert dense(network)["edges"][0][1] == 2
    assert dense(network, symmetrize="min")["edges"][0][1] == 1


NODES = "town;name;age;height\nUlm;c;1;0.5\nBonn;b;NA;1.5\n;a;3;2.5\n"


@pytest.mark.usefixtures("reader")
def test_a_node_table_gives_nodes_order_and_features(write):
    network = read_network(write("b,a\n"), features=write(NODES, "nodes.csv"))
    assert network.node_ids.tolist() == ["c", "b", "a"]
    graph = network.graph()
    assert graph.features.tolist() == [[1, 0.5], [2, 1.5], [3, 2.5]]
    assert graph.feature_names == ("age", "height")
    assert network.attributes["town"].tolist() == ["Ulm", "Bonn", ""]


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "note", ["column 'age': 1 missing value filled with the mean", "columns of text, not features: 'town'"]
)
def test_the_report_says_what_became_of_columns(write, note):
    assert note in str(read_network(write("b,a\n"), features=write(NODES, "nodes.csv")).report)


@pytest.mark.usefixtures("reader")
def test_missing_values_in_a_node_table_can_be_refused(write):
    with pytest.raises(ValueError, match=r"nodes\.csv, row 2: column 'age' has no value"):
        read_network(write("b,a\n"), features=write(NODES, "nodes.csv"), missing_features="refuse")


@pytest.mark.usefixtures("reader")
def test_the_ids_of_a_node_table_can_be_named(write):
    nodes = write("a,b\nUlm,1\nBonn,2\n", "t.csv")
    network = read_network(write("Ulm,Bonn\n", "towns.csv"), features=nodes, id_column="a")
    assert network.features.tolist() == [[1], [2]]


@pytest.mark.usefixtures("reader")
def test_a_node_table_of_ids_alone_has_no_features(write):
    network = read_network(write("b,a\n"), features=write("c\na\nb\n", "ids.txt"))
    assert (network.node_ids.tolist(), network.features) == (["c", "a", "b"], None)


@pytest.mark.usefixtures("reader")
def test_ids_that_are_numbers_here_and_text_there_are_the_same(write):
    network = read_network(write("7,8\n", "digits.csv"), features=write("id,x\n8,1\n7,2\nx,3\n", "m.csv"))
    assert network.node_ids.tolist() == ["8", "7", "x"]


@pytest.fixture
def work(write):
    return write("a,b\nb,c\n", "work.csv")


@pytest.fixture
def matrices(tmp_path):
    """The same matrix in two formats that number their nodes."""
    matrix = csr_array([[0, 1.0, 0], [1, 0, 1], [0, 1, 0]])
    save_npz(tmp_path / "m.npz", matrix)
    mmwrite(tmp_path / "n.mtx", matrix)
    return [tmp_path / "m.npz", tmp_path / "n.mtx"]


def test_several_files_are_one_layer_each(work, write):
    lunch = write("c,d,2\n", "lunch.tsv")
    network = read_network([work, lunch])
    assert (list(network.layers), network.node_ids.tolist()) == (["work", "lunch"], ["a", "b", "c", "d"])
    assert list(read_network({"one": work, "two": lunch}).layers) == ["one", "two"]


def test_files_that_number_their_nodes_go_together(matrices):
    network = read_network(matrices)
    assert network.node_ids.tolist() == [0, 1, 2]
    assert dense(network)["m"] == dense(network)["n"] == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_a_node_table_matches_numbers_with_names(matrices, work, write):
    network = read_network([matrices[0], work], features=write("id\na\nb\nc\n", "nodes.csv"))
    assert dense(network)["m"] == dense(network)["work"]


def test_numbers_and_names_do_not_match_by_themselves(matrices, work):
    message = r"m\.npz numbers its nodes, but .*work\.csv names them; to match them, pass a table of nodes as features"
    with pytest.raises(ValueError, match=message):
        read_network([matrices[0], work])


def test_layers_need_different_names(work):
    with pytest.raises(ValueError, match=r"a layer 'work' was read before, from .*work\.csv; name them apart"):
        read_network([work, work])


def test_a_matrix_and_a_node_table_must_be_equally_long(matrices, write):
    with pytest.raises(ValueError, match=r"m\.npz has 3 nodes, but .*two\.csv has 2"):
        read_network(matrices[0], features=write("id\na\nb\n", "two.csv"))


def test_no_files():
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
