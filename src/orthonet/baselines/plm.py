"""PLM: spectral clustering of the power mean of the layers' Laplacians.

    L_p = (1/S Σ_s (L_s + log(1 + |p|) I)^p)^{1/p},      p < 0

of normalised Laplacians; its K lowest eigenvectors, K-means on the rows as they are.

References
----------
.. [1] P. Mercado, A. Gautier, F. Tudisco, M. Hein, `"The power mean Laplacian for multilayer graph clustering"
       <https://proceedings.mlr.press/v84/mercado18a.html>`_, AISTATS 2018.
"""

from __future__ import annotations

from typing import Any, Literal

from orthonet.aggregation import aggregate
from orthonet.baselines.aggregated_spectral import AggregatedSpectralClustering
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.operators import AggregatedLaplacian


class PLM(AggregatedSpectralClustering):
    """The power mean Laplacian [1]_.

    Parameters
    ----------
    n_clusters : int, default=8
    p : float, default=-10
        Which power; the authors' choice. The shift log(1 + |p|) of their paper belongs to p <= 0 (their code adds another 1).
    solver : {"auto", "exact", "compressed"}, default="auto"
        "exact" is the authors' dense mean; "auto" is exact up to 1000 nodes and compressed beyond, see `orthonet.aggregate`.
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
    orthonet.aggregation.power.power : The Laplacian that is clustered.
    orthonet.baselines.SCML : The same with the projection mean.

    References
    ----------
    .. [1] P. Mercado, A. Gautier, F. Tudisco, M. Hein, `"The power mean Laplacian for multilayer graph clustering"
           <https://proceedings.mlr.press/v84/mercado18a.html>`_, AISTATS 2018.

    Examples
    --------
    >>> from orthonet import datasets
    >>> from orthonet.baselines.plm import PLM
    >>> data = datasets.make_multilayer_gaussians(n_nodes=80, random_state=0)
    >>> PLM(data.n_clusters, random_state=0).fit(data.graph).labels_.shape
    (80,)
    """

    unit_rows = False

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        p: float = -10.0,
        solver: Literal["auto", "exact", "compressed"] = "auto",
        n_init: int = 20,
        random_state: Any = None,
        verbose: bool | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.p = p
        self.solver = solver
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose

    def _aggregate(self, graph: MultilayerGraph) -> AggregatedLaplacian:
        return aggregate(
            graph,
            "power",
            self.solver,
            n_components=self.n_clusters,
            laplacian="normalized",
            verbose=self.verbose,
            p=self.p,
        )
