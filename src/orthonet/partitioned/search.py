"""The search for the partition that all sources support, by processes that each hold the rows of their own nodes.

As in `orthonet.evidence.search`: propose → weigh the sources → mend → recombine → choose. Proposals are K-means on eigenvectors
of the mean of the relations and of each relation, on features, on features averaged over the relations, and on more centres
than clusters, merged; others, such as the net's, join later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from orthonet.evidence.corroboration import NO_AGREEMENT, corroboration, weights_of
from orthonet.evidence.feature_source import FeatureSource
from orthonet.evidence.gaussian import GaussianSource
from orthonet.evidence.mending import Partition
from orthonet.evidence.proposals.filtered import STRENGTHS
from orthonet.evidence.proposals.low_rank import DIRECTIONS_PER_CLUSTER
from orthonet.evidence.proposals.registry import FEW_STARTS, FINER, MIDDLE_STRENGTH, MOST_CENTERS, SMALLEST_CELL
from orthonet.evidence.sameness import distinct
from orthonet.evidence.sources import Labels, LayerSource, Source
from orthonet.partitioned.cells import merged, recombined
from orthonet.partitioned.filtered import filtered_rows, unit_rows
from orthonet.partitioned.kmeans import kmeans_labels
from orthonet.partitioned.mending import RowMending
from orthonet.partitioned.relations import Relations
from orthonet.partitioned.rows import Rows
from orthonet.partitioned.spectra import Spectra

Array = npt.NDArray[np.float64]

MERGED = ("mean", f"filtered {MIDDLE_STRENGTH}")
"""Rows in which more centres than clusters are sought, too."""


@dataclass
class RowSearch:
    """The state of one search; labels are those of own nodes.

    Attributes
    ----------
    rows : Rows
    sources : list of Source
    n_clusters : int
    rng : numpy.random.Generator
        The same in all processes.
    relations : bool
        Whether the layers know what the features do not.
    weights : array of shape (sources,)
    corroboration : array of shape (sources,)
    partitions : list of Partition
        Most supported first.
    proposed : dict of str to labels
    """

    rows: Rows
    sources: list[Source]
    n_clusters: int
    rng: np.random.Generator
    relations: bool
    weights: Array
    corroboration: Array
    partitions: list[Partition]
    proposed: dict[str, Labels]

    @property
    def mending(self) -> RowMending:
        """How own nodes are moved."""
        return RowMending(self.rows)

    @property
    def best(self) -> Partition:
        """The most supported partition."""
        return self.partitions[0]

    @property
    def cannot_judge(self) -> bool:
        """Whether all sources are neighbours by features, in groups that corroborate nothing of each other."""
        groups = np.array([not source.joint for source in self.sources])
        by_neighbours = not self.relations and all(
            isinstance(one, LayerSource | FeatureSource | GaussianSource) for one in self.sources
        )
        return bool(by_neighbours and groups.sum() > 1 and self.corroboration[groups].max() < NO_AGREEMENT)

    @property
    def source_names(self) -> tuple[str, ...]:
        """Names of the sources."""
        return tuple(source.name for source in self.sources)

    def as_proposed(self, name: str) -> Partition:
        """Return what was proposed under a name, before mending."""
        labels = self.proposed[name]
        return Partition(labels, self.mending.support(self.sources, labels, self.n_clusters, self.weights), name)

    def add(self, proposals: Iterable[tuple[str, Labels]]) -> None:
        """Mend further proposals, and recombine them with what is known."""
        found = list(self.partitions)
        for name, labels in proposals:
            self.proposed[name] = labels
            found.append(self.mending.mend(self.sources, labels, self.n_clusters, self.rng, self.weights, origin=name))
        self.partitions = recombined(self.mending, self.sources, found, self.n_clusters, self.rng, self.weights)

    def add_embedding(self, name: str, own: Array) -> None:
        """Let an embedding propose: by K-means on its rows, and by more centres merged down."""
        own = unit_rows(self.rows, own)
        proposals = [(name, kmeans_labels(self.rows, own, self.n_clusters, self.rng))]
        self.add([*proposals, *self.merged_down(name, own)])

    def merged_down(self, name: str, own: Array) -> Iterator[tuple[str, Labels]]:
        """Yield what comes of more centres than clusters, merged by what loses least; nothing if nodes are too few."""
        k, n_nodes = self.n_clusters, self.rows.n_nodes
        finer = min(FINER * k, max(2 * k, MOST_CENTERS), n_nodes // SMALLEST_CELL)
        if finer > k:
            cells = kmeans_labels(self.rows, own, finer, self.rng, FEW_STARTS)
            yield f"{name}, merged", merged(self.rows, self.sources, cells, finer, k, self.weights)


def search_rows(
    relations: Relations,
    spectra: Spectra,
    sources: list[Source],
    n_clusters: int,
    rng: np.random.Generator,
    *,
    features: Array | None = None,
    words: bool = False,
    are_relations: bool = True,
    layer_weights: npt.ArrayLike | None = None,
    weigh: bool = True,
) -> RowSearch:
    """Search for the partition that the sources support most.

    Parameters
    ----------
    relations : Relations
    spectra : Spectra
        Of the relations.
    sources : list of Source
        Those of the relations first.
    n_clusters : int
    rng : numpy.random.Generator
        The same in all processes.
    features : array of shape (n, at most 128), optional
        Scaled dense features of own nodes, or words as `word_rows` makes them.
    words : bool, default=False
        Whether the features are words.
    are_relations : bool, default=True
        Whether the layers know what the features do not.
    layer_weights : array of shape (relations,), optional
        How much each relation counts, of whatever sum; alike by default.
    weigh : bool, default=True
        Whether sources are weighed by how far the others corroborate them.
    """
    rows = relations.rows
    mending = RowMending(rows)
    blocks = _proposed(relations, spectra, features, words, are_relations, n_clusters, rng)
    proposals = {name: kmeans_labels(rows, block, n_clusters, rng) for name, block in blocks.items()}
    starts = list(proposals.values())
    found = corroboration(sources, starts, n_clusters, rng, mend=mending.mend, support=mending.support_by)
    weights = np.ones(len(sources))
    if layer_weights is not None:
        given = np.asarray(layer_weights, dtype=np.float64)
        weights[: len(given)] = given / max(given.mean(), np.finfo(np.float64).tiny)
    if weigh:
        weights = weights * weights_of(sources, found)
    search = RowSearch(rows, sources, n_clusters, rng, are_relations, weights, found, [], {})
    search.add(proposals.items())
    for name in MERGED:
        if name in blocks:
            search.add(search.merged_down(name, blocks[name]))
    search.partitions = distinct(search.partitions, by_labels=False)
    return search


def _proposed(
    relations: Relations,
    spectra: Spectra,
    features: Array | None,
    words: bool,
    are_relations: bool,
    n_clusters: int,
    rng: np.random.Generator,
) -> dict[str, Array]:
    """Return own rows of all that K-means is to cluster."""
    rows = relations.rows
    blocks = {"mean": unit_rows(rows, spectra.mean.vectors[:, :n_clusters])}
    if len(spectra.each) > 1:
        for index, one in enumerate(spectra.each):
            blocks[f"layer {index}"] = unit_rows(rows, one.vectors[:, :n_clusters])
    if features is None:
        return blocks
    blocks["features"] = features
    if words:
        blocks["low rank"] = unit_rows(rows, features[:, : DIRECTIONS_PER_CLUSTER * n_clusters])
    averaged = filtered_rows(relations, features, rng)
    for strength in STRENGTHS if are_relations else (MIDDLE_STRENGTH,):
        blocks[f"filtered {strength}"] = averaged[strength]
    return blocks
