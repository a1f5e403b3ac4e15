"""Data sets, real and generated, all as the same small object."""

from orthonet.datasets.acm import load_acm
from orthonet.datasets.aucs import load_aucs
from orthonet.datasets.bbcsport import load_bbcsport
from orthonet.datasets.citeseer import load_citeseer
from orthonet.datasets.ckm import load_ckm
from orthonet.datasets.cora import load_cora
from orthonet.datasets.dataset import Dataset
from orthonet.datasets.dblp import load_dblp
from orthonet.datasets.digits import load_digits
from orthonet.datasets.freebase import load_freebase
from orthonet.datasets.gaussians import make_multilayer_gaussians
from orthonet.datasets.imdb3550 import load_imdb3550
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
    "load_citeseer",
    "load_ckm",
    "load_cora",
    "load_dblp",
    "load_digits",
    "load_freebase",
    "load_imdb3550",
    "load_imdb_genre",
    "load_imdb_movies",
    "load_leaves100",
    "load_mfeat",
    "load_multiview_mat",
    "load_yelp",
    "make_multilayer_gaussians",
    "make_multilayer_sbm",
]
