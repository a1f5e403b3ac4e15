"""The data sets of this experiment by name, and the search for a partition of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from orthonet import datasets
from orthonet.clustering.node_order import in_node_order
from orthonet.datasets import Dataset
from orthonet.evidence.search import Search, search_partitions
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.paper import sets as paper_sets

USELESS_VALUES = 5
"""Values of the category that says nothing about the clusters."""
COMPANY = {"p_in": 0.15, "p_out": 0.02, "n_features": 3, "feature_noise": 0.5}
"""The tutorial's company: three relations that complement each other."""


def company(seed: int, **changed: float) -> Dataset:
    """Draw the tutorial's company, which seed 0 is, or a variant of it."""
    return datasets.make_multilayer_sbm(240, 3, 4, **(COMPANY | changed), random_state=seed + 1)


def company_with_category(seed: int) -> Dataset:
    """Add a category of five values, drawn without regard to the clusters, as columns of 0 and 1."""
    data = company(seed)
    values = np.random.default_rng(seed).integers(USELESS_VALUES, size=data.graph.n_nodes)
    features = np.column_stack([data.graph.features, np.eye(USELESS_VALUES)[values]])
    graph = MultilayerGraph(dict(zip(data.graph.layer_names, data.graph.layers, strict=True)), features)
    return Dataset(graph, data.labels, data.name, data.source, data.license, data.description)


def _published(name: str) -> Callable[[int], Dataset]:
    return partial(paper_sets.load, name)


SETS: dict[str, Callable[[int], Dataset]] = {
    "company": company,
    "company, poor features": partial(company, feature_noise=5.0),
    "company, useless category": company_with_category,
    "company, poor relations": partial(company, p_in=0.055, p_out=0.05, feature_noise=0.3, n_features=8),
    "AUCS": _published("AUCS"),
    "CKM": _published("CKM"),
    "3sources": _published("3sources"),
    "BBCSport": _published("BBCSport"),
    "digits": _published("digits"),
    "Mfeat": _published("Mfeat"),
    "100 leaves": _published("100 leaves"),
    "synthetic 2,000": _published("synthetic 2,000"),
    "Yelp": _published("Yelp"),
    "Cora": _published("Cora"),
    "Citeseer": _published("Citeseer"),
    "Freebase": _published("Freebase"),
    "IMDB 3550": _published("IMDB 3550"),
    "IMDB genre": _published("IMDB genre"),
    "IMDB": _published("IMDB"),
    "ACM": _published("ACM"),
    "DBLP, two-mode": lambda seed: datasets.load_dblp(two_mode=True),
    "DBLP": _published("DBLP"),
}
"""From a seed, which only generated sets use, to a data set; small ones first."""

LARGE = ("DBLP",)
"""Sets on which the constants are not varied: millions of edges."""


@lru_cache(maxsize=2)
def load(name: str, seed: int) -> Dataset:
    """Return a data set by name, its nodes in the order in which a fit takes them."""
    data = SETS[name](seed)
    graph, order = in_node_order(data.graph)
    return replace(data, graph=graph, labels=data.labels[order], views=None)


def search(name: str, seed: int) -> Search:
    """Search for the partition of a data set, with its own number of classes."""
    data = load(name, seed)
    return search_partitions(data.graph, data.n_clusters, np.random.default_rng(seed))
