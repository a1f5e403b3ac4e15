"""from_pyg: what Data and HeteroData become, and what is refused."""

import numpy as np
import pytest
import torch

from orthonet import MultilayerGraph
from orthonet.graph.convert import from_pyg, to_pyg, to_pyg_hetero

pytest.importorskip("torch_geometric")
pytestmark = pytest.mark.filterwarnings("ignore:Unable to accurately infer 'num_nodes'", "ignore:The type 'layer")
from torch_geometric.data import Data, HeteroData  # noqa: E402
from torch_geometric.utils import to_dense_adj, to_undirected  # noqa: E402

PATH = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def test_data_without_types_is_one_layer(dense):
    graph = from_pyg(Data(edge_index=PATH, x=torch.ones(4, 2), y=torch.tensor([0, 1, 0, 1])))
    assert graph.layer_names == ("layer 0",)
    assert graph.n_nodes == 4  # the last one is isolated
    np.testing.assert_array_equal(graph.features, np.ones((4, 2)))
    np.testing.assert_array_equal(dense(graph)[0][:3, :3], [[0, 1, 0], [1, 0, 1], [0, 1, 0]])


def test_edge_types_are_layers(dense):
    data = Data(edge_index=PATH, edge_type=torch.tensor([0, 0, 3, 3]), edge_weight=torch.tensor([2.0, 2, 5, 5]))
    graph = from_pyg(data)
    assert graph.layer_names == ("layer 0", "layer 3")
    assert [layer.max() for layer in dense(graph)] == [2, 5]
    assert from_pyg(data, layer_names=["a", "b", "c", "d"]).layer_names == ("a", "d")
    with pytest.raises(ValueError, match="layer_names holds 2 names, but edge_type goes from 0 to 3"):
        from_pyg(data, layer_names=["a", "b"])


def test_the_layers_agree_with_pyg_itself(dense):
    rng = np.random.default_rng(0)
    index = to_undirected(torch.from_numpy(rng.integers(0, 15, (2, 40))))
    graph = from_pyg(Data(edge_index=index, num_nodes=15))
    wanted = to_dense_adj(index, max_num_nodes=15)[0].numpy()
    np.fill_diagonal(wanted, 0)
    np.testing.assert_array_equal(dense(graph)[0], wanted)


@pytest.fixture
def papers():
    """Papers joined by two relations, one of them directed, and authors joined with papers only."""
    data = HeteroData()
    data["paper"].x = torch.eye(3)
    data["author"].x = torch.ones(5, 1)
    data["paper", "same author", "paper"].edge_index = PATH
    data["paper", "cites", "paper"].edge_index = torch.tensor([[0], [2]])
    data["author", "writes", "paper"].edge_index = torch.tensor([[4], [2]])
    return data


def test_each_relation_between_nodes_of_one_type_is_a_layer(papers, dense):
    with pytest.warns(UserWarning, match="left out"):
        graph = from_pyg(papers, node_type="paper", symmetrize="max")
    assert graph.layer_names == ("same author", "cites")
    np.testing.assert_array_equal(graph.features, np.eye(3))
    np.testing.assert_array_equal(dense(graph)[1], [[0, 0, 1], [0, 0, 0], [1, 0, 0]])


def test_of_several_types_of_nodes_one_must_be_chosen(papers):
    with pytest.raises(ValueError, match="node_type must be one of 'paper', 'author', got None"):
        from_pyg(papers)


def test_relations_with_other_types_are_counted_and_directed_ones_refused(papers):
    with (
        pytest.warns(UserWarning, match="1 of 3 relations are not between nodes of type 'paper'.*writes"),
        pytest.raises(ValueError, match="layer 'cites' is directed"),
    ):
        from_pyg(papers, node_type="paper")


def test_a_type_without_relations_of_its_own_is_refused(papers):
    with pytest.raises(ValueError, match="no relation joins nodes of type 'author' with each other"):
        from_pyg(papers, node_type="author")


def test_weights_of_one_column():
    data = Data(edge_index=PATH, edge_attr=torch.tensor([[2.0], [2], [3], [3]]))
    assert from_pyg(data, weight="edge_attr").layers[0].max() == 3
    assert from_pyg(data).layers[0].max() == 1


def test_pairs_named_twice_add_up_and_loops_are_counted(dense):
    graph = from_pyg(Data(edge_index=torch.tensor([[0, 1, 0, 1, 1], [1, 0, 1, 0, 1]])))
    np.testing.assert_array_equal(dense(graph)[0], [[0, 2], [2, 0]])
    assert graph.summary().layers[0].n_loops_dropped == 1


def test_gradients_and_tensors_stay_as_they_are():
    x = torch.ones(3, 2, requires_grad=True)
    weight = torch.ones(4)
    graph = from_pyg(Data(edge_index=PATH, x=x, edge_weight=weight))
    with torch.no_grad():
        x.add_(1)
        weight.add_(1)
    assert graph.features.max() == graph.layers[0].max() == 1


def test_what_pyg_makes_of_it_is_valid():
    graph = from_pyg(Data(edge_index=PATH, x=torch.eye(3)))
    data = to_pyg(graph)
    assert data.validate()
    assert data.is_undirected()
    assert data.num_nodes == 3
    assert to_pyg_hetero(graph).validate()


def test_a_part_of_the_data_keeps_its_ids():
    graph = MultilayerGraph([np.ones((4, 4))], np.eye(4), node_ids=["a", "b", "c", "d"])
    part = to_pyg(graph).subgraph(torch.tensor([1, 3]))
    back = from_pyg(part)
    assert back.node_ids.tolist() == ["b", "d"]
    np.testing.assert_array_equal(back.features, np.eye(4)[[1, 3]])


@pytest.mark.parametrize(
    ("attributes", "options", "message"),
    [
        ({"edge_index": torch.tensor([[0], [1]])}, {}, "layer 'layer 0' is directed"),
        (
            {"edge_index": torch.tensor([[0, 7], [7, 0]]), "x": torch.eye(3)},
            {},
            r"names the nodes \[0, 7\] in column 0",
        ),
        ({"edge_weight": torch.tensor([1.0, 1, -1, -1])}, {}, "edge 2, from 1 to 2, has the weight -1"),
        ({"edge_weight": torch.ones(3)}, {}, "edge_weight of data must hold one number for each of 4 edges"),
        ({"edge_weight": torch.ones(4, 2)}, {}, "edge_weight of data must hold one number for each of 4 edges"),
        ({"edge_type": torch.ones(4)}, {}, "edge_type must hold an integer for each of 4 edges, got float32"),
        ({}, {"weight": "strength"}, "data has no attribute 'strength'; it has 'edge_index'"),
        ({}, {"layer": "kind"}, "data has no attribute 'kind'"),
        ({}, {"features": "pos"}, "data has no attribute 'pos'"),
        ({"edge_index": None, "x": torch.eye(3)}, {}, "data has no edge_index"),
        ({"edge_index": torch.zeros(2, 0, dtype=torch.long), "x": torch.eye(3)}, {}, "no edges"),
    ],
)
def test_bad_data(attributes, options, message):
    with pytest.raises(ValueError, match=message):
        from_pyg(Data(**{"edge_index": PATH} | attributes), **options)


def test_no_data():
    with pytest.raises(TypeError, match="data must be a torch_geometric Data or HeteroData, got dict"):
        from_pyg({"edge_index": PATH})
