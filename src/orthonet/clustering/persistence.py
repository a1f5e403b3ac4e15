"""Fitted models as files: JSON for what can be read, safetensors for numbers, nothing that can run.

A model is a folder with ``model.json`` and the tensor file it names. The tensor file is written first, under a name made
from its content; replacing ``model.json`` then switches from the old model to the new one in a single step.
"""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch

from orthonet.clustering.assignment import soft_assignment
from orthonet.embedding.embedder import Embedder
from orthonet.embedding.networks import ACTIVATIONS, NETWORK_KINDS, Ensemble, Perceptron, build_ensemble
from orthonet.graph.features import FeatureScaler
from orthonet.support.files import write_atomically
from orthonet.support.optional import require

if TYPE_CHECKING:
    from orthonet.clustering.estimator import OrthoNet

Model = TypeVar("Model", bound="OrthoNet")

FORMAT, VERSION = "orthonet-model", 2
INDEX = "model.json"
MAX_INDEX_BYTES = 64 * 2**20
NETWORK, HISTORY = "network.", "history."


def save_model(model: OrthoNet, path: str | PathLike[str]) -> None:
    """Write ``model`` into the folder ``path``."""
    safetensors = require("safetensors.numpy", extra="save", purpose="saving a model")
    folder = Path(path).expanduser()
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; a model is saved as a folder")
    if folder.is_dir() and not (folder / INDEX).exists() and any(not _is_ours(file) for file in folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty and holds no model; name a new folder")

    content: bytes = safetensors.save({name: np.asarray(a, order="C") for name, a in _arrays(model).items()})
    digest = hashlib.sha256(content).hexdigest()
    tensors = folder / f"tensors-{digest[:16]}.safetensors"
    index = {
        "format": FORMAT,
        "version": VERSION,
        "parameters": {name: _jsonable(value) for name, value in model.get_params().items()},
        "fitted": {
            "layer_names": list(model.layer_names_),
            "feature_names_in": _jsonable(getattr(model, "feature_names_in_", None)),
            "feature_scaling": None if model._embedder.scaler is None else model._embedder.scaler.kind,
            "n_features_in": model.n_features_in_,
            "network": _form(model._embedder.network),
            "complete": model.complete_,
            "aggregation": {name: _jsonable(value) for name, value in model.aggregation_.items()},
        },
        "tensors": {"file": tensors.name, "sha256": digest},
    }
    text = json.dumps(index, indent=2).encode()
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(tensors, content)
    write_atomically(folder / INDEX, text)
    for old in folder.iterdir():
        if _is_ours(old) and old != tensors:
            old.unlink()


def load_model(cls: type[Model], path: str | PathLike[str], network: torch.nn.Module | None = None) -> Model:
    """Read a model from the folder ``path``; one with a net of the user's own needs a module of the same form."""
    tensor_files = require("safetensors.numpy", extra="save", purpose="loading a model")
    tensor_error: type[Exception] = require("safetensors", extra="save", purpose="loading a model").SafetensorError
    folder = Path(path).expanduser()
    if not (folder / INDEX).is_file():
        raise FileNotFoundError(f"{folder} holds no model: there is no file {folder / INDEX}")
    index = _read_index(folder / INDEX)
    try:
        parameters, fitted, tensors = index["parameters"], index["fitted"], index["tensors"]
        file = folder / Path(tensors["file"]).name  # the name only: an index cannot point outside its folder
        content = file.read_bytes()
        if hashlib.sha256(content).hexdigest() != tensors["sha256"]:
            raise _Damaged(f"the checksum of {file.name} is not the one in {INDEX}; it is cut off or was changed")
        return _restore(cls, parameters, fitted, tensor_files.load(content), network)
    except _NeedsModule as error:
        raise ValueError(
            f"{folder} holds a net of your own, which a file cannot describe; pass a module of the same form: "
            f"OrthoNet.load(path, network=module){error}"
        ) from None
    except _Damaged as error:
        raise ValueError(f"{folder} is not a whole model: {error}") from None
    except OSError as error:
        raise ValueError(f"{folder} is not a whole model: {error.filename} is missing or cannot be read") from None
    except (KeyError, TypeError, AttributeError, ValueError, RuntimeError, tensor_error) as error:
        raise ValueError(f"{folder} is not a whole model: {INDEX} or its tensors are malformed ({error})") from error


class _Damaged(Exception):
    """Something in the files contradicts something else in them."""


class _NeedsModule(Exception):
    """The net is none of ours, and what was passed, if anything, is not of its form."""


def _read_index(file: Path) -> Any:
    if file.stat().st_size > MAX_INDEX_BYTES:
        raise ValueError(f"{file} is larger than any model's index; it was not read")
    try:
        index = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} is not JSON: cut off or not a model ({error})") from None
    if not isinstance(index, dict) or index.get("format") != FORMAT:
        raise ValueError(f"{file} is JSON, but not a model of this package")
    if index.get("version") != VERSION:
        raise ValueError(f"{file} has format version {index.get('version')!r}; this package reads version {VERSION}")
    return index


def _arrays(model: OrthoNet) -> dict[str, np.ndarray[Any, Any]]:
    scaler, to_embedding = model._embedder.scaler, model._embedder.to_embedding
    arrays = {
        "labels": model.labels_,
        "embedding": model.embedding_,
        "cluster_centers": model.cluster_centers_,
        "layer_weights": model.layer_weights_,
        "spread": np.array([model._spread]),
        "to_embedding": np.asarray(to_embedding),
    }
    arrays |= {HISTORY + name: np.atleast_1d(values) for name, values in model.history_.items()}
    if scaler is not None and scaler.mean is not None and scaler.deviation is not None:
        arrays |= {"feature_mean": scaler.mean, "feature_deviation": scaler.deviation}
    state = model._embedder.network.state_dict()
    return arrays | {NETWORK + name: tensor.numpy() for name, tensor in state.items()}


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
        sizes, members = [_whole(size) for size in form["sizes"]], _whole(form["members"])
        if form["kind"] not in NETWORK_KINDS or form["activation"] not in ACTIVATIONS:
            raise _Damaged(f"a net of kind {form['kind']!r} with activation {form['activation']!r} is unknown")
        _check_sizes(sizes, members, weights)
        network = build_ensemble(form["kind"], sizes, members, None, form["activation"])
    network.double()
    network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})
    return network


def _restore(
    cls: type[Model],
    parameters: Any,
    fitted: Any,
    arrays: dict[str, np.ndarray[Any, Any]],
    module: torch.nn.Module | None,
) -> Model:
    if isinstance(parameters.get("hidden_layers"), list):
        parameters = {**parameters, "hidden_layers": tuple(parameters["hidden_layers"])}
    if parameters.get("network") is None:
        parameters = {**parameters, "network": module}
    model = cls(**parameters)
    n_clusters = _whole(model.n_clusters)
    weights = {name.removeprefix(NETWORK): array for name, array in arrays.items() if name.startswith(NETWORK)}
    n_nodes, n_layers = len(arrays["embedding"]), len(fitted["layer_names"])
    n_features = 0 if fitted["n_features_in"] == 0 else _whole(fitted["n_features_in"])
    shapes: dict[str, tuple[int, ...]] = {
        "labels": (n_nodes,),
        "embedding": (n_nodes, n_clusters),
        "cluster_centers": (n_clusters, n_clusters),
        "to_embedding": (len(arrays["to_embedding"]), n_clusters),
        "layer_weights": (n_layers,),
        "spread": (1,),
    }
    if "feature_mean" in arrays:
        shapes |= {"feature_mean": (n_features,), "feature_deviation": (n_features,)}
    own_module = fitted["network"]["kind"] == "module"
    for name, array in arrays.items():
        wanted = np.dtype(np.int64 if name == "labels" else np.float64)
        if own_module and name.startswith(NETWORK):
            wanted = array.dtype  # a module may count in integers, such as batches
        if array.dtype != wanted or array.shape != shapes.get(name, array.shape) or not np.isfinite(array).all():
            raise _Damaged(f"{name} should be finite numbers of shape {shapes.get(name, array.shape)}, but is not")
    if not np.isin(arrays["labels"], np.arange(n_clusters)).all():
        raise _Damaged(f"the labels and n_clusters do not agree on {n_clusters} clusters")
    network = _network(fitted["network"], weights, module)
    form = fitted["network"]
    if not own_module:
        n_outputs, n_inputs = form["sizes"][-1] * form["members"], form["sizes"][0]
        if form["sizes"][-1] != n_clusters or len(arrays["to_embedding"]) != n_outputs:
            raise _Damaged(f"the net, its {n_outputs} outputs and n_clusters={n_clusters} do not agree")
        if n_features not in (0, n_inputs):
            raise _Damaged(f"the net takes {n_inputs} features, but there are {n_features}")
    embedder = Embedder(network, _scaler(fitted["feature_scaling"], arrays), n_clusters, arrays["to_embedding"])
    model._embedder, model._spread = embedder, float(arrays["spread"][0])
    model.n_features_in_ = 0 if embedder.scaler is None else n_features
    if fitted["feature_names_in"] is not None:
        model.feature_names_in_ = np.array([str(name) for name in fitted["feature_names_in"]], dtype=object)
        if len(model.feature_names_in_) != model.n_features_in_:
            raise _Damaged("the number of feature names is not the number of features")
    model.embedding_ = arrays["embedding"]
    model.cluster_centers_ = arrays["cluster_centers"]
    model.labels_ = arrays["labels"]
    model.probabilities_ = soft_assignment(
        model.embedding_, model.cluster_centers_, model._spread, model.normalize_rows
    )
    model.confidence_ = model.probabilities_.max(axis=1)
    model.layer_names_ = tuple(map(str, fitted["layer_names"]))
    model.layer_weights_ = arrays["layer_weights"]
    model.aggregation_ = dict(fitted["aggregation"])
    kept = {name.removeprefix(HISTORY): array for name, array in arrays.items() if name.startswith(HISTORY)}
    model.history_ = {name: array if name in ("loss", "turn") else array[0] for name, array in kept.items()}
    model.n_steps_ = len(model.history_["loss"])
    model.complete_ = bool(fitted["complete"])
    model._n_features_out = n_clusters
    return model


def _check_sizes(sizes: list[int], members: int, weights: dict[str, np.ndarray[Any, Any]]) -> None:
    """Compare the nets' sizes with the tensors before building them: a false index must not claim memory."""
    wanted = [(n_out, n_in) for n_in, n_out in pairwise(sizes)]
    for member in range(members):
        own = {name: array for name, array in weights.items() if name.startswith(f"members.{member}.")}
        found = [array.shape for name, array in sorted(own.items(), key=_position) if array.ndim == 2]
        if len(sizes) < 2 or wanted != found:
            raise _Damaged(f"a net of sizes {sizes} does not fit weights of shapes {found}")


def _position(item: tuple[str, Any]) -> tuple[int, str]:
    numbers = [part for part in item[0].split(".") if part.isdigit()]
    return (int(numbers[-1]) if numbers else 0, item[0])


def _scaler(kind: Any, arrays: dict[str, np.ndarray[Any, Any]]) -> FeatureScaler | None:
    if kind is None:
        return None
    if kind not in ("standard", "unit", "none"):
        raise _Damaged(f"feature_scaling is {kind!r}")
    if kind != "standard":
        return FeatureScaler(kind)
    if not (arrays["feature_deviation"] > 0).all():
        raise _Damaged("feature_deviation should be positive")
    return FeatureScaler(kind, arrays["feature_mean"], arrays["feature_deviation"])


def _is_ours(file: Path) -> bool:
    """Tell whether a file is one that `save_model` makes beside the index, whole or cut off."""
    return file.name.removeprefix(".").startswith("tensors-") or file.name.startswith(f".{INDEX}.")


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _Damaged(f"{value!r} is not the size of a layer")
    return value


def _jsonable(value: Any) -> Any:
    """Return plain JSON for what parameters hold; a random generator has no lasting form and becomes null."""
    if isinstance(value, np.ndarray | tuple | list):
        return [_jsonable(item) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {str(key): _jsonable(item) for key, item in value.items()}
    return value if isinstance(value, bool | int | float | str) else None
