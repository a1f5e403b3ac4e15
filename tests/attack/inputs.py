"""Good files of every kind, changes that spoil them, and what a reader may do with the result."""

import gzip
import hashlib
import json
import random
import struct
import warnings

import numpy as np
from scipy.io import savemat
from scipy.sparse import coo_array, csc_array, csr_array, save_npz

from orthonet import MultilayerGraph, OrthoNet
from orthonet.files import read_features, read_multiview_mat, read_network, write_network

NETWORKS = {
    "n.csv": "csv",
    "n.tsv": "tsv",
    "n.parquet": "parquet",
    "n.npz": "npz",
    "n.mtx": "matrix-market",
    "n.graphml": "graphml",
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
EXPONENTS = [-320, -300, -30, 0, 30, 155, 300, 308]


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
    files["n.csv.gz"] = gzip.compress(files["n.csv"])
    for name, form in (("csr", csr_array), ("csc", csc_array), ("coo", coo_array)):
        save_npz(folder / "m.npz", form(matrix), compressed=name == "csc")
        files[f"{name}.npz"] = files[f"features-{name}.npz"] = (folder / "m.npz").read_bytes()
    np.save(folder / "f.npy", table)
    files["features.npy"] = (folder / "f.npy").read_bytes()
    files["features.csv"] = b"id,x,y\na,1,2\nb,3,\nc,4,7\n"
    cells = np.empty(2, dtype=object)
    cells[:] = [table, csc_array(matrix)]
    for name, packed in (("plain.mat", False), ("packed.mat", True)):
        savemat(folder / name, {"X": cells, "Y": np.arange(6) % 2}, do_compression=packed)
        files[name] = (folder / name).read_bytes()
    model = OrthoNet(2, random_state=0, n_neighbors=2, training={"max_iter": 2}).fit(graph)
    model.save(folder / "model")
    files["model.json"] = (folder / "model" / "model.json").read_bytes()
    files["tensors"] = next((folder / "model").glob("tensors-*")).read_bytes()
    return files


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
    shown = "model"
    if name == "fit":
        return _fit(content)
    if name in ("model.json", "tensors"):
        path = folder / "model" / "model.json" if name == "model.json" else next((folder / "model").glob("tensors-*"))
        before = path.read_bytes(), (folder / "model" / "model.json").read_bytes()
        path.write_bytes(content)
        if name == "tensors":  # a checksum that fits, so that the tensors themselves are looked at
            index = json.loads(before[1])
            index["tensors"]["sha256"] = hashlib.sha256(content).hexdigest()
            (folder / "model" / "model.json").write_text(json.dumps(index))
        try:
            return _read(lambda: OrthoNet.load(folder / "model").predict(np.ones((3, 2))), shown)
        finally:
            path.write_bytes(before[0])
            (folder / "model" / "model.json").write_bytes(before[1])
    file = folder / name
    file.write_bytes(content)
    reader = (
        read_multiview_mat if name.endswith(".mat") else read_features if name.startswith("features") else read_network
    )
    return _read(lambda: getattr(reader(file), "graph", lambda: None)(), name)


def _fit(seed):
    """Fit numbers of any size; whatever is wrong with them must be a ValueError."""
    rng = np.random.default_rng(seed)
    scales = 10.0 ** rng.choice(EXPONENTS, 3)
    weights = np.triu(rng.random((14, 14)) < 0.4, 1) * rng.random((14, 14))
    with np.errstate(all="ignore"):
        layers = [(weights + weights.T) * scales[0]]
        features = rng.normal(size=(14, 3)) * scales[1]
    options = {
        "epsilon": float(rng.choice([1e-3, scales[2]])),
        "feature_scaling": str(rng.choice(["auto", "none", "unit"])),
    }
    small = {"max_iter": 2}

    def fit():
        model = OrthoNet(2, random_state=0, n_neighbors=3, training=small, **options)
        return model.fit(MultilayerGraph(layers, features))

    return _read(fit, "")


def _read(work, shown):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            work()
    except (ValueError, OSError) as error:
        said = str(error)
        if shown not in said or not said.isprintable() or len(said) > 5000:
            raise Foreign(f"{type(error).__name__}: {said[:300]!r}") from error
        return "refused"
    except Exception as error:
        raise Foreign(f"{type(error).__name__}: {str(error)[:300]!r}") from error
    return "read"


def inputs(files, seed, start, count):
    """Yield number, name and content of inputs; the same for the same seed, wherever one starts."""
    names = sorted(files)
    for number in range(start, start + count):
        rng = random.Random(f"{seed}-{number}")  # noqa: S311 - not for secrets
        if number % 50 == 49:
            yield number, "fit", number
            continue
        name = rng.choice(names)
        yield number, name, spoiled(files[name], rng)
