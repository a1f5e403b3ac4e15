"""AUCS: people of a university department, joined by lunch, work, leisure, papers written together, and Facebook.

| nodes | layers (edges) | features | classes |
|---|---|---|---|
| 61 | 5: lunch (193), facebook (124), coauthor (21), leisure (88), work (194) | none | 8 groups, and those without one |

Six people have no group in the file, and two (administrators) have two. They are kept, as a class of their own, or
dropped. Group G8 has one member. What else the file says about a person, the role, says no more about the group than
chance does (NMI of K-means on the roles 0.24, of the same labels shuffled 0.19 and 0.24), so the graph has no features.

References
----------
.. [1] L. Rossi, M. Magnani, "Towards effective visual analytics on multiplex and multilayer networks", Chaos, Solitons and
   Fractals 72, 2015.
"""

from __future__ import annotations

from os import PathLike
from typing import Literal, get_args

import numpy as np

from orthonet.datasets.dataset import Dataset, data_file
from orthonet.files import FileError, read_network
from orthonet.support.checks import check_choice

Ungrouped = Literal["keep", "drop"]


def load_aucs(data_home: str | PathLike[str] | None = None, *, ungrouped: Ungrouped = "keep") -> Dataset:
    """Load AUCS from ``multinet/aucs.mpx`` in ``data_home`` (or ORTHONET_DATA_HOME).

    Parameters
    ----------
    data_home : path, optional
    ungrouped : {"keep", "drop"}, default="keep"
        The 8 people without one single group: the last class, or left out (53 nodes, 8 classes).
    """
    check_choice(ungrouped, "ungrouped", get_args(Ungrouped))
    file = data_file("multinet/aucs.mpx", data_home, "aucs.mpx, a network that comes with the multinet package")
    network = read_network(file, format="mpx")
    if "group" not in network.attributes:
        raise FileError.about(file, "is not AUCS: its actors have no attribute 'group'")
    group = network.attributes["group"].astype(str)
    single = np.array([name != "" and "/" not in name for name in group])
    names, places = np.unique(group[single], return_inverse=True)
    labels = np.full(len(group), len(names))
    labels[single] = places
    graph = network.graph()
    if ungrouped == "drop":
        graph, labels = graph.subgraph(np.flatnonzero(single)), labels[single]
    rest = (
        f" and, as class {len(names)}, the {(~single).sum()} people without one single group"
        if ungrouped == "keep"
        else ""
    )
    return Dataset(
        graph,
        labels,
        name="aucs",
        source="Aarhus University, Department of Computer Science, as published with the multinet package",
        license="not stated",
        description=f"People of a department in five relations; the classes are the research groups {', '.join(names)}"
        f"{rest}.",
    )
