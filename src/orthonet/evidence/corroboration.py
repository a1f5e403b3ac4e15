"""Corroboration: how far what other sources find, all together or the best of them alone, explains this one.

    c_s = max( I_s(z found without s), max_t I_s(z found from t alone) ) / I_s(z found from s alone),    between 0 and 1,

with each node left out. A source of noise explains itself well and nobody else: c = 0. In z found without s the others count by
what they say relative to the most that they could, and each of them is asked alone, too: else noise that speaks louder
than the rest would hide that the rest agree. As a weight,

    w_s = 1 − (max_t c_t − c_s),

so that a source loses what it falls short of the best corroborated one; where no source corroborates any other there is
nothing to tell good from bad by, and all weigh the same.

A joint source (all features, beside layers made from groups of them) sees what no group sees alone, and is weighed by how far
the groups corroborate it; but it corroborates none of them, since it would repeat what each says. Words averaged over the
relations are such a source, of two kinds of parts. Their average tells something where both tell the same: if one of them is
noise, it spoils the other. So

    c_s = min( that by the relations alone, that by the words alone ),      w_s = c_s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.evidence.local_mending import quick_support
from orthonet.evidence.mending import Partition
from orthonet.evidence.racing import race
from orthonet.evidence.sameness import without_copies
from orthonet.evidence.sources import Labels, Source

NO_AGREEMENT = 0.05
"""Corroboration below which a source counts as not corroborated by the others."""
ROUNDS = 15
"""Of mending: enough for what is a ratio of two informations."""
ARBITRATED = 3
"""Sources that are not joint from which on all are weighed."""
MENDED = 3
"""Starts that are mended for each source, the best before mending;"""
ALIKE = 0.8
"""of many nodes, those that agree with none before them by so much normalised mutual information."""


def corroboration(
    sources: Sequence[Source],
    starts: Sequence[Labels],
    n_clusters: int,
    rng: np.random.Generator,
    *,
    mend: Callable[..., Partition] | None = None,
    support: Callable[[Source, Labels, int], float] = quick_support,
) -> npt.NDArray[np.float64]:
    """Return c of each source; 1 for a source that is alone.

    Parameters
    ----------
    sources : sequence of Source
    starts : sequence of arrays of shape (N,)
        Proposed partitions, the best of which are mended with each source alone and without it.
    n_clusters : int
    rng : numpy.random.Generator
    mend, support : functions, optional
        As `orthonet.evidence.mending.mend`, and the support by one source; others where labels are those of own nodes only.
    """
    n_sources = len(sources)
    if n_sources == 1:
        return np.ones(1)
    by_source = np.array([[support(source, start, n_clusters) for source in sources] for start in starts])
    apart = np.array([not source.joint and source.observations > 0 for source in sources])

    def found_from(weights: npt.NDArray[np.float64]) -> Labels:
        # The best of what comes of mending the most supported starts.
        ranked = [starts[index] for index in np.argsort(-(by_source @ weights), kind="stable")[:MENDED]]
        if mend is None:
            mended = _raced(sources, without_copies(ranked, ALIKE), n_clusters, rng, weights)
        else:
            mended = [mend(sources, start, n_clusters, rng, weights, max_rounds=ROUNDS) for start in ranked]
        return max(mended, key=lambda partition: partition.support).labels

    alone = [found_from(row) for row in np.eye(n_sources)]
    most = np.array([support(source, own, n_clusters) for source, own in zip(sources, alone, strict=True)])
    loudness = np.where(most > 0, most, np.inf)

    def reached(index: int, others: npt.NDArray[np.bool_]) -> float:
        """Return the share of what source ``index`` could say that some others explain, together or the best of them alone."""
        partitions = [alone[other] for other in np.flatnonzero(others)]
        if others.sum() > 1:
            partitions.append(found_from(others / loudness))
        most_explained = max(support(sources[index], labels, n_clusters) for labels in partitions)
        return float(np.clip(most_explained / loudness[index], 0.0, 1.0))

    values = np.zeros(n_sources)
    for index, source in enumerate(sources):
        others = apart & (np.arange(n_sources) != index)
        if source.observations == 0 or not others.any():
            values[index] = float(source.observations > 0)
            continue
        averaged = np.array([other.name == source.averages for other in sources])
        kinds = [others & averaged, others & ~averaged]
        values[index] = min(reached(index, kind) for kind in kinds if kind.any())
    return values


def weights_of(sources: Sequence[Source], corroborations: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return w = 1 − (max c − c), at most 1; 1 for two sources, which can disagree but not say which is wrong.

    Joint sources do not count among those, nor towards the largest c. What averages words over the relations weighs c.
    """
    apart = np.array([not source.joint for source in sources])
    averaged = np.array([bool(source.averages) for source in sources])
    if apart.sum() < ARBITRATED:
        return np.where(averaged, corroborations, 1.0)
    weights = np.minimum(1.0 - (corroborations[apart].max() - corroborations), 1.0)
    return np.where(averaged, corroborations, weights)


def _raced(sources: Sequence[Source], starts: Sequence[Labels], *given: Any) -> list[Partition]:
    return race(sources, [("", start) for start in starts], *given, max_rounds=ROUNDS, roughly=True)
