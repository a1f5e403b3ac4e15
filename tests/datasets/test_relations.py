"""Published relations: small files of the same layout on every machine, the real ones where they are at hand."""

import pickle

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csr_array, csr_matrix, save_npz

from orthonet.datasets.acm import load_acm
from orthonet.datasets.aucs import load_aucs
from orthonet.datasets.citeseer import load_citeseer
from orthonet.datasets.ckm import load_ckm
from orthonet.datasets.cora import load_cora
from orthonet.datasets.dblp import load_dblp
from orthonet.datasets.freebase import load_freebase
from orthonet.datasets.imdb3550 import load_imdb3550
from orthonet.datasets.imdb_genre import load_imdb_genre

FILES = {
    load_acm: ["acm/ACM3025.mat"],
    load_dblp: [f"dblp/{name}" for name in ("apa.npz", "apcpa.npz", "aptpa.npz", "a_feat.npz", "labels.npy")],
    load_imdb_genre: ["imdb_genre/imdb4780.npz"],
    load_imdb3550: ["imdb3550/imdb3550.npz"],
    load_freebase: ["freebase/freebase3492.npz"],
    load_cora: ["citations/cora.npz"],
    load_citeseer: ["citations/citeseer.npz"],
    load_ckm: [f"ckm/CKM-Physicians-Innovation_{part}" for part in ("multiplex.edges", "layers.txt", "nodes.txt")],
    load_aucs: ["multinet/aucs.mpx"],
}
LOADERS = list(FILES)


@pytest.fixture
def ring():
    """A ring of six nodes with self-loops."""
    return np.eye(6) + np.roll(np.eye(6), 1, axis=0) + np.roll(np.eye(6), -1, axis=0)


def in_folder(home, folder):
    (home / folder).mkdir()
    return home / folder


def test_acm_is_read_from_its_layout(tmp_path, ring):
    label = np.eye(3)[[0, 1, 2, 0, 1, 2]]
    words = (np.arange(24).reshape(6, 4) % 3 == 0).astype(np.uint8)
    savemat(
        in_folder(tmp_path, "acm") / "ACM3025.mat",
        {"PAP": ring.astype(np.uint8), "PLP": np.ones((6, 6), np.uint8), "feature": words, "label": label},
    )
    data = load_acm(tmp_path)
    assert data.labels.tolist() == [0, 1, 2, 0, 1, 2]
    assert data.graph.layer_names == ("same author", "same subject")
    np.testing.assert_array_equal(data.graph.layers[0].toarray(), ring - np.eye(6))
    np.testing.assert_array_equal(data.graph.features.toarray(), words)


def test_dblp_is_read_from_its_layout(tmp_path, ring):
    folder = in_folder(tmp_path, "dblp")
    for name in ("apa", "apcpa", "aptpa", "a_feat"):
        save_npz(folder / f"{name}.npz", csr_matrix(ring.astype(bool)))
    np.save(folder / "labels.npy", np.arange(6) % 4)
    data = load_dblp(tmp_path)
    assert (data.graph.n_layers, data.n_clusters) == (3, 4)
    assert isinstance(data.graph.features, csr_array)
    assert [layer.n_loops_dropped for layer in data.graph.summary().layers] == [6, 6, 6]
    np.save(folder / "labels.npy", np.arange(5) % 4)
    with pytest.raises(ValueError, match=r"dblp: 'same paper' has 6 rows, but there are 5 labels"):
        load_dblp(tmp_path)


def test_dblp_before_projection(tmp_path):
    folder = in_folder(tmp_path, "dblp")
    entries = {"row": np.array([0, 1, 1]), "col": np.array([0, 0, 2]), "count": np.array([3, 1, 2])}
    for name in ("paper", "conference", "term"):
        np.savez(folder / f"author_{name}.npz", **entries, shape=np.array([2, 3]))
    np.save(folder / "labels.npy", np.array([0, 1]))
    data = load_dblp(tmp_path, two_mode=True)
    assert list(data.graph.two_mode) == ["paper", "conference", "term"]
    assert data.graph.features is None
    np.testing.assert_array_equal(data.graph.two_mode["term"].incidence.toarray(), [[3, 0, 0], [1, 0, 2]])
    np.save(folder / "labels.npy", np.arange(3))
    with pytest.raises(ValueError, match=r"'paper' has 2 rows, but there are 3 labels"):
        load_dblp(tmp_path, two_mode=True)
    (folder / "author_paper.npz").write_bytes(b"PK nothing")
    with pytest.raises(ValueError, match=r"author_paper\.npz is cut or damaged"):
        load_dblp(tmp_path, two_mode=True)


def test_dblp_projects_to_the_layers_of_the_other_form(data_home):
    require_files(load_dblp, data_home)
    if not (data_home / "dblp/author_term.npz").is_file():
        pytest.skip(f"needs {data_home / 'dblp/author_term.npz'}")
    projected, given = load_dblp(data_home).graph, load_dblp(data_home, two_mode=True).graph
    for relation, layer in zip(given.two_mode.values(), projected.layers, strict=True):
        joined = (relation.incidence @ relation.incidence.T) > 0
        joined.setdiag(False)
        joined.eliminate_zeros()
        assert (joined != (layer > 0)).nnz == 0


def test_pickled_arrays_are_never_opened(tmp_path, ring):
    class Boom:
        def __reduce__(self):
            return (pytest.fail, ("the file was unpickled",))

    folder = in_folder(tmp_path, "dblp")
    for name in ("apa", "apcpa", "aptpa", "a_feat"):
        save_npz(folder / f"{name}.npz", csr_matrix(ring))
    np.save(folder / "labels.npy", np.array([Boom()], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"labels\.npy is not an array of labels, or is damaged"):
        load_dblp(tmp_path)
    (folder / "labels.npy").write_bytes(pickle.dumps(Boom()))
    with pytest.raises(ValueError, match=r"labels\.npy is not an array of labels, or is damaged"):
        load_dblp(tmp_path)


NPZ = {
    load_imdb_genre: {"same actor": "MAM", "same director": "MDM"},
    load_imdb3550: {"same actor": "MAM", "same director": "MDM"},
    load_freebase: {"same actor": "MAM", "same director": "MDM", "same writer": "MWM"},
    load_cora: {"citation": "citation"},
    load_citeseer: {"citation": "citation"},
}


@pytest.mark.parametrize(("load", "layers"), NPZ.items())
def test_npz_files_are_read_from_their_layout(load, layers, tmp_path):
    words = csr_array(np.eye(5, 7, dtype=np.float32))
    edges = np.array([[0, 1, 2], [1, 2, 3]], dtype=np.int32), np.array([[0, 4], [4, 3]], dtype=np.int32)
    arrays = {f"edges_{key}": edges[index % 2] for index, key in enumerate(layers.values())}
    arrays["y"] = np.array([0, 1, 2, 0, 1])
    if load is not load_freebase:
        arrays |= {"X_data": words.data, "X_indices": words.indices, "X_indptr": words.indptr}
        arrays["X_shape"] = np.array(words.shape)
    file = tmp_path / FILES[load][0]
    file.parent.mkdir()
    np.savez(file, **arrays)
    data = load(tmp_path)
    assert data.labels.tolist() == [0, 1, 2, 0, 1]
    assert data.graph.layer_names == tuple(layers)
    assert [layer.nnz for layer in data.graph.layers] == [6, 4, 6][: len(layers)]
    assert data.graph.layers[0][1, 2] == data.graph.layers[0][2, 1] == 1
    if load is load_freebase:
        assert data.graph.features is None
    else:
        np.testing.assert_array_equal(data.graph.features.toarray(), np.eye(5, 7))
    for missing in arrays:
        np.savez(file, **{name: array for name, array in arrays.items() if name != missing})
        with pytest.raises(ValueError, match=rf"{file.name} is not an npz file with edges_.*'{missing}"):
            load(tmp_path)
    np.savez(file, **(arrays | {"y": np.array([0, 1, 2, 0])}))
    with pytest.raises(ValueError, match=rf"{file.name}.*there are 4 labels"):
        load(tmp_path)


CKM_HEADING = (
    "nodeID nodeCity nodeAdoptionDate nodeMed_sch_yr nodeMeetings nodeJours nodeFreeTime nodeDiscuss nodeClubs nodeFriends "
    "nodeCommunity nodePatients nodeProximity nodeSpecialty"
)


def write_ckm(home, rows):
    folder = in_folder(home, "ckm")
    (folder / "CKM-Physicians-Innovation_multiplex.edges").write_text("1 1 2 1\n1 2 1 1\n2 2 3 1\n")
    (folder / "CKM-Physicians-Innovation_layers.txt").write_text("layerID layerLabel\n1 advice\n2 friend\n")
    (folder / "CKM-Physicians-Innovation_nodes.txt").write_text("\n".join([CKM_HEADING, *rows]))


def test_ckm_codes_grades_kinds_and_missing_answers(tmp_path):
    write_ckm(tmp_path, ["1 1 3 1 0 2 1 1 0 1 1 1 1 1", "2 2 7 3 2 4 1 2 1 3 2 5 1 4", "3 2 98 9 9 9 9 9 9 9 8 9 9 9"])
    data = load_ckm(tmp_path)
    assert data.labels.tolist() == [0, 1, 1]
    assert data.graph.node_ids.tolist() == [1, 2, 3]
    assert data.graph.layer_names == ("advice", "friend")
    assert data.graph.layers[0][0, 1] == data.graph.layers[1][2, 1] == 1
    grades = [
        [3, 1, 2, 0, 1, 1, 1],
        [7, 3, 4, 1, 3, 2, 5],
        [5, 2, 3, 0.5, 2, 1.5, 3],
    ]  # the medians of two answers last
    kinds = [[1, 0, 1, 1, 0, 1, 1, 0], [0, 1, 1, 0, 1, 1, 0, 1], [0] * 8]
    np.testing.assert_array_equal(data.graph.features, np.column_stack([grades, kinds, [0, 0, 12]]))


def test_ckm_does_not_see_the_town(tmp_path):
    rows = ["1 {} 3 1 0 2 1 1 0 1 1 1 1 1", "2 {} 7 3 2 4 1 2 1 3 2 5 1 4", "3 {} 9 4 1 3 2 1 0 2 3 1 2 2"]
    features = []
    for index, towns in enumerate([(1, 2, 3), (4, 1, 2)]):
        home = in_folder(tmp_path, str(index))
        write_ckm(home, [row.format(town) for row, town in zip(rows, towns, strict=True)])
        features.append(load_ckm(home).graph.features)
    np.testing.assert_array_equal(*features)


AUCS = """#ACTOR ATTRIBUTES
group,STRING
role,STRING
#ACTORS
U1,G2,PhD
U2,G1,PhD
U3,NA,Admin
U4,G1/G2,Admin
U5,G1,NA
#EDGES
U1,U2,lunch
U2,U5,lunch
U3,U4,lunch
U1,U3,work
U5,U1,work
"""


def test_aucs_keeps_or_drops_people_without_one_group(tmp_path):
    (in_folder(tmp_path, "multinet") / "aucs.mpx").write_text(AUCS)
    data = load_aucs(tmp_path)
    assert data.labels.tolist() == [1, 0, 2, 2, 0]
    assert data.graph.node_ids.tolist() == ["U1", "U2", "U3", "U4", "U5"]
    assert "G1, G2 and, as class 2, the 2 people without" in data.description
    fewer = load_aucs(tmp_path, ungrouped="drop")
    assert (fewer.labels.tolist(), fewer.graph.node_ids.tolist()) == ([1, 0, 0], ["U1", "U2", "U5"])
    assert [layer.nnz for layer in fewer.graph.layers] == [4, 2]
    with pytest.raises(ValueError, match="ungrouped must be one of 'keep', 'drop', got 'guess'"):
        load_aucs(tmp_path, ungrouped="guess")
    (tmp_path / "multinet" / "aucs.mpx").write_text("a,b,one\n")
    with pytest.raises(ValueError, match=r"aucs\.mpx is not AUCS: its actors have no attribute 'group'"):
        load_aucs(tmp_path)


@pytest.mark.parametrize("load", LOADERS)
def test_a_missing_file_is_asked_for(load, tmp_path, monkeypatch):
    monkeypatch.delenv("ORTHONET_DATA_HOME", raising=False)
    with pytest.raises(FileNotFoundError, match=r"not part of the package: get .*ORTHONET_DATA_HOME"):
        load()
    with pytest.raises(FileNotFoundError, match=rf"there is no file .*{FILES[load][0]}: get .* and put it there"):
        load(tmp_path)


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04 cut off", b"\x93NUMPY\x01", b"MATLAB 5.0 MAT-file, cut", b"\xff\xfe\x00"]
)
def test_a_damaged_file_is_named(load, content, tmp_path):
    for file in FILES[load]:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(content)
    folder = FILES[load][0].partition("/")[0]
    with pytest.raises(ValueError, match=rf"{folder}/\w+"):
        load(tmp_path)


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_real_file_cut_short_is_named(load, share, data_home, tmp_path):
    require_files(load, data_home)
    for file in FILES[load]:
        whole = (data_home / file).read_bytes()
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(whole[: int(share * len(whole))])
    folder = FILES[load][0].partition("/")[0]
    with pytest.raises(ValueError, match=rf"{folder}/\w+"):
        load(tmp_path)


def require_files(load, data_home):
    for file in FILES[load]:
        if not (data_home / file).is_file():
            pytest.skip(f"needs {data_home / file}")


@pytest.mark.parametrize(
    ("load", "n_nodes", "edges", "n_features", "classes"),
    [
        (load_acm, 3025, {"same author": 13_128, "same subject": 1_103_868}, 1870, [1061, 965, 999]),
        (
            load_dblp,
            4057,
            {"same paper": 3528, "same conference": 2_498_219, "same term": 3_519_757},
            334,
            [1197, 745, 1109, 1006],
        ),
        (load_imdb_genre, 4780, {"same actor": 46_615, "same director": 8119}, 1232, [2609, 1269, 902]),
        (load_imdb3550, 3550, {"same actor": 31_439, "same director": 5119}, 2000, [1339, 979, 1232]),
        (
            load_freebase,
            3492,
            {"same actor": 125_605, "same director": 2456, "same writer": 3607},
            None,
            [1327, 618, 1547],
        ),
        (load_cora, 2708, {"citation": 5278}, 1433, [298, 418, 818, 426, 217, 180, 351]),
        (load_citeseer, 3312, {"citation": 4536}, 3703, [249, 596, 701, 508, 668, 590]),
        (load_ckm, 246, {"advice": 449, "discussion": 498, "friend": 423}, 25, [117, 50, 44, 35]),
        (
            load_aucs,
            61,
            {"lunch": 193, "facebook": 124, "coauthor": 21, "leisure": 88, "work": 194},
            None,
            [6, 12, 8, 7, 4, 7, 8, 1, 8],
        ),
    ],
)
def test_each_set_is_what_its_table_says(data_home, load, n_nodes, edges, n_features, classes):
    require_files(load, data_home)
    data = load(data_home)
    summary = data.graph.summary()
    assert data.graph.n_nodes == n_nodes
    assert {layer.name: layer.n_edges for layer in summary.layers} == edges
    assert n_features == (None if data.graph.features is None else data.graph.features.shape[1])
    assert np.bincount(data.labels).tolist() == classes
    assert all([data.name, data.source, data.license, data.description])
    assert data.views is None
