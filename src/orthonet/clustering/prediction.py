"""Probabilities of clusters for nodes, known or new: by features, edges to known nodes, and memberships in known groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from orthonet.clustering.assignment import soft_assignment, unit_rows
from orthonet.clustering.group_evidence import membership_log_odds
from orthonet.clustering.inputs import NewNodes, Validated, new_nodes
from orthonet.clustering.result import FitResult
from orthonet.evidence.cluster_tables import indicator
from orthonet.graph.convert.recognition import graph_of
from orthonet.graph.multilayer import MultilayerGraph

Array = npt.NDArray[np.float64]


def probabilities_of(X: Any, result: FitResult, validate: Validated) -> Array:
    """Return the probability of each cluster for each node of X, features or whatever `OrthoNet.fit` takes for a graph, N x K.

    What features, edges to known nodes and memberships in known groups say is independent, so that logarithms add up.
    """
    graph = graph_of(X)
    X = X if graph is None else graph
    by_relations = relation_log_odds(X, result) if isinstance(X, MultilayerGraph) else None
    if by_relations is None:
        return softmax(feature_log_odds(new_nodes(X, result, validate), result), axis=1)
    if result.embedder.scaler is not None and X.features is not None:
        by_relations = by_relations + feature_log_odds(new_nodes(X, result, validate), result)
    return softmax(by_relations, axis=1)


def relation_log_odds(graph: MultilayerGraph, result: FitResult) -> Array | None:
    """Return what edges to known nodes and memberships in known groups say; None if there are neither.

    They are not divided by the temperature, which says how sure the clusters are: here these are given. That edges repeat
    each other is counted already, by the observations that each stands for.
    """
    by_edges = edge_log_odds(graph, result)
    by_groups = membership_log_odds(graph.two_mode, result.groups, result.arrays)
    if by_edges is None or by_groups is None:
        return by_groups if by_edges is None else by_edges
    return by_edges + by_groups


def feature_log_odds(nodes: NewNodes, result: FitResult) -> Array:
    """Return what the features of nodes say, by the head if there is one, else by the distances to the centres."""
    head, scaler = result.head, result.embedder.scaler
    if head is not None and head.inputs == "features" and scaler is not None:
        return np.vstack([head.log_odds(rows) for rows in nodes.scaled_blocks(scaler)])
    embedding = nodes.embedding(result.embedder)
    if head is not None:
        return head.log_odds(unit_rows(embedding))
    centers, spread = result.arrays["cluster_centers"], float(result.arrays["spread"])
    soft = soft_assignment(embedding, centers, spread, result.parameters.assign_labels.normalize_rows)
    return np.log(np.maximum(soft, np.finfo(np.float64).tiny))


def edge_log_odds(graph: MultilayerGraph, result: FitResult) -> Array | None:
    """Return what edges to known nodes say; None if the graph has no known nodes, or no layer that the model has.

    Nodes are known by their ids. Where the model's nodes had none but their numbers, they are known only in a graph that has
    all of them: nodes 0, 1, 2 of another graph are others.
    """
    known = {identity: position for position, identity in enumerate(result.node_ids.tolist())}
    positions = np.array([known.get(identity, -1) for identity in graph.node_ids.tolist()])
    present = np.flatnonzero(positions >= 0)
    numbered = np.array_equal(result.node_ids, np.arange(len(result.node_ids)))
    if not present.size or (numbered and present.size < len(result.node_ids)):
        return None
    evidence = dict(zip(result.layer_names, result.arrays["edge_evidence"], strict=False))
    shared = [
        (layer, evidence[name]) for name, layer in zip(graph.layer_names, graph.layers, strict=True) if name in evidence
    ]
    if not shared:
        return None
    clusters = indicator(result.arrays["labels"][positions[present]], result.n_clusters)
    total = np.zeros((graph.n_nodes, result.n_clusters))
    for layer, of_edge in shared:
        total += (np.sqrt(layer[:, present]) @ clusters).toarray() @ of_edge.T
    return total
