"""SC-ML: spectral clustering of the layers' Laplacians, drawn towards the subspaces of the single layers.

    L = Σ_s L_s − α Σ_s U_s U_sᵀ,      U_s the K lowest eigenvectors of layer s

of normalised Laplacians; the K lowest eigenvectors of L, rows scaled to unit length, K-means.

References
----------
.. [1] X. Dong, P. Frossard, P. Vandergheynst, N. Nefedov, `"Clustering on multi-layer graphs via subspace analysis on
       Grassmann manifolds" <https://doi.org/10.1109/TSP.2013.2295553>`_, IEEE Transactions on Signal Processing,
       2014.
"""

from __future__ import annotations

from typing import Any

from orthonet.aggregation import aggregate
from orthonet.baselines.aggregated_spectral import AggregatedSpectralClustering
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.operators import AggregatedLaplacian


class SCML(AggregatedSpectralClustering):
    """Subspace analysis on the Grassmann manifold (SC-ML) [1]_.

    Parameters
    ----------
    n_clusters : int, default=8
    alpha : float, default=0.5
        How much the subspaces of the layers count against their Laplacians; the authors' value.
    n_init : int, default=20
        Random starts of K-means.
    random_state : int, Generator, RandomState or None, default=None
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None, the default), always or never.

    Attributes
    ----------
    labels_ : array of shape (N,)
    embedding_ : array of shape (N, K)
    aggregation_ : dict
        How the layers were aggregated, see `orthonet.aggregate`.

    See Also
    --------
    orthonet.aggregation.projection.projection : The Laplacian that is clustered.
    orthonet.baselines.PLM : The same with the power mean.

    References
    ----------
    .. [1] X. Dong, P. Frossard, P. Vandergheynst, N. Nefedov, `"Clustering on multi-layer graphs via subspace
           analysis on Grassmann manifolds" <https://doi.org/10.1109/TSP.2013.2295553>`_, IEEE Transactions on Signal
           Processing, 2014.

    Examples
    --------
    >>> from orthonet import datasets
    >>> from orthonet.baselines.scml import SCML
    >>> data = datasets.make_multilayer_gaussians(n_nodes=80, random_state=0)
    >>> SCML(data.n_clusters, random_state=0).fit(data.graph).labels_.shape
    (80,)
    """

    unit_rows = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        alpha: float = 0.5,
        n_init: int = 20,
        random_state: Any = None,
        verbose: bool | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose

    def _aggregate(self, graph: MultilayerGraph) -> AggregatedLaplacian:
        return aggregate(
            graph,
            "projection",
            n_components=self.n_clusters,
            laplacian="normalized",
            verbose=self.verbose,
            alpha=self.alpha,
        )
