"""`write_report`: a clustering as one HTML file that opens anywhere, offline, and can be sent to a colleague."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from orthonet.graph.modularity import layer_agreement
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.report import provenance, sections
from orthonet.report.categories import category_columns, marks
from orthonet.report.cluster_number import number_section
from orthonet.report.clusters import clusters_section, definition_section
from orthonet.report.feature_differences import feature_table
from orthonet.report.fitted import Fitted
from orthonet.report.members import members_section
from orthonet.report.naming import cluster_titles
from orthonet.report.page import shortened, shown, whole_page
from orthonet.report.palette import SYMBOLS, THEMES
from orthonet.report.sureness import sureness_section
from orthonet.support.files import write_atomically

MAX_NAME, MAX_TITLE = 16, 32
"""Letters of a cluster's name in the pictures, on an axis and in the legend; the tables have more."""


def write_report(
    graph: MultilayerGraph,
    model: Any,
    path: str | PathLike[str],
    *,
    command: str | Sequence[str] | None = None,
    record: Mapping[str, Any] | None = None,
    warnings: Sequence[str] = (),
    code: str | None = None,
    title: str | None = None,
    attributes: Mapping[str, Any] | None = None,
) -> Path:
    """Write a page that says what the clusters are, how sure, what defines them, which layers matter, and who is odd.

    The file contains everything it needs and asks for nothing over the network. It has under 2 MB for a few thousand nodes;
    with more than 10,000, which the graphics card draws, about 6. A file that is already there is replaced in one step.

    Parameters
    ----------
    graph : MultilayerGraph
        What the model was fitted on.
    model : OrthoNet
        Fitted, or loaded. Any estimator with ``labels_`` will do; what it does not have is left out.
    path : path
        The file to write, e.g. ``"report.html"``.
    command : str or sequence of str, optional
        The command that made the model, as typed or as ``sys.argv``; that of the record by default.
    record : mapping, optional
        The run's record. "command", "version" or "versions", "seconds" or "times" (a number, or one for each step), "seed" and
        "warnings" have their places on the page; all else is listed.
    warnings : sequence of str, optional
        What was warned of, beside the warnings in the record.
    code : str, optional
        Lines of Python that make ``graph``, for the reader who wants the same again.
    title : str, optional
        Heading of the page.
    attributes : mapping of names to arrays of N values, optional
        Columns about the nodes that are not features, such as site or team: clusters are named and described by them.

    Returns
    -------
    pathlib.Path
        The file.

    See Also
    --------
    orthonet.OrthoNet.plot_embedding : One picture instead of a page.

    Examples
    --------
    >>> import tempfile
    >>> from orthonet import OrthoNet, datasets, write_report
    >>> data = datasets.make_multilayer_gaussians(n_nodes=60, n_clusters=3, random_state=0)
    >>> model = OrthoNet(3, training={"max_iter": 10}, random_state=0).fit(data.graph)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(data.graph, model, f"{folder}/report.html").name
    'report.html'
    """
    target = Path(path).expanduser()
    if target.is_dir():
        raise IsADirectoryError(f"path={str(path)!r} is a folder; name a file in it, such as {target / 'report.html'}")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"path={str(path)!r}: there is no folder {target.parent}")
    page = report_page(
        graph,
        model,
        command=command,
        record=record,
        warnings=warnings,
        code=code,
        title=title,
        attributes=attributes,
    )
    write_atomically(target, page)
    return target


def report_page(
    graph: MultilayerGraph,
    model: Any,
    *,
    command: str | Sequence[str] | None = None,
    record: Mapping[str, Any] | None = None,
    warnings: Sequence[str] = (),
    code: str | None = None,
    title: str | None = None,
    attributes: Mapping[str, Any] | None = None,
) -> bytes:
    """Return the page that `write_report` writes."""
    fitted = Fitted.of(graph, model, attributes)
    kept = dict(record or {})
    typed = provenance.command_line(command if command is not None else kept.get("command"))
    warned = list(dict.fromkeys(str(one) for one in (*warnings, *(kept.get("warnings") or ()))))
    features = None if graph.features is None else feature_table(graph.features, fitted.labels, fitted.n_clusters)
    agreement = layer_agreement(graph, fitted.labels, fitted.n_clusters)
    seen = provenance.observations(fitted, {one.name: one.modularity for one in agreement})
    found = marks(category_columns(fitted.attributes), fitted.labels, fitted.n_clusters)
    titles = cluster_titles(fitted, found)

    # The questions of a reader, in their order; then how it came about.
    parts = [
        ("warnings", "Before you read on", sections.warnings_section(warned, seen)),
        ("clusters", "The clusters", clusters_section(fitted, titles)),
        ("embedding", "In a picture", sections.embedding_section(fitted, features)),
        ("sureness", "How sure", sureness_section(fitted, kept)),
        ("definition", "What defines them", (definition_section(fitted, titles, features, found), {})),
        ("agreement", "Which layers matter", sections.agreement_section(fitted, agreement)),
        ("members", "Typical and odd members", (members_section(fitted, titles), {})),
        ("number", "Another number?", number_section(fitted, titles)),
        ("layers", "What was clustered", sections.layers_section(fitted)),
        ("training", "Training", sections.training_section(fitted)),
        ("reproduce", "To get this again", sections.reproduction_section(fitted, typed, code, kept)),
    ]
    figures = {name: one for _, _, (_, data) in parts for name, one in data.items()}
    # Labels alone have no embedding and no training: then there is nothing to say of them.
    bodies = [body for _, _, (body, _) in parts if body]
    contents = [(place, name) for place, name, (body, _) in parts if body]
    called = title or f"{graph.n_nodes:,} nodes in {fitted.n_clusters} clusters"
    head = sections.header(called, fitted, contents)
    names = [shortened(name, MAX_NAME) for name in fitted.cluster_names]
    data = {
        "themes": THEMES,
        "symbols": SYMBOLS,
        "clusters": names,
        "titles": [shortened(name, MAX_TITLE) for name in titles],
        "figures": figures,
    }
    return whole_page(f"{called} · OrthoNet report", head, bodies, shown(data))
