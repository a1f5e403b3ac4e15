"""One fit, from data to result: order → prepare → choose → weigh → aggregate → learn → judge → place.

    order       the nodes by what is known of them, and units for weights, so that nothing hangs on how either were given
    prepare     which layers are aggregated, and what the nets see of each node
    choose      how many clusters, if that was left to the data
    weigh       a first search for the partition that all sources support, and how far they corroborate each other
    aggregate   one Laplacian L of all layers
    learn       nets that map the features to the lowest eigenvectors of L, and the embedding that they give
    judge       the clusters that all sources support, the embedding's among the proposals; or those of the embedding alone
    place       what features alone tell of these clusters, for new nodes

`fit` takes the first step, `fit_ordered` the others; each of these is one of the functions below it, or in a file of its own.
Under ``torchrun`` every process prepares the same data; the first does the rest for all, but for training, which all do.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from orthonet.aggregation import aggregate
from orthonet.clustering.assignment import Assignment, assign, soft_assignment
from orthonet.clustering.choosing import choose, weights_by_name
from orthonet.clustering.inputs import FitInput
from orthonet.clustering.judging import (
    Judgement,
    check_memory_of_evidence,
    explain_assignment,
    judge,
    known_vectors,
    with_given_relations,
    with_sorted_relations,
)
from orthonet.clustering.net_inputs import NetInputs
from orthonet.clustering.net_options import Network
from orthonet.clustering.node_evidence import detail_arrays, terms_of
from orthonet.clustering.node_order import in_node_order, in_own_units
from orthonet.clustering.parameters import Parameters
from orthonet.clustering.placement import Head, train_head, warn_of_poor_features
from orthonet.clustering.preparation import Prepared, given_weights, prepare, with_clusters, with_coordinates
from orthonet.clustering.projected_layers import warn_of_projections
from orthonet.clustering.result import FitResult
from orthonet.clustering.run import Run
from orthonet.embedding.checkpoints import Checkpoints
from orthonet.embedding.devices import choose_device, choose_dtype, sum_dtype
from orthonet.embedding.embedder import Embedder
from orthonet.embedding.laplacians import LaplacianRows, as_low_rank, laplacian_rows
from orthonet.embedding.networks import Ensemble, build_ensemble, check_module
from orthonet.embedding.nodes import BatchPlan, Nodes
from orthonet.embedding.orthogonal import embedding_map
from orthonet.embedding.processes import Processes
from orthonet.embedding.tensors import as_tensor
from orthonet.embedding.training import train
from orthonet.embedding.training_result import TrainingResult
from orthonet.evidence.graph_sources import WORDS, sources_of
from orthonet.evidence.search import SEARCH_STEPS, Search, search_partitions
from orthonet.evidence.terms import Terms
from orthonet.files.shards import Shards
from orthonet.graph.features import are_words
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.checks import random_generator
from orthonet.support.progress import progress
from orthonet.support.sentences import Argument, Sentence
from orthonet.support.warn import warn_user

Array = npt.NDArray[np.float64]

NOT_IN_FINGERPRINT = {"checkpoint_dir", "distributed", "device", "n_jobs"}
"""Options of training that may change between a run that was interrupted and the one that goes on with it."""


def fit(source: FitInput, parameters: Parameters, processes: Processes) -> FitResult:
    """Fit, and return what was found.

    Parameters
    ----------
    source : FitInput
        A graph, or features alone.
    parameters : Parameters
        Already checked, see `check_parameters`.
    processes : Processes
        Those that train together.
    """
    if isinstance(source.data, Shards):
        raise TypeError("shards are fitted by `fit_shards`")
    data, order = in_node_order(source.data)
    units = None
    if isinstance(data, MultilayerGraph) and parameters.laplacian != "combinatorial":  # which takes weights as they are
        data, units = in_own_units(data)
    found = fit_ordered(replace(source, data=data), parameters, processes)
    return found.as_given(np.argsort(order), source.node_ids, units)


def fit_ordered(source: FitInput, parameters: Parameters, processes: Processes) -> FitResult:
    """Fit nodes in the order in which they are."""
    run = Run.start(source.n_nodes, parameters, processes)
    prepared = prepare(source, parameters)
    if processes.first:
        warn_of_projections(prepared.graph)
    chosen, numbers = choose(prepared, parameters, run.seed, processes)
    run, prepared = replace(run, parameters=chosen.decided()), with_clusters(prepared, chosen)
    network = new_network(prepared, run)  # before the long work: a net of the wrong form fails here
    checkpoints = open_checkpoints(prepared, run)
    search = weigh(prepared, run)
    if processes.from_first(search is not None and rests_on_the_net(search, run)):
        run = run.in_full(source.n_nodes, chosen)
        network = new_network(prepared, run)
    laplacian, report = aggregate_layers(prepared, search, run, checkpoints)
    prepared = with_coordinates(prepared, laplacian, processes)
    learned = learn(network, prepared, laplacian, run, checkpoints)
    judged, terms = judge_clusters(learned.embedding, prepared, search, run)
    head = place(prepared, learned.embedding, judged, run)
    layer_names = prepared.layers.layer_names
    return FitResult(
        parameters=chosen,
        arrays={
            "labels": judged.assignment.labels,
            "embedding": learned.embedding,
            "cluster_centers": judged.assignment.centers,
            "spread": np.array(judged.assignment.spread),
            "probabilities": judged.probabilities,
            "layer_weights": np.array([report["layer_weights"][name] for name in layer_names]),
            "evidence": judged.nodes.evidence,
            "corroboration": judged.corroboration,
            "edge_evidence": judged.edge_evidence,
            **judged.memberships,
            "temperature": np.array(judged.temperature),
            "stability": np.array(judged.stability),
        },
        details=detail_arrays(judged.nodes, terms),
        numbers=numbers,
        words=prepared.graph.features is not None and are_words(prepared.graph.features),
        embedder=learned.embedder,
        layer_names=layer_names,
        source_names=judged.source_names,
        node_ids=prepared.graph.node_ids,
        groups={name: relation.group_names for name, relation in prepared.graph.two_mode.items()},
        head=head,
        feature_names=source.feature_names,
        n_features=0 if prepared.scaler is None else int(prepared.inputs.shape[1]),
        aggregation=report,
        history=learned.history,
        complete=not learned.training.interrupted,
    )


# Weigh


def rests_on_the_net(search: Search, run: Run) -> bool:
    """Whether labels are asked for by evidence which cannot tell clusters from cuts, so that the net alone decides."""
    return run.parameters.assign_labels.method == "evidence" and search.cannot_judge


def weigh(prepared: Prepared, run: Run) -> Search | None:
    """Search for what all sources support, as far as that goes without the nets; None if nothing asks for it."""
    parameters = run.parameters
    auto = isinstance(parameters.layer_weights, str)
    if not run.processes.first or (parameters.assign_labels.method != "evidence" and not auto):
        return None
    check_memory_of_evidence(prepared.graph, parameters.n_clusters)
    graph = with_sorted_relations(prepared.graph)
    # A generator of its own, so that training draws the same numbers with and without it.
    rng = np.random.default_rng([run.seed, 1])
    with progress("Evidence", SEARCH_STEPS, parameters.verbose) as report:
        return search_partitions(
            graph,
            parameters.n_clusters,
            rng,
            scaler=prepared.scaler,
            feature_layer=prepared.neighbours_by_features,
            basis=prepared.basis_of_search,
            layer_weights=weights_by_name(given_weights(parameters), prepared.graph, graph),
            weigh=auto,
            report=report,
        )


# Aggregate


def aggregate_layers(
    prepared: Prepared, search: Search | None, run: Run, checkpoints: Checkpoints | None
) -> tuple[Any, dict[str, Any]]:
    """Return the aggregated Laplacian, None in all processes but the first, and what is reported of it."""
    parameters, processes = run.parameters, run.processes
    if not processes.first:
        return None, processes.from_first(None)
    by_evidence = parameters.assign_labels.method == "evidence" and search is not None and not search.cannot_judge
    stored = None if checkpoints is None else checkpoints.load_laplacian()
    if stored is not None:
        return stored[0], processes.from_first(stored[1])
    options: dict[str, Any] = {
        **parameters.aggregation,
        "n_components": parameters.n_clusters,
        "layer_weights": _corroborated(prepared, search, parameters),
        "laplacian": parameters.laplacian,
        "epsilon": parameters.epsilon,
        "verbose": parameters.verbose,
    }
    if by_evidence and search is not None:
        # The mean is what the embedding is like; where labels come from evidence, what the search has found is good enough.
        options["starts"] = known_vectors(search, prepared.layers.layer_names)
    aggregated = aggregate(prepared.layers, **options)
    matrix, report = aggregated.matrix, dict(aggregated.info)
    if run.batch_size is not None:
        # A generator of its own: a resumed run, which draws nothing here, must go on with the same numbers.
        matrix = as_low_rank(matrix, parameters.n_clusters, random_generator(run.seed))
    if checkpoints is not None:
        checkpoints.save_laplacian(matrix, report)
    return matrix, processes.from_first(report)


def _corroborated(prepared: Prepared, search: Search | None, parameters: Parameters) -> Array:
    """Return the weights of the layers times those of their sources; a layer without a source weighs as words do, else 1."""
    if search is None or not isinstance(parameters.layer_weights, str):
        return prepared.layer_weights
    factors = dict(zip(search.source_names, search.weights, strict=True))
    by_features = factors.get(WORDS, 1.0)
    weights = prepared.layer_weights * [factors.get(name, by_features) for name in prepared.layers.layer_names]
    return weights / weights.sum()


def open_checkpoints(prepared: Prepared, run: Run) -> Checkpoints | None:
    """Open the folder that keeps the state of this run, if one is named; only the first process writes there."""
    parameters = run.parameters
    folder = parameters.training.checkpoint_dir
    if folder is None or not run.processes.first:
        return None
    settings = {field.name: getattr(parameters, field.name) for field in fields(parameters)}
    training = settings.pop("training")
    settings |= {f.name: getattr(training, f.name) for f in fields(training) if f.name not in NOT_IN_FINGERPRINT}
    # Without a seed the fits differ by chance alone, and any of them may go on with another's state.
    chance = None if settings.pop("random_state") is None else run.seed
    del settings["verbose"]
    layers = prepared.layers
    parts = [sorted((name, repr(value)) for name, value in settings.items()), chance, prepared.inputs]
    return Checkpoints.at(folder, *parts, *layers.layers, *layers.present)


# Learn


@dataclass(frozen=True)
class Learned:
    """Trained nets, and the embedding of the nodes."""

    embedder: Embedder
    embedding: Array
    training: TrainingResult
    agreement: float
    """How far the nets agree, at most 1."""

    @property
    def history(self) -> dict[str, Array]:
        """How training went."""
        return {
            "loss": np.array(self.training.losses),
            "turn": np.array(self.training.turns),
            "agreement": np.array(self.agreement),
            "bytes_per_step": np.array(self.training.bytes_per_step),
        }


def new_network(prepared: NetInputs, run: Run) -> Ensemble:
    """Return the nets that are to be trained, with initial weights."""
    k, form = run.parameters.n_clusters, run.parameters.network
    if not isinstance(form, Network):
        network = build_ensemble(form, (), 1, None)
        check_module(network, prepared.inputs, k)
        return network
    sizes = (prepared.n_inputs, *form.hidden_layers, k)
    if form.kind != "linear" and k > sizes[-2] + 1:
        wanted = (*form.hidden_layers[:-1], k)
        raise ValueError(
            Sentence(
                f"n_clusters={k} outputs cannot be independent after a layer of {sizes[-2]} units; pass ",
                Argument("network.hidden_layers", wanted),
            )
        )
    generator = torch.Generator("cpu").manual_seed(run.seed)
    return build_ensemble(form.kind, sizes, int(run.parameters.training.n_networks), generator, form.activation)


def learn(network: Ensemble, prepared: Prepared, laplacian: Any, run: Run, checkpoints: Checkpoints | None) -> Learned:
    """Train the nets on the aggregated Laplacian, and turn their outputs into one orthonormal embedding."""
    n_nodes, processes = prepared.graph.n_nodes, run.processes
    device = choose_device(run.parameters.training.device)
    rows = laplacian_rows(laplacian, processes, n_nodes, device, sum_dtype(device))
    learned = learn_rows(network, prepared, rows, processes.share(n_nodes), run, checkpoints)
    whole = processes.gather(torch.from_numpy(learned.embedding), n_nodes).numpy()
    return replace(learned, embedding=whole)


def learn_rows(
    network: Ensemble,
    prepared: NetInputs,
    rows: LaplacianRows,
    share: slice,
    run: Run,
    checkpoints: Checkpoints | None = None,
    batches: BatchPlan | None = None,
) -> Learned:
    """Train the nets on the rows ``share`` of the inputs, and return the embedding of these rows."""
    k, how, processes = run.parameters.n_clusters, run.parameters.training, run.processes
    device = choose_device(how.device)
    dtype = choose_dtype(how.dtype, device)
    neighbours = None if prepared.averaging is None else as_tensor(prepared.averaging, dtype).to(device)
    network.to(device=device, dtype=dtype).use_graph(neighbours)
    nodes = Nodes(prepared.inputs, prepared.reduced, share, device, dtype)
    training = train(
        network,
        nodes,
        rows,
        k,
        learning_rate=float(how.learning_rate),
        max_iter=int(how.max_iter),
        tol=how.tol,
        batch_size=run.batch_size,
        batches=batches,
        exact_output=how.output_layer == "exact",
        seed=run.seed % 2**31,
        processes=processes,
        checkpoints=checkpoints,
        verbose=run.parameters.verbose,
    )
    if training.interrupted:
        warn_user(
            f"training was interrupted after {len(training.losses)} of {how.max_iter} steps; the model is incomplete"
        )
    network.use_graph(None)
    if prepared.basis is not None:
        network.double().absorb(torch.from_numpy(prepared.basis))
    embedder = Embedder(network, prepared.scaler, k)
    outputs = embedder.outputs(Nodes(prepared.inputs, prepared.scale, share, device, dtype), prepared.averaging)
    found = embedding_map(outputs, rows, k, processes)
    if found.rank < k:
        warn_user(
            f"the net's outputs span {found.rank} of {k} dimensions: there are too few different feature vectors "
            "for so many clusters; ask for fewer, or give more features"
        )
    embedder.to_embedding = found.matrix.numpy()
    return Learned(embedder, (outputs @ found.matrix).numpy(), training, found.agreement)


# Judge


def judge_clusters(embedding: Array, prepared: Prepared, search: Search | None, run: Run) -> tuple[Judgement, Terms]:
    """Find the clusters, and what the sources say of them; all processes get what the first one finds."""
    if not run.processes.first:
        return run.processes.from_first(None)
    how, graph = run.parameters.assign_labels, prepared.graph
    if how.method == "evidence" and search is not None:
        sources = search.sources
        judged = with_given_relations(judge(search, embedding, how.normalize_rows, run.rng), graph)
        weights = dict(zip(search.source_names, search.weights.tolist(), strict=True))
    else:
        assignment = assign_clusters(embedding, run)
        probabilities = soft_assignment(embedding, assignment.centers, assignment.spread, how.normalize_rows)
        sources = sources_of(graph, None, run.parameters.n_clusters, run.rng)
        judged = explain_assignment(graph, sources, assignment, probabilities, run.rng)
        weights = dict.fromkeys(judged.source_names, 1.0)
    labels, k = judged.assignment.labels, run.parameters.n_clusters
    terms = terms_of(graph, sources, weights, labels, judged.nodes.runner_up, k)
    return run.processes.from_first((judged, terms))


def assign_clusters(embedding: Array, run: Run) -> Assignment:
    """Cluster the rows of the embedding."""
    how = run.parameters.assign_labels
    if how.method == "evidence":
        raise ValueError("evidence is not found in the embedding alone")
    return assign(
        embedding,
        run.parameters.n_clusters,
        method=how.method,
        normalize=how.normalize_rows,
        n_init=how.n_init,
        rng=run.rng,
    )


# Place


def place(prepared: Prepared, embedding: Array, judged: Judgement, run: Run) -> Head | None:
    """Train what places new nodes by their features; the paper's way needs only the centres."""
    if prepared.scaler is None or run.parameters.assign_labels.method != "evidence":
        return None
    if not run.processes.first:
        return run.processes.from_first(None)
    labels = judged.assignment.labels
    head = train_head(prepared.inputs, prepared.scale, embedding, labels, run.parameters.n_clusters, run.rng)
    warn_of_poor_features(head.accuracy, labels)
    return run.processes.from_first(head)
