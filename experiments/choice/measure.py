"""One run: the search on a data set, what it proposed before and after mending, what it chose, what it might have chosen."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from choice import leiden
from choice.sets import load, search
from choice.settings import changed
from orthonet import OrthoNet, metrics
from orthonet.evidence.mending import Partition, mend
from orthonet.evidence.search import Search
from orthonet.evidence.sources import Labels, information, support

Record = dict[str, Any]
DIGITS = 4


NETWORK, LEIDEN = "network", "Leiden"
"""What may join the search: the net of a default fit, and Leiden's partitions."""


def measure(data: str, seed: int, joining: tuple[str, ...]) -> Record:
    """Return everything about one run; nothing in it is per node.

    ``proposals`` has for each proposal NMI, support and information, before mending and after. What is chosen is chosen
    with the net, if it is among ``joining``; with Leiden it is chosen once more. ``seconds`` and ``search_nmi`` are those of
    the search without either. ``regret`` is the NMI of the best mended proposal, ``after``, minus what was chosen: less than
    nothing where recombining or annealing bettered all of them. ``found`` is that of the best partition that was seen at all.
    """
    truth = load(data, seed).labels
    started = time.perf_counter()
    found = search(data, seed)
    best = found.chosen
    seconds = time.perf_counter() - started
    search_nmi = _nmi(truth, best.labels)
    of_default = _with_network(found, data, seed) if NETWORK in joining else {}
    if of_default:
        best = found.chosen
    proposals, mended = _proposals(found, truth, seed)
    reached = max(mended)
    return {
        "n_nodes": len(truth),
        "n_clusters": found.inputs.n_clusters,
        **_chosen(found, best, truth, reached),
        "search_nmi": search_nmi,
        "before": max(row[0] for row in proposals.values()),
        "after": reached,
        "found": max([reached, *(_nmi(truth, one.labels) for one in found.partitions)]),
        "seconds": round(seconds, 2),
        "weights": dict(zip(found.source_names, _rounded(found.weights), strict=True)),
        "corroboration": dict(zip(found.source_names, _rounded(found.corroboration), strict=True)),
        "observations": {source.name: round(source.observations, DIGITS) for source in found.sources},
        "n_partitions": len(found.partitions),
        "proposals": proposals,
        **of_default,
        **(_with_leiden(found, truth, seed) if LEIDEN in joining else {}),
        "joining": list(joining),
    }


def measure_setting(data: str, seed: int, setting: str, value: str) -> Record:
    """Return what is chosen with another value of a constant."""
    truth = load(data, seed).labels
    with changed(setting, value):
        found = search(data, seed)
        best = found.chosen
    return {"nmi": _nmi(truth, best.labels), "origin": best.origin}


def _proposals(found: Search, truth: npt.NDArray[Any], seed: int) -> tuple[dict[str, list[float]], list[float]]:
    """Return NMI, support and information of each proposal, before and after mending, and the NMI of those after."""
    rng = np.random.default_rng(seed)
    rows, mended = {}, []
    for name, labels in found.proposed.items():
        after = mend(found.sources, labels, found.inputs.n_clusters, rng, found.weights)
        rows[name] = [*_judged(found, labels, truth), *_judged(found, after.labels, truth)]
        mended.append(rows[name][3])
    return rows, mended


def _judged(found: Search, labels: Labels, truth: npt.NDArray[Any]) -> list[float]:
    k, weights = found.inputs.n_clusters, found.weights
    values = support(found.sources, labels, k, weights), information(found.sources, labels, k, weights)
    return [_nmi(truth, labels), *_rounded(values)]


def _chosen(found: Search, best: Partition, truth: npt.NDArray[Any], reached: float) -> Record:
    nmi, best_support, best_information = _judged(found, best.labels, truth)
    return {
        "nmi": nmi,
        "support": best_support,
        "information": best_information,
        "origin": best.origin,
        "regret": round(reached - nmi, DIGITS),
    }


def _with_network(found: Search, data: str, seed: int) -> Record:
    """Let the net of a default fit join, and return what the fit itself gave."""
    content = load(data, seed)
    started = time.perf_counter()
    model = OrthoNet(content.n_clusters, random_state=seed, verbose=False).fit(content.graph)
    seconds = time.perf_counter() - started
    found.add_embedding(NETWORK, model.embedding_)
    return {"default_nmi": _nmi(content.labels, model.labels_), "default_seconds": round(seconds, 2)}


def _with_leiden(found: Search, truth: npt.NDArray[Any], seed: int) -> Record:
    """Let Leiden's partitions join, and choose again."""
    before = len(found.proposed)
    started = time.perf_counter()
    found.add(leiden.propose(found, seed))
    best = found.chosen
    if len(found.proposed) == before:
        return {}
    return {
        "leiden_nmi": _nmi(truth, best.labels),
        "leiden_origin": best.origin,
        "leiden_seconds": round(time.perf_counter() - started, 2),
    }


def _nmi(truth: npt.NDArray[Any], labels: Labels) -> float:
    return round(float(metrics.nmi(truth, labels)), DIGITS)


def _rounded(values: npt.ArrayLike) -> list[float]:
    return np.round(np.asarray(values, dtype=np.float64), DIGITS).tolist()
