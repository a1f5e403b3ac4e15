"""Spectral proposals: K-means on the K largest eigenvectors of normalised adjacencies.

    mean          of all layers alike; beside it the same with the features' own layer
    each layer    a layer that says it all should not be diluted
    projection    the subspace nearest to the eigenvectors of all layers, where each sees some of the clusters [1]_
    spectrum      weights w that minimise λ_K/λ_{K+1} − λ_2 + ½ ‖w‖² of the weighted Laplacian: few edges between K parts,
                  none of them split [2]_

References
----------
.. [1] X. Dong, P. Frossard, P. Vandergheynst, N. Nefedov, "Clustering on multi-layer graphs via subspace analysis on Grassmann
       manifolds", IEEE Transactions on Signal Processing 62, 2014.
.. [2] Y. Li, J. Shi et al., "Spectrum-guided multi-view graph fusion", ICDE 2025.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigvalsh
from scipy.optimize import minimize

from orthonet.evidence.proposals.inputs import Array, ProposalInputs, unit_rows
from orthonet.evidence.sources import Labels

EVALUATIONS = 20
"""Spectra that the search for weights looks at, at most."""
FIRST_STEP = 0.15
"""Of that search, in units of a weight."""


def mean_rows(inputs: ProposalInputs) -> Array:
    """Return the embedding by the mean of the layers."""
    n_layers = inputs.n_relations
    return inputs.eigenvectors(lambda: inputs.mean(np.full(n_layers, 1 / n_layers)), "mean")


def mean_with_features_rows(inputs: ProposalInputs) -> Array:
    """Return the embedding by the mean of the layers and the features' own layer."""
    n_layers = inputs.n_relations + 1
    return inputs.eigenvectors(lambda: inputs.mean(np.full(n_layers, 1 / n_layers)), "mean with features")


def layer_rows(inputs: ProposalInputs, index: int) -> Array:
    """Return the embedding by one layer."""
    return inputs.eigenvectors(lambda: inputs.normalized(index), index)


def feature_layer_rows(inputs: ProposalInputs) -> Array:
    """Return the embedding by the features' own layer."""
    return layer_rows(inputs, inputs.n_relations)


def projection(inputs: ProposalInputs) -> Labels:
    """Propose from the subspace nearest to all layers' eigenvectors."""
    n_layers = inputs.n_relations + (inputs.feature_layer is not None)
    together = np.hstack([layer_rows(inputs, index) for index in range(n_layers)])
    left, _, _ = np.linalg.svd(together, full_matrices=False)
    return inputs.kmeans(unit_rows(left[:, : inputs.n_clusters]))


def _vectors_of_layers(inputs: ProposalInputs, n_layers: int) -> list[Array]:
    mean_rows(inputs)
    for index in range(n_layers):
        layer_rows(inputs, index)
    return [inputs.known_vectors[key] for key in ("mean", *range(n_layers))]


def spectrum(inputs: ProposalInputs) -> Labels:
    """Propose from the mean with the weights that the spectrum chooses."""
    weights = spectrum_weights(inputs)
    return inputs.kmeans(inputs.eigenvectors(lambda: inputs.mean(weights)))


def spectrum_weights(inputs: ProposalInputs) -> npt.NDArray[np.float64]:
    """Return the weights of the layers, the features' own included, that minimise the objective of the module.

    Spectra are looked at in the span of the eigenvectors of all layers and of their mean, where each costs next to nothing.
    """
    k, n_layers = inputs.n_clusters, inputs.n_relations + (inputs.feature_layer is not None)
    basis = np.linalg.qr(np.hstack(_vectors_of_layers(inputs, n_layers)))[0]
    small = [basis.T @ (inputs.normalized(index) @ basis) for index in range(n_layers)]

    def objective(free: Array) -> float:
        weights = np.append(free, 1 - free.sum())
        if (weights < 0).any():
            return 10.0 - 10.0 * float(weights[weights < 0].sum())
        mixed = np.einsum("s,sij->ij", weights, small)
        values = 1 - eigvalsh(mixed, subset_by_index=(len(mixed) - k - 1, len(mixed) - 1), check_finite=False)[::-1]
        return float(values[k - 1] / max(values[k], 1e-12) - values[1] + 0.5 * weights @ weights)

    centre = np.full(n_layers, 1 / n_layers)
    corners = [centre, *(0.5 * centre + 0.5 * corner for corner in np.eye(n_layers))]
    start = min(corners, key=lambda weights: objective(weights[:-1]))
    found = minimize(objective, start[:-1], method="COBYLA", options={"maxiter": EVALUATIONS, "rhobeg": FIRST_STEP}).x
    weights = np.maximum(np.append(found, 1 - found.sum()), 0.0)
    return weights / weights.sum()
