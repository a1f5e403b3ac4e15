"""Two-mode relations as evidence: groups say of their members what words say of documents.

    I(z) = Σ_cg P_cg ln( P_cg / (p_c p_g) )         node i for cluster c:   n_i Σ_g k_ig ln( P_cg / (p_c p_g) )

with P the shares of memberships of clusters in groups, k_i the shares of node i's groups, by the square roots of counts, rarer
groups counting more (inverse document frequency), and n_i its independent memberships (`orthonet.evidence.observations`).
Information is counted on the incidences: a group of a thousand members is a thousand observations, not the half million edges
of its projection.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from orthonet.evidence.cluster_tables import square_roots
from orthonet.evidence.observations import effective_observations, word_closure
from orthonet.evidence.sources import Labels, WordSource
from orthonet.graph.two_mode import TwoMode, shared_groups
from orthonet.graph.words import inverse_document_frequencies

Array = npt.NDArray[np.float64]


class MembershipSource(WordSource):
    """Memberships of the nodes in groups as evidence.

    Counts count by their square roots, as weights of edges do: on DBLP (authors by papers, conferences and terms) that is as
    good as counts as they are, and better than their logarithms or memberships without counts; on twelve tables of species,
    alleles, votes and ratings it gave a mean NMI of .567, counts as they are .537. Groups of a single member join nobody and
    are left out: with them DBLP's papers, seven in ten of which have one author, were corroborated by nothing.

    Attributes
    ----------
    rarity : array of shape (groups,)
        Inverse document frequency of each group of the relation; 0 for groups that are left out.
    closure : float
        See `orthonet.evidence.observations`.
    """

    rarity: Array
    closure: float

    @classmethod
    def from_relation(cls, relation: TwoMode, name: str, rng: np.random.Generator) -> MembershipSource:
        """Return a two-mode relation as a source; a node in no shared group makes no observation."""
        groups = shared_groups(relation.incidence)
        counts = square_roots(csr_array(relation.incidence[:, groups]))
        closure = word_closure(counts, rng)
        source = cls.with_closure(counts, name, closure)
        source.closure, source.rarity = closure, np.zeros(relation.n_groups)
        source.rarity[groups] = inverse_document_frequencies(counts)
        return source

    def group_evidence(self, labels: Labels, n_clusters: int) -> Array:
        """Return ln( P_cg / (p_c p_g) ), K x groups, 0 for groups that are left out: what one independent membership says."""
        evidence = np.zeros((n_clusters, len(self.rarity)))
        evidence[:, self.rarity > 0] = self.log_ratios(labels, n_clusters) / self._per_word
        return evidence


def membership_scores(memberships: csr_array, evidence: Array, rarity: Array, closure: float) -> Array:
    """Return what memberships of nodes, known or new, say for each cluster, in nats, N x K.

    Parameters
    ----------
    memberships : sparse array of shape (N, groups)
        Counts of the groups that ``evidence`` is about.
    evidence : array of shape (K, groups)
        See `MembershipSource.group_evidence`.
    rarity : array of shape (groups,)
    closure : float
    """
    weighted = csr_array(square_roots(memberships) @ diags_array(rarity))
    weighted.eliminate_zeros()
    observations = effective_observations(np.diff(weighted.indptr), closure)
    lengths = np.asarray(weighted.sum(axis=1)).ravel()
    scores: Array = (weighted @ evidence.T) * (observations / np.where(lengths > 0, lengths, 1.0))[:, None]
    return scores
