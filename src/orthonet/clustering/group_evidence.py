"""What the groups of two-mode relations say of clusters, as arrays of a fitted model, and by them of new nodes.

The groups of all relations stand side by side, in the order of the relations; ``group_counts`` says how many each has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.evidence.memberships import MembershipSource, membership_scores
from orthonet.evidence.sources import Labels, Source
from orthonet.graph.two_mode import TwoMode

Array = npt.NDArray[np.float64]
GroupNames = tuple[str, ...] | None
"""None if groups are known by their numbers."""


def membership_arrays(sources: Sequence[Source], labels: Labels, n_clusters: int, weights: Array) -> dict[str, Any]:
    """Return what the two-mode relations among the sources say, by the names that it has in a fitted model.

    Returns
    -------
    dict
        ``membership_evidence`` (K, groups): what one independent membership in a group says for each cluster, in nats;
        ``group_rarity`` (groups,): how much a membership in it counts beside others; ``group_closure`` (relations,): how far
        memberships of a node repeat each other; ``group_counts`` (relations,): how many groups each relation has.
    """
    found = [(w, source) for w, source in zip(weights, sources, strict=True) if isinstance(source, MembershipSource)]
    return {
        "membership_evidence": np.hstack(
            [np.zeros((n_clusters, 0)), *(w * source.group_evidence(labels, n_clusters) for w, source in found)]
        ),
        "group_rarity": np.concatenate([np.zeros(0), *(source.rarity for _, source in found)]),
        "group_closure": np.array([source.closure for _, source in found], dtype=np.float64),
        "group_counts": np.array([len(source.rarity) for _, source in found], dtype=np.int64),
    }


def reordered(arrays: Mapping[str, Any], order: Sequence[int]) -> dict[str, Any]:
    """Return the same arrays with the relations in another order."""
    ends = np.cumsum(arrays["group_counts"])
    starts = ends - arrays["group_counts"]
    columns = np.concatenate([np.zeros(0, dtype=np.intp), *(np.arange(starts[one], ends[one]) for one in order)])
    return {
        "membership_evidence": arrays["membership_evidence"][:, columns],
        "group_rarity": arrays["group_rarity"][columns],
        "group_closure": arrays["group_closure"][list(order)],
        "group_counts": arrays["group_counts"][list(order)],
    }


def membership_log_odds(
    two_mode: Mapping[str, TwoMode], groups: Mapping[str, GroupNames], arrays: Mapping[str, Any]
) -> Array | None:
    """Return what memberships in groups that a model knows say for each cluster, in nats, N x K; None if there are none.

    Groups are known by their names, or, where the model's have none, by their numbers; those that the model has not seen say
    nothing.
    """
    total: Array | None = None
    ends = np.cumsum(arrays["group_counts"])
    for index, (name, known) in enumerate(groups.items()):
        if name not in two_mode:
            continue
        own = slice(ends[index] - arrays["group_counts"][index], ends[index])
        counts = _in_known_groups(two_mode[name], name, known, int(arrays["group_counts"][index]))
        evidence, rarity = arrays["membership_evidence"][:, own], arrays["group_rarity"][own]
        scores = membership_scores(counts, evidence, rarity, float(arrays["group_closure"][index]))
        total = scores if total is None else total + scores
    return total


def _in_known_groups(relation: TwoMode, name: str, known: GroupNames, n_groups: int) -> csr_array:
    """Return the memberships with a column per group that the model knows."""
    if known is None or relation.group_names is None:
        if relation.n_groups != n_groups or known is not None:
            raise ValueError(
                f"two_mode[{name!r}] has {relation.n_groups} groups without names, the model was fitted on {n_groups}"
                + (" with names" if known is not None else "")
                + "; pass the same columns, or name the groups: TwoMode(incidence, group_names)"
            )
        return relation.incidence
    place = {group: column for column, group in enumerate(known)}
    columns = np.array([place.get(group, -1) for group in relation.group_names])
    entries = relation.incidence.tocoo()
    seen = columns[entries.col] >= 0
    placed = entries.data[seen], (entries.row[seen], columns[entries.col[seen]])
    return csr_array(placed, shape=(relation.n_nodes, n_groups))
