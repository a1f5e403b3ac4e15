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

from orthonet.datasets.dataset import Dataset
from orthonet.datasets.relations_npz import read_relations_npz

LAYERS = {"same actor": "edges_MAM", "same director": "edges_MDM"}


def load_imdb_genre(data_home: str | PathLike[str] | None = None) -> Dataset:
    """Load the films from ``imdb_genre/imdb4780.npz`` in ``data_home`` (or ORTHONET_DATA_HOME).

    Parameters
    ----------
    data_home : path, optional

    See Also
    --------
    load_imdb3550 : Another selection of films, with more words per film.
    """
    graph, labels = read_relations_npz(
        "imdb_genre/imdb4780.npz", data_home, LAYERS, "imdb4780.npz, HAN's films by genre"
    )
    return Dataset(
        graph,
        labels,
        name="imdb genre",
        source="IMDB 5000 movies (Kaggle), in the selection of the heterogeneous graph attention network (Wang et al. 2019)",
        license="not stated",
        description="4780 films of three genres (action, comedy, drama; the file only numbers them). "
        "Two films are joined if they have an actor, or the director, in common; features are the words of their plots.",
    )
