"""Time and memory of reading a long edge list, against polars and scipy alone.

    python benchmarks/reading.py [--rows 10000000] [--repeats 5]

The lists have three layers and a node for each ten rows; ids are integers or text such as ``user_123456``. Against
``read_network(path).graph()`` stands the least that gives the same matrices, `by_hand` below: polars reads the file, text ids
become positions by a join with the different ones (the integers are positions already), and scipy builds each layer from its
rows, both ways round, which adds up duplicates. Nothing is checked there, and nothing counted. Of four ways tried the join was
about the fastest (the others: a Categorical, an Enum, pandas.factorize). As it is neither polars reading nor scipy building,
the ratio is given with and without it. Each run has a process of its own, the two sides take turns, and each step counts with
its best run; files are in the page cache, and both sides have all threads. Processor time, of all threads together, is given
beside the clock's, as it depends less on what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy.sparse import coo_array, csr_array

from orthonet.files import read_network

sys.path.insert(0, str(Path(__file__).parent.parent / "experiments"))
from tables import keep, publish

RESULTS = Path(__file__).parent / "results" / "reading.json"
LAYERS = ("work", "lunch", "family")
CASES = [(ids, kind) for kind in ("csv", "parquet") for ids in ("integers", "text")]
LIMIT = 1.5
"""How many times as long reading may take."""


def write_list(path: Path, n_rows: int, ids: str) -> None:
    """Write an edge list of random pairs."""
    rng = np.random.default_rng(0)
    ends = pl.DataFrame(rng.integers(0, max(n_rows // 10, 2), (n_rows, 2)), schema=["source", "target"])
    if ids == "text":
        ends = ends.select(pl.format("user_{}", pl.col(name)).alias(name) for name in ends.columns)
    layer = pl.Series("layer", LAYERS).gather(rng.integers(0, len(LAYERS), n_rows))
    table = ends.with_columns(layer, pl.Series("weight", rng.integers(1, 10**4, n_rows) / 10**4))
    if path.suffix == ".csv":
        table.write_csv(path)
    else:
        table.write_parquet(path)


def by_hand(path: Path) -> Iterator[Any]:
    """Yield the table, the ends of its rows as positions, and at last the matrices by layer."""
    table = pl.read_csv(path) if path.suffix == ".csv" else pl.read_parquet(path)
    yield table
    ends = [table["source"], table["target"]]
    if ends[0].dtype == pl.String:
        named = pl.DataFrame({"id": pl.concat(ends)})
        different = named.unique().with_row_index("position")
        positions = named.join(different, on="id", how="left", maintain_order="left")["position"]
        ends = [positions[: len(table)], positions[len(table) :]]
    source, target = (end.to_numpy().astype(np.int32) for end in ends)
    yield source, target
    weight = table["weight"].to_numpy()
    n_nodes = int(max(source.max(), target.max())) + 1
    layers: dict[str, csr_array] = {}
    for name in table["layer"].unique(maintain_order=True):
        chosen = (table["layer"] == name).to_numpy()
        one, other, value = source[chosen], target[chosen], weight[chosen]
        both_ways = np.concatenate([one, other]), np.concatenate([other, one])
        layers[name] = coo_array((np.concatenate([value, value]), both_ways), shape=(n_nodes, n_nodes)).tocsr()
    yield layers


def measure(path: Path, who: str) -> dict[str, Any]:
    """Read once and return the seconds of each step and the most memory that was taken."""
    before = _megabytes()
    times = [_now()]
    if who == "orthonet":
        network = read_network(path)
        times.append(_now())
        network.graph()
        times.append(_now())
    else:
        for _ in by_hand(path):
            times.append(_now())
    clock, processor = np.diff(times, axis=0).T.tolist()
    return {"seconds": clock, "processor_seconds": processor, "megabytes": _megabytes() - before}


def check(folder: Path, ids: str, kind: str) -> None:
    """Make sure, on a short list, that both sides come to the same weights."""
    path = folder / f"short.{kind}"
    write_list(path, 20_000, ids)
    graph = read_network(path).graph()
    *_, layers = by_hand(path)
    for name, layer in zip(graph.layer_names, graph.layers, strict=True):
        wanted = layers[name]
        wanted.setdiag(0)
        wanted.eliminate_zeros()
        if layer.nnz != wanted.nnz or not np.allclose(np.sort(layer.data), np.sort(wanted.data), rtol=1e-12):
            raise RuntimeError(f"{ids}, {kind}: the two sides differ in layer {name!r}")


def render(rows: list[dict[str, Any]]) -> str:
    """Return a Markdown table of seconds, their ratio and memory."""
    lines = [
        "| ids | file | MB | polars reads | ids to positions | scipy builds | OrthoNet | times as long as all three "
        "| in processor time | as polars and scipy alone | in processor time | memory (MB): by hand | OrthoNet |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [f"{one:.2f}" for one in (*row["by_hand"]["seconds"], sum(row["orthonet"]["seconds"]))]
        for with_ids in (True, False):
            cells += [f"{ratio(row, kind, with_ids):.2f}" for kind in ("seconds", "processor_seconds")]
        cells += [f"{row[who]['megabytes']:,}" for who in ("by_hand", "orthonet")]
        lines.append(f"| {row['ids']} | {row['kind']} | {row['file_megabytes']:,.0f} | {' | '.join(cells)} |")
    loads = [row["load"] for row in rows]
    told = f"{rows[0]['n_rows']:,} rows; seconds, the best of {rows[0]['repeats']} runs for each step. The machine has "
    told += f"{rows[0]['threads']} threads, and had {min(loads):.1f} to {max(loads):.1f} processes at work, others among them."
    return "\n".join(lines) + f"\n\n{told}\n"


def ratio(row: dict[str, Any], kind: str = "seconds", with_ids: bool = True) -> float:
    """Return how many times as long reading takes as the steps by hand, with or without that from ids to positions."""
    read, ids, build = row["by_hand"][kind]
    return float(sum(row["orthonet"][kind]) / (read + build + with_ids * ids))


def run(path: Path, repeats: int) -> dict[str, Any]:
    """Let both sides read a file in turn, each time in a process of its own; return the least that each step took."""
    row: dict[str, Any] = {"file_megabytes": round(path.stat().st_size / 2**20, 1), "repeats": repeats}
    row |= {"polars": pl.__version__, "threads": pl.thread_pool_size()}
    found: dict[str, list[dict[str, Any]]] = {"by_hand": [], "orthonet": []}
    for _ in range(repeats):
        for who, runs in found.items():
            command = [sys.executable, __file__, "--one", str(path), who]
            done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
            runs.append(json.loads(done.stdout))
    for who, runs in found.items():
        row[who] = {
            kind: np.min([one[kind] for one in runs], axis=0).round(3).tolist()
            for kind in ("seconds", "processor_seconds")
        }
        row[who]["megabytes"] = round(min(one["megabytes"] for one in runs))
    row["load"] = round(os.getloadavg()[1], 1)
    return row


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _megabytes() -> float:
    """Return the most that this process has held; unlike ``ru_maxrss`` it does not begin with what its parent held."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    """Measure each kind of file; keep the results, and put the table into the documents."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--one", nargs=2, metavar=("PATH", "WHO"), help="read one file here, and print what it took")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(Path(arguments.one[0]), arguments.one[1])))
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for ids, kind in CASES:
            check(Path(folder), ids, kind)
            path = Path(folder) / f"{ids}.{kind}"
            write_list(path, arguments.rows, ids)
            rows.append({"ids": ids, "kind": kind, "n_rows": arguments.rows, **run(path, arguments.repeats)})
            path.unlink()
            print(rows[-1], flush=True)
    print(render(rows))
    slow = [row for row in rows if ratio(row) > LIMIT]
    if slow:
        print(f"more than {LIMIT} times as long: {', '.join(row['ids'] + ' ' + row['kind'] for row in slow)}")
    if arguments.rows >= 10**7:
        keep(RESULTS, rows)
        publish("reading", render(rows))


if __name__ == "__main__":
    main()
