"""The methods people use today, with the inputs and the ``labels_`` of `OrthoNet`."""

from orthonet.baselines.kmeans import KMeans
from orthonet.baselines.spectral import SpectralClustering

__all__ = ["KMeans", "SpectralClustering"]
