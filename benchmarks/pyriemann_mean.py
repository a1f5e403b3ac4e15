"""Time our exact geometric mean against pyRiemann's on the same Laplacians, in one run.

    python benchmarks/pyriemann_mean.py

N = 1000, S = 4, combinatorial 20-nearest-neighbour Laplacians with 0.01 added to the diagonal, both to the same tolerance.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from pyriemann.geometry.mean import mean_riemann

from orthonet import datasets
from orthonet.linalg.spd import distance, geometric_mean

sys.path.insert(0, str(Path(__file__).parent.parent / "experiments"))
from tables import keep, publish

RESULTS = Path(__file__).parent / "results" / "pyriemann_mean.json"
TOL = 1e-6


def render(rows: list[dict[str, float | str]]) -> str:
    """Return a sentence."""
    ours, theirs = (float(row["seconds"]) for row in rows)
    return (
        f"The exact mean of 4 Laplacians of 1000 nodes, in one run: {ours:.0f} s here, {theirs:.0f} s with pyRiemann "
        f"({theirs / ours:.1f} times as long); relative Riemannian distance of the two {float(rows[1]['distance']):.1e}.\n"
    )


def main() -> None:
    """Measure both, keep the result, and put it into the documents."""
    graph = datasets.make_multilayer_gaussians(1000, random_state=0).graph
    layers = np.array([one.toarray() + 0.01 * np.eye(1000) for one in graph.laplacians("combinatorial")])
    started = time.perf_counter()
    ours = geometric_mean(layers, tol=TOL, max_iter=200)
    between = time.perf_counter()
    theirs = mean_riemann(layers, tol=TOL * np.sqrt(1000), maxiter=200)  # their tolerance is on the norm
    finished = time.perf_counter()
    apart = distance(ours, theirs) / distance(layers[0], theirs)
    rows: list[dict[str, float | str]] = [
        {"who": "orthonet", "seconds": round(between - started, 2)},
        {"who": "pyriemann", "seconds": round(finished - between, 2), "distance": apart},
    ]
    keep(RESULTS, rows)
    publish("pyriemann", render(rows))
    print(render(rows))


if __name__ == "__main__":
    main()
