"""How far observations of a node repeat each other, from rows of which each process holds its own.

The estimates are those of `orthonet.evidence.observations`: pairs of neighbours (or words) of random nodes, and how often they
come together elsewhere. All processes draw the same nodes; whoever has a node names two of its neighbours, and whoever has the
first of these says whether it knows the second.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array, csr_array

from orthonet.evidence.observations import PAIRS
from orthonet.partitioned.halo import Halo
from orthonet.partitioned.rows import Rows

Positions = npt.NDArray[np.int64]


def layer_closure(halo: Halo, adjacency: csr_array, rng: np.random.Generator) -> float:
    """Estimate the chance that two neighbours of a node are joined."""
    rows = halo.rows
    everywhere = np.concatenate([np.arange(rows.start, rows.stop), halo.nodes])
    drawn = _two_entries_of_rows(rows, adjacency, rng, everywhere)
    if drawn is None:
        return 0.0
    _, one, other = drawn
    mine = (one >= rows.start) & (one < rows.stop)
    places = np.searchsorted(halo.nodes, other[mine])
    places = len(rows) + np.minimum(places, max(len(halo) - 1, 0))
    inside = (other[mine] >= rows.start) & (other[mine] < rows.stop)
    places = np.where(inside, other[mine] - rows.start, places)
    known = places < adjacency.shape[1]
    known[known] = everywhere[places[known]] == other[mine][known]
    joined = _pattern(adjacency)[one[mine][known] - rows.start, places[known]]
    return rows.total(float(np.sum(joined))) / len(one)


def word_closure(rows: Rows, words: csr_array, rng: np.random.Generator) -> float:
    """Estimate the chance that a node which shares one word with another shares a second one of its words too."""
    drawn = _two_entries_of_rows(rows, words, rng, np.arange(words.shape[1]))
    if drawn is None:
        return 0.0
    node, one, other = drawn
    by_word = csc_array(words)
    lengths = np.diff(by_word.indptr)[one]
    by_process = np.zeros((rows.processes.size, len(one)))
    by_process[rows.processes.rank] = lengths
    (by_process,) = rows.sum(by_process)
    before = by_process[: rows.processes.rank].sum(axis=0)
    chosen = (rng.random(len(one)) * by_process.sum(axis=0)).astype(np.int64) - before.astype(np.int64)
    mine = (chosen >= 0) & (chosen < lengths)
    second = by_word.indices[by_word.indptr[one[mine]] + chosen[mine]]
    differ = second + rows.start != node[mine]
    known = _pattern(words)[second[differ], other[mine][differ]]
    found, counted = rows.sum(np.sum(known), np.count_nonzero(differ))
    return float(found[0] / counted[0]) if counted[0] else 0.0


def _two_entries_of_rows(
    rows: Rows, matrix: csr_array, rng: np.random.Generator, columns: npt.NDArray[Any]
) -> tuple[Positions, Positions, Positions] | None:
    """Draw rows with at least two entries, and the columns of two different entries of each, the same in all processes."""
    nodes = rng.integers(rows.n_nodes, size=PAIRS)
    draws = rng.random((2, PAIRS))
    lengths = np.diff(matrix.indptr)
    found = np.zeros((3, PAIRS))
    mine = np.flatnonzero((nodes >= rows.start) & (nodes < rows.stop))
    mine = mine[lengths[nodes[mine] - rows.start] >= 2]
    own = nodes[mine] - rows.start
    first = (draws[0, mine] * lengths[own]).astype(np.int64)
    second = (draws[1, mine] * (lengths[own] - 1)).astype(np.int64)
    second += second >= first
    some_rows = csr_array(matrix[own])
    # Entries of a row stand in the order of local columns; in that of all nodes it does not matter who has the row.
    row = np.repeat(np.arange(len(own)), np.diff(some_rows.indptr))
    ends = columns[some_rows.indices]
    ends = ends[np.lexsort([ends, row])]
    starts = some_rows.indptr[:-1]
    found[:, mine] = np.ones(len(mine)), ends[starts + first], ends[starts + second]
    (found,) = rows.sum(found)
    some = found[0] > 0
    if not some.any():
        return None
    return nodes[some], found[1, some].astype(np.int64), found[2, some].astype(np.int64)


def _pattern(matrix: csr_array) -> csr_array:
    return csr_array((np.ones(matrix.nnz, dtype=bool), matrix.indices, matrix.indptr), shape=matrix.shape)
