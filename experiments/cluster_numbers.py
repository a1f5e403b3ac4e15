"""How many clusters are chosen, against the number of classes: a table in docs/number-of-clusters.md.

ORTHONET_DATA_HOME=… python experiments/cluster_numbers.py [SET …]

Each set is measured once, seed 0, and kept in results/cluster_numbers.json; sets that are named are measured again. The classes
are only looked at afterwards. Seconds are processor time on one thread.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from tables import keep, publish

from orthonet import datasets
from orthonet.clustering.choosing import choose_clusters
from orthonet.clustering.node_order import in_node_order
from orthonet.clustering.parameter_checks import ClusterRange
from orthonet.datasets import Dataset
from orthonet.paper import scores
from orthonet.support.text import listed

RESULTS = Path(__file__).parent / "results" / "cluster_numbers.json"
PLANTED = (2, 3, 5, 8, 12, 20)


def block_model(n_clusters: int, kind: str = "informative") -> Callable[[], Dataset]:
    """Return what draws a block model with 60 nodes per cluster (300 at least), about 10 edges within and 4 between."""
    n_nodes = max(300, 60 * n_clusters)
    within = 10 if kind == "informative" else 15

    def drawn() -> Dataset:
        p_in, p_out = within * n_clusters / n_nodes, 4 / n_nodes
        return datasets.make_multilayer_sbm(
            n_nodes, 3, n_clusters, kind=kind, p_in=p_in, p_out=p_out, random_state=n_clusters
        )

    return drawn


SETS: dict[str, Callable[[], Dataset]] = {
    "Mfeat": datasets.load_mfeat,
    "digits": datasets.load_digits,
    "100 leaves": datasets.load_leaves100,
    "BBCSport": datasets.load_bbcsport,
    "3sources": datasets.load_3sources,
    "ACM": datasets.load_acm,
    "DBLP, two-mode": lambda: datasets.load_dblp(two_mode=True),
    "CKM": datasets.load_ckm,
    "synthetic 2,000": lambda: datasets.make_multilayer_gaussians(random_state=0),
    **{f"block model, {k}": block_model(k) for k in PLANTED},
    **{f"block model, {k}, complementary": block_model(k, "complementary") for k in (5, 12)},
}


def measure(name: str) -> dict[str, Any]:
    """Return what is chosen for a set."""
    data = SETS[name]()
    started = time.process_time()
    found = choose_clusters(in_node_order(data.graph)[0], ClusterRange(2, None), 0, verbose=False)
    return {
        "set": name,
        "nodes": data.graph.n_nodes,
        "classes": data.n_clusters,
        **found.to_dict(),
        "seconds": round(time.process_time() - started, 1),
    }


def table(rows: list[dict[str, Any]]) -> str:
    """Return the Markdown table."""
    header = ["set", "nodes", "classes", "chosen", "reliability", "stand too", "seconds"]
    body = [
        [
            row["set"],
            f"{row['nodes']:,}",
            str(row["classes"]),
            f"**{row['chosen']}**" if row["chosen"] == row["classes"] else str(row["chosen"]),
            f"{row['reliability']:.2f}",
            listed(row["alternatives"], 8) if row["alternatives"] else "",
            f"{row['seconds']:.0f}",
        ]
        for row in rows
    ]
    return scores.table(header, body)


def main() -> None:
    """Measure what is named or missing, and write the table into the page."""
    kept = {row["set"]: row for row in json.loads(RESULTS.read_text())["rows"]} if RESULTS.is_file() else {}
    for name in sys.argv[1:] or [name for name in SETS if name not in kept]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kept[name] = measure(name)
        print(name, kept[name]["classes"], kept[name]["chosen"], kept[name]["alternatives"], flush=True)
        rows = [kept[one] for one in SETS if one in kept]
        keep(RESULTS, rows)
        publish("cluster_numbers", table(rows))


if __name__ == "__main__":
    main()
