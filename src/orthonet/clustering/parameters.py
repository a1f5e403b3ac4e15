"""The parameters of `OrthoNet`: one constraint each, all of them checked before any work.

Some parameters have options of their own. Each of these is a name, or a mapping of that name and the options:

    aggregation     "power"       {"method": "power", "p": -10, "solver": "exact"}
    network         "mlp"         {"kind": "mlp", "hidden_layers": (50, 50)}
    assign_labels   "evidence"    {"method": "kmeans", "normalize_rows": False}
    training        None          {"max_iter": 500, "device": "cpu"}, or a `Training`

Messages, and ``orthonet cluster --set``, write an option with a dot: ``training.max_iter``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from os import PathLike
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch

from orthonet.aggregation.geometric import DTYPES as MEAN_DTYPES
from orthonet.aggregation.registry import AGGREGATIONS, SOLVERS, check_options
from orthonet.clustering.assignment import EMBEDDING_METHODS
from orthonet.clustering.parameter_checks import (
    ClusterRange,
    check_boolean,
    check_device,
    check_feature_layer,
    check_hidden_layers,
    check_layer_weights,
    check_number_of_clusters,
    check_path,
    check_random_state,
    either,
)
from orthonet.embedding.devices import DTYPES, choose_device, choose_dtype
from orthonet.embedding.networks import ACTIVATIONS, NETWORK_KINDS, NetworkKind
from orthonet.graph.features import FEATURE_SCALINGS, FeatureScaling
from orthonet.graph.laplacian import LAPLACIAN_KINDS, LaplacianKind
from orthonet.support.checks import check_choice, check_integer, check_number


@dataclass(frozen=True)
class Training:
    """How the nets are trained, see `orthonet.embedding.training`.

    Parameters
    ----------
    learning_rate : float, default=1e-3
        Of AMSGrad.
    max_iter : int, default=200
        Training steps at most. More bring the embedding closer to the eigenvectors of the aggregated Laplacian, not always to
        better clusters: the net's own smoothness over the features is half of what the method knows.
    tol : float, default=5e-3
        Training stops early when the embedding turned by less than this in 20 steps (1 − mean squared cosine).
    batch_size : int, "auto" or None, default="auto"
        Nodes per step. None takes all; "auto" takes all up to 50,000 nodes, and 4096 of more.
    n_networks : int or "auto", default="auto"
        Nets trained side by side, combined by what they agree on (`orthonet.embedding.orthogonal`); a module of your own is
        trained once. "auto" is 1, and 3 where labels come from the embedding alone.
    device : str, default="auto"
        Where the nets are trained: a CUDA GPU if there is one, else the CPU; or "cpu", "cuda", "cuda:1", "mps".
    dtype : {"float32", "float64"}, default="float32"
        Of the nets while they are trained.
    n_jobs : int, optional
        Threads, -1 for one per core. None is one up to 5,000 nodes, which is best beside other work, else all the process has.
    checkpoint_dir : path, optional
        Folder in which the state of training is kept. A fit that was killed goes on from there as if it had not been.
    distributed : bool, default=False
        Train with all processes that ``torchrun`` started; each passes the same graph to ``fit``.

    Examples
    --------
    >>> from orthonet import OrthoNet
    >>> by_mapping, by_object = OrthoNet(3, training={"max_iter": 50}), OrthoNet(3, training=Training(max_iter=50))
    """

    learning_rate: float = 1e-3
    max_iter: int = 200
    tol: float = 5e-3
    batch_size: int | Literal["auto"] | None = "auto"
    n_networks: int | Literal["auto"] = "auto"
    device: str = "auto"
    dtype: Literal["float32", "float64"] = "float32"
    n_jobs: int | None = None
    checkpoint_dir: str | PathLike[str] | None = None
    distributed: bool = False


@dataclass(frozen=True)
class Network:
    """The net, see `orthonet.embedding.networks`.

    Parameters
    ----------
    kind : {"mlp", "linear", "gcn"}, default="mlp"
    hidden_layers : sequence of int, default=(400, 200, 100)
        Units of each hidden layer.
    activation : {"prelu", "relu", "gelu", "silu", "tanh"}, default="prelu"
        Between the layers.
    n_inputs : int, "auto" or None, default="auto"
        To how many more features are reduced (SVD) while an "mlp" is trained; None: all. "auto" is 128, or None for labels of
        the embedding alone.
    """

    kind: NetworkKind = "mlp"
    hidden_layers: Sequence[int] = (400, 200, 100)
    activation: str = "prelu"
    n_inputs: int | Literal["auto"] | None = "auto"


AssignmentMethod = Literal["evidence", "kmeans", "cluster_qr", "discretize"]


@dataclass(frozen=True)
class LabelAssignment:
    """How clusters are found.

    Parameters
    ----------
    method : {"evidence", "kmeans", "cluster_qr", "discretize"}, default="evidence"
        By what all layers and features support (`orthonet.evidence`); or in the embedding alone
        (`orthonet.clustering.assignment`), of which "kmeans" is the paper's way.
    normalize_rows : bool, default=True
        Whether the rows of the embedding are scaled to unit length first.
    n_init : int, default=20
        Random starts of K-means.
    """

    method: AssignmentMethod = "evidence"
    normalize_rows: bool = True
    n_init: int = 20


@dataclass(frozen=True)
class Parameters:
    """The parameters of one fit, checked, with the defaults of all options filled in; see `OrthoNet` for each."""

    n_clusters: int
    """Where it is still to be chosen, the smallest."""
    cluster_range: ClusterRange | None
    """The numbers of clusters to choose from; None if one was given."""
    aggregation: Mapping[str, Any]
    laplacian: LaplacianKind
    epsilon: float
    layer_weights: npt.NDArray[np.float64] | Literal["auto"] | None
    n_neighbors: int
    feature_layer: float | Literal["auto"]
    feature_scaling: FeatureScaling
    smoothing: int
    network: Network | torch.nn.Module
    training: Training
    assign_labels: LabelAssignment
    random_state: Any
    verbose: bool | None


def check_parameters(given: Mapping[str, Any]) -> Parameters:
    """Check every parameter of an `OrthoNet`, as ``get_params(deep=False)`` returns them.

    Raises
    ------
    ValueError, TypeError
        Naming the parameter, what it got, and what it takes.
    """
    checked = {
        name: RESOLVED[name](value) if name in RESOLVED else CONSTRAINTS[name](value, name)
        for name, value in given.items()
    }
    number = checked.pop("n_clusters")
    if isinstance(number, ClusterRange):
        return Parameters(n_clusters=number.smallest, cluster_range=number, **checked)
    return Parameters(n_clusters=number, cluster_range=None, **checked)


def training_options(value: Any) -> Training:
    """Return the parameter ``training`` of a model that was fitted, perhaps elsewhere, with its defaults, unchecked."""
    return Training(**_as_mapping(value, "training"))


def training_of(value: Any) -> Training:
    """Return the parameter ``training`` with its defaults."""
    training = Training(**_options(value, "training"))
    choose_dtype(training.dtype, choose_device(training.device, "training.device"), "training.dtype")
    return training


def network_of(value: Any) -> Network | torch.nn.Module:
    """Return the parameter ``network`` with its defaults; a module stays as it is."""
    return value if isinstance(value, torch.nn.Module) else Network(**_options(value, "network"))


def label_assignment_of(value: Any) -> LabelAssignment:
    """Return the parameter ``assign_labels`` with its defaults."""
    return LabelAssignment(**_options(value, "assign_labels"))


def aggregation_of(value: Any) -> dict[str, Any]:
    """Return the parameter ``aggregation`` as the arguments of `orthonet.aggregate`."""
    options = DEFAULTS["aggregation"] | _options(value, "aggregation")
    check_options(
        options["method"], [name for name in options if name not in ("method", "solver")], "aggregation.method"
    )
    return options


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters whose options were written with a dot as `OrthoNet` takes them.

    >>> nested({"n_clusters": 3, "aggregation": "power", "aggregation.p": -1, "training.max_iter": 5})
    {'n_clusters': 3, 'aggregation': {'method': 'power', 'p': -1}, 'training': {'max_iter': 5}}
    """
    found = {name: value for name, value in flat.items() if "." not in name}
    for name, value in flat.items():
        group, dot, option = name.partition(".")
        if dot:
            found[group] = with_option(found.get(group, {}), group, option, value)
    return found


def with_option(parameter: Any, group: str, option: str, value: Any) -> dict[str, Any]:
    """Return a parameter, which has other options perhaps, with one of its options set."""
    _check_name(option, group)
    return _as_mapping(parameter, group) | {option: value}


def without_defaults(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters without the options that are set to their defaults.

    >>> without_defaults({"n_clusters": 3, "training": {"max_iter": 200}, "network": {"kind": "gcn", "activation": "prelu"}})
    {'n_clusters': 3, 'training': None, 'network': 'gcn'}
    """
    found = dict(parameters)
    for group in OPTION_GROUPS.keys() & parameters.keys():
        main, default = OPTION_GROUPS[group], DEFAULTS[group]
        if isinstance(parameters[group], torch.nn.Module):
            continue
        options = {
            name: value
            for name, value in _as_mapping(parameters[group], group).items()
            if name == main or name not in default or list(np.ravel(value)) != list(np.ravel(default[name]))
        }
        if not options.keys() - {main}:
            found[group] = options.get(main, default.get(main)) if main is not None else None
        else:
            found[group] = options
    return found


def _options(value: Any, group: str) -> dict[str, Any]:
    """Check the options of one parameter, and return those that were given."""
    main, given = OPTION_GROUPS[group], _as_mapping(value, group)
    if main is not None and not isinstance(value, Mapping | Training | Network | LabelAssignment):
        return {main: CONSTRAINTS[f"{group}.{main}"](value, group)}  # messages then name what was passed
    for option in given:
        _check_name(option, group)
    return {option: CONSTRAINTS[f"{group}.{option}"](one, f"{group}.{option}") for option, one in given.items()}


def _as_mapping(value: Any, group: str) -> dict[str, Any]:
    main = OPTION_GROUPS[group]
    if isinstance(value, Training | Network | LabelAssignment):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if main is not None:
        return {main: value}
    if value is None:
        return {}
    raise TypeError(
        f"{group} must be None or a mapping of its options, {', '.join(_known_options(group))}, got {value!r} of type "
        f"{type(value).__name__}"
    )


def _check_name(option: str, group: str) -> None:
    known = _known_options(group)
    if option not in known:
        raise ValueError(f"{group} has no option {option!r}; it takes {', '.join(known)}")


def _known_options(group: str) -> list[str]:
    prefix = f"{group}."
    return [name.removeprefix(prefix) for name in CONSTRAINTS if name.startswith(prefix)]


OPTION_GROUPS: dict[str, str | None] = {
    "aggregation": "method",
    "network": "kind",
    "assign_labels": "method",
    "training": None,
}
"""Parameters with options, and the option that a name alone stands for."""

DEFAULTS: dict[str, dict[str, Any]] = {
    "aggregation": {"method": "geometric", "solver": "auto"},
    "network": {field.name: field.default for field in fields(Network)},
    "assign_labels": {field.name: field.default for field in fields(LabelAssignment)},
    "training": {field.name: field.default for field in fields(Training)},
}
"""The options of each; those of the aggregation beside these are the method's own."""

RESOLVED: dict[str, Callable[[Any], Any]] = {
    "aggregation": aggregation_of,
    "network": network_of,
    "assign_labels": label_assignment_of,
    "training": training_of,
}

CONSTRAINTS: dict[str, Callable[[Any, str], Any]] = {
    "n_clusters": check_number_of_clusters,
    "aggregation.method": partial(check_choice, choices=AGGREGATIONS),
    "aggregation.solver": partial(check_choice, choices=SOLVERS),
    "aggregation.p": check_number,
    "aggregation.alpha": partial(check_number, at_least=0),
    "aggregation.step": either(("auto",), partial(check_number, above=0)),
    "aggregation.max_iter": partial(check_integer, minimum=1),
    "aggregation.tol": partial(check_number, at_least=0),
    "aggregation.dtype": partial(check_choice, choices=MEAN_DTYPES),
    "aggregation.n_steps": partial(check_integer, minimum=1),
    "laplacian": partial(check_choice, choices=LAPLACIAN_KINDS),
    "epsilon": partial(check_number, above=0),
    "layer_weights": either(("auto",), check_layer_weights),
    "n_neighbors": partial(check_integer, minimum=1),
    "feature_layer": either(("auto",), check_feature_layer),
    "feature_scaling": partial(check_choice, choices=FEATURE_SCALINGS),
    "smoothing": partial(check_integer, minimum=0),
    "network.kind": partial(check_choice, choices=NETWORK_KINDS),
    "network.hidden_layers": check_hidden_layers,
    "network.activation": partial(check_choice, choices=ACTIVATIONS),
    "network.n_inputs": either(("auto", None), partial(check_integer, minimum=1)),
    "training.learning_rate": partial(check_number, above=0),
    "training.max_iter": partial(check_integer, minimum=1),
    "training.tol": partial(check_number, at_least=0),
    "training.batch_size": either(("auto", None), partial(check_integer, minimum=2)),
    "training.n_networks": either(("auto",), partial(check_integer, minimum=1)),
    "training.device": check_device,
    "training.dtype": partial(check_choice, choices=DTYPES),
    "training.n_jobs": either((None, -1), partial(check_integer, minimum=1)),
    "training.checkpoint_dir": either((None,), check_path),
    "training.distributed": check_boolean,
    "assign_labels.method": partial(check_choice, choices=("evidence", *EMBEDDING_METHODS)),
    "assign_labels.normalize_rows": check_boolean,
    "assign_labels.n_init": partial(check_integer, minimum=0),
    "random_state": either((None,), check_random_state),
    "verbose": either((None,), check_boolean),
}
"""What each parameter, and each option of a parameter, must be: a function of the value and its name that returns the value,
or raises an error with that name."""
