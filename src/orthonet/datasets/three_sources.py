"""3sources: news stories that three outlets (BBC, Reuters, The Guardian) all reported on, as bags of words.

| nodes | layers | features | classes |
|---|---|---|---|
| 169 | 3 (10-NN by cosine, one per outlet) | 3560 + 3631 + 3068 word counts, sparse | 6 topics |

Source: D. Greene, University College Dublin, http://mlg.ucd.ie/datasets/3sources.html, the stories of early 2009 that
all three outlets covered; as a multi-view file, from the repository of the GMC paper [1]_, which does not say which view is
which outlet. Licence: not stated.

References
----------
.. [1] H. Wang, Y. Yang, B. Liu, "GMC: graph-based multi-view clustering", IEEE TKDE 2019.
"""

from __future__ import annotations

from os import PathLike

from orthonet.datasets.dataset import Dataset
from orthonet.datasets.fetch import RemoteFile
from orthonet.datasets.multiview_mat import load_remote

VIEWS = ("outlet 1", "outlet 2", "outlet 3")
REMOTE = RemoteFile(
    "https://raw.githubusercontent.com/cshaowang/gmc/de2f6d0f19f3e1d913969c89595e495156ccbd9f/Dataset/3sources.mat",
    sha256="02954038b3f3cb0e443ce09cbde08e9cc378d254beae536287304de000e0bf02",
    path="text/3sources.mat",
)


def load_3sources(
    data_home: str | PathLike[str] | None = None,
    *,
    download: bool = True,
    n_neighbors: int = 10,
    weights: str = "self-tuning",
    metric: str = "cosine",
) -> Dataset:
    """Load 3sources from ``text/3sources.mat`` in ``data_home`` (or ORTHONET_DATA_HOME), fetched if it is not there.

    Parameters
    ----------
    data_home : path, optional
    download : bool, default=True
        Fetch the file from its public home if it is not on this machine (needs the extra ``data``).
    n_neighbors : int, default=10
    weights : str, default="self-tuning"
    metric : str, default="cosine"
        See `MultilayerGraph.from_views`. The word counts stay sparse, and their rows are scaled to unit length.
    """
    what = "3sources.mat, the news stories of D. Greene (http://mlg.ucd.ie/datasets/3sources.html) in multi-view .mat layout"
    # The file holds the counts as full matrices, though 96 % of them are zero.
    return load_remote(
        REMOTE,
        what,
        VIEWS,
        data_home,
        download,
        sparse=True,
        how={"n_neighbors": n_neighbors, "weights": weights, "metric": metric},
        name="3sources",
        source="D. Greene, University College Dublin, http://mlg.ucd.ie/datasets/3sources.html, as a multi-view .mat file",
        license="not stated",
        description="169 news stories of six topics, each as three outlets reported it; word counts.",
    )
