"""BBCSport: sport reports of the BBC, each cut into two segments, as bags of words.

| nodes | layers | features | classes |
|---|---|---|---|
| 544 | 2 (10-NN by cosine, one per segment) | 3183 + 3203 word counts, sparse | 5 sports |

Source: D. Greene, P. Cunningham, University College Dublin, http://mlg.ucd.ie/datasets/segment.html, made from the articles
of [1]_; as a multi-view file, from the repository of the GMC paper [2]_. Licence: "for non-commercial and research purposes
only"; the rights in the articles are the BBC's.

References
----------
.. [1] D. Greene, P. Cunningham, "Practical solutions to the problem of diagonal dominance in kernel document clustering",
       ICML 2006.
.. [2] H. Wang, Y. Yang, B. Liu, "GMC: graph-based multi-view clustering", IEEE TKDE 2019.
"""

from __future__ import annotations

from os import PathLike

from orthonet.datasets.dataset import Dataset
from orthonet.datasets.fetch import RemoteFile
from orthonet.datasets.multiview_mat import load_remote

VIEWS = ("segment 1", "segment 2")
REMOTE = RemoteFile(
    "https://raw.githubusercontent.com/cshaowang/gmc/de2f6d0f19f3e1d913969c89595e495156ccbd9f/Dataset/BBCSport.mat",
    sha256="73d5afadcc4d32f35ce85174af900a9ddb227e383ee163a192b4ee9f6c3d74fe",
    path="text/BBCSport.mat",
)


def load_bbcsport(
    data_home: str | PathLike[str] | None = None,
    *,
    download: bool = True,
    n_neighbors: int = 10,
    weights: str = "self-tuning",
    metric: str = "cosine",
) -> Dataset:
    """Load BBCSport from ``text/BBCSport.mat`` in ``data_home`` (or ORTHONET_DATA_HOME), fetched if it is not there.

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
    what = "BBCSport.mat, the sport reports of D. Greene (http://mlg.ucd.ie/datasets/segment.html) in multi-view .mat layout"
    return load_remote(
        REMOTE,
        what,
        VIEWS,
        data_home,
        download,
        sparse=True,
        how={"n_neighbors": n_neighbors, "weights": weights, "metric": metric},
        name="bbcsport",
        source="D. Greene, P. Cunningham, University College Dublin, http://mlg.ucd.ie/datasets/segment.html, as a .mat file",
        license="non-commercial and research use only; articles: all rights with the BBC",
        description="544 sport reports of five sports, each cut into two segments; word counts.",
    )
