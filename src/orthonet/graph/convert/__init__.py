"""To and from the objects of other libraries; each library is imported only where one of its objects is made."""

from orthonet.graph.convert.anndata_objects import from_anndata, from_mudata, to_anndata, to_mudata
from orthonet.graph.convert.anndata_results import write_result
from orthonet.graph.convert.cytoscape import to_cx2
from orthonet.graph.convert.frames import Tables, from_tables, to_pandas, to_polars
from orthonet.graph.convert.igraph_graphs import from_igraph, to_igraph, to_igraph_layers
from orthonet.graph.convert.networkx_graphs import from_networkx, to_networkx, to_networkx_layers
from orthonet.graph.convert.pyg_data import from_pyg, to_pyg, to_pyg_hetero

__all__ = [
    "Tables",
    "from_anndata",
    "from_igraph",
    "from_mudata",
    "from_networkx",
    "from_pyg",
    "from_tables",
    "to_anndata",
    "to_cx2",
    "to_igraph",
    "to_igraph_layers",
    "to_mudata",
    "to_networkx",
    "to_networkx_layers",
    "to_pandas",
    "to_polars",
    "to_pyg",
    "to_pyg_hetero",
    "write_result",
]
