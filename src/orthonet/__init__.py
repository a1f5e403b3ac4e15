"""OrthoNet: cluster multilayer networks with node features.

Importing this package loads nothing else; each public name is loaded when it is first used (PEP 562).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orthonet import baselines, datasets, metrics
    from orthonet.aggregation import aggregate
    from orthonet.clustering.estimator import OrthoNet
    from orthonet.files import read_features, read_labels, read_network, read_views, write_network
    from orthonet.graph.convert import (
        from_anndata,
        from_igraph,
        from_mudata,
        from_networkx,
        from_pyg,
        from_tables,
        to_anndata,
        to_cx2,
        to_igraph,
        to_igraph_layers,
        to_mudata,
        to_networkx,
        to_networkx_layers,
        to_pandas,
        to_polars,
        to_pyg,
        to_pyg_hetero,
        write_result,
    )
    from orthonet.graph.multilayer import MultilayerGraph
    from orthonet.graph.two_mode import TwoMode
    from orthonet.report.html import write_report

__version__ = "0.1.0"
__all__ = [
    "MultilayerGraph",
    "OrthoNet",
    "TwoMode",
    "__version__",
    "aggregate",
    "baselines",
    "datasets",
    "from_anndata",
    "from_igraph",
    "from_mudata",
    "from_networkx",
    "from_pyg",
    "from_tables",
    "metrics",
    "read_features",
    "read_labels",
    "read_network",
    "read_views",
    "to_anndata",
    "to_cx2",
    "to_igraph",
    "to_igraph_layers",
    "to_mudata",
    "to_networkx",
    "to_networkx_layers",
    "to_pandas",
    "to_polars",
    "to_pyg",
    "to_pyg_hetero",
    "write_network",
    "write_report",
    "write_result",
]

_MODULES = ("baselines", "datasets", "metrics")
_HOMES = {
    "MultilayerGraph": "orthonet.graph.multilayer",
    "OrthoNet": "orthonet.clustering.estimator",
    "TwoMode": "orthonet.graph.two_mode",
    "aggregate": "orthonet.aggregation",
    "read_features": "orthonet.files",
    "read_labels": "orthonet.files",
    "read_network": "orthonet.files",
    "read_views": "orthonet.files",
    "write_network": "orthonet.files",
    "write_report": "orthonet.report.html",
}
"""Where each name is defined; those that are not here convert from and to other libraries."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'orthonet' has no attribute {name!r}")
    if name in _MODULES:
        return importlib.import_module(f"orthonet.{name}")
    return getattr(importlib.import_module(_HOMES.get(name, "orthonet.graph.convert")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
