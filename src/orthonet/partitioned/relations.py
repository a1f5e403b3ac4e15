"""Layers and two-mode relations of own rows, and the matrices that are made of them.

    regularised     I − D^{-1/2} W D^{-1/2},      D = degrees + mean degree      (proposals)
    Laplacians      as in `orthonet.graph.laplacian`                             (aggregation)

A two-mode relation with memberships B and G the sums over groups is W = B G⁻¹ Bᵀ, whose degrees are the sums of B over groups;
it is multiplied by as B (G⁻¹ (Bᵀ X)), and never built. A node without edges in a layer, or that the layer lacks, has the row of
the identity there: the layer has no preference about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from orthonet.graph.laplacian import LaplacianKind
from orthonet.graph.network_rows import NetworkRows
from orthonet.partitioned.halo import Halo
from orthonet.partitioned.operators import RowOperator
from orthonet.partitioned.rows import Rows
from orthonet.support.memory import check_memory

Array = npt.NDArray[np.float64]

BYTES_PER_END = 40.0
"""Memory that an end of an edge takes beside what was read: sources, operators in both precisions, and what is being made."""
SAME = 1e-9
"""How far rounding may make the two directions of all edges together differ, relatively."""


@dataclass(frozen=True, eq=False)
class Relation:
    """Own rows of a layer, or of a two-mode relation.

    Attributes
    ----------
    name : str
    layer : sparse array of shape (n, n + halo), or None
        Edge weights, of a layer.
    incidence : sparse array of shape (n, groups), or None
        Memberships, of a two-mode relation.
    degrees : array of shape (n,)
        Sums of the weights of own nodes.
    by_group : array of shape (groups,)
        Sums of memberships over all nodes.
    mean_degree : float
        Over all nodes that the relation holds.
    """

    name: str
    layer: csr_array | None
    incidence: csr_array | None
    degrees: Array
    by_group: Array
    mean_degree: float


@dataclass(frozen=True, eq=False)
class Relations:
    """All layers, and after them all two-mode relations, of own rows."""

    rows: Rows
    halo: Halo
    each: tuple[Relation, ...]

    @classmethod
    def of(cls, network: NetworkRows, rows: Rows) -> Relations:
        """Exchange what products will need; raise where an edge is not the same in the rows of both its ends."""
        _check_memory(network, rows)
        halo = Halo(rows, list(network.layers.values()))
        each = []
        for name, layer in network.layers.items():
            local = halo.local(layer)
            _check_symmetric(local, halo, name)
            degrees = np.asarray(local.sum(axis=1)).ravel()
            here = network.present.get(name, np.ones(len(rows), dtype=bool))
            total, held = (float(one[0]) for one in rows.sum(degrees.sum(), np.count_nonzero(here)))
            if not total > 0:
                raise ValueError(f"layer {name!r} has no edges; leave it out")
            each.append(Relation(name, local, None, degrees, np.zeros(0), total / held))
        for name, incidence in network.two_mode.items():
            by_group = rows.sum(np.asarray(incidence.sum(axis=0)).ravel())[0]
            degrees = np.asarray(incidence.sum(axis=1)).ravel()
            each.append(Relation(name, None, incidence, degrees, by_group, float(by_group.sum()) / rows.n_nodes))
        return cls(rows, halo, tuple(each))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all relations."""
        return tuple(one.name for one in self.each)

    def regularized(self, index: int) -> RowOperator:
        """Return I − D^{-1/2} W D^{-1/2} with D = degrees + mean degree."""
        relation = self.each[index]
        mean = self.rows.total(float(relation.degrees.sum())) / self.rows.n_nodes
        scale = 1.0 / np.sqrt(relation.degrees + mean)
        return self._minus(relation, scale, np.ones(len(self.rows)), 1.0)

    def laplacians(self, kind: LaplacianKind, epsilon: float, weights: Array) -> list[RowOperator]:
        """Return the shifted Laplacians of all relations; ``weights`` are those that joint degrees are taken with."""
        if kind == "joint":
            units = [one.mean_degree for one in self.each]
            degrees = np.array([one.degrees / unit for one, unit in zip(self.each, units, strict=True)])
            lonely = ~(degrees > 0).any(axis=0)
            counted = (degrees > 0) | lonely
            mean = weights @ degrees / np.maximum(weights @ counted, np.finfo(np.float64).tiny)
            scale = np.where(mean > 0, mean, np.inf) ** -0.5
            return [
                self._minus(one, scale, scale**2 * own + (own == 0) + epsilon, unit)
                for one, own, unit in zip(self.each, degrees, units, strict=True)
            ]
        found = []
        for one in self.each:
            if kind == "normalized":
                scale = np.where(one.degrees > 0, one.degrees, np.inf) ** -0.5
                found.append(self._minus(one, scale, np.full(len(self.rows), 1.0 + epsilon), 1.0))
            else:
                shift = epsilon * self.rows.total(float(one.degrees.sum())) / self.rows.n_nodes
                found.append(self._minus(one, np.ones(len(self.rows)), one.degrees + shift, 1.0))
        return found

    def _minus(self, relation: Relation, scale: Array, diagonal: Array, unit: float) -> RowOperator:
        """Return diag(diagonal) − S W S / unit."""
        if relation.layer is not None:
            wide = diags_array(self.halo.extended(scale))
            sparse = csr_array(-1.0 / unit * (diags_array(scale) @ relation.layer @ wide))
            return RowOperator(self.rows, self.halo, diagonal, sparse, None, -1.0)
        groups = diags_array(1.0 / np.sqrt(np.where(relation.by_group > 0, unit * relation.by_group, 1.0)))
        incidence: Any = diags_array(scale) @ relation.incidence @ groups
        return RowOperator(self.rows, self.halo, diagonal, None, csr_array(incidence), -1.0)


def _check_memory(network: NetworkRows, rows: Rows) -> None:
    """Refuse rows that a process has not the memory to work on."""
    layers, relations = network.layers.values(), network.two_mode.values()
    ends = sum(one.nnz for one in (*layers, *relations))
    check_memory(
        BYTES_PER_END * ends,
        f"a fit of {len(rows):,} of {rows.n_nodes:,} nodes, with {ends:,} ends of edges, in one process",
        "use more processes, on more machines",
    )


def _check_symmetric(local: csr_array, halo: Halo, name: str) -> None:
    """Compare the two directions of all edges together, under random weights of the nodes."""
    draws = halo.rows.uniform(np.random.default_rng(0), 2)
    image = local @ halo.extended(draws)
    one, other, most = halo.rows.sum(draws[:, 0] @ image[:, 1], draws[:, 1] @ image[:, 0], local.sum())
    if abs(one[0] - other[0]) > SAME * most[0]:
        raise ValueError(
            f"layer {name!r}: an edge is not the same in the rows of both its ends; the shards are not of one network, or hold "
            "directed edges; convert the network again"
        )
