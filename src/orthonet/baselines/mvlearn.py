"""Co-regularised multi-view spectral clustering, by mvlearn.

    max Σ_s tr(U_sᵀ L_s U_s) + λ Σ_{s≠r} tr(U_s U_sᵀ U_r U_rᵀ),      U_sᵀ U_s = I

L_s = D_s^{-1/2} K_s D_s^{-1/2} of a Gaussian kernel K_s of view s; then K-means on the rows of [U_1 … U_S], scaled to unit
length.

Dense: time O(S N³) a round, memory O(S N²). Needs the extra ``rivals``, which brings mvlearn 0.4.1: 0.5.0, its last, has the
same code for this method but asks for a matplotlib of 2021.

References
----------
.. [1] A. Kumar, P. Rai, H. Daumé III, "Co-regularized multi-view spectral clustering", NIPS 2011.
.. [2] R. Perry et al., `"mvlearn: multiview machine learning in Python" <https://jmlr.org/papers/v22/20-1370.html>`_,
       JMLR, 2021.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from orthonet.baselines.inputs import as_dense_views, check_dense_size
from orthonet.graph.features import FeatureScaling
from orthonet.support.checks import check_integer, check_number, random_generator
from orthonet.support.optional import require
from orthonet.support.progress import progress

AT_MOST = 5000
"""Nodes up to which it is tried: it inverts and multiplies dense N x N arrays."""


class MVLearn(ClusterMixin, BaseEstimator):
    """Co-regularised spectral clustering [1]_, by mvlearn [2]_.

    Parameters
    ----------
    n_clusters : int, default=8
    agreement : float, default=2
        λ, how much the views must agree; mvlearn's value, as are the next two.
    max_iter : int, default=10
        Rounds over the views.
    n_init : int, default=10
        Random starts of K-means.
    feature_scaling : {"auto", "standard", "unit", "none"}, default="auto"
        Scaling of a view before distances are taken: "auto" standardises dense columns and scales sparse rows to unit
        length. mvlearn has none.
    random_state : int, Generator, RandomState or None, default=None
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None, the default), always or never.

    Attributes
    ----------
    labels_ : array of shape (N,)
    embedding_ : array of shape (N, S K)

    References
    ----------
    .. [1] A. Kumar, P. Rai, H. Daumé III, "Co-regularized multi-view spectral clustering", NIPS 2011.
    .. [2] R. Perry et al., `"mvlearn: multiview machine learning in Python"
           <https://jmlr.org/papers/v22/20-1370.html>`_, JMLR, 2021.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        agreement: float = 2.0,
        max_iter: int = 10,
        n_init: int = 10,
        feature_scaling: FeatureScaling = "auto",
        random_state: Any = None,
        verbose: bool | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.agreement = agreement
        self.max_iter = max_iter
        self.n_init = n_init
        self.feature_scaling = feature_scaling
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any = None, y: Any = None, *, layers: Sequence[Any] | None = None, views: Any = None) -> Self:
        """Cluster the nodes by their ``views``.

        Parameters
        ----------
        X, y, layers : ignored
        views : sequence of arrays of shape (N, M_s), or mapping of names to them
            At least two feature groups.
        """
        if views is None:
            raise ValueError("this method starts from feature groups, not from layers: pass views=[…]")
        scaled = as_dense_views(views, self.feature_scaling, minimum=2)
        n_nodes = len(scaled[0])
        check_dense_size(n_nodes, AT_MOST, "co-regularised spectral clustering", "Use SCML or PLM")
        check_integer(self.n_clusters, "n_clusters", minimum=2, maximum=n_nodes - 1)
        check_number(self.agreement, "agreement", above=0)
        check_integer(self.max_iter, "max_iter", minimum=1)
        check_integer(self.n_init, "n_init", minimum=1)
        seed = int(random_generator(self.random_state).integers(2**31 - 1))
        mvlearn = require("mvlearn.cluster", extra="rivals", purpose="co-regularised spectral clustering")
        model = mvlearn.MultiviewCoRegSpectralClustering(
            int(self.n_clusters),
            v_lambda=self.agreement,
            max_iter=int(self.max_iter),
            n_init=int(self.n_init),
            random_state=seed,
        )
        with progress("co-regularised spectral clustering", 1, self.verbose) as report, _global_dice_kept():
            report(0, f"{self.max_iter} rounds")
            model.fit(scaled)
        self.embedding_ = np.asarray(model.embedding_)
        self.labels_ = np.asarray(model.labels_, dtype=np.int64)
        return self


@contextmanager
def _global_dice_kept() -> Iterator[None]:
    """Put NumPy's global generator back as it was: mvlearn seeds it."""
    state = np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002
