"""Fitted models as files: JSON for what can be read, safetensors for numbers, nothing that can run.

A model is a folder with ``model.json`` and the tensor file it names. The tensor file is written first, under a name made
from its content; replacing ``model.json`` then switches from the old model to the new one in a single step.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, fields, is_dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch

from orthonet.clustering.parameters import CONSTRAINTS, Parameters, check_parameters
from orthonet.clustering.placement import HEAD_INPUTS, Head
from orthonet.clustering.result import ARRAYS, DETAIL_ARRAYS, FitResult
from orthonet.clustering.saved_checks import (
    HISTORY,
    NETWORK,
    Arrays,
    Damaged,
    check_arrays,
    check_numbers,
    check_sizes,
    cluster_numbers,
    number_of_clusters,
    whole,
)
from orthonet.embedding.embedder import Embedder
from orthonet.embedding.networks import ACTIVATIONS, NETWORK_KINDS, Ensemble, Perceptron, build_ensemble
from orthonet.graph.features import FeatureScaler
from orthonet.support.files import write_atomically, writing
from orthonet.support.locks import locked_folder
from orthonet.support.optional import require
from orthonet.support.regular_files import opened_inside
from orthonet.support.text import sentence

FORMAT, VERSION = "orthonet-model", 6
INDEX = "model.json"
MAX_INDEX_BYTES = 64 * 2**20
"""A larger index is not read: no model has so many names."""


def save_model(result: FitResult, parameters: Mapping[str, Any], path: str | PathLike[str]) -> None:
    """Write what a fit found, and the parameters it had, into the folder ``path``."""
    safetensors = require("safetensors.numpy", extra="save", purpose="saving a model")
    folder = Path(path).expanduser()
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; a model is saved as a folder")
    if folder.is_dir() and not (folder / INDEX).exists() and any(not _is_ours(file) for file in folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty and does not contain a model; name a new folder")

    content: bytes = safetensors.save({name: np.asarray(a, order="C") for name, a in _arrays(result).items()})
    digest = hashlib.sha256(content).hexdigest()
    tensors = folder / f"tensors-{digest[:16]}.safetensors"
    index = {
        "format": FORMAT,
        "version": VERSION,
        "parameters": {name: _jsonable(value) for name, value in parameters.items()},
        "fitted": {
            "layer_names": list(result.layer_names),
            "source_names": list(result.source_names),
            "node_ids": _saved_ids(result.node_ids),
            "groups": [[name, _jsonable(groups)] for name, groups in result.groups.items()],
            "head": None if result.head is None else result.head.inputs,
            "feature_names": _jsonable(result.feature_names),
            "feature_scaling": None if result.embedder.scaler is None else result.embedder.scaler.kind,
            "n_features": result.n_features,
            "words": result.words,
            "n_clusters": result.n_clusters,
            "numbers": None if result.numbers is None else asdict(result.numbers),
            "network": _form(result.embedder.network),
            "complete": result.complete,
            "aggregation": _jsonable(result.aggregation),
        },
        "tensors": {"file": tensors.name, "sha256": digest},
    }
    text = json.dumps(index, indent=2).encode()
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with locked_folder(folder), writing(folder):
        write_atomically(tensors, content)
        write_atomically(folder / INDEX, text)
        for old in folder.iterdir():
            if _is_ours(old) and old != tensors:
                old.unlink()


def load_model(path: str | PathLike[str], network: torch.nn.Module | None = None) -> tuple[dict[str, Any], FitResult]:
    """Return the parameters and the result in the folder ``path``; a net of the user's own needs a module of the same form."""
    tensor_files = require("safetensors.numpy", extra="save", purpose="loading a model")
    tensor_error: type[Exception] = require("safetensors", extra="save", purpose="loading a model").SafetensorError
    folder = Path(path).expanduser()
    if not (folder / INDEX).is_file():
        raise FileNotFoundError(f"{folder} does not contain a model: there is no file {folder / INDEX}")
    index = _read_index(folder)
    try:
        parameters, fitted, tensors = _parameters(index["parameters"], network), index["fitted"], index["tensors"]
        checked = _checked(parameters)
        name = Path(tensors["file"]).name  # the name only: an index cannot point outside its folder
        content = _tensor_bytes(folder, name)
        if hashlib.sha256(content).hexdigest() != tensors["sha256"]:
            raise Damaged(f"the checksum of {name} is not the one in {INDEX}; it is cut off or was changed")
        checked = replace(checked, n_clusters=number_of_clusters(checked, fitted))
        return parameters, _result(checked, fitted, tensor_files.load(content), network)
    except _NeedsModule as error:
        raise ValueError(
            f"{folder} contains a net of your own, which a file cannot describe; pass a module of the same form: "
            f"OrthoNet.load(path, network=module){error}"
        ) from None
    except Damaged as error:
        raise ValueError(f"{folder} is not a whole model: {sentence(error)}") from None
    except OSError as error:
        named = sentence(error.filename)
        raise ValueError(f"{folder} is not a whole model: {named} is missing or cannot be read") from None
    except (KeyError, TypeError, AttributeError, ValueError, RuntimeError, MemoryError, tensor_error) as error:
        said = sentence(error)
        raise ValueError(f"{folder} is not a whole model: {INDEX} or its tensors are malformed ({said})") from error


class _NeedsModule(Exception):
    """The net is none of ours, and what was passed, if anything, is not of its form."""


def _tensor_bytes(folder: Path, name: str) -> bytes:
    """Read a tensor file, if it is no longer than its header promises."""
    with opened_inside(folder, name) as (opened, size):
        start = opened.read(8)
        length = int.from_bytes(start, "little")
        promised = MAX_INDEX_BYTES  # where there is no header to promise anything, which is found out later
        if length <= MAX_INDEX_BYTES:
            with suppress(ValueError, RecursionError, TypeError, KeyError, AttributeError, IndexError):
                header = json.loads(opened.read(length))
                ends = [entry["data_offsets"][1] for key, entry in header.items() if key != "__metadata__"]
                promised = 8 + length + max(ends, default=0)
        if size > promised:
            raise Damaged(f"{name} has {size:,} bytes, but its header promises {promised:,} at most")
        opened.seek(0)
        return opened.read(size)


def _read_index(folder: Path) -> Any:
    file = folder / INDEX
    try:
        with opened_inside(folder, INDEX) as (opened, size):
            if size > MAX_INDEX_BYTES:
                raise ValueError(f"{file} is larger than any model's index; it was not read")
            content = opened.read(MAX_INDEX_BYTES)
    except OSError as error:
        raise ValueError(f"{folder} is not a whole model: {error.filename} cannot be read ({error.strerror})") from None
    try:
        index = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} is not JSON: cut off or not a model ({error})") from None
    if not isinstance(index, dict) or index.get("format") != FORMAT:
        raise ValueError(f"{file} is JSON, but not a model of this package")
    if index.get("version") != VERSION:
        version = sentence(repr(index.get("version")))
        raise ValueError(f"{file} has format version {version}; this package reads version {VERSION}")
    return index


def _arrays(result: FitResult) -> Arrays:
    """Return everything numeric of a result by name."""
    scaler = result.embedder.scaler
    arrays = {**result.arrays, **result.details, "to_embedding": np.asarray(result.embedder.to_embedding)}
    if result.head is not None:
        head = result.head
        arrays |= {"head_weights": head.weights, "head_bias": head.bias, "head_accuracy": np.array(head.accuracy)}
    arrays |= {HISTORY + name: values for name, values in result.history.items()}
    if scaler is not None and scaler.mean is not None and scaler.deviation is not None:
        arrays |= {"feature_mean": scaler.mean, "feature_deviation": scaler.deviation}
    state = result.embedder.network.state_dict()
    return arrays | {NETWORK + name: tensor.numpy() for name, tensor in state.items()}


def _parameters(saved: Any, module: torch.nn.Module | None) -> dict[str, Any]:
    """Return the parameters as the estimator takes them."""
    parameters = {name: saved[name] for name in sorted({name.split(".")[0] for name in CONSTRAINTS})}
    if len(parameters) != len(saved):
        raise Damaged(f"malformed: there are unknown parameters, {sorted(set(saved) - set(parameters))}")
    if isinstance(parameters["n_clusters"], list):
        parameters["n_clusters"] = tuple(parameters["n_clusters"])
    if parameters["network"] is None:
        parameters["network"] = module
    if isinstance(parameters["network"], dict) and isinstance(parameters["network"].get("hidden_layers"), list):
        hidden = tuple(parameters["network"]["hidden_layers"])
        parameters["network"] = parameters["network"] | {"hidden_layers": hidden}
    return parameters


def _checked(parameters: dict[str, Any]) -> Parameters:
    """Check the parameters, but for what depends on the machine, and for a module that was not passed, which is said later."""
    training = {name: value for name, value in (parameters["training"] or {}).items() if name != "device"}
    network = "mlp" if parameters["network"] is None else parameters["network"]
    return check_parameters(parameters | {"training": training, "network": network})


def _form(network: Ensemble) -> dict[str, Any]:
    """Describe the nets: all members have the same form."""
    member = network.members[0]
    if not isinstance(member, Perceptron):
        return {"kind": "module"}
    return {
        "kind": member.kind,
        "sizes": list(member.sizes),
        "activation": member.activation,
        "members": len(network.members),
    }


def _network(form: Any, weights: dict[str, np.ndarray[Any, Any]], module: torch.nn.Module | None) -> Ensemble:
    """Build the nets that a file describes, once what it says has been compared with its tensors."""
    if form["kind"] == "module":
        if module is None:
            raise _NeedsModule
        network = build_ensemble(module, (), 1, None)
        expected = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
        found = {name: array.shape for name, array in weights.items()}
        if expected != found:
            raise _NeedsModule(f"; the weights are of shapes {found}, those of the module {expected}")
    else:
        sizes, members = [whole(size) for size in form["sizes"]], whole(form["members"])
        if form["kind"] not in NETWORK_KINDS or form["activation"] not in ACTIVATIONS:
            raise Damaged(f"a net of kind {form['kind']!r} with activation {form['activation']!r} is unknown")
        check_sizes(sizes, members, weights)
        network = build_ensemble(form["kind"], sizes, members, None, form["activation"])
    network.double()
    network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})
    return network


def _result(parameters: Parameters, fitted: Any, arrays: Arrays, module: torch.nn.Module | None) -> FitResult:
    """Put a result together from what the files say, once all of it agrees."""
    n_clusters, layer_names = parameters.n_clusters, tuple(map(str, fitted["layer_names"]))
    n_features = 0 if fitted["n_features"] == 0 else whole(fitted["n_features"])
    sizes = {
        "nodes": len(arrays["embedding"]),
        "clusters": n_clusters,
        "layers": len(layer_names),
        "features": n_features,
        "outputs": len(arrays["to_embedding"]),
        "sources": len(fitted["source_names"]),
        "given layers": len(arrays["edge_evidence"]),
        "groups": len(arrays["group_rarity"]),
        "two-mode relations": len(fitted["groups"]),
        "head inputs": n_features if fitted["head"] == "features" else n_clusters,
        "node terms": arrays["node_terms"].shape[-1],
        "cluster terms": arrays["cluster_terms"].shape[-1],
    }
    form, names = fitted["network"], fitted["feature_names"]
    check_arrays(arrays, sizes, own_module=form["kind"] == "module")
    check_numbers(arrays, n_clusters, n_features + sizes["groups"])
    network = _network(form, {n.removeprefix(NETWORK): a for n, a in arrays.items() if n.startswith(NETWORK)}, module)
    if form["kind"] != "module":
        n_outputs, n_inputs = form["sizes"][-1] * form["members"], form["sizes"][0]
        if form["sizes"][-1] != n_clusters or sizes["outputs"] != n_outputs:
            raise Damaged(f"the net, its {n_outputs} outputs and n_clusters={n_clusters} do not agree")
        if n_features not in (0, n_inputs):
            raise Damaged(f"the net takes {n_inputs} features, but there are {n_features}")
    if names is not None and len(names) != n_features:
        raise Damaged("the number of feature names is not the number of features")
    history = {name.removeprefix(HISTORY): array for name, array in arrays.items() if name.startswith(HISTORY)}
    if not history.keys() >= {"loss", "turn"} or any(history[name].ndim != 1 for name in ("loss", "turn")):
        raise Damaged("malformed: the history of training is missing or not one number per step")
    return FitResult(
        parameters=parameters,
        arrays={name: arrays[name] for name in ARRAYS},
        details={name: arrays[name] for name in DETAIL_ARRAYS},
        numbers=cluster_numbers(fitted["numbers"], n_clusters),
        words=bool(fitted["words"]),
        embedder=Embedder(network, _scaler(fitted["feature_scaling"], arrays), n_clusters, arrays["to_embedding"]),
        layer_names=layer_names,
        source_names=tuple(map(str, fitted["source_names"])),
        node_ids=_node_ids(fitted["node_ids"], sizes["nodes"]),
        groups=_groups(fitted["groups"], arrays["group_counts"].tolist(), sizes["groups"]),
        head=_head(fitted["head"], arrays),
        feature_names=None if names is None else tuple(map(str, names)),
        n_features=n_features,
        aggregation=dict(fitted["aggregation"]),
        history=history,
        complete=bool(fitted["complete"]),
    )


def _scaler(kind: Any, arrays: dict[str, np.ndarray[Any, Any]]) -> FeatureScaler | None:
    if kind is None:
        return None
    if kind not in ("standard", "unit", "none"):
        raise Damaged(f"feature_scaling is {kind!r}")
    if kind != "standard":
        return FeatureScaler(kind)
    if not (arrays["feature_deviation"] > 0).all():
        raise Damaged("feature_deviation should be positive")
    return FeatureScaler(kind, arrays["feature_mean"], arrays["feature_deviation"])


def _head(inputs: Any, arrays: dict[str, np.ndarray[Any, Any]]) -> Head | None:
    if inputs is None:
        return None
    if inputs not in HEAD_INPUTS:
        raise Damaged(f"a head on {inputs!r} is unknown")
    return Head(inputs, arrays["head_weights"], arrays["head_bias"], float(arrays["head_accuracy"]))


def _saved_ids(node_ids: np.ndarray[Any, Any]) -> list[Any] | None:
    """Return the ids of the nodes; None stands for their numbers."""
    return None if np.array_equal(node_ids, np.arange(len(node_ids))) else _jsonable(node_ids)


def _node_ids(saved: Any, n_nodes: int) -> np.ndarray[Any, Any]:
    if saved is None:
        return np.arange(n_nodes)
    if not isinstance(saved, list) or len(saved) != n_nodes or any(isinstance(one, list | dict) for one in saved):
        raise Damaged(f"node_ids should be {n_nodes} ids, one per node")
    return np.array(saved, dtype=object if len({type(one) for one in saved}) > 1 else None)


def _groups(saved: Any, counts: list[int], total: int) -> dict[str, tuple[str, ...] | None]:
    """Return the names of the groups of each two-mode relation, once they agree with the arrays."""
    groups = {str(name): None if names is None else tuple(map(str, names)) for name, names in saved}
    sizes = [count if names is None else len(names) for names, count in zip(groups.values(), counts, strict=False)]
    if sizes != counts or min(counts, default=0) < 0 or sum(counts) != total:
        raise Damaged("the names of groups and the numbers of groups do not agree")
    return groups


def _is_ours(file: Path) -> bool:
    """Return whether a file is one that `save_model` makes beside the index, whole or cut off."""
    return file.name.removeprefix(".").startswith("tensors-") or file.name.startswith(f".{INDEX}.")


def _jsonable(value: Any) -> Any:
    """Return a parameter as plain JSON; a random generator has no lasting form and becomes null."""
    if isinstance(value, np.ndarray | tuple | list):
        return [_jsonable(item) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    if is_dataclass(value):
        return {field.name: _jsonable(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _jsonable(item) for key, item in value.items()}
    return value if isinstance(value, bool | int | float | str) else None
