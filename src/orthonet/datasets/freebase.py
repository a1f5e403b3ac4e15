"""Freebase: films joined by common actors, directors and writers, without features.

| nodes | layers (edges) | features | classes |
|---|---|---|---|
| 3492 | 3: same actor (125,605), same director (2,456), same writer (3,607) | none | 3 (1327, 618, 1547) |

13 films have no common actor with another, 1627 no common director, 1401 no common writer, 11 none of them.

References
----------
.. [1] X. Wang, N. Liu, H. Han, C. Shi, "Self-supervised heterogeneous graph neural network with co-contrastive learning", KDD
   2021.
"""

from __future__ import annotations

from os import PathLike

from orthonet.datasets.dataset import Dataset
from orthonet.datasets.relations_npz import read_relations_npz

LAYERS = {"same actor": "edges_MAM", "same director": "edges_MDM", "same writer": "edges_MWM"}


def load_freebase(data_home: str | PathLike[str] | None = None) -> Dataset:
    """Load the films from ``freebase/freebase3492.npz`` in ``data_home`` (or ORTHONET_DATA_HOME).

    Parameters
    ----------
    data_home : path, optional
    """
    graph, labels = read_relations_npz(
        "freebase/freebase3492.npz", data_home, LAYERS, "freebase3492.npz, HeCo's films of Freebase", features=False
    )
    return Dataset(
        graph,
        labels,
        name="freebase",
        source="Freebase, in the selection of heterogeneous co-contrastive learning (Wang et al. 2021)",
        license="not stated",
        description="3492 films of three genres (action, comedy, drama; the file only numbers them). Two films are joined if "
        "they have an actor, a director or a writer in common; there are no features.",
    )
