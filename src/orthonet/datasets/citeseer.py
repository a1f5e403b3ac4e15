"""Citeseer: papers on computer science joined by citations, described by the words they have.

| nodes | layers (edges) | features | classes |
|---|---|---|---|
| 3312 | 1: citation (4,536) | 3703 words, binary, sparse, 32 per paper | 6 (249, 596, 701, 508, 668, 590) |

Citations fall into 438 components, the largest of 2110 papers; 48 papers have none.

References
----------
.. [1] P. Sen et al., "Collective classification in network data", AI Magazine 29, 2008.
"""

from __future__ import annotations

from os import PathLike

from orthonet.datasets.dataset import Dataset
from orthonet.datasets.relations_npz import read_relations_npz

LAYERS = {"citation": "edges_citation"}


def load_citeseer(data_home: str | PathLike[str] | None = None) -> Dataset:
    """Load the papers from ``citations/citeseer.npz`` in ``data_home`` (or ORTHONET_DATA_HOME).

    Parameters
    ----------
    data_home : path, optional

    See Also
    --------
    load_cora : Papers on machine learning, in the same form.
    """
    graph, labels = read_relations_npz(
        "citations/citeseer.npz", data_home, LAYERS, "citeseer.npz, the papers of Citeseer"
    )
    return Dataset(
        graph,
        labels,
        name="citeseer",
        source="Citeseer, as published with collective classification in network data (Sen et al. 2008)",
        license="not stated",
        description="3312 papers on computer science of six fields (the file only numbers them). Two papers are joined if "
        "one cites the other; features are the words they have.",
    )
