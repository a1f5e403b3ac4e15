"""Good files of every kind, changes that spoil them, and what a reader may do with the result."""

import gzip
import hashlib
import json
import random
import struct
import warnings
from itertools import accumulate
from unicodedata import category

import numpy as np
from numbers_to_fit import fit_anything
from scipy.io import savemat
from scipy.sparse import coo_array, csc_array, csr_array, save_npz

from orthonet import MultilayerGraph, OrthoNet
from orthonet.cli.earlier_run import read_again
from orthonet.cli.reading import checksum
from orthonet.cli.run_folder import Run, record_bytes
from orthonet.embedding.checkpoints import STATE
from orthonet.files import (
    read_features,
    read_labels,
    read_memberships,
    read_multiview_mat,
    read_network,
    read_views,
    write_network,
)
from orthonet.files.annotated import read_annotated
from orthonet.support.optional import is_installed

NETWORKS = {
    "n.csv": "csv",
    "n.tsv": "tsv",
    "n.parquet": "parquet",
    "n.npz": "npz",
    "n.mtx": "matrix-market",
    "n.graphml": "graphml",
    "n.gexf": "gexf",
    "n.gml": "gml",
    "n.mpx": "mpx",
    "n.edges": "multiplex",
    "n.net": "pajek",
    "n.txt": "infomap",
}
WORDS = [
    b"nan",
    b"-1",
    b"1e999",
    b"99999999999999999999",
    b"",
    b"\0",
    b"\xff",
    b'"',
    b"'",
    b",",
    b"\n",
    b"<",
    b"}",
    b"*",
]
NUMBERS = [0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1, 3_000_000]
HOME = b"@HOME@"
"""Stands for the folder in which a process tries its inputs, so that the inputs are the same in every process."""
SHARES = {"fit": 0.5, "checkpoint": 0.2, ".mat": 0.5, ".h5ad": 0.2, ".h5mu": 0.1}
"""How often slow inputs are tried, by name or by suffix, where the others are tried once."""
TRAINING = {"max_iter": 2, "n_networks": 1}
NETWORK = {"hidden_layers": (5,)}


class Foreign(Exception):
    """A reader did something else than to read or to refuse in a short line that names the file."""


def good_files(folder):
    """Write a good file of every kind; return the names of the readers and their bytes."""
    rng = np.random.default_rng(0)
    weights = np.triu(rng.random((6, 6)), 1)
    matrix, table = weights + weights.T, rng.random((6, 2))
    graph = MultilayerGraph([matrix, matrix > 0.5], table, node_ids=list("abcdef"), layer_names=["n", "m"])
    alone = MultilayerGraph([matrix], layer_names=["n"])
    files = {}
    for name, kind in NETWORKS.items():
        files[name] = write_network(alone if name == "n.mtx" else graph, folder / name, format=kind)[0].read_bytes()
    files["n.csv.gz"] = gzip.compress(files["n.csv"], mtime=0)
    for name, form in (("csr", csr_array), ("csc", csc_array), ("coo", coo_array)):
        save_npz(folder / "m.npz", form(matrix), compressed=name == "csc")
        files[f"{name}.npz"] = files[f"features-{name}.npz"] = files[f"groups-{name}.npz"] = (
            folder / "m.npz"
        ).read_bytes()
    for name, array in (("features", table), ("labels", np.arange(6) % 2)):
        np.save(folder / "f.npy", array)
        files[f"{name}.npy"] = (folder / "f.npy").read_bytes()
    files["features.csv"] = files["views.csv"] = b"id,x,y\na,1,2\nb,3,\nc,4,7\n"
    files["labels.csv"] = b"id,class\n" + b"".join(f"{one},{one > 'c'}\n".encode() for one in "abcdef")
    files["groups.csv"] = b"node,group,count\na,chess,2\nb,chess,1\nb,choir,5\n"
    files |= _matlab_files(folder, table, matrix) | _annotated_files(folder, table, matrix)
    return files | _fitted_files(folder, graph)


def _matlab_files(folder, table, matrix):
    cells = np.empty(2, dtype=object)
    cells[:] = [table, csc_array(matrix)]
    classes, found = np.arange(6) % 2, {}
    for name, packed in (("plain.mat", False), ("packed.mat", True)):
        savemat(folder / name, {"X": cells, "Y": classes}, do_compression=packed)
        found[name] = (folder / name).read_bytes()
    savemat(folder / "views.mat", {"feature": table, "PAP": matrix, "PLP": matrix > 0.5, "label": classes})
    return found | {"views.mat": (folder / "views.mat").read_bytes()}


def _annotated_files(folder, table, matrix):
    if not is_installed("mudata"):
        return {}
    from anndata import AnnData
    from mudata import MuData

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = AnnData(table, obsp={"connectivities": csr_array(matrix)}, uns={"note": "x"})
        data.obs["class"] = list("aabbcc")
        data.write_h5ad(folder / "a.h5ad")
        MuData({"one": AnnData(table), "two": AnnData(table + 1)}).write_h5mu(folder / "a.h5mu")
    return {name: (folder / name).read_bytes() for name in ("a.h5ad", "a.h5mu")}


def _fitted_files(folder, graph):
    """Return the files of a model, of a run's record and of a checkpoint."""
    model = OrthoNet(2, random_state=0, n_neighbors=2, network=NETWORK, training=TRAINING).fit(graph)
    model.save(folder / "model")
    model.save(folder / "run" / "model")
    data = folder / "run.csv"
    data.write_text("source,target\na,b\nb,c\nc,d\nd,e\ne,f\nf,a\n")
    record = {
        "command": ["orthonet", "cluster"],
        "versions": {"orthonet": "1"},
        "parameters": {"n_clusters": 2},
        "inputs": {"files": ["@HOME@/run.csv"], "own_features": False},
        "checksums": {"@HOME@/run.csv": checksum(data)},
        "read": ["all"],
        "code": "",
        "layers": ["run"],
        "feature_means": None,
        "cluster_sizes": [3, 3],
        "seconds": {"fit": 1.0},
        "warnings": [],
    }
    _train(folder / "state")
    return {
        "model.json": (folder / "model" / "model.json").read_bytes(),
        "tensors": next((folder / "model").glob("tensors-*")).read_bytes(),
        "run.json": record_bytes(record),
        "checkpoint": (folder / "state" / STATE).read_bytes(),
    }


def _train(state):
    """Fit with a checkpoint in a folder, from what is there."""
    rng = np.random.default_rng(0)
    weights = np.triu(rng.random((12, 12)) < 0.5, 1).astype(float)
    training = TRAINING | {"max_iter": 3, "checkpoint_dir": state}
    model = OrthoNet(2, random_state=0, network=NETWORK, training=training, assign_labels="kmeans", layer_weights=None)
    return model.fit(MultilayerGraph([weights + weights.T], rng.random((12, 2))))


def spoiled(content, rng):
    """Return bytes with one to four changes: flipped bits, other numbers, other words, cuts, repeats."""
    found = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(found) + 1)
        kind = rng.randrange(7)
        if kind == 0 and place < len(found):
            found[place] ^= 1 << rng.randrange(8)
        elif kind == 1 and place < len(found):
            found[place] = rng.choice([0, 1, 0x7F, 0x80, 0xFF])
        elif kind == 2:
            size = rng.choice(["<I", ">I", "<Q", "<H"])
            found[place : place + struct.calcsize(size)] = struct.pack(
                size, rng.choice(NUMBERS) % 2 ** (8 * struct.calcsize(size))
            )
        elif kind == 3:
            found[place:place] = rng.choice(WORDS)
        elif kind == 4:
            del found[place : place + rng.randint(1, 40)]
        elif kind == 5:
            found[place:place] = found[place : place + rng.randint(1, 200)] * rng.randint(1, 3)
        elif rng.random() < 0.2:
            del found[place:]
    return bytes(found)


def attempt(folder, name, content):
    """Read bytes as a file of that name; return "read" or "refused", or raise `Foreign`."""
    if name == "fit":
        return _read(lambda: fit_anything(content), "")
    if name in ("model.json", "tensors"):
        return _attempt_model(folder / "model", name, content)
    if name == "run.json":
        (folder / "run" / name).write_bytes(content.replace(HOME, bytes(folder)))
        return _read(lambda: read_again(Run.of(folder / "run")), "")
    if name == "checkpoint":
        (folder / "state" / STATE).write_bytes(content)
        return _read(lambda: _train(folder / "state"), STATE)
    file = folder / name
    file.write_bytes(content)
    return _read(lambda: _reader(name)(file), name)


def _reader(name):
    """Return the function that reads files of such a name, and makes a graph where there is one to make."""
    if name.endswith((".h5ad", ".h5mu")):
        return lambda file: read_annotated(file, n_neighbors=2)
    if name.startswith("views"):
        return lambda file: read_views(file).graph(n_neighbors=2)
    if name.endswith(".mat"):
        return lambda file: read_multiview_mat(file)
    if name.startswith("features"):
        return lambda file: read_features(file)
    if name.startswith("groups"):
        return lambda file: read_memberships(file)
    if name.startswith("labels"):
        return lambda file: read_labels(file, list("abcdef"))
    return lambda file: read_network(file).graph()


def _attempt_model(folder, name, content):
    index = folder / "model.json"
    path = index if name == "model.json" else next(folder.glob("tensors-*"))
    before = path.read_bytes(), index.read_bytes()
    path.write_bytes(content)
    if name == "tensors":  # a checksum that fits, so that the tensors themselves are looked at
        changed = json.loads(before[1])
        changed["tensors"]["sha256"] = hashlib.sha256(content).hexdigest()
        index.write_text(json.dumps(changed))
    try:
        return _read(lambda: OrthoNet.load(folder).predict(np.ones((3, 2))), "model")
    finally:
        path.write_bytes(before[0])
        index.write_bytes(before[1])


def _read(work, shown):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            work()
    except (ValueError, OSError) as error:
        said = str(error)
        if shown not in said or not all(map(_is_shown, said)) or len(said) > 5000:
            raise Foreign(f"{type(error).__name__}: {said[:300]!r}") from error
        return "refused"
    except Exception as error:
        raise Foreign(f"{type(error).__name__}: {str(error)[:300]!r}") from error
    return "read"


def _is_shown(letter):
    return letter.isprintable() or category(letter) == "Zs"  # blanks of any width do no harm


def share_of(name):
    """Return how often an input of such a name is tried."""
    return SHARES.get(name, SHARES.get(name[name.rfind(".") :], 1.0))


def names_of(files):
    """Return the names of inputs, and how often each is tried, added up."""
    names = ["fit", *sorted(files)]
    return names, list(accumulate(map(share_of, names)))


def name_of(names, seed, number):
    """Return the name of an input."""
    return _generator(seed, number).choices(names[0], cum_weights=names[1])[0]


def inputs(files, seed, start, count):
    """Yield number, name and content of inputs; the same for the same seed, wherever one starts."""
    names = names_of(files)
    for number in range(start, start + count):
        rng = _generator(seed, number)
        name = rng.choices(names[0], cum_weights=names[1])[0]
        yield number, name, number if name == "fit" else spoiled(files[name], rng)


def _generator(seed, number):
    return random.Random(f"{seed}-{number}")  # noqa: S311 - not for secrets
