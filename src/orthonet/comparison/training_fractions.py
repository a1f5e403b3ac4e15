"""How well a model that saw a part of the nodes places all of them (the paper's Figure 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet import metrics
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.checks import check_integer, check_number, random_generator


@dataclass(frozen=True)
class FractionScore:
    """One model: what it was trained on, and how well it labels all nodes."""

    fraction: float
    repeat: int
    n_trained: int
    score: float


def score_by_fraction(
    graph: MultilayerGraph,
    labels: npt.ArrayLike,
    make_model: Callable[[int], Any],
    *,
    fractions: Sequence[float] = (0.7, 0.8, 0.9, 1.0),
    n_repeats: int = 10,
    score: Callable[[Any, Any], float] = metrics.nmi,
    random_state: int | None = 0,
) -> Iterator[FractionScore]:
    """Train on random parts of the nodes and score on all of them.

    The rest of the nodes, and their edges, are hidden in training; `predict` then labels every node from its features.

    Parameters
    ----------
    graph : MultilayerGraph
        With features.
    labels : array of shape (N,)
        Reference classes of all nodes.
    make_model : callable
        From a seed to an estimator with ``fit(graph)`` and ``predict(features)``, e.g.
        ``lambda seed: OrthoNet(10, random_state=seed)``.
    fractions : sequence of float, default=(0.7, 0.8, 0.9, 1.0)
        Shares of the nodes to train on.
    n_repeats : int, default=10
        Random parts for each of them.
    score : callable, default=metrics.nmi
        From reference and found labels to a number.
    random_state : int, optional
        Chooses the nodes and the models' seeds.

    Yields
    ------
    FractionScore
        As soon as each is known.

    See Also
    --------
    orthonet.comparison.outcomes.compare : Several methods on all nodes.

    Examples
    --------
    >>> from orthonet import OrthoNet, datasets
    >>> from orthonet.comparison.training_fractions import score_by_fraction
    >>> data = datasets.make_multilayer_gaussians(n_nodes=200, n_clusters=3, random_state=0)
    >>> def model(seed):
    ...     return OrthoNet(3, training={"max_iter": 20}, random_state=seed)
    >>> [found.n_trained for found in score_by_fraction(data.graph, data.labels, model, fractions=[0.8, 1], n_repeats=1)]
    [160, 200]
    """
    if graph.features is None:
        raise ValueError("the graph has no features, so nodes that were hidden in training cannot be placed")
    truth = np.asarray(labels)
    if truth.shape != (graph.n_nodes,):
        raise ValueError(f"labels has shape {truth.shape}, but the graph has {graph.n_nodes} nodes")
    check_integer(n_repeats, "n_repeats", minimum=1)
    for fraction in fractions:
        if not 0 < check_number(fraction, "fractions") <= 1:
            raise ValueError(f"fractions must be above 0 and at most 1, got {fraction!r}")
    rng = random_generator(random_state)
    for repeat in range(n_repeats):
        order, seed = rng.permutation(graph.n_nodes), int(rng.integers(2**31 - 1))
        for fraction in fractions:
            nodes = np.sort(order[: max(round(fraction * graph.n_nodes), 1)])
            model = make_model(seed).fit(graph if len(nodes) == graph.n_nodes else graph.subgraph(nodes))
            yield FractionScore(float(fraction), repeat, len(nodes), float(score(truth, model.predict(graph.features))))
