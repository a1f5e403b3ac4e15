"""DBLP's relations before projection, authors by papers, conferences and terms, searched as three tables of counts.

    B̂_s = D_r^{-1/2} B_s D_c^{-1/2},      D_r = row sums + their mean,  D_c = column sums

K-means on the left singular vectors of each B̂_s, and of all of them side by side, proposes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array, diags_array, hstack
from sklearn.utils.extmath import randomized_svd

from orthonet.datasets.dataset import data_file
from orthonet.evidence.corroboration import corroboration, weights_of
from orthonet.evidence.merging import merge
from orthonet.evidence.proposals.inputs import ProposalInputs, unit_rows
from orthonet.evidence.proposals.registry import FEW_STARTS, FINER
from orthonet.evidence.search import Search
from orthonet.evidence.sources import Labels, WordSource

Array = npt.NDArray[np.float64]
RELATIONS = ("paper", "conference", "term")


def load_incidences(data_home: str | PathLike[str] | None = None) -> dict[str, csr_array]:
    """Return the counts of authors by papers, conferences and terms, from ``dblp/author_*.npz``."""
    found = {}
    for relation in RELATIONS:
        what = f"author_{relation}.npz with arrays row, col, count and shape"
        with np.load(data_file(f"dblp/author_{relation}.npz", data_home, what), allow_pickle=False) as content:
            entries = content["count"].astype(np.float64), (content["row"], content["col"])
            found[relation] = csr_array(coo_array(entries, shape=tuple(content["shape"].tolist())))
    return found


def search_incidences(incidences: Mapping[str, csr_array], n_clusters: int, rng: np.random.Generator) -> Search:
    """Search as `orthonet.evidence.search` does, with an incidence matrix for each source."""
    sources = [WordSource.from_counts(counts, name, rng) for name, counts in incidences.items()]
    # The layers only say how many nodes there are: none of the proposals for layers is made.
    inputs = ProposalInputs(list(incidences.values()), None, None, True, n_clusters, sources, rng)
    proposals = dict(propose(inputs, incidences))
    found = corroboration(sources, list(proposals.values()), n_clusters, rng)
    search = Search(inputs, sources, weights_of(sources, found), found, [], {})
    search.add(proposals.items())
    return search


def propose(inputs: ProposalInputs, incidences: Mapping[str, csr_array]) -> Iterator[tuple[str, Labels]]:
    """Yield the name and the labels of each proposal."""
    scaled = {name: scaled_incidence(counts) for name, counts in incidences.items()}
    together = csr_array(hstack(list(scaled.values())))
    for name, matrix in {"singular vectors": together, **scaled}.items():
        seed = int(inputs.rng.integers(2**31 - 1))
        rows = unit_rows(randomized_svd(matrix, inputs.n_clusters, random_state=seed)[0])
        yield name, inputs.kmeans(rows)
        finer = inputs.kmeans(rows, FINER * inputs.n_clusters, FEW_STARTS)
        yield f"{name}, merged", merge(inputs.sources, finer, inputs.n_clusters)


def scaled_incidence(counts: csr_array) -> csr_array:
    """Return D_r^{-1/2} B D_c^{-1/2}, with the mean added to row sums, so that authors of few papers are no clusters."""
    rows, columns = (np.asarray(counts.sum(axis=axis)).ravel() for axis in (1, 0))
    by_column = diags_array(1.0 / np.sqrt(np.maximum(columns, 1.0)))
    return csr_array(diags_array(1.0 / np.sqrt(rows + rows.mean())) @ counts @ by_column)
