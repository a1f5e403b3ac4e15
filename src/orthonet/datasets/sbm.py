"""A multilayer stochastic block model: layers that complement each other, and layers that say nothing.

The K clusters are equally large. Layer s puts them into groups g_s(1) … g_s(K), and an edge between nodes i and j of
clusters c_i and c_j exists there, independently of all others, with probability

    P(edge ij in layer s) = p_in   if g_s(c_i) = g_s(c_j),   p_out otherwise.

An *informative* layer has a group for each cluster. A *complementary* layer shows some clusters apart and blends all
others into one group: no layer can tell all clusters, but any two of them are apart in some layer. A *noisy* layer
joins any two nodes with the same probability, chosen so that it has as many edges as an informative one. Features are
x_i = m(c_i) + feature_noise · e_i with m(k) and e_i standard Gaussian.

References
----------
.. [1] P. Holland, K. Laskey, S. Leinhardt, "Stochastic blockmodels: first steps", Social Networks 5, 1983.
.. [2] P. Mercado, A. Gautier, F. Tudisco, M. Hein, "The power mean Laplacian for multilayer graph clustering", AISTATS 2018
   (complementary and noisy layers).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from orthonet.datasets.dataset import Dataset
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.checks import check_choice, check_integer, check_number, random_generator

Kind = Literal["complementary", "informative"]
Integers = npt.NDArray[np.int64]


def make_multilayer_sbm(
    n_nodes: int = 600,
    n_layers: int = 3,
    n_clusters: int = 4,
    *,
    kind: Kind = "complementary",
    n_noisy_layers: int = 0,
    p_in: float = 0.1,
    p_out: float = 0.02,
    n_features: int = 8,
    feature_noise: float = 1.0,
    random_state: Any = None,
) -> Dataset:
    """Draw a multilayer stochastic block model with node features.

    Parameters
    ----------
    n_nodes, n_layers, n_clusters : int
        N, S (noisy layers included), K.
    kind : {"complementary", "informative"}, default="complementary"
        What a layer that is not noisy shows: some clusters apart and the others as one, or all of them apart. Complementary
        needs at least 2 such layers and 3 clusters.
    n_noisy_layers : int, default=0
        How many of the layers, the last ones, know nothing of the clusters.
    p_in, p_out : float, default=0.1 and 0.02
        Probability of an edge within a group and between groups. A node has about N p_in / K neighbours in a cluster that is
        shown apart: choose them small for many nodes.
    n_features : int, default=8
        0 for a graph without features.
    feature_noise : float, default=1.0
        Standard deviation of the features around the means of their clusters, which are themselves drawn with deviation 1.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from orthonet.datasets.sbm import make_multilayer_sbm
    >>> data = make_multilayer_sbm(200, 4, 3, n_noisy_layers=1, random_state=0)
    >>> data.graph.layer_names
    ('0: cluster 0', '1: cluster 1', '2: cluster 2', '3: noise')
    """
    check_integer(n_clusters, "n_clusters", minimum=2)
    check_integer(n_nodes, "n_nodes", minimum=n_clusters)
    check_integer(n_layers, "n_layers", minimum=1)
    check_choice(kind, "kind", get_args(Kind))
    check_integer(n_noisy_layers, "n_noisy_layers", minimum=0, maximum=n_layers)
    _check_probabilities(p_in, p_out)
    check_integer(n_features, "n_features", minimum=0)
    check_number(feature_noise, "feature_noise", at_least=0)
    n_telling = n_layers - n_noisy_layers
    if kind == "complementary" and n_telling and (n_telling < 2 or n_clusters < 3):
        raise ValueError(
            "kind='complementary' needs at least 2 layers that are not noisy and 3 clusters, got "
            f"n_layers - n_noisy_layers = {n_telling} and n_clusters={n_clusters}; pass kind='informative'"
        )
    rng = random_generator(random_state)
    labels = rng.permutation(np.arange(n_nodes) % n_clusters)
    layers: dict[str, csr_array] = {}
    for index in range(n_telling):
        shown = complementary_clusters(index, n_telling, n_clusters) if kind == "complementary" else range(n_clusters)
        groups = np.full(n_clusters, n_clusters)
        groups[list(shown)] = list(shown)
        layers[f"{index}: {_shown_as(shown, n_clusters)}"] = block_layer(groups[labels], p_in, p_out, rng)
    for index in range(n_telling, n_layers):
        layers[f"{index}: noise"] = block_layer(np.zeros_like(labels), _mean_density(labels, p_in, p_out), 0.0, rng)
    for name, layer in layers.items():
        if layer.nnz == 0:
            raise ValueError(
                f"layer {name!r} came out without any edge; p_in={p_in!r} is too small for {n_nodes} nodes"
            )
    features = None
    if n_features:
        means = rng.standard_normal((n_clusters, n_features))
        features = means[labels] + feature_noise * rng.standard_normal((n_nodes, n_features))
    return Dataset(
        MultilayerGraph(layers, features),
        labels,
        name="multilayer SBM",
        source="generated",
        license="none: generated",
        description=f"A stochastic block model of {n_clusters} clusters with {n_telling} {kind} and {n_noisy_layers} "
        f"noisy layers; edge probabilities {p_in:g} within and {p_out:g} between groups.",
    )


def complementary_clusters(layer: int, n_layers: int, n_clusters: int) -> list[int]:
    """Return the clusters that a layer shows apart: at least two are left to blend, and any two are apart in some layer."""
    # Shown in turn. All K of them, unless some layer would then leave only one to blend: K - 1 shown tell the last one too.
    all_may_show = -(-n_clusters // n_layers) <= n_clusters - 2
    n_turns = max(n_layers, n_clusters if all_may_show else n_clusters - 1)
    return sorted({turn % n_clusters for turn in range(layer, n_turns, n_layers)})


def block_layer(groups: Integers, p_in: float, p_out: float, rng: np.random.Generator) -> csr_array:
    """Draw an undirected graph in which two nodes are joined with probability ``p_in`` within and ``p_out`` between groups."""
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    ends: list[tuple[Integers, Integers]] = []
    for first, here in enumerate(members):
        n_here = len(here)
        chosen = _drawn(n_here * (n_here - 1) // 2, p_in, rng)
        # Pairs within a group, numbered along the circle: all at distance 1, then all at distance 2, …
        start, distance = chosen % n_here, 1 + chosen // n_here
        ends.append((here[start], here[(start + distance) % n_here]))
        for there in members[first + 1 :]:
            chosen = _drawn(n_here * len(there), p_out, rng)
            ends.append((here[chosen // len(there)], there[chosen % len(there)]))
    rows, cols = (np.concatenate(side) for side in zip(*ends, strict=True))
    shape = (len(groups), len(groups))
    drawn = coo_array((np.ones(len(rows)), (rows, cols)), shape=shape).tocsr()
    return csr_array(drawn + drawn.T)


def _shown_as(clusters: Sequence[int], n_clusters: int) -> str:
    if len(clusters) == n_clusters:
        return "all clusters"
    return f"cluster{'s' if len(clusters) > 1 else ''} {', '.join(map(str, clusters))}"


def _drawn(n_pairs: int, probability: float, rng: np.random.Generator) -> Integers:
    """Return which of so many pairs are edges: how many first, then which, so that pairs that are not edges cost nothing."""
    return _distinct(n_pairs, int(rng.binomial(n_pairs, probability)), rng)


def _distinct(population: int, count: int, rng: np.random.Generator) -> Integers:
    if 2 * count > population:
        kept = np.ones(population, dtype=bool)
        kept[_distinct(population, population - count, rng)] = False
        return np.flatnonzero(kept)
    chosen = np.empty(0, dtype=np.int64)
    while len(chosen) < count:
        more = rng.integers(population, size=count - len(chosen))
        drawn = np.sort(np.concatenate([chosen, more]))  # sorted by hand: np.unique hashes, ten times slower here
        chosen = drawn[np.diff(drawn, prepend=-1) > 0]
    return chosen


def _mean_density(labels: Integers, p_in: float, p_out: float) -> float:
    sizes = np.bincount(labels).astype(np.float64)
    within = (sizes * (sizes - 1)).sum() / (sizes.sum() * (sizes.sum() - 1))
    return float(p_out + within * (p_in - p_out))


def _check_probabilities(p_in: float, p_out: float) -> None:
    for value, name in ((p_in, "p_in"), (p_out, "p_out")):
        if check_number(value, name, at_least=0) > 1:
            raise ValueError(f"{name} is a probability and must be <= 1, got {value!r}")
    if p_in <= p_out:
        raise ValueError(
            f"p_in must be larger than p_out, or the clusters are none, got p_in={p_in!r} and p_out={p_out!r}"
        )
