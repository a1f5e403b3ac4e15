"""AnnData and MuData: graphs and views of cells in, labels and embedding back."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, csr_matrix

from orthonet import MultilayerGraph, OrthoNet
from orthonet.graph.convert import from_anndata, from_mudata, to_anndata, to_mudata, write_result

anndata = pytest.importorskip("anndata")
pytestmark = pytest.mark.filterwarnings("ignore:From 0.4 .update:FutureWarning")

N = 40
CELLS = [f"cell {index}" for index in range(N)]


@pytest.fixture
def groups():
    return np.repeat([0, 1], N // 2)


@pytest.fixture
def adata(rng, groups):
    centre = 4.0 * groups[:, None]
    cells = anndata.AnnData(
        rng.normal(size=(N, 5)) + centre,
        obs=pd.DataFrame(index=CELLS),
        var=pd.DataFrame(index=[f"gene {index}" for index in range(5)]),
    )
    cells.obsm["X_pca"] = rng.normal(size=(N, 3)) + centre
    cells.obsm["protein"] = pd.DataFrame(rng.normal(size=(N, 2)) + centre, index=CELLS, columns=["CD3", "CD8"])
    near = (rng.random((N, N)) < np.where(groups[:, None] == groups, 0.3, 0.02)).astype(float)
    near = np.triu(near, 1) + np.eye(N, k=1)
    cells.obsp["connectivities"] = csr_matrix(near + near.T)
    cells.obsp["distances"] = csr_matrix(near)
    cells.obsp["spatial_connectivities"] = csr_matrix(np.eye(N, k=1) + np.eye(N, k=-1))
    return cells


@pytest.fixture
def mdata(adata, rng):
    mudata = pytest.importorskip("mudata")
    protein = anndata.AnnData(rng.normal(size=(30, 4)), obs=pd.DataFrame(index=[*CELLS[39:14:-1], *map(str, range(5))]))
    return mudata.MuData({"rna": adata, "protein": protein})


def test_graphs_are_layers_and_distances_are_not(adata):
    graph = from_anndata(adata)
    assert graph.layer_names == ("connectivities", "spatial_connectivities")
    assert graph.node_ids.tolist() == CELLS
    np.testing.assert_array_equal(graph.layers[0].toarray(), adata.obsp["connectivities"].toarray())
    np.testing.assert_array_equal(graph.features, adata.obsm["X_pca"])
    assert not graph.layers_from_features


@pytest.mark.parametrize(
    ("features", "wanted", "names"),
    [
        ("X", lambda adata: adata.X, ("gene 0", "gene 1", "gene 2", "gene 3", "gene 4")),
        ("X_pca", lambda adata: adata.obsm["X_pca"], ("X_pca[0]", "X_pca[1]", "X_pca[2]")),
        ("protein", lambda adata: adata.obsm["protein"], ("CD3", "CD8")),
        ("counts", lambda adata: adata.layers["counts"], ("gene 0", "gene 1", "gene 2", "gene 3", "gene 4")),
    ],
)
def test_features(adata, features, wanted, names):
    adata.layers["counts"] = adata.X + 1
    graph = from_anndata(adata, features=features)
    np.testing.assert_array_equal(graph.features, wanted(adata))
    assert graph.feature_names == names
    assert from_anndata(adata, features=None).features is None


def test_sparse_features_stay_sparse(adata):
    adata.X = csr_matrix(adata.X)
    graph = from_anndata(adata, features="X")
    assert isinstance(graph.features, csr_array)
    np.testing.assert_array_equal(graph.features.toarray(), adata.X.toarray())


def test_views_are_those_of_from_views(adata):
    graph = from_anndata(adata, views=["X", "protein"], n_neighbors=5)
    wanted = MultilayerGraph.from_views({"X": adata.X, "protein": adata.obsm["protein"].to_numpy()}, n_neighbors=5)
    assert graph.layer_names == ("X", "protein")
    assert graph.layers_from_features
    assert graph.feature_names[-2:] == ("CD3", "CD8")
    for ours, theirs in zip(graph.layers, wanted.layers, strict=True):
        np.testing.assert_array_equal(ours.toarray(), theirs.toarray())


def test_some_of_the_cells(adata):
    some = adata[10:30]
    graph = from_anndata(some)
    assert graph.node_ids.tolist() == CELLS[10:30]
    np.testing.assert_array_equal(graph.layers[0].toarray(), from_anndata(adata).layers[0].toarray()[10:30, 10:30])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"layers": ["knn"]}, ValueError, "adata.obsp has no 'knn'; it has 'connectivities', 'distances'"),
        ({"layers": "connectivities"}, TypeError, r"layers must be a list.*\['connectivities'\]"),
        ({"layers": []}, ValueError, "layers is empty"),
        ({"features": "X_umap"}, ValueError, "adata has no features 'X_umap'; it has 'X', 'X_pca', 'protein'"),
        ({"views": ["X_umap"]}, ValueError, "adata has no features 'X_umap'"),
        ({"views": ["X"], "layers": ["connectivities"]}, ValueError, "pass it without layers"),
        ({"n_neighbors": 5}, TypeError, "n_neighbors is for building layers from views"),
        ({"node_ids": "barcode"}, ValueError, "adata.obs has no column 'barcode'; it has none"),
    ],
)
def test_bad_choices(adata, options, error, message):
    with pytest.raises(error, match=message):
        from_anndata(adata, **options)


@pytest.mark.filterwarnings("ignore:obsp:UserWarning")
def test_directed_graphs_name_two_cells(adata):
    with pytest.raises(ValueError, match=r"obsp\['distances'\] is directed.*from 'cell \d+' to 'cell \d+' it weighs"):
        from_anndata(adata, layers=["distances"])
    assert from_anndata(adata, layers=["distances"], symmetrize="max").n_layers == 1


def test_distances_that_were_asked_for_are_warned_of(adata):
    with pytest.warns(UserWarning, match=r"obsp\['distances'\] looks like distances"):
        from_anndata(adata, layers=["distances"], symmetrize="max")


def test_no_graphs_at_all(adata):
    del adata.obsp
    with pytest.raises(ValueError, match=r"adata.obsp has no graph; build one.*or pass views="):
        from_anndata(adata)
    with pytest.raises(TypeError, match="adata must be an AnnData, got ndarray"):
        from_anndata(np.eye(3))


@pytest.mark.filterwarnings("ignore:Observation names are not unique")
def test_names_that_occur_twice(adata):
    adata.obs_names = ["twin", "twin", *CELLS[2:]]
    with pytest.raises(ValueError, match=r"adata.obs_names must be unique, but 'twin' occurs"):
        from_anndata(adata)


def test_a_round_trip_through_a_file(adata, tmp_path):
    held = np.arange(N) > 0
    layer = adata.obsp["connectivities"].toarray() * np.outer(held, held)
    graph = MultilayerGraph({"b": layer, "a": np.ones((N, N))}, adata.X, node_ids=CELLS, present=[held, None])
    to_anndata(graph).write_h5ad(tmp_path / "graph.h5ad")
    back = from_anndata(anndata.read_h5ad(tmp_path / "graph.h5ad"), layers=["b", "a"])
    assert back.node_ids.tolist() == CELLS
    np.testing.assert_array_equal(back.present, graph.present)
    np.testing.assert_array_equal(back.layers[0].toarray(), graph.layers[0].toarray())
    np.testing.assert_array_equal(back.features, graph.features)


class Fitted:
    """What any estimator shows after fit."""

    def __init__(self, labels):
        self.labels_ = np.array(labels)


def test_the_whole_way_in_three_lines(adata, groups, tmp_path):
    graph = from_anndata(adata)
    model = OrthoNet(
        n_clusters=2,
        random_state=0,
        network={"hidden_layers": (16,)},
        training={"max_iter": 20, "n_networks": 1, "n_jobs": 1},
    ).fit(graph)
    write_result(adata, model)
    assert adata.obs["orthonet"].cat.categories.tolist() == ["0", "1"]
    assert adata.obs["orthonet"].astype(int).tolist() == model.labels_.tolist()
    np.testing.assert_array_equal(adata.obs["orthonet_confidence"], model.confidence_)
    np.testing.assert_array_equal(adata.obsm["X_orthonet"], model.embedding_)
    adata.write_h5ad(tmp_path / "result.h5ad")
    back = anndata.read_h5ad(tmp_path / "result.h5ad")
    assert back.uns["orthonet"]["params"]["n_clusters"] == 2
    assert back.uns["orthonet"]["layer_names"].tolist() == [*graph.layer_names, "features"]
    assert back.obs["orthonet"].tolist() == adata.obs["orthonet"].tolist()


def test_many_groups_keep_the_order_of_numbers(adata):
    write_result(adata, Fitted(np.arange(N) % 12), key="groups")
    assert adata.obs["groups"].cat.categories.tolist() == list(map(str, range(12)))
    assert "groups_confidence" not in adata.obs
    assert "X_groups" not in adata.obsm


def test_a_model_of_other_cells_writes_nothing(adata):
    model = Fitted(np.zeros(N))
    model.embedding_ = np.zeros((N - 1, 2))
    with pytest.raises(ValueError, match=r"model.embedding_ is of 39 nodes, but adata has 40 cells"):
        write_result(adata, model)
    assert "orthonet" not in adata.obs


@pytest.mark.parametrize(
    ("model", "key", "message"),
    [(OrthoNet(2), "orthonet", "has no labels_; fit it first"), (Fitted(np.zeros(N)), "", "key must be a name")],
)
def test_bad_results(adata, model, key, message):
    with pytest.raises(ValueError, match=message):
        write_result(adata, model, key)


def test_modalities_are_views_and_cells_not_measured_are_missing(mdata):
    graph = from_mudata(mdata, n_neighbors=5, features="X")
    assert graph.layer_names == ("rna", "protein")
    assert graph.node_ids.tolist() == list(mdata.obs_names)
    wanted = {}
    for name, one in mdata.mod.items():
        frame = pd.DataFrame(one.X, index=one.obs_names).reindex(mdata.obs_names)
        wanted[name] = frame.to_numpy()
    twin = MultilayerGraph.from_views(wanted, n_neighbors=5)
    np.testing.assert_array_equal(graph.present, twin.present)
    assert not np.all(graph.present)
    for ours, theirs in zip(graph.layers, twin.layers, strict=True):
        assert abs(ours - theirs).max() < 1e-12
    np.testing.assert_allclose(graph.features, twin.features)
    assert graph.feature_names[0] == "rna:gene 0"


def test_sparse_modalities(mdata):
    for one in mdata.mod.values():
        one.X = csr_matrix(np.abs(one.X))
    graph = from_mudata(mdata, n_neighbors=5, features="X")
    assert isinstance(graph.features, csr_array)
    gone = np.flatnonzero(~graph.present[1])
    assert graph.features[gone][:, 5:].nnz == 0
    assert graph.layers[1][gone].nnz == 0


def test_graphs_of_modalities(mdata):
    protein = mdata.mod["protein"]
    ring = np.eye(30, k=1) + np.eye(30, k=-1)
    protein.obsp["connectivities"] = csr_matrix(ring)
    graph = from_mudata(mdata, graphs="connectivities")
    places = [graph.node_ids.tolist().index(cell) for cell in protein.obs_names]
    np.testing.assert_array_equal(graph.layers[1].toarray()[np.ix_(places, places)], ring)
    assert not graph.layers_from_features
    with pytest.raises(ValueError, match=r"modality 'protein' has no obsp\['knn'\]; it has 'connectivities'"):
        from_mudata(mdata, modalities=["protein"], graphs="knn")


def test_features_of_each_modality(mdata):
    graph = from_mudata(mdata, features={"rna": "protein"}, n_neighbors=5)
    assert graph.feature_names[:2] == ("rna:CD3", "rna:CD8")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"modalities": ["atac"]}, ValueError, "modalities names 'atac', but mdata has 'rna', 'protein'"),
        ({"features": {"protein": "X_umap"}}, ValueError, "modality 'protein' has no features 'X_umap'"),
        ({"n_neighbors": 35}, ValueError, "modality 'protein': "),
        ({"graphs": "connectivities", "n_neighbors": 5}, TypeError, "n_neighbors is for building layers"),
        ({"modalities": ["rna"]}, ValueError, "nodes are present in no layer"),
    ],
)
def test_bad_choices_of_modalities(mdata, options, error, message):
    with pytest.raises(error, match=message):
        from_mudata(mdata, **options)


def test_results_go_into_mudata_too(mdata):
    model = Fitted(np.arange(mdata.n_obs) % 3)
    model.confidence_ = np.ones(mdata.n_obs)
    model.embedding_ = np.ones((mdata.n_obs, 3))
    write_result(mdata, model, key="mine")
    assert mdata.obs["mine"].astype(int).tolist() == model.labels_.tolist()
    assert mdata.obsm["X_mine"].shape == (mdata.n_obs, 3)
    assert mdata.uns["mine"]["method"] == "Fitted"


def test_no_mudata(adata):
    with pytest.raises(TypeError, match="mdata must be a MuData, got AnnData"):
        from_mudata(adata)


def test_graphs_that_scanpy_built_from_features_are_not_taken_for_relations(adata):
    assert not from_anndata(adata, layers=["connectivities"]).layers_from_features
    adata.uns["neighbors"] = {"connectivities_key": "connectivities", "distances_key": "distances"}
    assert from_anndata(adata, layers=["connectivities"]).layers_from_features
    assert not from_anndata(adata, layers=["connectivities"], features=None).layers_from_features
    assert not from_anndata(adata).layers_from_features  # the spatial graph is a relation
    assert from_anndata(adata, layers_from_features=True).layers_from_features


def test_a_mudata_comes_back(rng):
    pytest.importorskip("mudata")
    layers = [np.ones((4, 4)), np.diag([0.5, 0.0, 2.0], 1) + np.diag([0.5, 0.0, 2.0], -1)]
    layers[1][:, 3] = layers[1][3] = 0
    present = [None, [True, True, True, False]]
    for names in (["rna:a", "rna:b", "protein:c"], ["a", "b", "c"]):
        graph = MultilayerGraph(
            layers, rng.random((4, 3)), ("rna", "protein"), list("wxyz"), present=present, feature_names=names
        )
        again = from_mudata(to_mudata(graph), graphs="connectivities")
        assert again.node_ids.tolist() == list("wxyz")
        assert again.feature_names == tuple(names)
        for one, other in zip(graph.layers, again.layers, strict=True):
            np.testing.assert_array_equal(one.toarray(), other.toarray())
        np.testing.assert_array_equal(np.array(again.present), np.array(graph.present))
        np.testing.assert_array_equal(again.features[:3], graph.features[:3])
    bare = from_mudata(to_mudata(MultilayerGraph(layers, None, ("a", "b"), list("wxyz"))), graphs="connectivities")
    assert bare.features is None
