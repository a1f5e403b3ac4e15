"""Few singular vectors of words or memberships: topics, before anything else is known.

    rows of U_m Σ_m, scaled to unit length,      X ≈ U_m Σ_m V_mᵀ,   m = 2 K

Latent semantic analysis [1]_: the first directions are what most words have in common. Other proposals from words see 128
directions, of which most are about single documents where documents are few.

References
----------
.. [1] S. Deerwester, S. Dumais, G. Furnas, T. Landauer, R. Harshman, "Indexing by latent semantic analysis", Journal of the
       American Society for Information Science 41, 1990.
"""

from __future__ import annotations

from scipy.sparse import csr_array, hstack

from orthonet.evidence.proposals.inputs import Array, ProposalInputs, singular_rows, unit_rows
from orthonet.graph.features import FeatureScaler

DIRECTIONS_PER_CLUSTER = 2
"""More than one, since what tells clusters apart is not always what most words have in common."""


def has_words(inputs: ProposalInputs) -> bool:
    """Whether there are words, or memberships without features."""
    return inputs.words or (inputs.features is None and len(inputs.two_mode) > 0)


def low_rank_rows(inputs: ProposalInputs) -> Array:
    """Return the rows of the module: of words, or of all memberships side by side."""
    size = DIRECTIONS_PER_CLUSTER * inputs.n_clusters
    if inputs.features is not None:
        return unit_rows(inputs.features[:, :size])
    scaled = FeatureScaler("unit")
    together = csr_array(hstack([scaled.transform(incidence) for incidence in inputs.two_mode]))
    return unit_rows(singular_rows(together, size, inputs.rng))
