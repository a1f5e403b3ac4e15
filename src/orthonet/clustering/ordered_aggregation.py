"""Aggregate the layers from what the search has found; of many nodes in the order in which it had them.

Products with the layers are quicker there: `orthonet.clustering.judging.node_order`, for many nodes with features, keeps
neighbours near each other in memory. A mean does not depend on how the nodes are numbered: it is taken in that order, and its
rows are put back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from orthonet.aggregation import aggregate
from orthonet.clustering.judging import known_vectors
from orthonet.clustering.preparation import Prepared
from orthonet.evidence.search import Search
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.validation import layer_of
from orthonet.linalg.eigen import PROBE_ABOVE
from orthonet.linalg.low_rank import IdentityPlusLowRank


def aggregate_from_search(prepared: Prepared, search: Search, **options: Any) -> tuple[Any, dict[str, Any]]:
    """Return the aggregated Laplacian, its rows in the order of the graph that was given, and what is reported of it.

    Parameters
    ----------
    prepared : Prepared
    search : Search
        Of the same graph.
    **options
        Of `orthonet.aggregate`, but for ``starts``, which are the eigenvectors that the search has found.
    """
    starts, places = known_vectors(search, prepared.layers.layer_names), np.argsort(prepared.order)
    if prepared.graph.n_nodes > PROBE_ABOVE:
        aggregated = aggregate(_in_order_of(search, prepared), starts=starts, **options)
        return _with_rows(aggregated.matrix, places), dict(aggregated.info)
    given = None if starts is None else [vectors[places] for vectors in starts]
    aggregated = aggregate(prepared.layers, starts=given, **options)
    return aggregated.matrix, dict(aggregated.info)


def _in_order_of(search: Search, prepared: Prepared) -> MultilayerGraph:
    """Return the layers to aggregate with their nodes in the order of the search, which has most of them already."""
    layers, order = prepared.layers, prepared.order
    known = dict(zip(search.source_names, search.inputs.layers, strict=False))
    if prepared.neighbours_by_features is not None and search.inputs.feature_layer is not None:
        known[layers.layer_names[-1]] = search.inputs.feature_layer
    named = zip(layers.layer_names, layers.layers, strict=True)
    parts = {name: known[name] if name in known else layer_of(layer, order, name) for name, layer in named}
    return MultilayerGraph._of_checked(
        {name: (layer, 0) for name, layer in parts.items()},
        layers.node_ids[order],
        present=[mask[order] for mask in layers.present],
    )


def _with_rows(matrix: Any, places: npt.NDArray[np.intp]) -> Any:
    if isinstance(matrix, IdentityPlusLowRank):
        return replace(matrix, basis=matrix.basis[places])
    return csr_array(matrix[places][:, places]) if issparse(matrix) else matrix[np.ix_(places, places)]
