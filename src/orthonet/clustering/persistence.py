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
from orthonet.graph.features import FeatureScaler
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
    folder = Path(path).expanduser()
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; a model is saved as a folder")
    if folder.is_dir() and not (folder / INDEX).exists() and any(not _is_ours(file) for file in folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty and holds no model; name a new folder")

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
    text = json.dumps(index, indent=2).encode()
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(tensors, content)
    write_atomically(folder / INDEX, text)
    for old in folder.iterdir():
        if _is_ours(old) and old != tensors:
            old.unlink()


def load_model(cls: type[Model], path: str | PathLike[str]) -> Model:
    """Read a model from the folder ``path``."""
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
        return _restore(cls, parameters, fitted, tensor_files.load(content))
    except _Damaged as error:
        raise ValueError(f"{folder} is not a whole model: {error}") from None
    except OSError as error:
        raise ValueError(f"{folder} is not a whole model: {error.filename} is missing or cannot be read") from None
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
    n_nodes, n_layers = len(arrays["embedding"]), len(fitted["layer_names"])
    shapes: dict[str, tuple[int, ...]] = {
        "labels": (n_nodes,),
        "embedding": (n_nodes, n_clusters),
        "cluster_centers": (n_clusters, n_clusters),
        "to_embedding": (n_clusters, n_clusters),
        "layer_weights": (n_layers,),
        "losses": (len(arrays["losses"]),),
    }
    if "feature_mean" in arrays:
        shapes |= {"feature_mean": (sizes[0],), "feature_deviation": (sizes[0],)}
    for name, array in arrays.items():
        wanted = np.int64 if name == "labels" else np.float64
        if array.dtype != wanted or array.shape != shapes.get(name, array.shape) or not np.isfinite(array).all():
            raise _Damaged(f"{name} should be finite numbers of shape {shapes.get(name, array.shape)}, but is not")
    if model.n_clusters != n_clusters or not np.isin(arrays["labels"], np.arange(n_clusters)).all():
        raise _Damaged(f"the labels, the net and n_clusters do not agree on {n_clusters} clusters")

    network = Perceptron(sizes).double()
    network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})
    network.eval()
    model._network, model._scaler = network, _scaler(fitted["feature_scaling"], arrays)
    model._to_embedding = arrays["to_embedding"]
    model.n_features_in_ = 0 if model._scaler is None else sizes[0]
    if fitted["feature_names_in"] is not None:
        model.feature_names_in_ = np.array([str(name) for name in fitted["feature_names_in"]], dtype=object)
        if len(model.feature_names_in_) != model.n_features_in_:
            raise _Damaged("the number of feature names is not the number of features")
    model.embedding_ = arrays["embedding"]
    model.cluster_centers_ = arrays["cluster_centers"]
    model.labels_ = arrays["labels"]
    model.layer_names_ = tuple(map(str, fitted["layer_names"]))
    model.layer_weights_ = arrays["layer_weights"]
    model.aggregation_ = dict(fitted["aggregation"])
    model.history_ = {"loss": arrays["losses"]}
    model.n_steps_ = len(arrays["losses"])
    model._n_features_out = n_clusters
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
