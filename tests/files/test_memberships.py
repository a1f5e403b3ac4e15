"""Two-mode relations in files: tables of memberships, sparse matrices, and whole graphs in .npz files."""

import numpy as np
import pytest
import scipy.sparse as sp

from orthonet import MultilayerGraph, TwoMode, read_network, write_network
from orthonet.files import FileError, add_memberships, read_memberships

PAIR = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
CLUBS = np.array([[2, 0], [1, 5], [0, 1]])


def written(tmp_path, text, name="clubs.csv"):
    (tmp_path / name).write_text(text)
    return tmp_path / name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("clubs.csv", "node,group,count\nann,chess,2\nbob,chess,1\nbob,choir,5\nzoe,choir,1\n"),
        ("clubs.csv", "person,club,visits\nann,chess,2\nbob,chess,1\nbob,choir,5\nzoe,choir,1\n"),
        ("clubs.tsv", "ann\tchess\t2\nbob\tchess\t1\nbob\tchoir\t5\n\nzoe\tchoir\t1\n"),
    ],
)
def test_tables_of_text(tmp_path, name, text):
    graph = MultilayerGraph.from_edges(None, two_mode={"clubs": read_memberships(written(tmp_path, text, name))})
    assert graph.node_ids.tolist() == ["ann", "bob", "zoe"]
    np.testing.assert_array_equal(graph.two_mode["clubs"].incidence.toarray(), CLUBS)


def test_words_without_a_heading_keep_their_first_row(tmp_path):
    rows = read_memberships(written(tmp_path, "ann,chess\nbob,chess\nbob,choir\n"))
    assert rows.nodes.tolist() == ["ann", "bob", "bob"]
    assert rows.weights.tolist() == [1, 1, 1]
    named = read_memberships(written(tmp_path, "node,group\nann,chess\nbob,chess\n"))
    assert named.nodes.tolist() == ["ann", "bob"]
    said = read_memberships(written(tmp_path, "wer,wo\nann,chess\nbob,chess\n"), heading=True)
    assert said.nodes.tolist() == ["ann", "bob"]


def test_parquet(tmp_path):
    polars = pytest.importorskip("polars")
    polars.DataFrame({"who": [7, 8, 8], "where": ["a", "a", "b"], "how often": [1.0, 2.0, 3.0]}).write_parquet(
        tmp_path / "t.parquet"
    )
    rows = read_memberships(tmp_path / "t.parquet")
    assert rows.nodes.tolist() == [7, 8, 8]
    assert rows.weights.tolist() == [1, 2, 3]


def test_a_sparse_matrix(tmp_path):
    sp.save_npz(tmp_path / "clubs.npz", sp.csr_matrix(CLUBS))
    relation = read_memberships(tmp_path / "clubs.npz")
    assert isinstance(relation, TwoMode)
    graph = add_memberships(MultilayerGraph([PAIR]), {"clubs": relation})
    np.testing.assert_array_equal(graph.two_mode["clubs"].incidence.toarray(), CLUBS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("node,group,count,more\nann,chess,2,1\n", "has 4 columns; a two-mode relation has node, group"),
        ("node,group,count\nann,chess,much\nbob,choir,little\n", "the weight or count, must hold numbers"),
        ("node,group,count\nann,chess,-1\n", "row 1.*-1, but a weight or count is a number >= 0"),
        ("node,group,count\nann,chess,1\nbob,chess,\n", "row 2.*is empty"),
        ("node,group\nann,chess\nbob,\n", "row 2.*column 'group' is empty"),
    ],
)
def test_errors_name_the_file_and_the_row(tmp_path, text, message):
    with pytest.raises(FileError, match=message) as error:
        read_memberships(written(tmp_path, text))
    assert "clubs.csv" in str(error.value)


def test_nodes_that_the_graph_does_not_have(tmp_path):
    rows = read_memberships(written(tmp_path, "node,group\n1,chess\n2,chess\n9,choir\n"))
    graph = MultilayerGraph([PAIR], node_ids=[1, 2, 3])
    with pytest.raises(ValueError, match="names 1 nodes that the graph does not have, the first 9 in row 3"):
        add_memberships(graph, {"clubs": rows})
    found = add_memberships(graph, {"clubs": rows}, unknown_nodes="drop")
    np.testing.assert_array_equal(found.two_mode["clubs"].incidence.toarray(), [[1], [1], [0]])
    as_text = add_memberships(MultilayerGraph([PAIR], node_ids=["1", "2", "9"]), {"clubs": rows})
    np.testing.assert_array_equal(as_text.two_mode["clubs"].incidence.toarray(), [[1, 0], [1, 0], [0, 1]])


@pytest.mark.parametrize("layers", [[], [PAIR]])
@pytest.mark.parametrize("names", [None, ["chess", "choir"]])
def test_npz_holds_all_of_it(tmp_path, layers, names):
    two_mode = {"clubs": TwoMode(CLUBS, names), "others": CLUBS[:, :1]}
    graph = MultilayerGraph(layers, np.eye(3), node_ids=list("abc"), two_mode=two_mode)
    write_network(graph, tmp_path / "net.npz")
    found = read_network(tmp_path / "net.npz").graph()
    assert list(found.two_mode) == ["clubs", "others"]
    assert found.two_mode["clubs"].group_names == (None if names is None else tuple(names))
    np.testing.assert_array_equal(found.two_mode["clubs"].incidence.toarray(), CLUBS)
    assert (found.n_layers, found.node_ids.tolist(), found.features.shape) == (len(layers), list("abc"), (3, 3))


def test_a_table_of_nodes_reorders_relations(tmp_path):
    graph = MultilayerGraph([PAIR], node_ids=list("abc"), two_mode={"clubs": CLUBS})
    write_network(graph, tmp_path / "net.npz")
    table = written(tmp_path, "id,x\nc,1\na,2\nb,3\n", "nodes.csv")
    found = read_network(tmp_path / "net.npz", features=table).graph()
    np.testing.assert_array_equal(found.two_mode["clubs"].incidence.toarray(), CLUBS[[2, 0, 1]])


@pytest.mark.parametrize("name", ["net.csv", "net.graphml", "net.mpx", "net.mtx", "net.net", "net.edges"])
def test_other_formats_refuse_and_say_which_can(tmp_path, name):
    graph = MultilayerGraph([PAIR], two_mode={"clubs": CLUBS})
    with pytest.raises(FileError, match=r"cannot hold two-mode relations \('clubs'\); write npz instead"):
        write_network(graph, tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize(
    ("library", "function"),
    [
        ("networkx", "to_networkx"),
        ("networkx", "to_networkx_layers"),
        ("igraph", "to_igraph"),
        ("igraph", "to_igraph_layers"),
        ("pandas", "to_pandas"),
        ("polars", "to_polars"),
        ("torch_geometric", "to_pyg"),
        ("torch_geometric", "to_pyg_hetero"),
        ("anndata", "to_anndata"),
    ],
)
def test_other_libraries_refuse_and_say_what_helps(library, function):
    pytest.importorskip(library)
    import orthonet

    graph = MultilayerGraph([PAIR], two_mode={"clubs": CLUBS})
    with pytest.raises(
        ValueError, match=r"cannot hold two-mode relations \('clubs'\): write npz.*with_membership_layers"
    ):
        getattr(orthonet, function)(graph)
