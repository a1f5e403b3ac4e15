"""Files: networks, tables of features, views and labels, read and written; one registry of formats."""

from orthonet.files.errors import FileError
from orthonet.files.features import read_features
from orthonet.files.labels import read_labels
from orthonet.files.matlab.multiview import MultiviewFile, read_multiview_mat
from orthonet.files.memberships import add_memberships, read_memberships
from orthonet.files.network import NetworkFile
from orthonet.files.read import read_network
from orthonet.files.report import LayerReport, ReadReport
from orthonet.files.shards import Shards, write_shards
from orthonet.files.tables.node_table import FeatureTable
from orthonet.files.views import ViewsFile, read_views
from orthonet.files.write import write_network

__all__ = [
    "FeatureTable",
    "FileError",
    "LayerReport",
    "MultiviewFile",
    "NetworkFile",
    "ReadReport",
    "Shards",
    "ViewsFile",
    "add_memberships",
    "read_features",
    "read_labels",
    "read_memberships",
    "read_multiview_mat",
    "read_network",
    "read_views",
    "write_network",
    "write_shards",
]
