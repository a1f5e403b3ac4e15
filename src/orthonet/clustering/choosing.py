"""Choose: how many clusters, where that was left to the data.

One search for a few clusters weighs the sources; from there `orthonet.evidence.cluster_numbers` goes down from many clusters
to few. The fit itself comes after, for the number that was chosen.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.clustering.judging import with_sorted_relations
from orthonet.clustering.parameter_checks import ClusterRange
from orthonet.clustering.parameters import Parameters
from orthonet.clustering.preparation import Prepared, given_weights
from orthonet.embedding.processes import Processes
from orthonet.evidence.cluster_numbers import REFERENCE, ClusterNumbers, choose_number
from orthonet.evidence.search import search_partitions
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.progress import progress
from orthonet.support.sentences import Argument, Sentence
from orthonet.support.text import listed
from orthonet.support.warn import warn_user

STEPS = 2
"""That are reported."""


def check_range(numbers: ClusterRange, n_nodes: int) -> None:
    """Refuse a range that reaches beyond the number of nodes."""
    if n_nodes < 4:
        raise ValueError(f"n_clusters cannot be chosen for {n_nodes} nodes; pass a number")
    largest = numbers.smallest if numbers.largest is None else numbers.largest
    if largest > n_nodes:
        raise ValueError(f"n_clusters goes up to {largest}, which is more than the {n_nodes} nodes there are")


def choose(
    prepared: Prepared, parameters: Parameters, seed: int, processes: Processes
) -> tuple[Parameters, ClusterNumbers | None]:
    """Return the parameters with the number of clusters chosen, and how; all processes get what the first one finds."""
    if parameters.cluster_range is None:
        return parameters, None
    found = None
    if processes.first:
        found = choose_clusters(
            prepared.graph,
            parameters.cluster_range,
            seed,
            feature_layer=prepared.neighbours_by_features,
            layer_weights=given_weights(parameters),
            verbose=parameters.verbose,
            scaler=prepared.scaler,
            weigh=isinstance(parameters.layer_weights, str),
        )
    found = processes.from_first(found)
    return replace(parameters, n_clusters=found.chosen), found


def choose_clusters(
    graph: MultilayerGraph,
    numbers: ClusterRange,
    seed: int,
    *,
    feature_layer: csr_array | None = None,
    layer_weights: npt.NDArray[np.float64] | None = None,
    verbose: bool | None = None,
    **options: Any,
) -> ClusterNumbers:
    """Return how many clusters a graph has, and warn where nothing speaks for any.

    Parameters
    ----------
    graph : MultilayerGraph
        With its nodes in the order of `node_order`, if the choice is not to hang on their numbering.
    numbers : ClusterRange
        To choose from.
    seed : int
    feature_layer : sparse array of shape (N, N), optional
        Nearest neighbours by all features, if they are known.
    layer_weights : array, optional
        How much each layer counts, and each two-mode relation after them.
    verbose : bool, optional
        Progress bars.
    **options
        Of `orthonet.evidence.search.search_partitions`.
    """
    # A generator of its own, so that a fit of the number chosen is the same as without the choice.
    rng = np.random.default_rng([seed, 2])
    with progress("Number of clusters", STEPS, verbose) as report:
        few = min(REFERENCE, max(numbers.smallest, graph.n_nodes // 4))
        arranged = with_sorted_relations(graph)
        weights = weights_by_name(layer_weights, graph, arranged)
        search = search_partitions(arranged, few, rng, feature_layer=feature_layer, layer_weights=weights, **options)
        found = choose_number(search, numbers.smallest, numbers.largest, rng, report)
    _warn(found)
    return found


def weights_by_name(
    weights: npt.NDArray[np.float64] | None, given: MultilayerGraph, graph: MultilayerGraph
) -> npt.NDArray[np.float64] | None:
    """Return weights of the given layers in the order of the same layers of another graph."""
    if weights is None or len(weights) != len(given.relation_names):
        return None
    return np.array([weights[given.relation_names.index(name)] for name in graph.relation_names])


def _warn(found: ClusterNumbers) -> None:
    if not found.pays:
        warn_user(
            "nothing speaks for more than one cluster: no number of clusters explains more than it takes to write them down; "
            f"these {found.chosen} are cuts through one cloud"
        )
    elif found.alternatives:
        warn_user(
            Sentence(
                f"{found.chosen} clusters were chosen (reliability {found.reliability:.2f}), but "
                f"{listed(found.alternatives, 6)} could be right as well; look at ",
                Argument("n_clusters", found.alternatives[0]),
                " too",
            )
        )
