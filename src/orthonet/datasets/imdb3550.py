"""IMDB with 3550 films: joined by common actors and by common directors, described by the words of their plots.

| nodes | layers (edges) | features | classes |
|---|---|---|---|
| 3550 | 2: same actor (31,439), same director (5,119) | 2000 words, binary, sparse, 76 per film | 3 (1339, 979, 1232) |

256 films have no common actor with another, 1035 no common director, 142 neither. Newer papers on clustering call this set
IMDB; `load_imdb_genre` is another selection, with 5 words per film.

References
----------
.. [1] C. Park, D. Kim, J. Han, H. Yu, "Unsupervised attributed multiplex network embedding", AAAI 2020.
"""

from __future__ import annotations

from os import PathLike

from orthonet.datasets.dataset import Dataset
from orthonet.datasets.relations_npz import read_relations_npz

LAYERS = {"same actor": "edges_MAM", "same director": "edges_MDM"}


def load_imdb3550(data_home: str | PathLike[str] | None = None) -> Dataset:
    """Load the films from ``imdb3550/imdb3550.npz`` in ``data_home`` (or ORTHONET_DATA_HOME).

    Parameters
    ----------
    data_home : path, optional

    See Also
    --------
    load_imdb_genre : Another selection of films, with fewer words per film.
    """
    graph, labels = read_relations_npz(
        "imdb3550/imdb3550.npz", data_home, LAYERS, "imdb3550.npz, the 3550 films of DMGI's IMDB"
    )
    return Dataset(
        graph,
        labels,
        name="imdb 3550",
        source="IMDB 5000 movies (Kaggle), in the selection of deep multiplex graph infomax (Park et al. 2020)",
        license="not stated",
        description="3550 films of three genres (action, comedy, drama; the file only numbers them). "
        "Two films are joined if they have an actor, or the director, in common; features are the words of their plots.",
    )
