"""Data sets, real and generated, all as the same small object."""

from orthonet.datasets.dataset import Dataset
from orthonet.datasets.digits import load_digits
from orthonet.datasets.gaussians import make_multilayer_gaussians
from orthonet.datasets.leaves100 import load_leaves100
from orthonet.datasets.mfeat import load_mfeat

__all__ = ["Dataset", "load_digits", "load_leaves100", "load_mfeat", "make_multilayer_gaussians"]
