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

from orthonet.embedding.networks import Perceptron
from orthonet.graph.features import FEATURE_SCALINGS, FeatureScaler
from orthonet.support.files import write_atomically
from orthonet.support.optional import require

if TYPE_CHECKING:
    from orthonet.clustering.estimator import OrthoNet

Model = TypeVar("Model", bound="OrthoNet")

FORMAT, VERSION = "orthonet-model", 1
INDEX = "model.json"
MAX_INDEX_BYTES = 64 * 2**20
NETWORK = "network."


def save_model(model: OrthoNet, path: str | PathLike[str]) -> None:
    """Write ``model`` into the folder ``path``."""
    safetensors = require("safetensors.numpy", extra="save", purpose="saving a model")
    folder = Path(path)
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; a model is saved as a folder")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / INDEX).exists():
        raise FileExistsError(f"{folder} is not empty and holds no model; name a new folder")
    folder.mkdir(parents=True, exist_ok=True)

    content: bytes = safetensors.save({name: np.ascontiguousarray(a) for name, a in _arrays(model).items()})
    digest = hashlib.sha256(content).hexdigest()
    tensors = folder / f"tensors-{digest[:16]}.safetensors"
    index = {
        "format": FORMAT,
        "version": VERSION,
        "parameters": {name: _jsonable(value) for name, value in model.get_params().items()},
        "fitted": {
            "layer_names": list(model.layer_names_),
            "feature_names_in": _jsonable(getattr(model, "feature_names_in_", None)),
            "feature_scaling": None if model._scaler is None else model._scaler.kind,
            "network": list(model._network.sizes),
            "aggregation": {name: _jsonable(value) for name, value in model.aggregation_.items()},
        },
        "tensors": {"file": tensors.name, "sha256": digest},
    }
    write_atomically(tensors, content)
    write_atomically(folder / INDEX, json.dumps(index, indent=2).encode())
    for old in folder.glob("tensors-*.safetensors"):
        if old != tensors:
            old.unlink()


def load_model(cls: type[Model], path: str | PathLike[str]) -> Model:
    """Read a model from the folder ``path``."""
    tensor_files = require("safetensors.numpy", extra="save", purpose="loading a model")
    tensor_error: type[Exception] = require("safetensors", extra="save", purpose="loading a model").SafetensorError
    folder = Path(path)
    if not (folder / INDEX).is_file():
        raise FileNotFoundError(f"{folder} holds no model: there is no file {folder / INDEX}")
    index = _read_index(folder / INDEX)
    try:
        parameters, fitted, tensors = index["parameters"], index["fitted"], index["tensors"]
        file = folder / Path(tensors["file"]).name  # the name only: an index cannot point outside its folder
        content = file.read_bytes()
        if hashlib.sha256(content).hexdigest() != tensors["sha256"]:
            raise _Damaged(f"the checksum of {file.name} is not the one in {INDEX}; it is cut off or was changed")
        return _restore(cls, parameters, fitted, tensor_files.load(content))
    except _Damaged as error:
        raise ValueError(f"{folder} is not a whole model: {error}") from None
    except FileNotFoundError as error:
        raise ValueError(f"{folder} is not a whole model: {error.filename} is missing") from None
    except (KeyError, TypeError, AttributeError, ValueError, RuntimeError, tensor_error) as error:
        raise ValueError(f"{folder} is not a whole model: {INDEX} or its tensors are malformed ({error})") from error


class _Damaged(Exception):
    """Something in the files contradicts something else in them."""


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
    arrays = {
        "labels": model.labels_,
        "embedding": model.embedding_,
        "cluster_centers": model.cluster_centers_,
        "layer_weights": model.layer_weights_,
        "losses": model.history_["loss"],
        "to_embedding": model._to_embedding,
    }
    if model._scaler is not None and model._scaler.mean is not None and model._scaler.deviation is not None:
        arrays |= {"feature_mean": model._scaler.mean, "feature_deviation": model._scaler.deviation}
    state = model._network.state_dict()
    return arrays | {NETWORK + name: tensor.numpy() for name, tensor in state.items()}


def _restore(cls: type[Model], parameters: Any, fitted: Any, arrays: dict[str, np.ndarray[Any, Any]]) -> Model:
    if isinstance(parameters.get("hidden_layers"), list):
        parameters = {**parameters, "hidden_layers": tuple(parameters["hidden_layers"])}
    model = cls(**parameters)
    sizes = [_whole(size) for size in fitted["network"]]
    n_clusters = sizes[-1]
    weights = {name.removeprefix(NETWORK): array for name, array in arrays.items() if name.startswith(NETWORK)}
    _check_sizes(sizes, weights)
    for name, shape in {
        "labels": (len(arrays["embedding"]),),
        "embedding": (len(arrays["embedding"]), n_clusters),
        "cluster_centers": (n_clusters, n_clusters),
        "to_embedding": (n_clusters, n_clusters),
        "layer_weights": (len(fitted["layer_names"]),),
        "losses": (len(arrays["losses"]),),
    }.items():
        if arrays[name].shape != shape or not np.isfinite(arrays[name]).all():
            raise _Damaged(f"{name} should be finite and of shape {shape}, but has shape {arrays[name].shape}")

    network = Perceptron(sizes).double()
    network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})
    network.eval()
    model._network, model._scaler = network, _scaler(fitted["feature_scaling"], arrays, sizes[0])
    model._to_embedding = arrays["to_embedding"]
    model.n_features_in_ = 0 if model._scaler is None else sizes[0]
    if fitted["feature_names_in"] is not None:
        model.feature_names_in_ = np.array([str(name) for name in fitted["feature_names_in"]], dtype=object)
        if len(model.feature_names_in_) != model.n_features_in_:
            raise _Damaged("the number of feature names is not the number of features")
    model.embedding_ = arrays["embedding"]
    model.cluster_centers_ = arrays["cluster_centers"]
    model.labels_ = arrays["labels"].astype(np.int64)
    model.layer_names_ = tuple(map(str, fitted["layer_names"]))
    model.layer_weights_ = arrays["layer_weights"]
    model.aggregation_ = dict(fitted["aggregation"])
    model.history_ = {"loss": arrays["losses"]}
    model.n_steps_ = len(arrays["losses"])
    return model


def _check_sizes(sizes: list[int], weights: dict[str, np.ndarray[Any, Any]]) -> None:
    """Compare the net's sizes with the tensors before building it: a false index must not claim memory."""
    wanted = [(n_out, n_in) for n_in, n_out in pairwise(sizes)]
    found = [array.shape for name, array in sorted(weights.items(), key=_position) if array.ndim == 2]
    if len(sizes) < 2 or wanted != found:
        raise _Damaged(f"a net of sizes {sizes} does not fit weights of shapes {found}")


def _position(item: tuple[str, Any]) -> tuple[int, str]:
    name = item[0]
    digits = "".join(filter(str.isdigit, name))
    return (int(digits or 0), name)


def _scaler(kind: Any, arrays: dict[str, np.ndarray[Any, Any]], n_features: int) -> FeatureScaler | None:
    if kind is None:
        return None
    if kind not in FEATURE_SCALINGS:
        raise _Damaged(f"feature_scaling is {kind!r}")
    if kind != "standard":
        return FeatureScaler(kind)
    mean, deviation = arrays["feature_mean"], arrays["feature_deviation"]
    if mean.shape != (n_features,) or deviation.shape != (n_features,):
        raise _Damaged(f"the scaling of {n_features} features has shapes {mean.shape} and {deviation.shape}")
    return FeatureScaler(kind, mean, deviation)


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
