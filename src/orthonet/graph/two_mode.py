"""Two-mode relations: nodes that belong to groups, such as authors to conferences, users to items, documents to words.

    B_ig = how often, or how much, node i belongs to group g

is kept as it is, N x groups and sparse. Its projection W = B Bᵀ, in which all members of a group are joined, would have an edge
per pair of members, and is never built.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.graph.arrays import as_matrix, check_finite, frozen, with_short_indices
from orthonet.graph.ids import check_names

if TYPE_CHECKING:
    from orthonet.graph.multilayer import MultilayerGraph


class TwoMode:
    """The memberships of N nodes in groups; immutable.

    Parameters
    ----------
    incidence : array, sparse array or frame of shape (N, groups)
        How often, or how much, each node belongs to each group; finite and >= 0.
    group_names : sequence of names, optional
        One per group, unique. The columns of a frame by default; else groups are known by their numbers.

    Attributes
    ----------
    incidence : sparse array of shape (N, groups)
        Read-only CSR, float64.
    group_names : tuple of str, or None

    Examples
    --------
    >>> from orthonet import MultilayerGraph, TwoMode
    >>> attends = TwoMode([[2, 0], [1, 0], [0, 1], [0, 3]], group_names=["chess", "choir"])
    >>> attends
    <TwoMode: 4 nodes, 2 groups, 4 memberships>
    >>> MultilayerGraph(two_mode={"attends": attends}).n_nodes
    4
    """

    def __init__(self, incidence: Any, group_names: Iterable[Any] | None = None) -> None:
        self._keep(incidence, group_names, "incidence")

    @classmethod
    def of(cls, given: Any, name: str) -> TwoMode:
        """Return ``given`` itself if it is one, else the relation of this incidence; ``name`` is what errors call it."""
        if isinstance(given, TwoMode):
            return given
        relation = cls.__new__(cls)
        relation._keep(given, None, name)
        return relation

    def _keep(self, incidence: Any, group_names: Iterable[Any] | None, name: str) -> None:
        if group_names is None and hasattr(incidence, "columns") and not _numbered(incidence.columns):
            group_names = incidence.columns
        self._incidence: csr_array = frozen(check_incidence(incidence, name))
        named = None if group_names is None else check_names(group_names, "group_names", self.n_groups, "groups")
        self.group_names: tuple[str, ...] | None = None if named is None else tuple(map(str, named))

    @property
    def incidence(self) -> csr_array:
        """Read-only CSR incidence: a new shell at each call around arrays that cannot be written to."""
        one = self._incidence
        return csr_array((one.data, one.indices, one.indptr), shape=one.shape)

    @property
    def n_nodes(self) -> int:
        """Number of nodes N."""
        return int(self._incidence.shape[0])

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self._incidence.shape[1])

    @property
    def group_sizes(self) -> npt.NDArray[np.int64]:
        """Number of members of each group."""
        return np.bincount(self._incidence.indices, minlength=self.n_groups).astype(np.int64)

    def rows(self, positions: Any) -> TwoMode:
        """Return the memberships of some of the nodes, in all groups."""
        part = TwoMode.__new__(TwoMode)
        part._incidence, part.group_names = frozen(csr_array(self._incidence[positions])), self.group_names
        return part

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Copies and unpickled relations are as read-only as the first."""
        self.__dict__.update(state)
        frozen(self._incidence)

    def __repr__(self) -> str:
        return f"<TwoMode: {self.n_nodes:,} nodes, {self.n_groups:,} groups, {self._incidence.nnz:,} memberships>"


def check_two_mode(two_mode: Any, layer_names: tuple[str, ...]) -> dict[str, TwoMode]:
    """Return two-mode relations by name, of equally many nodes; no name may be that of a layer."""
    if two_mode is None:
        return {}
    if not isinstance(two_mode, Mapping):
        raise TypeError(
            f"two_mode must be a mapping of names to matrices, such as {{'conference': B}}, got {type(two_mode).__name__}"
        )
    relations: dict[str, TwoMode] = {}
    for given, incidence in two_mode.items():
        name = str(given)
        if name in layer_names or name in relations:
            raise ValueError(
                f"two_mode names {name!r}, which is the name of another layer or relation; names must be unique"
            )
        relations[name] = TwoMode.of(incidence, f"two_mode[{name!r}]")
    sizes = {name: relation.n_nodes for name, relation in relations.items()}
    for name, size in sizes.items():
        first = next(iter(sizes))
        if size != sizes[first]:
            raise ValueError(
                f"two_mode[{name!r}] has {size} rows, but two_mode[{first!r}] has {sizes[first]}; one per node"
            )
    return relations


def check_incidence(incidence: Any, name: str) -> csr_array:
    """Return a non-negative float64 CSR copy with at least one membership, or raise."""
    matrix = with_short_indices(csr_array(as_matrix(incidence, name).astype(np.float64)))
    check_finite(matrix, name)
    if (matrix.data < 0).any():
        entries = matrix.tocoo()
        first = int(np.argmax(entries.data < 0))
        raise ValueError(
            f"{name} has {int((entries.data < 0).sum())} negative entries, the first {entries.data[first]:g} at row "
            f"{entries.row[first]}, column {entries.col[first]}; memberships are counts or weights and must be >= 0"
        )
    matrix.eliminate_zeros()
    if matrix.nnz == 0:
        raise ValueError(f"{name} has no memberships; leave it out")
    with np.errstate(over="ignore"):
        finite = np.isfinite(matrix.sum())
    if not finite:
        raise ValueError(f"{name} has weights up to {matrix.data.max():.3g}, whose sums overflow; divide them first")
    return matrix


def shared_groups(incidence: csr_array) -> npt.NDArray[np.intp]:
    """Return the positions of the groups with two or more members: the others join nobody."""
    return np.flatnonzero(np.bincount(incidence.indices, minlength=incidence.shape[1]) > 1)


def relation_at(relation: TwoMode, rows: npt.NDArray[np.int64], n_nodes: int) -> TwoMode:
    """Return a relation whose rows stand at other positions among more nodes; those at -1 are left out."""
    entries = relation.incidence.tocoo()
    known = rows[entries.row] >= 0
    content = entries.data[known], (rows[entries.row[known]], entries.col[known])
    return TwoMode(csr_array(content, shape=(n_nodes, relation.n_groups)), relation.group_names)


def refuse_two_mode(graph: MultilayerGraph, what: str) -> None:
    """Raise, with the way out, if a graph has two-mode relations and ``what`` it is to become cannot hold them."""
    if graph.two_mode:
        raise ValueError(
            f"{what} cannot hold two-mode relations ({', '.join(map(repr, graph.two_mode))}): write npz, which can, or pass "
            "orthonet.graph.membership_layers.with_membership_layers(graph), with layers of like memberships in their place"
        )


def read_only(relations: Mapping[str, TwoMode]) -> Mapping[str, TwoMode]:
    """Return relations as a mapping that cannot be changed."""
    return MappingProxyType(dict(relations))


def _numbered(columns: Any) -> bool:
    """Tell whether columns are called 0, 1, 2, … as those of a frame without names are."""
    return list(columns) == list(range(len(columns)))
