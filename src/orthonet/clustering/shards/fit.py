"""One fit of shards, from files to result: read → spectra → weigh → aggregate → learn → judge → place.

Each process reads its own shards, and holds the rows of its own nodes throughout; what crosses the network, stage by stage:

    read         which nodes of others own edges lead to (the halo), once
    spectra      the halo's rows of a block of vectors, for each product with a layer
    weigh        the halo's labels, and K x K (K x words) counts, for each round of mending
    aggregate    p x p matrices
    learn        K x K and p x K matrices, and the gradient of the nets, for each step
    judge        as weigh
    place        a sample of nodes

All of them end with the same clusters, whatever their number. The first has the whole model, each other the rows of its own
nodes. What a fit of shards cannot do is in `check_possible`. Dense features speak by their values alone, not by their nearest
neighbours; single words, groups and features are not listed as terms of explanations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from orthonet.clustering.fit import Learned, learn_rows, new_network
from orthonet.clustering.judging import Judgement
from orthonet.clustering.node_evidence import detail_arrays
from orthonet.clustering.parameters import Parameters
from orthonet.clustering.placement import Head, warn_of_poor_features
from orthonet.clustering.preparation import given_weights
from orthonet.clustering.result import FitResult
from orthonet.clustering.run import Run
from orthonet.clustering.shards.judging import assign_rows, judge_rows, place_rows
from orthonet.clustering.shards.preparation import (
    RowInputs,
    check_possible,
    inputs_of_features,
    inputs_of_mean,
    own_share,
    proposal_features,
    read_own,
)
from orthonet.clustering.shards.stages import Stages
from orthonet.embedding.devices import choose_device, sum_dtype
from orthonet.embedding.laplacians import LowRankRows
from orthonet.embedding.processes import LostProcessError, Processes
from orthonet.embedding.tensors import as_tensor
from orthonet.evidence.feature_source import FeatureSource
from orthonet.evidence.gaussian import GaussianSource
from orthonet.evidence.graph_sources import FEATURES, WORDS
from orthonet.evidence.sources import Source
from orthonet.evidence.terms import no_terms
from orthonet.files.shards import Shards
from orthonet.graph.network_rows import NetworkRows
from orthonet.graph.words import as_counts
from orthonet.partitioned.batches import RowBatches
from orthonet.partitioned.filtered import word_rows
from orthonet.partitioned.gaussian import RowGaussianSource
from orthonet.partitioned.mean import RowMean, mean_rows
from orthonet.partitioned.relations import Relations
from orthonet.partitioned.rows import Rows
from orthonet.partitioned.search import RowSearch, search_rows
from orthonet.partitioned.sources import RowLayerSource, RowMembershipSource, RowWordSource
from orthonet.partitioned.spectra import Spectra
from orthonet.support.checks import check_weights

Array = npt.NDArray[np.float64]

LOST = "another process of this fit has ended, or cannot be reached; start all of them again"


@dataclass(frozen=True)
class _Data:
    """What was read, and what is made of it before anything is searched for."""

    rows: Rows
    network: NetworkRows
    relations: Relations
    inputs: RowInputs | None
    """None if there are no features."""
    layers: list[RowLayerSource]
    sources: list[Source]
    from_features: bool


def fit_shards(shards: Shards, parameters: Parameters, processes: Processes) -> FitResult:
    """Fit, and return what was found: of all nodes in the first process, of own nodes in the others.

    Parameters
    ----------
    shards : Shards
    parameters : Parameters
        Already checked, see `check_parameters`.
    processes : Processes
        As many as there are shards, or a divisor of their number.
    """
    check_possible(parameters)
    try:
        return _fit(shards, parameters, processes)
    except LostProcessError as error:  # which has advice that is for other fits
        raise LostProcessError(LOST) from error


def _fit(shards: Shards, parameters: Parameters, processes: Processes) -> FitResult:
    """Take the steps one after another."""
    processes, own = own_share(shards, processes)
    run, stages = Run.start(shards.n_nodes, parameters, processes), Stages(processes)
    rng = np.random.default_rng([run.seed, 1])
    with stages.stage("reading"):
        data = _prepare(shards, read_own(shards, own, processes), run, rng)
    k, how = run.parameters.n_clusters, run.parameters.assign_labels
    with stages.stage("eigenvectors"):
        spectra = Spectra.of(data.relations, k, rng)
    with stages.stage("search"):
        search = _weigh(data, spectra, run, rng)
    if search is not None and how.method == "evidence" and search.cannot_judge:
        run = run.in_full(shards.n_nodes, parameters)
    with stages.stage("aggregation"):
        mean, report = _aggregate(data, spectra, search, run)
    inputs = data.inputs or inputs_of_mean(data.rows, mean, k)
    with stages.stage("training"):
        learned = _learn(data.rows, inputs, mean, run)
    with stages.stage("evidence"):
        if search is not None and how.method == "evidence":
            judged = judge_rows(search, data.layers, learned.embedding, how.normalize_rows, rng)
        else:
            judged = assign_rows(data.rows, data.sources, data.layers, learned.embedding, how, rng)
    with stages.stage("placement"):
        head = _place(data, learned, judged, run, rng)
    report |= {"stages": stages.done, "shards": shards.n_shards, "processes": processes.size}
    return _result(shards, data, parameters, learned, judged, head, report)


def _prepare(shards: Shards, network: NetworkRows, run: Run, rng: np.random.Generator) -> _Data:
    """Exchange halos, scale the features, and make sources of what speaks for itself."""
    rows = Rows(run.processes, shards.n_nodes)
    relations = Relations.of(network, rows)
    features, from_features = network.features, shards.manifest.layers_from_features
    inputs = None if features is None else inputs_of_features(rows, features, run.parameters)
    given = [one for one in relations.each if one.layer is not None]
    layers = [RowLayerSource.of(relations.halo, one.layer, one.name, rng) for one in given]
    sources: list[Source] = [*layers]
    sources += [RowMembershipSource.of(rows, one, name, rng) for name, one in network.two_mode.items()]
    own_layer = from_features and len(relations.each) == 1
    of_features = None if inputs is None else _source_of_features(rows, inputs, run.parameters.n_clusters, rng)
    if of_features is not None:
        of_features.name = relations.names[0] if own_layer else _unused(of_features.name, relations.names)
        of_features.joint = from_features and not own_layer
        if not own_layer:
            sources.append(of_features)
        elif isinstance(of_features, GaussianSource):
            sources = [FeatureSource(layers[0], [of_features])]
        else:
            sources = [of_features]
    return _Data(rows, network, relations, inputs, layers, sources, from_features)


def _source_of_features(rows: Rows, inputs: RowInputs, n_clusters: int, rng: np.random.Generator) -> Any:
    """Return what features say for themselves: words, or values; None where they are neither counts nor continuous."""
    if inputs.words:
        return RowWordSource.of(rows, as_counts(inputs.inputs), WORDS, rng)
    if inputs.scaler is None or not isinstance(inputs.inputs, np.ndarray):
        return None
    return RowGaussianSource.of(rows, inputs.inputs, inputs.scaler, n_clusters, rng, FEATURES)


def _weigh(data: _Data, spectra: Spectra, run: Run, rng: np.random.Generator) -> RowSearch | None:
    """Search for what all sources support, as far as that goes without the nets; None if nothing asks for it."""
    parameters = run.parameters
    auto = isinstance(parameters.layer_weights, str)
    if parameters.assign_labels.method != "evidence" and not auto:
        return None
    features, inputs = None, data.inputs
    if inputs is not None and inputs.words:
        features = word_rows(data.rows, inputs.inputs, rng)
    elif inputs is not None:
        features = proposal_features(data.rows, inputs)
    return search_rows(
        data.relations,
        spectra,
        data.sources,
        parameters.n_clusters,
        rng,
        features=features,
        words=inputs is not None and inputs.words,
        are_relations=bool(data.network.two_mode) or not data.from_features,
        layer_weights=given_weights(parameters),
        weigh=auto,
    )


def _aggregate(data: _Data, spectra: Spectra, search: RowSearch | None, run: Run) -> tuple[RowMean, dict[str, Any]]:
    """Return the mean of the relations, each weighed as far as others corroborate it, and what is reported of it."""
    parameters, relations = run.parameters, data.relations
    weights = check_weights(given_weights(parameters), len(relations.each))
    if search is not None and isinstance(parameters.layer_weights, str):
        factors = dict(zip(search.source_names, search.weights, strict=True))
        weights = weights * [factors.get(name, 1.0) for name in relations.names]
        weights = weights / weights.sum()
    laplacians = relations.laplacians(parameters.laplacian, parameters.epsilon, weights)
    mean, about = mean_rows(relations, spectra, weights, laplacians, parameters.aggregation)
    report = {
        "method": parameters.aggregation["method"],
        "laplacian": parameters.laplacian,
        "epsilon": parameters.epsilon,
        "layer_weights": dict(zip(relations.names, weights.tolist(), strict=True)),
    }
    return mean, report | about


def _learn(rows: Rows, inputs: RowInputs, mean: RowMean, run: Run) -> Learned:
    """Train the nets on own rows, as those of one process are trained."""
    device = choose_device(run.parameters.training.device)
    core = as_tensor(mean.core - mean.outside * np.eye(len(mean.core)), torch.float64)
    laplacian = LowRankRows(mean.outside, as_tensor(mean.basis, sum_dtype(device)).to(device), core, rows.n_nodes)
    batches = None if run.batch_size is None else RowBatches(rows, run.batch_size, run.seed)
    return learn_rows(new_network(inputs, run), inputs, laplacian, slice(0, len(rows)), run, batches=batches)


def _place(data: _Data, learned: Learned, judged: Judgement, run: Run, rng: np.random.Generator) -> Head | None:
    if data.inputs is None or run.parameters.assign_labels.method != "evidence":
        return None
    labels, k = judged.assignment.labels, run.parameters.n_clusters
    head = place_rows(data.rows, data.inputs, learned.embedding, labels, k, rng)
    (sizes,) = data.rows.sum(np.bincount(labels, minlength=k))
    if run.processes.first:
        warn_of_poor_features(head.accuracy, np.repeat(np.arange(k), np.minimum(sizes, 1e6).astype(np.int64)))
    return head


def _result(
    shards: Shards,
    data: _Data,
    parameters: Parameters,
    learned: Learned,
    judged: Judgement,
    head: Head | None,
    report: dict[str, Any],
) -> FitResult:
    """Gather what is known of nodes in the first process."""
    rows, about = data.rows, shards.manifest
    assignment, k = judged.assignment, len(judged.assignment.centers)
    processes = rows.processes

    def whole(own: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return processes.to_first(torch.from_numpy(np.ascontiguousarray(own)), rows.n_nodes).numpy()

    nodes = replace(judged.nodes, **{name: whole(value) for name, value in vars(judged.nodes).items()})
    labels = whole(assignment.labels)
    return FitResult(
        parameters=parameters,
        arrays={
            "labels": labels,
            "embedding": whole(learned.embedding),
            "cluster_centers": assignment.centers,
            "spread": np.array(assignment.spread),
            "probabilities": whole(judged.probabilities),
            "layer_weights": np.array(list(report["layer_weights"].values())),
            "evidence": nodes.evidence,
            "corroboration": judged.corroboration,
            "edge_evidence": judged.edge_evidence,
            **judged.memberships,
            "temperature": np.array(judged.temperature),
            "stability": np.array(judged.stability),
        },
        details=detail_arrays(nodes, no_terms(len(labels), k)),
        numbers=None,
        words=data.inputs is not None and data.inputs.words,
        embedder=learned.embedder,
        layer_names=data.relations.names,
        source_names=judged.source_names,
        node_ids=_ids(data.network.node_ids, rows),
        groups=dict(shards.group_names),
        head=head,
        feature_names=about.feature_names,
        n_features=about.n_features,
        aggregation=report,
        history=learned.history,
        complete=not learned.training.interrupted,
    )


def _ids(own: npt.NDArray[Any], rows: Rows) -> npt.NDArray[Any]:
    """Return the ids of all nodes in the first process."""
    if own.dtype.kind == "U":  # of equal width everywhere, and as bytes
        own = own.astype(f"U{max(int(rows.largest(own.dtype.itemsize // 4)[0]), 1)}")
    as_bytes = np.ascontiguousarray(own).view(np.uint8).reshape(len(own), own.dtype.itemsize)
    found = rows.processes.to_first(torch.from_numpy(as_bytes.copy()), rows.n_nodes).numpy()
    return np.ascontiguousarray(found).view(own.dtype).ravel()


def _unused(name: str, taken: tuple[str, ...]) -> str:
    while name in taken:
        name += " (all)"
    return name
