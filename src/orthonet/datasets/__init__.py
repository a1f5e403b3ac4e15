"""Data sets, real and generated, all as the same small object."""

from orthonet.datasets.acm import load_acm
from orthonet.datasets.aucs import load_aucs
from orthonet.datasets.bbcsport import load_bbcsport
from orthonet.datasets.ckm import load_ckm
from orthonet.datasets.dataset import Dataset
from orthonet.datasets.dblp import load_dblp
from orthonet.datasets.digits import load_digits
from orthonet.datasets.gaussians import make_multilayer_gaussians
from orthonet.datasets.imdb_genre import load_imdb_genre
from orthonet.datasets.imdb_movies import load_imdb_movies
from orthonet.datasets.leaves100 import load_leaves100
from orthonet.datasets.mfeat import load_mfeat
from orthonet.datasets.multiview_mat import load_multiview_mat
from orthonet.datasets.sbm import make_multilayer_sbm
from orthonet.datasets.three_sources import load_3sources
from orthonet.datasets.yelp import load_yelp

__all__ = [
    "Dataset",
    "load_3sources",
    "load_acm",
    "load_aucs",
    "load_bbcsport",
    "load_ckm",
    "load_dblp",
    "load_digits",
    "load_imdb_genre",
    "load_imdb_movies",
    "load_leaves100",
    "load_mfeat",
    "load_multiview_mat",
    "load_yelp",
    "make_multilayer_gaussians",
    "make_multilayer_sbm",
]
