"""What a fitted model found, written into the AnnData or MuData that its graph was made from."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from orthonet.support.optional import require


def write_result(adata: Any, model: Any, key: str = "orthonet") -> None:
    """Write what a fitted model found into the AnnData or MuData its graph was made from, which this changes in place.

    Parameters
    ----------
    adata : AnnData or MuData
        With the cells that the model was fitted on, in the same order.
    model : OrthoNet or another estimator
        Has ``labels_``, and perhaps ``confidence_`` and ``embedding_``.
    key : str, default="orthonet"
        ``obs[key]``: labels, as categories; ``obs[key + "_confidence"]``; ``obsm["X_" + key]``: embedding; ``uns[key]``:
        settings (those at None are left out), layers and their weights, version. What stood there is replaced.
    """
    if not all(hasattr(adata, name) for name in ("obs", "obsm", "uns", "n_obs")):
        raise TypeError(f"adata must be an AnnData or MuData, got {type(adata).__name__}")
    if not isinstance(key, str) or not key:
        raise ValueError(f"key must be a name, got {key!r}")
    if not hasattr(model, "labels_"):
        raise ValueError(f"model ({type(model).__name__}) has no labels_; fit it first")
    pandas = require("pandas", extra="anndata", purpose="writing into an AnnData")
    found = {name: getattr(model, name, None) for name in ("labels_", "confidence_", "embedding_")}
    for name, values in found.items():
        if values is not None and len(values) != adata.n_obs:
            raise ValueError(
                f"model.{name} is of {len(values)} nodes, but adata has {adata.n_obs} cells; write into the data that the "
                "graph was made from"
            )
    labels = np.asarray(found["labels_"])
    groups = list(map(str, np.unique(labels).tolist()))
    index = adata.obs.index
    adata.obs[key] = pandas.Series(
        pandas.Categorical(list(map(str, labels.tolist())), categories=groups), index=index, name=key
    )
    if found["confidence_"] is not None:
        adata.obs[f"{key}_confidence"] = np.array(found["confidence_"])
    if found["embedding_"] is not None:
        adata.obsm[f"X_{key}"] = np.array(found["embedding_"])
    adata.uns[key] = _settings(model)


def _settings(model: Any) -> dict[str, Any]:
    """Return the settings of the model and its weights of layers, in types that every file of an AnnData can hold."""
    given = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    settings: dict[str, Any] = {
        "method": type(model).__name__,
        "version": importlib.import_module("orthonet").__version__,
        "params": {name: _plain(value) for name, value in given.items() if value is not None},
    }
    if getattr(model, "layer_names_", None) is not None:
        settings["layer_names"] = np.array(model.layer_names_, dtype=object)
    if getattr(model, "layer_weights_", None) is not None:
        settings["layer_weights"] = np.array(model.layer_weights_)
    return settings


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool | int | float | str) else str(value)
