"""A fit of which each process holds the rows of its own nodes, from shards to a model."""

from orthonet.clustering.shards.fit import fit_shards

__all__ = ["fit_shards"]
