"""What a multilayer graph shows of itself: its numbers, in a terminal and in a notebook, and pictures."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy.typing as npt
from scipy.sparse import issparse

from orthonet.graph.plot import plot_layers
from orthonet.graph.summary import GraphSummary, summarise_layer, summarise_two_mode

if TYPE_CHECKING:
    from orthonet.graph.multilayer import MultilayerGraph


class GraphDisplay:
    """The methods of `MultilayerGraph` that show what it holds."""

    def summary(self) -> GraphSummary:
        """Return what each layer and each two-mode relation holds: nodes, edges, components, groups; print it to read it."""
        return self._summary

    @cached_property
    def _summary(self) -> GraphSummary:
        graph = cast("MultilayerGraph", self)
        parts = zip(graph.layer_names, graph.layers, graph.present, graph._n_loops_dropped, strict=True)
        features = "no features"
        if graph.features is not None:
            features = f"{graph.features.shape[1]:,} features" + (" (sparse)" if issparse(graph.features) else "")
        relations = tuple(summarise_two_mode(name, relation) for name, relation in graph.two_mode.items())
        return GraphSummary(graph.n_nodes, features, tuple(summarise_layer(*part) for part in parts), relations)

    def plot_layers(self, labels: Any = None, *, axes: Any = None, order: Any = "auto") -> npt.NDArray[Any]:
        """Draw the adjacency of each layer, all with their nodes in the same order. Needs ``orthonet[plot]``.

        A picture has at most 300 cells per side; the darker a cell, the more of its pairs of nodes are joined. Nodes that
        are missing from a layer are grey.

        Parameters
        ----------
        labels : array of shape (N,), optional
            Clusters, such as ``model.labels_``: nodes are sorted by them, with lines between up to 40 clusters.
        axes : sequence of S matplotlib Axes, optional
            Where to draw; a new pyplot figure by default, which a notebook shows.
        order : "auto", "given" or array of N positions, default="auto"
            The order of the nodes, within their clusters if there are ``labels``. "auto" brings nodes together that are joined
            in any layer, "given" leaves them as they are numbered.

        Returns
        -------
        array of S matplotlib Axes

        Examples
        --------
        >>> import matplotlib.figure
        >>> from orthonet import datasets
        >>> data = datasets.make_multilayer_gaussians(n_nodes=90, n_layers=2, n_clusters=3, random_state=0)
        >>> panels = matplotlib.figure.Figure(layout="constrained").subplots(1, 2)
        >>> data.graph.plot_layers(data.labels, axes=panels).shape
        (2,)
        """
        return plot_layers(cast("MultilayerGraph", self), labels, axes=axes, order=order)

    def __repr__(self) -> str:
        return f"<{self._summary._title()}>"

    def _repr_html_(self) -> str:
        return self._summary._repr_html_()
