"""Features of own nodes averaged over the relations, near nodes first, and words as few directions; for proposals.

    H = 1/(1+a) Σ_l (a/(1+a))^l Â^l X,      Â = mean of D^{-1/2} W_s D^{-1/2}

as in `orthonet.evidence.proposals.filtered`; each power is one product of own rows, in single precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from orthonet.evidence.proposals.filtered import STRENGTHS, TERMS
from orthonet.evidence.proposals.inputs import DIMENSIONS, ROUNDING
from orthonet.graph.features import FeatureScaler
from orthonet.graph.words import as_counts, rarity_of
from orthonet.partitioned.features import leading_directions
from orthonet.partitioned.operators import weighted_sum
from orthonet.partitioned.relations import Relations
from orthonet.partitioned.rows import Rows

Array = npt.NDArray[np.float64]

AVERAGED = 32
"""Columns that are averaged at most: leading directions of more. Each costs as many products as the sum has terms."""


def filtered_rows(relations: Relations, own: Array, rng: np.random.Generator) -> dict[int, Array]:
    """Return own rows of H, scaled to unit length, by strength a."""
    rows = relations.rows
    if own.shape[1] > AVERAGED:
        own = own @ leading_directions(rows, own, AVERAGED, rng)
    n_relations = len(relations.each)
    alike = np.full(n_relations, 1 / n_relations)
    mean = weighted_sum(relations.laplacians("normalized", 0.0, alike), alike).in_single_precision()
    power: Any = own.astype(np.float32)
    totals = {strength: np.zeros_like(power) for strength in STRENGTHS}
    for term in range(TERMS):
        for strength, total in totals.items():
            total += np.float32((strength / (1 + strength)) ** term / (1 + strength)) * power
        if term < TERMS - 1:
            power = power - mean @ power
    return {strength: unit_rows(rows, total.astype(np.float64)) for strength, total in totals.items()}


def word_rows(rows: Rows, features: Any, rng: np.random.Generator) -> Array:
    """Return words of own nodes as at most 128 numbers of unit length: the leading directions of tf-idf, falling."""
    counts = as_counts(features)
    (with_word,) = rows.sum(np.bincount(counts.indices, minlength=counts.shape[1]))
    weighted = csr_array(counts @ diags_array(rarity_of(with_word, rows.n_nodes)))
    scaled = FeatureScaler("unit").transform(weighted)
    size = max(1, min(DIMENSIONS, counts.shape[1], rows.n_nodes - 1))
    return unit_rows(rows, np.asarray(scaled @ leading_directions(rows, scaled, size, rng)))


def unit_rows(rows: Rows, own: Array) -> Array:
    """Scale each row to length 1; a row that is zero but for rounding becomes zero."""
    lengths = np.linalg.norm(own, axis=1, keepdims=True)
    some = lengths > ROUNDING * rows.largest(lengths.max(initial=0.0))[0]
    return np.where(some, own / np.where(some, lengths, 1.0), 0.0)
