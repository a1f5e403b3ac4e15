"""The methods people use today, with the inputs and the ``labels_`` of `OrthoNet`."""

from orthonet.baselines.coregularized import MVLearn
from orthonet.baselines.gmc import GMC
from orthonet.baselines.kmeans import KMeans
from orthonet.baselines.leiden import Leiden
from orthonet.baselines.mimosa import MIMOSA
from orthonet.baselines.network_fusion import SNF
from orthonet.baselines.plm import PLM
from orthonet.baselines.scml import SCML
from orthonet.baselines.spectral import SpectralClustering
from orthonet.baselines.spectralnet import SpectralNet

__all__ = ["GMC", "MIMOSA", "PLM", "SCML", "SNF", "KMeans", "Leiden", "MVLearn", "SpectralClustering", "SpectralNet"]
