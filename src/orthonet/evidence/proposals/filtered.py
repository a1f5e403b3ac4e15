"""Features averaged over the relations: each node's features become those of its surroundings, near ones first.

    H = 1/(1+a) Σ_l (a/(1+a))^l Â^l X,      Â = mean of D^{-1/2} W_s D^{-1/2}

is the solution of a least-squares problem, min ‖H − X‖² + a tr(Hᵀ (I − Â) H): near X, and smooth over the relations. A net
that sees a node's own features alone lacks this.
"""

from __future__ import annotations

import numpy as np

from orthonet.evidence.proposals.inputs import Array, Normalized, ProposalInputs, normalized_adjacency, unit_rows
from orthonet.evidence.proposals.memberships import MembershipOperator, scaled_incidence
from orthonet.evidence.sources import Labels

STRENGTHS = (1, 4, 16)
"""Of a: from a node and its neighbours to a whole region of the graph. Which of them suits is for evidence to say."""
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
    power = inputs.features
    totals = {strength: np.zeros_like(power) for strength in STRENGTHS}
    for term in range(TERMS):
        for strength, total in totals.items():
            total += (strength / (1 + strength)) ** term / (1 + strength) * power
        power = sum((layer @ power for layer in layers), np.zeros_like(power)) / len(layers)
    return {strength: unit_rows(total) for strength, total in totals.items()}
