"""Readers of the file formats that multilayer networks are published in; each returns a `NetworkFile`."""

from orthonet.graph.formats.mpx import read_mpx
from orthonet.graph.formats.multiplex import read_multiplex
from orthonet.graph.formats.network_file import Edges, NetworkFile

__all__ = ["Edges", "NetworkFile", "read_mpx", "read_multiplex"]
