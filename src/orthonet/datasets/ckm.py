"""CKM: physicians of four towns, whom they ask for advice, discuss cases with, and call friends.

| nodes | layers (edges) | features | classes |
|---|---|---|---|
| 246 | 3: advice (449), discussion (498), friend (423) | 25 columns from 12 attributes | 4 towns (117, 50, 44, 35) |

Of the 246, 18 to 31 are isolated in each layer, and 5 in all of them. A physician names others; two are joined if
either names the other. Attributes that are amounts or grades (month of adoption, when he went to medical school,
journals, clubs, how many friends are doctors, time in the community, patients) are one column each, with the median
where there is no answer (codes 9, 98, 99 and others off the scale); kinds (meetings, free time, discussions,
neighbouring offices, specialty) are one column per kind, all 0 where there is no answer. A last column counts the
unanswered. The town is not among the features.

References
----------
.. [1] J. Coleman, E. Katz, H. Menzel, "The diffusion of an innovation among physicians", Sociometry 20, 1957.
"""

from __future__ import annotations

from os import PathLike

import numpy as np
import numpy.typing as npt

from orthonet.datasets.dataset import Dataset, data_file
from orthonet.files import NetworkFile, read_network
from orthonet.files.errors import reading
from orthonet.files.tables.feature_values import one_hot

TOWN = "nodeCity"
HIGHEST_GRADE = {
    "nodeAdoptionDate": 18,  # months 1-17; 18: no prescription found until the end; 98, 99: no data
    "nodeMed_sch_yr": 6,
    "nodeJours": 8,
    "nodeClubs": 1,
    "nodeFriends": 4,
    "nodeCommunity": 6,
    "nodePatients": 6,
}
HIGHEST_KIND = {"nodeMeetings": 2, "nodeFreeTime": 3, "nodeDiscuss": 3, "nodeProximity": 4, "nodeSpecialty": 4}


def load_ckm(data_home: str | PathLike[str] | None = None) -> Dataset:
    """Load the physicians from the folder ``ckm`` in ``data_home`` (or ORTHONET_DATA_HOME).

    Parameters
    ----------
    data_home : path, optional
    """
    what = "CKM-Physicians-Innovation, the multiplex network of manliodedomenico.com"
    edges, _, nodes = (
        data_file(f"ckm/CKM-Physicians-Innovation_{part}", data_home, what)
        for part in ("multiplex.edges", "layers.txt", "nodes.txt")
    )
    columns = [TOWN, *HIGHEST_GRADE, *HIGHEST_KIND]
    network = read_network(edges, format="multiplex", features=nodes, ignore=columns)
    with reading(nodes, "the table of CKM's physicians"):
        labels = _numbers(network, TOWN).astype(np.int64) - 1
        features = physician_features(network)
    return Dataset(
        network.graph(features, symmetrize="max"),
        labels,
        name="ckm",
        source="Coleman, Katz and Menzel 1966, prepared by R. Burt, as a multiplex network by M. De Domenico",
        license="not stated",
        description="246 physicians of Peoria, Bloomington, Quincy and Galesburg, asked in 1955 whom they turn to for advice, "
        "discuss cases with and see as friends; the classes are the towns, the features what they said of themselves.",
    )


def physician_features(network: NetworkFile) -> npt.NDArray[np.float64]:
    """Code the attributes other than the town as columns of numbers; see the module."""
    columns: list[npt.NDArray[np.float64]] = []
    unanswered = np.zeros(len(network.node_ids))
    for name, highest in (HIGHEST_GRADE | HIGHEST_KIND).items():
        values = _numbers(network, name)
        answers = np.where(values <= highest, values, np.nan)
        unanswered += np.isnan(answers)
        if name in HIGHEST_KIND:
            columns.extend(one_hot(answers)[0].T)
        else:
            columns.append(np.where(np.isnan(answers), np.nanmedian(answers), answers))
    return np.column_stack([*columns, unanswered])


def _numbers(network: NetworkFile, name: str) -> npt.NDArray[np.float64]:
    texts = network.attributes[name].tolist()
    try:
        return np.array([float(text) if text else np.nan for text in texts])
    except ValueError:
        raise ValueError(f"column {name!r} should hold numbers only") from None
