"""Shards: what each stage of a fit of shards takes for each end of an edge, and what it sends for each node.

    python benchmarks/shards.py [--nodes 20000 60000] [--processes 1 2 4] [--rates 20000 2000000]

Block models of four layers of degree 20 and eight features, nodes in random order, so that nearly every node has neighbours in
every shard: the dearest case. Each process of a fit is measured for itself, in seconds of the processor, which other work on
the machine changes less than those of the clock. Rates are those of some rows of a layer, in single precision, that lead to
all nodes. Results are kept one by one in ``results/shards.json``; `docs/distributed.md` says what they come to for more nodes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

sys.path.insert(0, str(Path(__file__).parent.parent / "experiments"))
from tables import environment, publish

from orthonet import MultilayerGraph, OrthoNet, metrics
from orthonet.embedding.processes import Processes
from orthonet.files import Shards, write_shards
from orthonet.partitioned.rows import Rows
from orthonet.partitioned.sources import RowLayerSource
from orthonet.support.files import write_atomically

RESULTS = Path(__file__).parent / "results" / "shards.json"
N_LAYERS, DEGREE, N_CLUSTERS, N_FEATURES, N_SHARDS = 4, 20, 5, 8, 4
WIDTH = 8
"""Vectors of a block for five clusters."""
INSIDE = 0.3
"""Share of edges that stay within their cluster not by chance."""
MOST_ROWS = 500_000
"""Rows of a process that rates are measured with."""
REPEATS = 5
Row = dict[str, Any]


def block_layer(labels: Any, rng: np.random.Generator) -> csr_array:
    """Return a layer of mean degree 20, in which nearly half of the edges stay within their cluster."""
    n_nodes, n_edges = len(labels), len(labels) * DEGREE // 2
    order = np.argsort(labels, kind="stable")
    ends = np.searchsorted(labels[order], np.arange(N_CLUSTERS + 1))
    source = rng.integers(n_nodes, size=n_edges)
    own = labels[source]
    inside = order[ends[own] + (rng.random(n_edges) * (ends[own + 1] - ends[own])).astype(np.int64)]
    target = np.where(rng.random(n_edges) < INSIDE, inside, rng.integers(n_nodes, size=n_edges))
    layer = csr_array((np.ones(n_edges), (source, target)), shape=(n_nodes, n_nodes))
    layer = csr_array(layer + layer.T)
    layer.data[:] = 1.0
    layer.setdiag(0)
    layer.eliminate_zeros()
    return layer


def network(n_nodes: int) -> tuple[MultilayerGraph, Any]:
    """Return the graph and its clusters."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, N_CLUSTERS, n_nodes)
    layers = [block_layer(labels, rng) for _ in range(N_LAYERS)]
    return MultilayerGraph(
        layers, rng.normal(size=(n_nodes, N_FEATURES)) + 0.5 * np.eye(N_CLUSTERS, N_FEATURES)[labels]
    ), labels


def work(folder: str) -> None:
    """Fit as one of several processes, and print what this one used."""
    several = int(os.environ.get("WORLD_SIZE", "1")) > 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = OrthoNet(N_CLUSTERS, training={"distributed": several, "n_jobs": 1}, random_state=0)
        model.fit(Shards.of(folder))
    first = os.environ.get("RANK", "0") == "0"
    found = {
        "stages": model.aggregation_["stages"],
        "peak_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "nmi": round(metrics.nmi(np.load(f"{folder}.npy"), model.labels_), 4) if first else None,
    }
    print(json.dumps(found), flush=True)


def fit(folder: str, n_nodes: int, n_processes: int, n_ends: int) -> Row:
    """Fit once with so many processes."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": str(n_processes), "OMP_NUM_THREADS": "1"}
    started = time.perf_counter()
    children = [
        subprocess.Popen(  # noqa: S603 - this file
            [sys.executable, __file__, "--work", folder],
            env=os.environ | meeting | {"RANK": str(rank)},
            stdout=subprocess.PIPE,
        )
        for rank in range(n_processes)
    ]
    found = [json.loads(child.communicate()[0]) for child in children]
    row: Row = {"nodes": n_nodes, "processes": n_processes, "ends_per_process": n_ends // n_processes}
    row |= {"seconds": round(time.perf_counter() - started, 1), "nmi": found[0]["nmi"]}
    row["peak_megabytes"] = max(one["peak_megabytes"] for one in found)
    for name in found[0]["stages"]:
        stages = [one["stages"][name] for one in found]
        row[name] = {
            "processor_seconds": round(max(one["processor_seconds"] for one in stages), 3),
            "nanoseconds_per_end": round(1e9 * sum(one["processor_seconds"] for one in stages) / n_ends, 1),
            "bytes_sent_per_own_node": round(sum(one["bytes_sent"] for one in stages) / n_nodes, 1),
        }
    return row


class Labels:
    """The halo of a process whose edges lead to all nodes, of which the clusters are known."""

    def __init__(self, n_rows: int, n_nodes: int, rng: np.random.Generator) -> None:
        self.rows = Rows(Processes(), n_rows)
        self.known = rng.integers(N_CLUSTERS, size=n_nodes, dtype=np.uint8)

    def labels(self, own: Any, n_clusters: int) -> Any:
        """Return the clusters of all nodes."""
        return self.known


def rates(n_nodes: int) -> Row:
    """Time a product with a block of vectors, and a scoring of nodes, of some rows of a layer that lead to all nodes."""
    rng = np.random.default_rng(0)
    n_rows = min(n_nodes, MOST_ROWS)
    n_ends = DEGREE * n_rows
    columns = np.sort(rng.integers(n_nodes, size=(n_rows, DEGREE), dtype=np.int32), axis=1).ravel()
    starts = np.arange(0, n_ends + 1, DEGREE, dtype=np.int32)
    layer = csr_array((np.ones(n_ends, np.float32), columns, starts), shape=(n_rows, n_nodes))
    block = rng.random((n_nodes, WIDTH), dtype=np.float32)
    of_product = 1e9 * min(_timed(lambda: layer @ block) for _ in range(REPEATS)) / n_ends / WIDTH
    halo: Any = Labels(n_rows, n_nodes, rng)
    source = RowLayerSource(halo, layer.astype(np.float64), "layer", 10.0)
    of_scores = (
        1e9 * min(_timed(lambda: source.node_scores(halo.known[:n_rows], N_CLUSTERS)) for _ in range(REPEATS)) / n_ends
    )
    return {
        "nodes": n_nodes,
        "rows": n_rows,
        "nanoseconds_per_end_and_vector": round(of_product, 3),
        "nanoseconds_per_end_and_scoring": round(of_scores, 2),
    }


def _timed(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def keep(part: str, row: Row) -> None:
    """Add a row to the results, in the place of an earlier one of the same case, and put the tables into the documents."""
    parts = json.loads(RESULTS.read_text())["parts"] if RESULTS.is_file() else {}
    same = ("nodes", "processes")
    rows = [one for one in parts.get(part, []) if any(one.get(key) != row.get(key) for key in same)]
    parts[part] = sorted([*rows, row], key=lambda one: (one["nodes"], one.get("processes", 0)))
    found = {"environment": environment(), "parts": parts}
    write_atomically(RESULTS, (json.dumps(found, indent=1) + "\n").encode())
    publish("shards", render(parts))
    print(json.dumps(row), flush=True)


def render(parts: dict[str, list[Row]]) -> str:
    """Return Markdown tables of rates in nanoseconds, of what stages take, and of what they send."""
    tables = []
    if "rates" in parts:
        rows = [
            (
                f"{one['nodes']:,}",
                f"{one['nanoseconds_per_end_and_vector']:.2f}",
                f"{one['nanoseconds_per_end_and_scoring']:.1f}",
            )
            for one in parts["rates"]
        ]
        tables.append(_table("nodes | product, for each end and vector | scores of nodes, for each end", rows))
    fits = parts.get("fits", [])
    if fits:
        stages = [name for name, value in fits[0].items() if isinstance(value, dict)]
        for heading, key, some in (
            ("nodes | processes | NMI | MB", "nanoseconds_per_end", fits),
            ("nodes | processes", "bytes_sent_per_own_node", [one for one in fits if one["processes"] > 1]),
        ):
            rows = [
                (
                    f"{one['nodes']:,}",
                    str(one["processes"]),
                    *([f"{one['nmi']:.3f}", f"{one['peak_megabytes']:,}"] if some is fits else []),
                    *(f"{one[name][key]:,.0f}" for name in stages),
                )
                for one in some
            ]
            tables.append(_table(f"{heading} | {' | '.join(stages)}", rows))
    return "\n\n".join(tables) + "\n"


def _table(heading: str, rows: list[tuple[str, ...]]) -> str:
    lines = [f"| {heading} |", "|" + "---|" * (heading.count("|") + 1), *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines)


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="*", default=[20_000, 60_000])
    parser.add_argument("--processes", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--rates", type=int, nargs="*", default=[20_000, 200_000, 2_000_000, 30_000_000])
    parser.add_argument("--work", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.work:
        work(asked.work)
        return
    for n_nodes in asked.rates:
        keep("rates", rates(n_nodes))
    for n_nodes in asked.nodes:
        with tempfile.TemporaryDirectory(prefix="orthonet-") as home:
            graph, labels = network(n_nodes)
            folder = f"{home}/net"
            write_shards(graph, folder, N_SHARDS)
            np.save(f"{folder}.npy", labels)
            n_ends = sum(layer.nnz for layer in graph.layers)
            del graph
            for n_processes in asked.processes:
                keep("fits", fit(folder, n_nodes, n_processes, n_ends))


if __name__ == "__main__":
    main()
