"""Score one recipe on relations with bag-of-words features: ACM's papers and DBLP's authors.

    python experiments/relations.py [--seeds 2]

Features smoothed twice over the mean graph, a 15-nearest-neighbour layer of them with nine tenths of the weight, the arithmetic
mean of that and the relations, and one net. Needs ``ORTHONET_DATA_HOME``. Results go to ``results/relations.json``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.io import loadmat
from scipy.sparse import csr_array, diags_array, load_npz
from tables import environment, publish

from orthonet import MultilayerGraph, OrthoNet, metrics
from orthonet.datasets.dataset import data_file
from orthonet.support.files import write_atomically

RESULTS = Path(__file__).parent / "results" / "relations.json"
RECIPE = {"aggregation": "arithmetic", "smoothing": 2, "feature_layer": 0.9, "n_neighbors": 15, "n_init": 1}
KNOWN = {"ACM": "0.91 / 0.71", "DBLP": "0.92 / 0.77"}
Case = tuple[MultilayerGraph, np.ndarray]


def acm() -> Case:
    """Papers by a common author, or of a common subject."""
    content = loadmat(data_file("acm/ACM3025.mat", None, "ACM3025.mat"))
    return graph_of([content["PAP"], content["PLP"]], content["feature"]), content["label"].argmax(axis=1)


def dblp() -> Case:
    """Authors of a common paper, conference or term."""
    layers = [load_npz(data_file(f"dblp/{name}.npz", None, "DBLP")) for name in ("apa", "apcpa", "aptpa")]
    labels = np.load(data_file("dblp/labels.npy", None, "DBLP"))
    features = load_npz(data_file("dblp/a_feat.npz", None, "DBLP"))
    return graph_of(layers, features), labels.argmax(axis=1) if labels.ndim > 1 else labels


def graph_of(layers: list[object], features: object) -> MultilayerGraph:
    """Drop the self-loops; words stay sparse."""
    sparse = [csr_array(layer, dtype=np.float64) for layer in layers]
    return MultilayerGraph([one - diags_array(one.diagonal()) for one in sparse], csr_array(features, dtype=np.float64))


def render(kept: dict[str, list[dict[str, float]]]) -> str:
    """Return a Markdown table."""
    lines = ["| data | accuracy | NMI | ARI | DESIGN's accuracy / NMI, own recipe each |", "|---|---|---|---|---|"]
    for name, rows in kept.items():
        cells = [f"{np.mean([row[key] for row in rows]):.3f}" for key in ("accuracy", "nmi", "ari")]
        lines.append(f"| {name}, {len(rows)} seeds | " + " | ".join(cells) + f" | {KNOWN[name]} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure both sets."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=2)
    arguments = parser.parse_args()
    loaders: dict[str, Callable[[], Case]] = {"ACM": acm, "DBLP": dblp}
    kept: dict[str, list[dict[str, float]]] = {}
    for name, load in loaders.items():
        graph, labels = load()
        kept[name] = []
        for seed in range(arguments.seeds):
            model = OrthoNet(int(labels.max()) + 1, random_state=seed, verbose=False, **RECIPE).fit(graph)
            found = {
                "accuracy": metrics.clustering_accuracy(labels, model.labels_),
                "nmi": metrics.nmi(labels, model.labels_),
                "ari": metrics.adjusted_rand(labels, model.labels_),
            }
            kept[name].append(found)
            print(name, seed, found, flush=True)
    write_atomically(
        RESULTS, json.dumps({"environment": environment(), "recipe": RECIPE, "rows": kept}, indent=1).encode()
    )
    publish("relations", render(kept))


if __name__ == "__main__":
    main()
