"""The compressed mean of the relations in a basis V of which each process holds its own rows.

    L ≈ V M(VᵀL_1V, …, VᵀL_SV) Vᵀ + c (I − VVᵀ)

as in `orthonet.aggregation.mean_in_basis`. V spans the lowest eigenvectors that were found of each relation and of their
mean, each smoothed by its own Laplacian. What is summed over processes are VᵀV and VᵀL_sV, p x p; the first process takes their
mean M for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.aggregation.log_euclidean import log_euclidean_mean
from orthonet.aggregation.mean_in_basis import LEAST_AVERAGE
from orthonet.aggregation.power import diagonal_shift, power_mean
from orthonet.linalg.factorizations import symmetric_part
from orthonet.linalg.karcher import karcher_mean
from orthonet.partitioned.eigenvectors import orthonormal_rows, upper_bound
from orthonet.partitioned.operators import RowOperator, weighted_sum
from orthonet.partitioned.relations import Relations
from orthonet.partitioned.spectra import Spectra

Array = npt.NDArray[np.float64]

KNOWN_BASIS = 300
"""Vectors of the basis at most."""
SMOOTHINGS, CUT = 4, 0.1
"""Degree of the polynomial that smooths them, and the share of the spectrum that it leaves."""


@dataclass(frozen=True, eq=False)
class RowMean:
    """V core Vᵀ + outside (I − VVᵀ), with own rows of V."""

    basis: Array
    core: Array
    outside: float


def mean_rows(
    relations: Relations,
    spectra: Spectra,
    weights: Array,
    laplacians: Sequence[RowOperator],
    options: Mapping[str, Any],
) -> tuple[RowMean, dict[str, Any]]:
    """Return the mean of the relations that count, and how it was found.

    Parameters
    ----------
    relations : Relations
    spectra : Spectra
    weights : array of shape (relations,)
        Summing to 1.
    laplacians : sequence of RowOperator
        Of all relations, positive definite.
    options : mapping
        ``method``, one of `SMALL_MEANS`, and its own options.
    """
    rows = relations.rows
    counted = np.flatnonzero(weights).tolist()
    chosen, shares = [laplacians[index] for index in counted], weights[counted]
    rng = np.random.default_rng(0)
    starts = [spectra.each[index].vectors for index in counted]
    pairs = list(zip(chosen, starts, strict=True))
    if len(chosen) > 1:
        pairs.append((weighted_sum(chosen, shares), spectra.mean.vectors))
    blocks = [smoothed(one, block, rng) for one, block in pairs]
    basis = orthonormal_rows(rows, np.hstack(blocks), KNOWN_BASIS)
    small = [symmetric_part(one) for one in rows.sum(*(basis.T @ (one @ basis) for one in chosen))]
    left = max(rows.n_nodes - basis.shape[1], 1)
    averages = [
        max((one.trace() - float(np.trace(seen))) / left, LEAST_AVERAGE * one.trace() / rows.n_nodes)
        for one, seen in zip(chosen, small, strict=True)
    ]
    outside = float(np.exp(shares @ np.log(averages)))
    method = str(options["method"])
    own = {name: value for name, value in options.items() if name not in ("method", "solver")}
    core, about = rows.by_first(lambda: SMALL_MEANS[method](small, shares, own))
    report = {"solver": "row-partitioned", "basis": int(basis.shape[1]), "eigensolvers": _solvers(relations, spectra)}
    return RowMean(basis, symmetric_part(core), outside), report | about


def smoothed(operator: RowOperator, block: Array, rng: np.random.Generator) -> Array:
    """Damp what is rough in own rows of a block, by a Chebyshev polynomial of the operator."""
    high = upper_bound(operator, rng)
    centre, half = (1 + CUT) * high / 2, (1 - CUT) * high / 2
    before, now = block, (operator @ block - centre * block) / half
    for _ in range(SMOOTHINGS - 1):
        before, now = now, 2 * (operator @ now - centre * now) / half - before
    (squared,) = operator.rows.sum((now**2).sum(axis=0))
    found: Array = now / np.sqrt(squared)
    return found


def _solvers(relations: Relations, spectra: Spectra) -> dict[str, str]:
    return {
        name: "chebyshev" if one.converged else "chebyshev, not converged"
        for name, one in zip(relations.names, spectra.each, strict=True)
    }


def _geometric(small: Sequence[Array], weights: Array, options: Mapping[str, Any]) -> tuple[Array, dict[str, Any]]:
    kept = {name: options[name] for name in ("step", "max_iter") if name in options}
    found = karcher_mean(small, weights, tol=1e-3 * float(options.get("tol", 1e-2)), **kept)
    return np.asarray(found.matrix, dtype=np.float64), {
        "n_iter": found.n_iter,
        "residual": float(found.residual),
        "converged": found.converged,
    }


def _arithmetic(small: Sequence[Array], weights: Array, options: Mapping[str, Any]) -> tuple[Array, dict[str, Any]]:
    return np.einsum("s,sij->ij", weights, np.array(small)), {}


def _log_euclidean(small: Sequence[Array], weights: Array, options: Mapping[str, Any]) -> tuple[Array, dict[str, Any]]:
    return log_euclidean_mean(small, weights), {}


def _power(small: Sequence[Array], weights: Array, options: Mapping[str, Any]) -> tuple[Array, dict[str, Any]]:
    p = float(options.get("p", -10.0))
    shift = diagonal_shift(p)
    if p == 0:
        return log_euclidean_mean(small, weights), {"p": p}
    mean, _ = power_mean(small, weights, p, shift)
    return mean - shift * np.eye(len(mean)), {"p": p, "diagonal_shift": shift}


SMALL_MEANS: dict[str, Callable[..., tuple[Array, dict[str, Any]]]] = {
    "geometric": _geometric,
    "arithmetic": _arithmetic,
    "log-euclidean": _log_euclidean,
    "power": _power,
}
"""The means that are taken in the basis, by the names of `orthonet.aggregation`."""
