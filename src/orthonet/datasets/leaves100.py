"""UCI one-hundred plant species leaves: shape, margin and texture of 16 leaves of each species.

| nodes | layers | features | classes |
|---|---|---|---|
| 1600 | 3 (5-NN, one per group) | 64 + 64 + 64 | 100 |

Source: C. Mallah, J. Cope, J. Orwell, UCI Machine Learning Repository; as a multi-view file, from the repository of the GMC
paper [1]_. Licence: CC BY 4.0 (UCI).

References
----------
.. [1] H. Wang, Y. Yang, B. Liu, "GMC: graph-based multi-view clustering", IEEE TKDE 2019.
"""

from __future__ import annotations

from os import PathLike

from orthonet.datasets.dataset import Dataset
from orthonet.datasets.fetch import RemoteFile
from orthonet.datasets.multiview_mat import load_remote

VIEWS = ("shape", "margin", "texture")
REMOTE = RemoteFile(
    "https://raw.githubusercontent.com/cshaowang/gmc/de2f6d0f19f3e1d913969c89595e495156ccbd9f/Dataset/100leaves.mat",
    sha256="75dcd8873c074d4a61b05cb495c072712628fdc51f58db06512bc5bcf7831ef7",
    path="leaves100/100leaves.mat",
)


def load_leaves100(
    data_home: str | PathLike[str] | None = None,
    *,
    download: bool = True,
    n_neighbors: int = 5,
    weights: str = "self-tuning",
) -> Dataset:
    """Load 100 leaves from ``leaves100/100leaves.mat`` in ``data_home`` (or ORTHONET_DATA_HOME), fetched if it is not there.

    Parameters
    ----------
    data_home : path, optional
    download : bool, default=True
        Fetch the file from its public home if it is not on this machine (needs the extra ``data``).
    n_neighbors : int, default=5
        As in the paper.
    weights : str, default="self-tuning"
        See `MultilayerGraph.from_views`.
    """
    what = "100leaves.mat, the UCI leaves data in multi-view .mat layout"
    return load_remote(
        REMOTE,
        what,
        VIEWS,
        data_home,
        download,
        how={"n_neighbors": n_neighbors, "weights": weights},
        name="leaves100",
        source="UCI Machine Learning Repository, One-hundred plant species leaves (Mallah, Cope, Orwell), as a .mat file",
        license="CC BY 4.0 (UCI)",
        description="1600 leaves, 16 of each of 100 plant species, described by shape, margin and texture.",
    )
