"""ACM: papers joined by common authors and by common subjects, described by the words of their abstracts.

| nodes | layers (edges) | features | classes |
|---|---|---|---|
| 3025 | 2: same author (13,128), same subject (1,103,868) | 1870 words, binary, sparse | 3 (1061, 965, 999) |

The layer of authors falls into 717 components, 561 of them single papers; the layer of subjects into 56.

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
from orthonet.files.errors import reading
from orthonet.files.matlab.multiview import read_variables

LAYERS = {"same author": "PAP", "same subject": "PLP"}

WHAT = (
    "ACM3025.mat, the ACM papers of the HAN model (in https://github.com/googlebaba/WWW2020-O2MAC as data/ACM3025.mat)"
)


def load_acm(data_home: str | PathLike[str] | None = None) -> Dataset:
    """Load ACM from ``acm/ACM3025.mat`` in ``data_home`` (or ORTHONET_DATA_HOME).

    The file's self-loops are dropped, and so are its relations PMP and PTP, which repeat others.

    Parameters
    ----------
    data_home : path, optional
    """
    file = data_file("acm/ACM3025.mat", data_home, WHAT)
    with reading(file, "a Matlab file with PAP, PLP, feature and label"):
        content = read_variables(file, [*LAYERS.values(), "feature", "label"])
        layers = {name: csr_array(content[key], dtype=np.float64) for name, key in LAYERS.items()}
        features = csr_array(content["feature"], dtype=np.float64)
        classes = np.asarray(content["label"])
        if classes.ndim != 2 or not np.all((classes != 0).sum(axis=1) == 1):
            raise ValueError("label must have one 1 in each row")
    labels = classes.argmax(axis=1)
    return Dataset(
        relation_graph(file, layers, features, labels),
        labels,
        name="acm",
        source="ACM Digital Library, as published with the heterogeneous graph attention network (Wang et al. 2019)",
        license="not stated",
        description="3025 papers from three areas: databases, wireless communication, data mining. Two papers are joined if "
        "they have an author, or a subject, in common; features are the words that occur.",
    )
