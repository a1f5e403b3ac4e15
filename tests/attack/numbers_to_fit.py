"""Graphs, features and settings that a fit may refuse, but only with a ValueError."""

import numpy as np

from orthonet import MultilayerGraph, OrthoNet

EXPONENTS = [-320, -300, -30, -3, 0, 0, 0, 3, 30, 155, 300, 308]
ODD = [0.0, 5e-324, 1e-200, 1e100, 1e200, 1e307, 1e-5, 1e5, -1.0, np.nan, np.inf]
METHODS = ["arithmetic", "geometric", "log-euclidean", "power", "projection", "convex"]


def fit_anything(seed):
    """Fit numbers of any size and in any place; whatever is wrong with them must be a ValueError."""
    rng = np.random.default_rng(seed)
    n_nodes, scales = int(rng.choice([2, 3, 5, 8, 10, 12, 14])), 10.0 ** rng.choice(EXPONENTS, 3)
    with np.errstate(all="ignore"):
        layers = [_layer(rng, n_nodes) * scales[0], _layer(rng, n_nodes)][: rng.integers(1, 3)]
        features = rng.normal(size=(n_nodes, 3)) * scales[1]
    for array in (*layers, features):
        for _ in range(rng.choice([0, 0, 0, 0, 0, 1, 2])):
            row, column = rng.integers(n_nodes), rng.integers(array.shape[1])
            array[row, column] = rng.choice(ODD)
            if array is not features and rng.random() < 0.8:
                array[column, row] = array[row, column]
    if rng.random() < 0.1:
        features = None
    options = {
        "epsilon": float(rng.choice([1e-3, 1e-3, 1e-3, scales[2]])),
        "feature_scaling": str(rng.choice(["auto", "none", "unit"])),
        "smoothing": int(rng.integers(3)),
        "aggregation": str(rng.choice(METHODS)),
    }
    if rng.random() < 0.8:  # the paper's way, in a tenth of the time
        options |= {"assign_labels": "kmeans", "layer_weights": None}
    n_clusters = int(rng.choice([1, 2, 2, 2, 2, 3, 3, 4, 5]))
    model = OrthoNet(
        n_clusters,
        random_state=0,
        n_neighbors=int(rng.integers(1, 4)),
        network={"hidden_layers": (5,)},
        training={"max_iter": 2, "n_networks": 1},
        **options,
    )
    return model.fit(MultilayerGraph(layers, features))


def _layer(rng, n_nodes):
    weights = np.triu(rng.random((n_nodes, n_nodes)) < 0.4, 1) * rng.random((n_nodes, n_nodes))
    return weights + weights.T
