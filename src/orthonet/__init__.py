"""OrthoNet: cluster multilayer networks with node features.

Importing this package loads nothing else; each public name is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orthonet import baselines, datasets, metrics
    from orthonet.aggregation import aggregate
    from orthonet.clustering.estimator import OrthoNet
    from orthonet.graph.multilayer import MultilayerGraph

__version__ = "0.1.0"
__all__ = ["MultilayerGraph", "OrthoNet", "__version__", "aggregate", "baselines", "datasets", "metrics"]

_HOMES = {
    "MultilayerGraph": "orthonet.graph.multilayer",
    "OrthoNet": "orthonet.clustering.estimator",
    "aggregate": "orthonet.aggregation",
}
_MODULES = ("baselines", "datasets", "metrics")


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in _MODULES:
        return importlib.import_module(f"orthonet.{name}")
    raise AttributeError(f"module 'orthonet' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
