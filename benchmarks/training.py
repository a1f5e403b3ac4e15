"""Training: against SpectralNet, mini-batches against full batches, and time and memory against the number of nodes.

    python benchmarks/training.py [--part spectralnet minibatch sizes predict processes] [--nodes 10000 …]

Parts are measured and kept one by one in ``results/training.json``. "spectralnet" needs that package (pip install
spectralnet annoy h5py munkres) and is left out without it. Sizes train in processes of their own from memory maps of features
and basis, 4096 nodes a step, so that the anonymous memory of the process is what training itself takes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from orthonet import OrthoNet, aggregate, datasets, metrics
from orthonet.embedding.laplacians import LowRankRows
from orthonet.embedding.networks import build_ensemble
from orthonet.embedding.nodes import Nodes
from orthonet.embedding.training import train
from orthonet.graph.features import FeatureScaler

sys.path.insert(0, str(Path(__file__).parent.parent / "experiments"))
from tables import environment, publish

from orthonet.support.files import write_atomically

RESULTS = Path(__file__).parent / "results" / "training.json"
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
MERGED_UP_TO = 100_000
"""Larger sizes are copies of a set of this size, whose basis is that of the one, repeated: only training is measured there."""
STEPS, BATCH = 200, 4096
Row = dict[str, Any]


def sets() -> dict[str, Callable[[], datasets.Dataset]]:
    """Return the two data sets of the issue."""
    return {
        "Mfeat": datasets.load_mfeat,
        "Gaussians 10,000": lambda: datasets.make_multilayer_gaussians(10_000, random_state=0),
    }


def spectralnet(_: argparse.Namespace) -> list[Row]:
    """Time SpectralNet, and OrthoNet until it is at least as good: one net, and the default recipe."""
    from spectralnet import SpectralNet

    rows = []
    for name, load in sets().items():
        data = load()
        k = data.n_clusters
        scaled = FeatureScaler.fit(data.graph.features).transform(data.graph.features)
        started = time.perf_counter()
        torch.manual_seed(0)
        np.random.seed(0)  # noqa: NPY002
        rival = SpectralNet(n_clusters=k, spectral_hiddens=[1024, 1024, 512, k])
        with tempfile.TemporaryDirectory() as folder:  # it leaves files behind
            before = Path.cwd()
            os.chdir(folder)
            tensor = torch.tensor(scaled, dtype=torch.float32)
            rival.fit(tensor)
            found = rival.predict(tensor)
            os.chdir(before)
        seconds = time.perf_counter() - started
        rows.append({"data": name, "who": "SpectralNet", "seconds": seconds, "nmi": metrics.nmi(data.labels, found)})
        for who, options in {
            "OrthoNet, one net, 50 steps": {"training": {"n_networks": 1, "max_iter": 50}},
            "OrthoNet": {},
        }.items():
            started = time.perf_counter()
            model = OrthoNet(k, random_state=0, verbose=False, **options).fit(data.graph)
            seconds = time.perf_counter() - started
            rows.append({"data": name, "who": who, "seconds": seconds, "nmi": metrics.nmi(data.labels, model.labels_)})
    return rows


def minibatch(_: argparse.Namespace) -> list[Row]:
    """Compare the loss that mini-batches reach, evaluated on all nodes, with the full batch's after 200 steps."""
    rows = []
    for name, load in sets().items():
        data = load()
        merged = aggregate(data.graph, solver="compressed", n_components=data.n_clusters, verbose=False).matrix
        scaler = FeatureScaler.fit(data.graph.features)
        for batch, steps in ((None, STEPS), (1024, STEPS), (1024, 5 * STEPS), (512, 5 * STEPS)):
            network = build_ensemble(
                "mlp", (data.graph.features.shape[1], 400, 200, 100, data.n_clusters), 1, _seeded(0)
            )
            rows_of = LowRankRows(
                merged.base, torch.from_numpy(merged.basis), torch.from_numpy(merged.core), data.graph.n_nodes
            )
            nodes = Nodes(
                data.graph.features, scaler.transform, slice(0, data.graph.n_nodes), torch.device("cpu"), torch.float32
            )
            started = time.perf_counter()
            done = train(
                network, nodes, rows_of, data.n_clusters, max_iter=steps, tol=0, batch_size=batch, verbose=False
            )
            seconds = time.perf_counter() - started
            final = train(network, nodes, rows_of, data.n_clusters, max_iter=1, learning_rate=1e-12, verbose=False)
            rows.append(
                {
                    "data": name,
                    "batch": batch or "all",
                    "steps": len(done.losses),
                    "seconds": seconds,
                    "loss": final.losses[0],
                }
            )
    return rows


def sizes(arguments: argparse.Namespace) -> list[Row]:
    """Train from memory maps, each size in a process of its own."""
    rows = []
    for n_nodes in arguments.nodes:
        copies = max(n_nodes // MERGED_UP_TO, 1)
        features, merged, seconds = _merged(n_nodes // copies)
        with tempfile.TemporaryDirectory() as folder:
            arrays = {
                "features": np.tile(features, (copies, 1)),
                "basis": np.tile(merged.basis, (copies, 1)) / np.sqrt(copies),
                "core": merged.core,
            }
            for name, array in arrays.items():
                np.save(Path(folder) / name, array)
            del arrays
            command = [sys.executable, __file__, "--one", folder, str(merged.base)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
        rows.append({"nodes": n_nodes, "copies": copies, "merge_seconds": seconds} | json.loads(done.stdout))
        print(rows[-1], flush=True)
    return rows


@cache
def _merged(n_nodes: int) -> tuple[Any, Any, float]:
    """Return scaled features, the merged Laplacian of the synthetic set, and the seconds it took."""
    data = datasets.make_multilayer_gaussians(n_nodes, random_state=0)
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        merged = aggregate(data.graph, solver="compressed", n_components=5, verbose=False).matrix
    seconds = time.perf_counter() - started
    return FeatureScaler.fit(data.graph.features).transform(data.graph.features).astype(np.float32), merged, seconds


def one_size(folder: Path, outside: float) -> Row:
    """Train from the files of a folder; return rates, memory and the quality of the groups."""
    features = np.load(folder / "features.npy", mmap_mode="r")
    basis = np.load(folder / "basis.npy", mmap_mode="r")
    core = torch.from_numpy(np.load(folder / "core.npy"))
    n_nodes = len(features)
    network = build_ensemble("mlp", (features.shape[1], 400, 200, 100, 5), 1, _seeded(0))
    nodes = Nodes(features, lambda rows: rows, slice(0, n_nodes), torch.device("cpu"), torch.float32)
    before = _anonymous_megabytes()
    started = time.perf_counter()
    done = train(
        network,
        nodes,
        LowRankRows(outside, basis, core, n_nodes),
        5,
        max_iter=STEPS,
        tol=0,
        batch_size=BATCH,
        verbose=False,
    )
    seconds = time.perf_counter() - started
    after = _anonymous_megabytes()
    return {
        "train_seconds": seconds,
        "steps_per_second": STEPS / seconds,
        "megabytes_beyond": after - before,
        "file_megabytes": (features.nbytes + basis.nbytes) / 2**20,
        "loss": done.losses[-1],
    }


def predict(_: argparse.Namespace) -> list[Row]:
    """Compare the rate of `predict` and `transform` with the net's own forward pass."""
    data = datasets.load_mfeat()
    model = OrthoNet(10, random_state=0, verbose=False, training={"max_iter": 20}).fit(data.graph)
    many = np.tile(data.graph.features, (50, 1))
    scaled = torch.from_numpy(model._result.embedder.scaler.transform(many))
    rows = []
    with torch.no_grad():
        calls: dict[str, Callable[[], Any]] = {
            "the nets' forward pass (float64, three nets)": lambda: [
                model._result.embedder.network(block) for block in scaled.split(65_536)
            ],
            "transform": lambda: model.transform(many),
            "predict": lambda: model.predict(many),
        }
        for name, call in calls.items():
            call()
            started = time.perf_counter()
            call()
            rows.append({"what": name, "rows_per_second": len(many) / (time.perf_counter() - started)})
    return rows


def processes(_: argparse.Namespace) -> list[Row]:
    """Measure what crosses the network per step, and steps per second, with one, two and four processes."""
    script = (
        "import os, json, time, warnings; warnings.simplefilter('ignore')\n"
        "from orthonet import OrthoNet, datasets\n"
        "data = datasets.make_multilayer_gaussians(int(os.environ['NODES']), random_state=0)\n"
        "together = int(os.environ.get('WORLD_SIZE', '1')) > 1\n"
        "model = OrthoNet(5, random_state=0, verbose=False,\n"
        "                 training={'n_networks': 1, 'max_iter': 50, 'tol': 0, 'batch_size': None, 'distributed': together})\n"
        "model.fit(data.graph)\n"
        "if os.environ.get('RANK', '0') == '0':\n"
        "    told = {'bytes_per_step': float(model.history_['bytes_per_step']), 'loss': float(model.history_['loss'][-1])}\n"
        "    print(json.dumps(told))\n"
    )
    rows = []
    for n_nodes in (3000, 12_000):
        for count in (1, 2, 4):
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "run.py"
                file.write_text(script)
                start = ["-m", "torch.distributed.run", "--nproc-per-node", str(count)] if count > 1 else []
                environ = os.environ | {"OMP_NUM_THREADS": "1", "NODES": str(n_nodes)}
                command = [sys.executable, *start, str(file)]
                done = subprocess.run(command, capture_output=True, text=True, check=True, env=environ)  # noqa: S603
                rows.append({"nodes": n_nodes, "processes": count} | json.loads(done.stdout.strip().splitlines()[-1]))
    return rows


def _seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def _anonymous_megabytes() -> float:
    """Memory of this process that no file backs; 0 where the system does not tell."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon")), 0.0)


PARTS: dict[str, Callable[[argparse.Namespace], list[Row]]] = {
    "spectralnet": spectralnet,
    "minibatch": minibatch,
    "predict": predict,
    "processes": processes,
    "sizes": sizes,
}


def render(kept: dict[str, list[Row]]) -> str:
    """Return a Markdown table for each part that has been measured."""
    tables = []
    for rows in (kept[name] for name in PARTS if name in kept):
        lines = ["| " + " | ".join(key.replace("_", " ") for key in rows[0]) + " |", "|" + "---|" * len(rows[0])]
        lines += ["| " + " | ".join(_cell(value) for value in row.values()) + " |" for row in rows]
        tables.append("\n".join(lines))
    return "\n\n".join(tables) + "\n"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}" if value >= 10 else f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def main() -> None:
    """Measure the parts asked for; keep the results, and put the tables into the documents."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--part", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--nodes", type=int, nargs="+", default=SIZES, help="sizes to measure")
    parser.add_argument("--one", nargs=2, metavar=("FOLDER", "OUTSIDE"), help="train from one folder here, and print")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(one_size(Path(arguments.one[0]), float(arguments.one[1]))))
        return
    kept = json.loads(RESULTS.read_text())["parts"] if RESULTS.exists() else {}
    for name in arguments.part:
        try:
            kept[name] = PARTS[name](arguments)
        except (ImportError, FileNotFoundError) as error:
            print(f"{name} left out: {error}")
            continue
        RESULTS.parent.mkdir(exist_ok=True)
        write_atomically(RESULTS, json.dumps({"environment": environment(), "parts": kept}, indent=1).encode())
        publish("training", render(kept))
        print(render({name: kept[name]}))


if __name__ == "__main__":
    main()
