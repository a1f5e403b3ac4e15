"""Prepare a fit of shards: who reads which, what a fit of shards can do, and what the nets see of each node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from orthonet.clustering.net_options import Network
from orthonet.clustering.parameters import Parameters
from orthonet.clustering.preparation import AUTO_INPUTS, COORDINATES_PER_CLUSTER
from orthonet.embedding.processes import Processes
from orthonet.evidence.proposals.inputs import DIMENSIONS
from orthonet.files.shards import Shards
from orthonet.graph.features import Features, FeatureScaler
from orthonet.graph.network_rows import NetworkRows
from orthonet.linalg.eigen import lowest_of_dense
from orthonet.partitioned.features import are_words_of_all, leading_directions, row_scaler
from orthonet.partitioned.mean import SMALL_MEANS, RowMean
from orthonet.partitioned.rows import Rows

Array = npt.NDArray[np.float64]


def check_possible(parameters: Parameters) -> None:
    """Refuse what a fit of shards cannot do, with what to do instead."""
    method, network = parameters.aggregation["method"], parameters.network
    said = {
        "n_clusters cannot be chosen from shards; pass a number, such as one chosen for a part of the network": (
            parameters.cluster_range is not None
        ),
        f"aggregation={method!r} needs all layers in one process, but shards are aggregated by rows; pass aggregation="
        + " or ".join(map(repr, SMALL_MEANS)): method not in SMALL_MEANS,
        "network='gcn' averages over neighbours, which are in other shards; pass network='mlp'": (
            isinstance(network, Network) and network.kind == "gcn"
        ),
        f"smoothing={parameters.smoothing} averages over neighbours, which are in other shards; pass smoothing=0": (
            parameters.smoothing > 0
        ),
        f"feature_layer={parameters.feature_layer!r}: no layer is built from the features of shards; pass "
        "feature_layer='auto', or build it before the network is converted: MultilayerGraph.from_views": (
            not isinstance(parameters.feature_layer, str) and parameters.feature_layer > 0
        ),
        "training.checkpoint_dir keeps no state of a fit of shards; leave it out": (
            parameters.training.checkpoint_dir is not None
        ),
    }
    for sentence, wrong in said.items():
        if wrong:
            raise ValueError(sentence)


def own_share(shards: Shards, processes: Processes) -> tuple[Processes, tuple[int, int]]:
    """Return the processes with the nodes of their shards, and which shards are this one's own.

    Raises
    ------
    ValueError
        Where the shards cannot be dealt out evenly, or not all processes see the same manifest.
    """
    n_shards, size = shards.n_shards, processes.size
    if n_shards % size:
        fitting = [str(one) for one in range(1, min(n_shards, 64) + 1) if n_shards % one == 0]
        raise ValueError(
            f"{shards.path} has {n_shards} shards, which {size} processes cannot share evenly; start {' or '.join(fitting)} "
            f"of them, or convert again with --shards {size}"
        )
    each = n_shards // size
    bounds = (*(shards.manifest.bounds[rank * each] for rank in range(size)), shards.n_nodes)
    dealt = replace(processes, bounds=bounds)
    _raise_if_any(dealt, shards.manifest.digest != dealt.from_first(shards.manifest.digest), _OTHER_DATA, shards)
    return dealt, (processes.rank * each, (processes.rank + 1) * each)


def read_own(shards: Shards, own: tuple[int, int], processes: Processes) -> NetworkRows:
    """Read own shards; where a process cannot, all of them end with a sentence."""
    network, failed = None, None
    try:
        network = shards.read(*own)
    except (OSError, ValueError) as error:
        failed = error
    which = Rows(processes, shards.n_nodes).sum(np.eye(processes.size)[processes.rank] * (failed is not None))[0]
    if failed is not None:
        raise failed
    if which.any() or network is None:
        others = ", ".join(str(rank) for rank in np.flatnonzero(which))
        raise ValueError(f"process {others} could not read its shards of {shards.path}, and says why")
    return network


_OTHER_DATA = (
    "{path} is not the same folder of shards for all processes: process {others} sees another manifest than the first"
)


def _raise_if_any(processes: Processes, wrong: bool, sentence: str, shards: Shards) -> None:
    """Raise in all processes if something is wrong in one of them."""
    which = Rows(processes, shards.n_nodes).sum(np.eye(processes.size)[processes.rank] * wrong)[0]
    if which.any():
        others = ", ".join(str(rank) for rank in np.flatnonzero(which))
        raise ValueError(sentence.format(path=shards.path, others=others))


@dataclass(frozen=True)
class RowInputs:
    """What the nets see of own nodes, see `orthonet.clustering.net_inputs.NetInputs`."""

    inputs: Features
    scale: Callable[[Any], Any]
    scaler: FeatureScaler | None
    basis: Array | None
    words: bool
    averaging: csr_array | None = None

    @property
    def n_inputs(self) -> int:
        """Inputs of the nets while they are trained."""
        return int(self.inputs.shape[1] if self.basis is None else self.basis.shape[1])

    def reduced(self, rows: Any) -> Any:
        """Return some rows of ``inputs`` as the nets are trained on them."""
        scaled = self.scale(rows)
        return scaled if self.basis is None else np.asarray(scaled @ self.basis)


def inputs_of_features(rows: Rows, features: Features, parameters: Parameters) -> RowInputs:
    """Return the features, scaled alike in all processes, and reduced to their leading directions if they are many."""
    words = are_words_of_all(rows, features)
    scaler = row_scaler(rows, features, parameters.feature_scaling, words)
    net, basis = parameters.network, None
    if isinstance(net, Network) and net.kind == "mlp":
        size = net.n_inputs
        if size == "auto":
            size = AUTO_INPUTS if parameters.assign_labels.method == "evidence" else None
        if size is not None and min(features.shape[1], rows.n_nodes) > size:
            basis = leading_directions(rows, scaler.transform(features), size, np.random.default_rng(0))
    return RowInputs(features, scaler.transform, scaler, basis, words)


def inputs_of_mean(rows: Rows, mean: RowMean, n_clusters: int) -> RowInputs:
    """Return the lowest eigenvectors of the mean, three for each cluster, for nets of a network without features."""
    known = min(COORDINATES_PER_CLUSTER * n_clusters, len(mean.core))
    vectors = mean.basis @ rows.by_first(lambda: lowest_of_dense(mean.core, known)[1])
    # An eigenvector's sign is arbitrary; the longer tail of its entries points up, however many processes there are.
    (tails,) = rows.sum((vectors**3).sum(axis=0))
    inputs = np.sqrt(rows.n_nodes) * vectors * np.where(tails < 0, -1.0, 1.0)
    return RowInputs(inputs, _as_it_is, None, None, False)


def proposal_features(rows: Rows, inputs: RowInputs) -> Array:
    """Return scaled features of own nodes as at most 128 numbers."""
    scaled: Any = inputs.scale(inputs.inputs)
    if scaled.shape[1] > DIMENSIONS:
        scaled = scaled @ leading_directions(rows, scaled, DIMENSIONS, np.random.default_rng(0))
    return scaled.toarray() if issparse(scaled) else np.asarray(scaled, dtype=np.float64)


def _as_it_is(rows: Any) -> Any:
    return rows
