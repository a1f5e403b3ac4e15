"""What a fitted model shows of itself: explanations, pictures, and a summary in a notebook."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from orthonet.clustering.explanations import ClustersExplanation, NodeExplanation, explain_clusters, explain_node
from orthonet.clustering.plot import plot_cluster_numbers, plot_embedding, plot_history
from orthonet.clustering.result import FitResult
from orthonet.clustering.summary import model_html

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ModelDisplay(BaseEstimator):
    """The methods of `OrthoNet` that explain, draw and show what was found."""

    _result: FitResult

    def explain(self, node: Any) -> NodeExplanation:
        """Explain why a node is in its cluster: what each source and its strongest words, groups and features say.

        Parameters
        ----------
        node : node id, or int
            An id of a node; or, if there is no such id, its position.

        Returns
        -------
        NodeExplanation
            Prints as a table, also in a notebook; ``.table`` is that table (a `PlainTable`, with pandas or without),
            ``.to_pandas()`` the same as a data frame, ``.to_dict()`` everything as plain data.

        Examples
        --------
        >>> from orthonet import OrthoNet, datasets
        >>> data = datasets.make_multilayer_gaussians(n_nodes=90, n_clusters=3, random_state=0)
        >>> model = OrthoNet(3, training={"max_iter": 20}, random_state=0).fit(data.graph)
        >>> why = model.explain(7)
        >>> bool(why.cluster == model.labels_[7])
        True
        >>> [one.source for one in why.sources] == list(model.source_names_)
        True
        """
        check_is_fitted(self)
        return explain_node(self._result, node)

    def explain_clusters(self) -> ClustersExplanation:
        """Explain what defines each cluster: sources, words, groups and features, typical and odd members.

        Returns
        -------
        ClustersExplanation
            A sequence with a `ClusterExplanation` for each cluster, which prints as a table, also in a notebook; ``.table`` is
            that table, ``.to_pandas()`` the same as a data frame, ``.to_dict()`` everything as plain data.
        """
        check_is_fitted(self)
        return explain_clusters(self._result)

    def plot_embedding(
        self, color: Any = "cluster", *, ax: Axes | None = None, legend: bool = True, max_points: int = 30_000
    ) -> Axes:
        """Draw the nodes in the plane: the unit rows of the embedding, flattened. Needs ``orthonet[plot]``.

        Up to 3 clusters the rows are drawn by their principal components, else by t-SNE; above 5000 points by principal
        components again, as t-SNE would take minutes.

        Parameters
        ----------
        color : "cluster", "confidence", or N values, default="cluster"
            What a point's colour shows. Floats are drawn with a colour bar over their middle 98 %, NaN in grey. Strings, truth
            values and up to 100 different integers are categories: ten colours, then ten symbols, tell them apart.
        ax : matplotlib Axes, optional
            Where to draw; a new pyplot figure by default, which a notebook shows.
        legend : bool, default=True
            Whether a legend beside the picture names the categories and counts their nodes (more than 20 are named where they
            lie), or a colour bar shows the values.
        max_points : int, default=30_000
            With more nodes, a random sample of so many is drawn, and the title says so. 5000 gives t-SNE for any graph.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import matplotlib.figure
        >>> from orthonet import OrthoNet, datasets
        >>> data = datasets.make_multilayer_gaussians(n_nodes=90, n_clusters=3, random_state=0)
        >>> model = OrthoNet(3, training={"max_iter": 20}, random_state=0).fit(data.graph)
        >>> left, right = matplotlib.figure.Figure(layout="constrained").subplots(1, 2)
        >>> model.plot_embedding(ax=left).get_title()
        '90 nodes in 3 clusters'
        >>> model.plot_embedding("confidence", ax=right) is right
        True
        """
        check_is_fitted(self)
        return plot_embedding(self._result, color, ax=ax, legend=legend, max_points=max_points)

    def plot_history(self, *, ax: Axes | None = None) -> Axes:
        """Draw the loss of each training step, and how far the embedding turned; the title says why training ended.

        The turn has a scale of its own on the right; training stops below the dotted line, which is ``tol``.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new pyplot figure by default, which a notebook shows.

        Returns
        -------
        matplotlib Axes
        """
        check_is_fitted(self)
        return plot_history(self._result, ax=ax)

    def plot_cluster_numbers(self, *, ax: Axes | None = None) -> Axes:
        """Draw what each number of clusters is worth and how reproducible it is, if the number was chosen by the fit.

        The dashed line is the number that was chosen, dotted ones could be right as well.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new pyplot figure by default, which a notebook shows.

        Returns
        -------
        matplotlib Axes
        """
        check_is_fitted(self)
        return plot_cluster_numbers(self._result, ax=ax)

    @property
    def _repr_html_(self) -> Callable[[], str]:
        """What it found; scikit-learn's diagram before `fit`, and nothing where its settings ask for text."""
        diagram: Callable[[], str] = super()._repr_html_
        return (lambda: model_html(self._result, repr(self))) if hasattr(self, "_result") else diagram

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)
        return bundle | {"text/html": self._repr_html_()} if "text/html" in bundle else bundle
