"""DBLP: authors joined by common papers, conferences and terms, described by the key words of their papers.

| nodes | layers (edges) | features | classes |
|---|---|---|---|
| 4057 | 3: paper (3,528), conference (2,498,219), term (3,519,757) | 334 words, binary, sparse | 4 (1197, 745, 1109, 1006) |

With ``two_mode=True`` the same relations as they were before projection:

| nodes | two-mode relations (groups, memberships) | features | classes |
|---|---|---|---|
| 4057 | 3: paper (14,328, 19,645), conference (20, 9,205), term (7,723, 90,685) | none: the words are among the terms | 4 |

The last two layers hold 30 and 43 % of all pairs of authors;
the first falls into 1804 components, 1466 of them single authors.

References
----------
.. [1] X. Wang et al., "Heterogeneous graph attention network", WWW 2019.
"""

from __future__ import annotations

from os import PathLike

import numpy as np
from scipy.sparse import csr_array

from orthonet.datasets.dataset import Dataset, data_file
from orthonet.datasets.relations import relation_graph
from orthonet.files import read_features
from orthonet.files.errors import reading
from orthonet.files.source import Source
from orthonet.files.tables.arrays import map_array
from orthonet.graph.features import Features

SHARED = (
    "Two authors are joined if they share a paper, a conference or a term; features are the key words of their papers."
)
MEMBERSHIPS = "They belong to papers, conferences and terms."
RELATIONS = ("paper", "conference", "term")
LAYERS = {"same paper": "apa", "same conference": "apcpa", "same term": "aptpa"}


def load_dblp(data_home: str | PathLike[str] | None = None, *, two_mode: bool = False) -> Dataset:
    """Load DBLP from the folder ``dblp`` in ``data_home`` (or ORTHONET_DATA_HOME).

    The files are apa.npz, apcpa.npz, aptpa.npz, a_feat.npz and labels.npy; self-loops are dropped. With ``two_mode`` they are
    author_paper.npz, author_conference.npz, author_term.npz (arrays row, col, count and shape) and labels.npy.

    Parameters
    ----------
    data_home : path, optional
    two_mode : bool, default=False
        Whether to load authors by papers, conferences and terms, with counts, instead of who shares one. There are then no
        features: their words are the terms again, and sources of evidence should be independent.
    """
    what = "the DBLP authors of the HAN model as scipy's npz files (in https://github.com/liun-online/HeCo under data/dblp)"
    layers, features, relations = {}, None, {}
    if two_mode:
        relations = {name: _incidence(f"dblp/author_{name}.npz", data_home) for name in RELATIONS}
    else:
        layers = {name: _matrix(f"dblp/{key}.npz", data_home, what) for name, key in LAYERS.items()}
        features = _matrix("dblp/a_feat.npz", data_home, what)
    file = data_file("dblp/labels.npy", data_home, what)
    with reading(file, "an array of labels"):
        labels = np.array(map_array(Source.of(file), "an array of labels"))
        if labels.ndim != 1 or labels.dtype.kind not in "iu":
            raise ValueError(f"it holds {labels.dtype} of shape {labels.shape}")
    return Dataset(
        relation_graph(file.parent, layers, features, labels, relations),
        labels,
        name="dblp",
        source="DBLP four-area data, as published with the heterogeneous graph attention network (Wang et al. 2019)",
        license="not stated",
        description="4057 authors from four areas: databases, data mining, artificial intelligence, information retrieval. "
        + (MEMBERSHIPS if two_mode else SHARED),
    )


def _matrix(relative: str, data_home: str | PathLike[str] | None, what: str) -> Features:
    return read_features(data_file(relative, data_home, what)).features


def _incidence(relative: str, data_home: str | PathLike[str] | None) -> csr_array:
    file = data_file(relative, data_home, "DBLP's incidences, with arrays row, col, count and shape")
    with (
        reading(file, "an npz file of incidences"),
        Source.of(file).archive() as archive,
        np.load(archive, allow_pickle=False) as arrays,
    ):
        entries = arrays["count"].astype(np.float64), (arrays["row"], arrays["col"])
        return csr_array(entries, shape=tuple(arrays["shape"].tolist()))
