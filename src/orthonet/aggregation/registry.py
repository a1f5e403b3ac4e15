"""`aggregate`, the function that users call, and the methods that it knows by name."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.aggregation.arithmetic import arithmetic
from orthonet.aggregation.convex import convex
from orthonet.aggregation.geometric import geometric
from orthonet.aggregation.log_euclidean import log_euclidean
from orthonet.aggregation.power import power
from orthonet.aggregation.problem import AggregationProblem, warn_about_components
from orthonet.aggregation.projection import projection
from orthonet.graph.laplacian import LaplacianKind
from orthonet.graph.membership_layers import with_membership_layers
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.operators import AggregatedLaplacian
from orthonet.support.checks import check_choice, check_integer, random_generator

AGGREGATIONS: dict[str, Callable[..., tuple[Any, dict[str, Any]]]] = {
    "arithmetic": arithmetic,
    "geometric": geometric,
    "log-euclidean": log_euclidean,
    "power": power,
    "projection": projection,
    "convex": convex,
}
"""Method name → function of an `AggregationProblem` (and options) that returns a matrix and a dict about it."""

SOLVERS = ("auto", "exact", "compressed")
"""How a mean is computed; "auto" decides by the number of nodes."""
DEFAULT_COMPONENTS = 10
"""Lowest eigenvectors that the compressed solver makes its basis for, if the number of clusters is not given."""


def aggregate(
    graph: MultilayerGraph,
    method: str = "geometric",
    solver: str = "auto",
    n_components: int | None = None,
    layer_weights: npt.ArrayLike | None = None,
    random_state: int | None = None,
    *,
    laplacian: LaplacianKind = "joint",
    epsilon: float = 1e-3,
    starts: Sequence[npt.NDArray[np.float64]] | None = None,
    verbose: bool | None = None,
    **options: Any,
) -> AggregatedLaplacian:
    """Aggregate the layers of a graph into one Laplacian.

    Parameters
    ----------
    graph : MultilayerGraph
        What to aggregate. A two-mode relation takes part, after the layers, as the nearest-neighbour layer of its memberships
        (`orthonet.graph.membership_layers`).
    method : {"geometric", "arithmetic", "log-euclidean", "power", "projection", "convex"}, default="geometric"
        Which mean; each has a file of its own name in `orthonet.aggregation`, with its equation and its source.
    solver : {"auto", "exact", "compressed"}, default="auto"
        How it is computed: densely, or in a small basis for any number of nodes. "auto" decides by the number of nodes,
        and ``info["solver"]`` says which.
    n_components : int, optional
        How many of the lowest eigenvectors matter, usually the number of clusters (10 by default): the compressed solver
        makes its basis for them, and layers that fall into more components than that give a warning.
    layer_weights : sequence of S numbers >= 0, optional
        How much each layer (and, after them, each two-mode relation) counts, equally by default; 0 leaves a layer out.
    random_state : int, optional
        Seed of the start vectors of iterative eigensolvers; 0 if None, so that the same graph gives the same mean.
    laplacian : {"joint", "normalized", "combinatorial"}, default="joint"
        Which Laplacian of each layer: normalised by the mean degrees of all layers, or by each layer's own, or not at
        all (the paper's); see `orthonet.graph.laplacian`.
    epsilon : float, default=1e-3
        Multiple of the identity (of the mean degree, for combinatorial Laplacians) added to each Laplacian to make it
        positive definite.
    starts : sequence of S + 1 arrays of shape (N, m), optional
        About the lowest eigenvectors of each layer and, last, of their mean, where they are known: with solver "auto" the
        mean of more than 500 nodes is then taken in the basis that they span, and none is sought.
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None, the default), always or never.
    **options
        Of the method, see its file: ``step``, ``max_iter``, ``tol``, ``dtype`` for "geometric", ``p`` for
        "power", ``alpha`` for "projection", ``n_steps`` for "convex".

    Returns
    -------
    AggregatedLaplacian
        A linear operator with ``smallest_eigenvectors``, ``to_dense`` and ``info``. Of a compressed mean
        ``info["eigensolvers"]`` says per layer which solver found its eigenvectors, see `orthonet.linalg.eigen`, and whether
        its work did not suffice.

    See Also
    --------
    orthonet.linalg.spd.geometric_mean : The geometric mean of matrices by itself.
    orthonet.baselines.SpectralClustering : Clusters from the lowest eigenvectors of an aggregated Laplacian.

    Examples
    --------
    >>> from orthonet import aggregate, datasets
    >>> graph = datasets.make_multilayer_gaussians(n_nodes=80, random_state=0).graph
    >>> L = aggregate(graph, method="geometric", n_components=4)
    >>> L
    <AggregatedLaplacian 80 x 80, method='geometric', solver='exact'>
    >>> L.info["converged"]
    True
    """
    if not isinstance(graph, MultilayerGraph):
        raise TypeError(
            f"graph must be a MultilayerGraph, got {type(graph).__name__}: MultilayerGraph(layers) makes one"
        )
    graph = with_membership_layers(graph)
    check_options(method, options)
    check_choice(solver, "solver", SOLVERS)
    started = time.perf_counter()
    if n_components is not None:
        check_integer(n_components, "n_components", minimum=1, maximum=graph.n_nodes)
    wanted = min(DEFAULT_COMPONENTS, graph.n_nodes) if n_components is None else int(n_components)
    rng = random_generator(0 if random_state is None else random_state)
    problem = AggregationProblem.of(graph, laplacian, epsilon, layer_weights, wanted, rng, starts)
    if n_components is not None:
        warn_about_components(graph, problem.layer_weights, wanted)
    matrix, about = AGGREGATIONS[method](problem, solver=solver, verbose=verbose, **options)
    used = about.pop("layer_weights", problem.layer_weights.tolist())  # "convex" chooses its own
    if "eigensolvers" in about:
        counted = (name for name, weight in zip(graph.layer_names, used, strict=True) if weight > 0)
        about["eigensolvers"] = dict(zip(counted, about["eigensolvers"], strict=True))
    info = {
        "method": method,
        "laplacian": laplacian,
        "epsilon": epsilon,
        "layer_weights": dict(zip(graph.layer_names, used, strict=True)),
        **about,
        "seconds": time.perf_counter() - started,
    }
    return AggregatedLaplacian(matrix, info)


def check_options(method: str, options: Iterable[str], name: str = "method") -> None:
    """Raise if one of ``options`` is not an option of the method; ``name`` is what the argument is called."""
    check_choice(method, name, AGGREGATIONS)
    accepted = set(inspect.signature(AGGREGATIONS[method]).parameters) - {"problem", "solver", "verbose"}
    unknown = sorted(set(options) - accepted)
    if unknown:
        takes = f"takes {', '.join(sorted(accepted))}" if accepted else "takes no further options"
        raise TypeError(f"unknown option {unknown[0]!r}: {name} {method!r} {takes}")
