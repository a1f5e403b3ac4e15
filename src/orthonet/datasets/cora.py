"""Cora: papers on machine learning joined by citations, described by the words they have.

| nodes | layers (edges) | features | classes |
|---|---|---|---|
| 2708 | 1: citation (5,278) | 1433 words, binary, sparse, 18 per paper | 7 (298, 418, 818, 426, 217, 180, 351) |

Citations fall into 78 components, the largest of 2485 papers; no paper is without one.

References
----------
.. [1] P. Sen et al., "Collective classification in network data", AI Magazine 29, 2008.
"""

from __future__ import annotations

from os import PathLike

from orthonet.datasets.dataset import Dataset
from orthonet.datasets.relations_npz import read_relations_npz

LAYERS = {"citation": "edges_citation"}


def load_cora(data_home: str | PathLike[str] | None = None) -> Dataset:
    """Load the papers from ``citations/cora.npz`` in ``data_home`` (or ORTHONET_DATA_HOME).

    Parameters
    ----------
    data_home : path, optional

    See Also
    --------
    load_citeseer : Papers of other fields, in the same form.
    """
    graph, labels = read_relations_npz("citations/cora.npz", data_home, LAYERS, "cora.npz, the papers of Cora")
    return Dataset(
        graph,
        labels,
        name="cora",
        source="Cora, as published with collective classification in network data (Sen et al. 2008)",
        license="not stated",
        description="2708 papers on machine learning of seven fields (the file only numbers them). Two papers are joined if "
        "one cites the other; features are the words they have.",
    )
