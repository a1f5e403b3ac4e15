"""Readers and writers of the file formats that multilayer networks are published in, one module each."""

from orthonet.graph.formats.mpx import read_mpx
from orthonet.graph.formats.multiplex import read_multiplex
from orthonet.graph.formats.network_file import Edges, NetworkFile
from orthonet.graph.formats.report import LayerReport, ReadReport

__all__ = ["Edges", "LayerReport", "NetworkFile", "ReadReport", "read_mpx", "read_multiplex"]
