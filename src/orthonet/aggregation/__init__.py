"""Aggregate the layers of a multilayer graph into one Laplacian."""

from orthonet.aggregation.registry import AGGREGATIONS, aggregate

__all__ = ["AGGREGATIONS", "aggregate"]
