"""Values of dense features as evidence: numbers as Gaussian clusters, categories as words.

A column in which no value is common is continuous, see `orthonet.evidence.gaussian`. One with a common value and few others is
a category, and says of a node which value it has, as a document says which words it has. With P_c the shares of the values in
cluster c, P those among all nodes, and f one of d categories:

    node i for cluster c:   Σ_f ln( P_c(x_if) / P(x_if) ) / d        (latent class analysis [1]_)

Neighbouring columns of 0 and 1, of which no node has two, are one category, written with a column for each value. Numbers and
categories count for four observations together, each column of them alike. Many categories are taken for numbers.

References
----------
.. [1] P. F. Lazarsfeld, N. W. Henry, "Latent structure analysis", Houghton Mifflin, 1968.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from orthonet.evidence.gaussian import CONTINUOUS_COLUMNS, OBSERVATIONS, SAMPLE, GaussianSource, are_continuous
from orthonet.evidence.sources import WordSource
from orthonet.graph.features import Features, exclusive_columns

Array = npt.NDArray[np.float64]
ValueSource: TypeAlias = GaussianSource | WordSource

MOST_VALUES = 10
"""Values up to which a column with a common one is a category, as grades are; with more it is an amount, most often 0."""
MOST_CATEGORIES = 100
"""Categories that are looked at one by one; more are numbers, whose leading directions are sums of many, and continuous."""


class FeatureValues(NamedTuple):
    """What the values of features speak through."""

    parts: tuple[ValueSource, ...]
    """Numbers and categories, as far as there are any."""
    only_categories: bool
    """Whether all columns are categories, so that there are no distances between nodes but the number of equal values."""


def values_of(features: Features, n_clusters: int, name: str, *, joint: bool = False) -> FeatureValues:
    """Return the numbers and the categories among the columns as sources; none where most columns are neither.

    Parameters
    ----------
    features : array of shape (N, M)
    n_clusters : int
    name : str
    joint : bool, default=False
        Whether they show together what other sources show in parts.
    """
    if issparse(features):
        return FeatureValues((), False)
    table = np.asarray(features, dtype=np.float64)
    some = table[:: max(1, len(table) // SAMPLE)]
    varied = np.ptp(table, axis=0) > 0
    continuous = varied & are_continuous(some)
    categories = varied & ~continuous
    categories[categories] = [len(np.unique(column)) <= MOST_VALUES for column in some[:, categories].T]
    if (continuous | categories).mean() < CONTINUOUS_COLUMNS:
        return FeatureValues((), False)
    only_categories = bool((categories == varied).all())
    words, n_categories = category_words(table[:, categories])
    if n_categories > MOST_CATEGORIES:
        continuous, n_categories = continuous | categories, 0
    per_column = OBSERVATIONS / (continuous.sum() + n_categories)
    parts: list[ValueSource] = []
    if continuous.any():
        of_numbers = per_column * int(continuous.sum())
        parts.append(GaussianSource.from_columns(table[:, continuous], n_clusters, name, of_numbers, joint=joint))
    if n_categories:
        parts.append(WordSource(words, name, per_column * n_categories, joint=joint))
    return FeatureValues(tuple(parts), only_categories and n_categories > 0)


def category_words(columns: Array) -> tuple[csr_array, int]:
    """Return which value of each category each node has, as words, N x values; and the number of categories."""
    groups = exclusive_columns(columns)
    n_nodes, n_words, found = len(columns), 0, np.empty((len(columns), len(groups)), dtype=np.int64)
    for place, group in enumerate(groups):
        one = columns[:, group[0]] if len(group) == 1 else columns[:, group] @ np.arange(1, len(group) + 1)
        values, found[:, place] = np.unique(one, return_inverse=True)
        found[:, place] += n_words
        n_words += len(values)
    rows = np.arange(n_nodes + 1) * len(groups)
    return csr_array((np.ones(found.size), found.ravel(), rows), shape=(n_nodes, n_words)), len(groups)
