"""Round trips through the objects of other libraries: ids, order, isolated and missing nodes, weights, names, features."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, issparse

from orthonet import MultilayerGraph
from orthonet.graph import convert

NETWORKX = ("networkx", "networkx layers")
IGRAPH = ("igraph", "igraph layers")
NEEDS = {
    "networkx": "networkx",
    "networkx layers": "networkx",
    "igraph": "igraph",
    "igraph layers": "igraph",
    "pyg": "torch_geometric",
    "pyg hetero": "torch_geometric",
    "anndata": "anndata",
    "pandas": "pandas",
    "polars": "polars",
}


def _asked(graph):
    """What to ask for so that features come back: sparse ones are written without their zeros."""
    if graph.features is None:
        return {}
    names = list(graph.feature_names or (f"feature {index}" for index in range(graph.features.shape[1])))
    return {"features": names} | ({"fill": 0.0} if issparse(graph.features) else {})


def round_trip(library, graph):
    pytest.importorskip(NEEDS[library])
    ids = graph.node_ids
    if library == "networkx":
        return convert.from_networkx(convert.to_networkx(graph), **_asked(graph))
    if library == "networkx layers":
        return convert.from_networkx(convert.to_networkx_layers(graph), node_ids=ids, **_asked(graph))
    if library == "igraph":
        return convert.from_igraph(convert.to_igraph(graph), **_asked(graph))
    if library == "igraph layers":
        return convert.from_igraph(convert.to_igraph_layers(graph), node_ids=ids, **_asked(graph))
    if library == "pyg":
        return convert.from_pyg(convert.to_pyg(graph))
    if library == "pyg hetero":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # blanks in the names of relations
            return convert.from_pyg(convert.to_pyg_hetero(graph))
    if library == "anndata":
        adata = convert.to_anndata(graph)
        return convert.from_anndata(adata, node_ids="node_id" if ids.dtype.kind in "iuf" else None)
    return convert.from_tables(*getattr(convert, f"to_{library}")(graph))


def assert_same(graph, wanted):
    assert graph.layer_names == wanted.layer_names
    assert graph.node_ids.tolist() == wanted.node_ids.tolist()
    assert list(map(type, graph.node_ids.tolist())) == list(map(type, wanted.node_ids.tolist()))
    np.testing.assert_array_equal(graph.present, wanted.present)
    for ours, theirs in zip(graph.layers, wanted.layers, strict=True):
        np.testing.assert_array_equal(ours.toarray(), theirs.toarray())
    if wanted.features is None:
        assert graph.features is None
        return
    np.testing.assert_array_equal(_dense(graph.features), _dense(wanted.features))
    if wanted.feature_names is not None:
        assert graph.feature_names == wanted.feature_names


def _dense(features):
    return features.toarray() if issparse(features) else features


def _weights(n_nodes, seed, density=0.5):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n_nodes, n_nodes)) * (rng.random((n_nodes, n_nodes)) < density), 1)
    upper[0, 1] = 1 / 3
    return upper + upper.T


@st.composite
def graphs(draw):
    n_nodes, n_layers = draw(st.integers(3, 7)), draw(st.integers(1, 3))
    seed = draw(st.integers(0, 99))
    ids = draw(
        st.sampled_from(
            [
                None,
                [f"node {index}" for index in range(n_nodes)][::-1],
                list(range(10, 10 + n_nodes))[::-1],
            ]
        )
    )
    layers = [_weights(n_nodes, seed + index) for index in range(n_layers)]
    masks = []
    for layer in layers[1:]:
        lone = draw(st.booleans())
        if lone:
            layer[-1] = layer[:, -1] = 0.0  # isolated, or missing
        masks.append(np.arange(n_nodes) < n_nodes - (lone and draw(st.booleans())))
    names = draw(st.sampled_from([["work", "lunch", "a b"], ["z", "y", "x"], ["2", "1", "0"]]))[:n_layers]
    features = draw(st.sampled_from([None, "dense", "sparse"]))
    if features is not None:
        features = np.random.default_rng(seed).normal(size=(n_nodes, 2)) * [[0, 1]]
        features[0] = 7
        features = csr_array(features) if draw(st.booleans()) else features
    return MultilayerGraph(layers, features, names, ids, present=[np.ones(n_nodes, dtype=bool), *masks])


@pytest.mark.parametrize("library", NEEDS)
@settings(max_examples=30, deadline=None)
@given(graph=graphs())
def test_a_round_trip_gives_the_same_graph(library, graph):
    assert_same(round_trip(library, graph), graph)


@pytest.mark.parametrize("library", NEEDS)
def test_names_of_features_survive(library):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"age": [30.0, 41.5, 28.0], "height": [1.7, 1.8, 1.6]}, index=["ann", "bob", "eve"])
    graph = MultilayerGraph({"work": _weights(3, 0)}, table)
    back = round_trip(library, graph)
    assert back.feature_names == ("age", "height")
    assert_same(back, graph)


@pytest.mark.parametrize("library", [*NETWORKX, *IGRAPH, "pyg"])
def test_ids_of_any_kind_survive(library):
    ids = [("a", 1), "a", 1, 2.5]
    graph = MultilayerGraph([_weights(4, 1), _weights(4, 2)], node_ids=ids)
    assert_same(round_trip(library, graph), graph)


@pytest.mark.parametrize("library", ["networkx", "igraph", "pyg", "anndata", "polars"])
def test_the_order_of_layers_is_kept_whichever_node_comes_first(library):
    late, early = np.zeros((4, 4)), np.zeros((4, 4))
    late[2, 3] = late[3, 2] = early[0, 1] = early[1, 0] = 1
    graph = MultilayerGraph({"late": late, "early": early})
    assert round_trip(library, graph).layer_names == ("late", "early")


@pytest.mark.parametrize("library", NEEDS)
def test_the_result_can_be_changed_without_changing_the_graph(library):
    graph = MultilayerGraph({"work": _weights(4, 3)}, np.eye(4))
    before = graph.layers[0].toarray()
    pytest.importorskip(NEEDS[library])
    if library == "pyg":
        data = convert.to_pyg(graph)
        data.edge_weight[:] = 9
        data.x[:] = 9
    elif library == "pyg hetero":
        data = convert.to_pyg_hetero(graph)
        data["node", "work", "node"].edge_weight[:] = 9
        data["node"].x[:] = 9
    elif library == "anndata":
        adata = convert.to_anndata(graph)
        adata.X[:] = 9
        adata.obsp["work"].data[:] = 9
    else:
        round_trip(library, graph)
    np.testing.assert_array_equal(graph.layers[0].toarray(), before)
    np.testing.assert_array_equal(graph.features, np.eye(4))


def test_importing_the_converters_imports_no_library():
    # pandas is left out: scikit-learn may import it
    code = (
        "import sys, orthonet.graph.convert; "
        "print([name for name in ('igraph', 'torch_geometric', 'anndata', 'mudata', 'polars', 'networkx') "
        "if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("writer", "package"),
    [
        ("to_networkx", "networkx"),
        ("to_networkx_layers", "networkx"),
        ("to_igraph", "igraph"),
        ("to_igraph_layers", "igraph"),
        ("to_pyg", "torch_geometric"),
        ("to_pyg_hetero", "torch_geometric"),
        ("to_anndata", "anndata"),
        ("to_pandas", "pandas"),
        ("to_polars", "polars"),
    ],
)
def test_a_package_that_is_not_there_is_named_with_its_extra(writer, package, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    graph = MultilayerGraph([_weights(3, 0)])
    extra = "pyg" if package == "torch_geometric" else package
    with pytest.raises(ImportError, match=rf"'{package}'.*pip install 'orthonet\[{extra}\]'"):
        getattr(convert, writer)(graph)


@pytest.mark.parametrize("writer", ["to_networkx", "to_igraph", "to_pandas"])
def test_features_whose_names_are_taken(writer):
    pytest.importorskip(NEEDS[writer[3:]])
    pandas = pytest.importorskip("pandas")
    taken = {"to_networkx": "missing_from", "to_igraph": "name", "to_pandas": "node"}[writer]
    graph = MultilayerGraph([_weights(3, 0)], pandas.DataFrame({taken: [1, 2, 3]}))
    with pytest.raises(ValueError, match=f"a feature is called '{taken}'"):
        getattr(convert, writer)(graph)
