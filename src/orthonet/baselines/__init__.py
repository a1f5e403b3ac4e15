"""The methods people use today, with the inputs and the ``labels_`` of `OrthoNet`; each is loaded when it is first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orthonet.baselines.gmc import GMC
    from orthonet.baselines.kmeans import KMeans
    from orthonet.baselines.leiden import Leiden
    from orthonet.baselines.mimosa import MIMOSA
    from orthonet.baselines.mvlearn import MVLearn
    from orthonet.baselines.plm import PLM
    from orthonet.baselines.scml import SCML
    from orthonet.baselines.snf import SNF
    from orthonet.baselines.spectral import SpectralClustering
    from orthonet.baselines.spectralnet import SpectralNet

__all__ = ["GMC", "MIMOSA", "PLM", "SCML", "SNF", "KMeans", "Leiden", "MVLearn", "SpectralClustering", "SpectralNet"]

_HOMES = {name: f"orthonet.baselines.{name.lower()}" for name in __all__} | {
    "SpectralClustering": "orthonet.baselines.spectral"
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'orthonet.baselines' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
