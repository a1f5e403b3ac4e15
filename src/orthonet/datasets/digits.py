"""scikit-learn's digits, each 8 x 8 image split into its halves: data that is on every machine that has this package.

| nodes | layers | features | classes |
|---|---|---|---|
| 1797 | 4 (10-NN: top, bottom, left, right half) | 52 pixels, 24 to 28 in each half | 10 |
"""

from __future__ import annotations

from sklearn.datasets import load_digits as load_images

from orthonet.datasets.dataset import Dataset
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.checks import check_integer


def load_digits(n_nodes: int | None = None, *, n_neighbors: int = 10, weights: str = "self-tuning") -> Dataset:
    """Load the digits as a graph of four layers, one from each half of the image; the features are the pixels.

    Parameters
    ----------
    n_nodes : int, optional
        Only the first so many images; all 1797 by default.
    n_neighbors : int, default=10
    weights : str, default="self-tuning"
        See `MultilayerGraph.from_views`.
    """
    bunch = load_images()
    n_images = len(bunch.target)
    chosen = n_images if n_nodes is None else check_integer(n_nodes, "n_nodes", minimum=2, maximum=n_images)
    images, labels = bunch.images[:chosen], bunch.target[:chosen]
    # Corners are blank in nearly all images. Which pixels are kept does not depend on how many images are asked for.
    inked = (bunch.images > 0).mean(axis=0) > 0.02
    first, second = slice(None, 4), slice(4, None)
    halves = {"top": (first,), "bottom": (second,), "left": (slice(None), first), "right": (slice(None), second)}
    views = {name: images[:, *half][:, inked[half]] for name, half in halves.items()}
    layers = MultilayerGraph.from_views(views, n_neighbors, weights, feature_scaling="none")
    graph = MultilayerGraph(layers.layers, images[:, inked], layers.layer_names, layers_from_features=True)
    return Dataset(
        graph,
        labels,
        name="digits",
        source="scikit-learn's load_digits: the test set of the UCI Optical Recognition of Handwritten Digits data",
        license="CC BY 4.0 (UCI)",
        description="Handwritten digits 0-9 as 8 x 8 images; each layer sees one half of the image.",
        views=tuple(views.values()),
    )
