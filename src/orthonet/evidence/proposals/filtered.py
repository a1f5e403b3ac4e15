"""Features averaged over the relations: each node's features become those of its surroundings, near ones first.

    H = 1/(1+a) Σ_l (a/(1+a))^l Â^l X,      Â = mean of D^{-1/2} W_s D^{-1/2}

is the solution of a least-squares problem, min ‖H − X‖² + a tr(Hᵀ (I − Â) H): near X, and smooth over the relations. A net
that sees a node's own features alone lacks this.

The sum has 24 terms. The same polynomial of Â is summed by Chebyshev's polynomials T_j, whose coefficients b_j fall so fast
that 18 of them tell as much to five digits; of more than 50,000 nodes a dozen are left,

    H ≈ Σ_j b_j T_j(Â) X,      Σ_{j left out} |b_j| < ε Σ_j |b_j|,      ε = 0.00001 or 0.005,

which is close because the eigenvalues of Â lie between −1 and 1; in single precision, layer by layer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from numpy.polynomial.chebyshev import poly2cheb
from scipy.sparse import csr_array

from orthonet.evidence.proposals.inputs import Array, Normalized, ProposalInputs, normalized_adjacency, unit_rows
from orthonet.evidence.proposals.memberships import MembershipOperator, scaled_incidence
from orthonet.evidence.sources import Labels
from orthonet.linalg.chebyshev import in_single_precision
from orthonet.linalg.eigen import PROBE_ABOVE

STRENGTHS = (1, 4, 16)
"""Of a: from a node and its neighbours to a whole region of the graph. Which of them suits is for evidence to say."""
LEFT_OUT, LITTLE_LEFT_OUT = 0.005, 1e-5
"""ε of many nodes, and of fewer, where products cost less."""
TERMS = 24
"""Of the sum: the rest weighs (a/(1+a))^24, 0.5 % for a = 4, and for larger a is left out."""


def filtered_rows(inputs: ProposalInputs, strength: int) -> Array:
    """Return rows of unit length of H, with a = ``strength``, one of `STRENGTHS`."""
    by_strength: dict[int, Array] = inputs.once("filtered", lambda: _filter(inputs))
    return by_strength[strength]


def filtered(inputs: ProposalInputs, strength: int) -> Labels:
    """Propose by K-means on the averaged features."""
    return inputs.kmeans(filtered_rows(inputs, strength))


def _filter(inputs: ProposalInputs) -> dict[int, Array]:
    """Return H for all strengths: they share the powers of Â, which cost most."""
    if inputs.features is None:
        raise ValueError("there are no features to average")
    layers: list[Normalized] = [normalized_adjacency(layer, regularization=0.0) for layer in inputs.layers]
    layers += [MembershipOperator(scaled_incidence(incidence, regularization=0.0)) for incidence in inputs.two_mode]
    few = inputs.n_nodes <= PROBE_ABOVE
    if few and not inputs.two_mode:  # all layers in one product: those of the same features share many edges
        layers = [csr_array(sum(layers[1:], layers[0]) / len(layers))]
    strengths = STRENGTHS if inputs.relations else STRENGTHS[1:2]
    return chebyshev_sums(layers, inputs.features, strengths, LITTLE_LEFT_OUT if few else LEFT_OUT)


def chebyshev_sums(
    layers: Sequence[Normalized], features: Array, strengths: Sequence[int], left_out: float = LEFT_OUT
) -> dict[int, Array]:
    """Return rows of unit length of H for some strengths, by Chebyshev's polynomials of Â, the mean of ``layers``."""
    coefficients = {strength: _coefficients(strength, left_out) for strength in strengths}
    layers = [in_single_precision(layer) for layer in layers]
    before = features.astype(np.float32)
    now = _mean_image(layers, before)
    totals = {strength: found[0] * before + found[1] * now for strength, found in coefficients.items()}
    for term in range(2, max(map(len, coefficients.values()))):
        before, now = now, 2 * _mean_image(layers, now) - before
        for strength, found in coefficients.items():
            if term < len(found):
                totals[strength] += found[term] * now
    return {strength: unit_rows(total.astype(np.float64)) for strength, total in totals.items()}


def _coefficients(strength: int, left_out: float = LEFT_OUT) -> npt.NDArray[np.float32]:
    """Return b_j of the sum of the module, without the last and smallest."""
    powers = (strength / (1 + strength)) ** np.arange(TERMS) / (1 + strength)
    found = np.asarray(poly2cheb(powers), dtype=np.float64)
    rest = np.cumsum(np.abs(found[::-1]))[::-1]
    return found[: max(2, int(np.count_nonzero(rest >= left_out * rest[0])))].astype(np.float32)


def _mean_image(layers: Sequence[Normalized], block: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    total = sum((layer @ block for layer in layers), np.zeros_like(block))
    return (total / np.float32(len(layers))).astype(np.float32, copy=False)
