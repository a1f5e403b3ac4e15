"""IMDB by genre: films joined by common actors and by common directors, described by the words of their plots.

| nodes | layers (edges) | features | classes |
|---|---|---|---|
| 4780 | 2: same actor (46,615), same director (8,119) | 1232 words, binary, sparse | 3 (2609, 1269, 902) |

404 films have no common actor with another, 1392 no common director, 250 neither.

References
----------
.. [1] X. Wang et al., "Heterogeneous graph attention network", WWW 2019.
"""

from __future__ import annotations

from os import PathLike

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.datasets.dataset import Dataset, data_file
from orthonet.datasets.relations import relation_graph
from orthonet.files.errors import reading
from orthonet.files.source import Source
from orthonet.graph.edge_list import EdgeList

LAYERS = {"same actor": "edges_MAM", "same director": "edges_MDM"}

WHAT = (
    "imdb4780.npz, HAN's films by genre as arrays edges_MAM, edges_MDM, X_data, X_indices, X_indptr, X_shape and y (we know of "
    "no public address of this very file)"
)


def load_imdb_genre(data_home: str | PathLike[str] | None = None) -> Dataset:
    """Load the films from ``imdb_genre/imdb4780.npz`` in ``data_home`` (or ORTHONET_DATA_HOME).

    Parameters
    ----------
    data_home : path, optional
    """
    file = data_file("imdb_genre/imdb4780.npz", data_home, WHAT)
    with (
        reading(file, "an npz file with edges_MAM, edges_MDM, X_data, X_indices, X_indptr, X_shape and y"),
        Source.of(file).archive() as archive,
        np.load(archive, allow_pickle=False) as content,
    ):
        labels = content["y"].astype(np.int64)
        features = csr_array(
            (content["X_data"].astype(np.float64), content["X_indices"], content["X_indptr"]),
            shape=tuple(content["X_shape"].tolist()),
        )
        layers = {name: _layer(content[key], len(labels)) for name, key in LAYERS.items()}
    return Dataset(
        relation_graph(file, layers, features, labels),
        labels,
        name="imdb genre",
        source="IMDB 5000 movies (Kaggle), in the selection of the heterogeneous graph attention network (Wang et al. 2019)",
        license="not stated",
        description="4780 films of three genres (action, comedy, drama; the file only numbers them). "
        "Two films are joined if they have an actor, or the director, in common; features are the words of their plots.",
    )


def _layer(edges: npt.NDArray[np.integer], n_nodes: int) -> csr_array:
    source, target = edges.astype(np.int64)
    return EdgeList(source, target, np.ones(len(source))).adjacency(n_nodes, merge="max")
