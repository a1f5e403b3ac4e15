"""DBLP: authors joined by common papers, conferences and terms, described by the key words of their papers.

| nodes | layers (edges) | features | classes |
|---|---|---|---|
| 4057 | 3: paper (3,528), conference (2,498,219), term (3,519,757) | 334 words, binary, sparse | 4 (1197, 745, 1109, 1006) |

The last two layers hold 30 and 43 % of all pairs of authors;
the first falls into 1804 components, 1466 of them single authors.

References
----------
.. [1] X. Wang et al., "Heterogeneous graph attention network", WWW 2019.
"""

from __future__ import annotations

from os import PathLike

import numpy as np

from orthonet.datasets.dataset import Dataset, data_file
from orthonet.datasets.relations import relation_graph
from orthonet.files import read_features
from orthonet.files.errors import reading
from orthonet.files.source import Source
from orthonet.files.tables.arrays import map_array
from orthonet.graph.features import Features

LAYERS = {"same paper": "apa", "same conference": "apcpa", "same term": "aptpa"}


def load_dblp(data_home: str | PathLike[str] | None = None) -> Dataset:
    """Load DBLP from the folder ``dblp`` in ``data_home`` (or ORTHONET_DATA_HOME).

    The files are apa.npz, apcpa.npz, aptpa.npz, a_feat.npz and labels.npy; self-loops are dropped.

    Parameters
    ----------
    data_home : path, optional
    """
    what = "the DBLP authors of the HAN model as scipy's npz files (in https://github.com/liun-online/HeCo under data/dblp)"
    layers = {name: _matrix(f"dblp/{key}.npz", data_home, what) for name, key in LAYERS.items()}
    features = _matrix("dblp/a_feat.npz", data_home, what)
    file = data_file("dblp/labels.npy", data_home, what)
    with reading(file, "an array of labels"):
        labels = np.array(map_array(Source.of(file), "an array of labels"))
        if labels.ndim != 1 or labels.dtype.kind not in "iu":
            raise ValueError(f"it holds {labels.dtype} of shape {labels.shape}")
    return Dataset(
        relation_graph(file.parent, layers, features, labels),
        labels,
        name="dblp",
        source="DBLP four-area data, as published with the heterogeneous graph attention network (Wang et al. 2019)",
        license="not stated",
        description="4057 authors from four areas: databases, data mining, artificial intelligence, information retrieval. Two "
        "authors are joined if they share a paper, a conference or a term; features are the key words of their papers.",
    )


def _matrix(relative: str, data_home: str | PathLike[str] | None, what: str) -> Features:
    return read_features(data_file(relative, data_home, what)).features
