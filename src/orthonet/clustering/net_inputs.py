"""What the nets need to know of the data, whoever prepared it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.graph.features import Features, FeatureScaler


class NetInputs(Protocol):
    """Inputs of nets, see `orthonet.clustering.preparation.Prepared`."""

    @property
    def inputs(self) -> Features:
        """What the nets see, after ``scale``."""

    @property
    def scale(self) -> Callable[[Any], Any]:
        """From some rows of ``inputs`` to what a trained net sees."""

    @property
    def scaler(self) -> FeatureScaler | None:
        """None if there are no features."""

    @property
    def averaging(self) -> csr_array | None:
        """For nets that average over neighbours."""

    @property
    def basis(self) -> npt.NDArray[np.float64] | None:
        """What the nets are trained on is ``scale(inputs) @ basis``; None if it is all features."""

    @property
    def n_inputs(self) -> int:
        """Inputs of the nets while they are trained."""

    def reduced(self, rows: Any) -> Any:
        """Return some rows of ``inputs`` as the nets are trained on them."""
