"""Pictures and tables of a fitted model show what was found, and touch nothing else."""

import signal
import subprocess
import sys

import numpy as np
import pytest
import torch
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from orthonet import OrthoNet, datasets
from orthonet.clustering.plot import draw_points, look_steps
from orthonet.clustering.projection_2d import flatten, flattening, sample
from orthonet.support.drawing import MARKERS, MUTED, colour_and_symbol

figure = pytest.importorskip("matplotlib.figure")
from matplotlib.colors import to_rgba  # noqa: E402


@pytest.fixture(scope="module")
def model(request):
    clouds = request.getfixturevalue("clouds")
    return OrthoNet(3, random_state=0, training={"max_iter": 200}).fit(clouds.graph)


@pytest.fixture
def axis():
    return figure.Figure(layout="constrained").subplots()


def points(axis):
    """Return where points are drawn, and in which colours."""
    drawn = [c for c in axis.collections if len(c.get_offsets())]
    return np.vstack([c.get_offsets() for c in drawn]), np.vstack([c.get_facecolors() for c in drawn])


def legend(axis):
    return [text.get_text() for text in axis.get_legend().get_texts()]


def test_every_node_is_drawn_in_the_colour_of_its_cluster(model, axis):
    assert model.plot_embedding(ax=axis) is axis
    where, colours = points(axis)
    assert where.shape == (150, 2)
    np.testing.assert_allclose(colours, [to_rgba(MUTED[label]) for label in model.labels_])
    assert legend(axis) == [f"{k} ({size})" for k, size in enumerate(np.bincount(model.labels_))]
    assert axis.get_title() == "150 nodes in 3 clusters"
    assert "principal components" in axis.get_xlabel()


def test_confidence_has_a_colour_bar_from_0_to_1(model, axis):
    model.plot_embedding("confidence", ax=axis)
    (drawn,) = (c for c in axis.collections if len(c.get_offsets()))
    assert drawn.get_clim() == (0, 1)
    np.testing.assert_allclose(np.sort(drawn.get_array()), np.sort(model.confidence_))
    assert [bar.get_ylabel() for bar in axis.figure.axes if bar is not axis] == ["confidence"]
    assert axis.get_legend() is None


def test_values_stay_with_their_nodes_and_missing_ones_are_said(model, axis, rng):
    values = rng.normal(size=150)
    values[:7] = np.nan
    values[7] = np.inf
    model.plot_embedding(values, ax=axis)
    missing, drawn = (c for c in axis.collections if len(c.get_offsets()))
    flat = model._result.planes[150]
    np.testing.assert_allclose(np.sort(missing.get_offsets(), axis=0), np.sort(flat[:8], axis=0))
    order = np.argsort(-values[8:])
    np.testing.assert_allclose(drawn.get_offsets(), flat[8:][order])
    np.testing.assert_allclose(drawn.get_array(), values[8:][order])
    assert "8 nodes without a value" in axis.figure.axes[1].get_ylabel()


@pytest.mark.parametrize("values", [np.full(150, np.nan), np.full(150, 2.5)])
def test_values_that_tell_nothing_can_be_drawn(model, axis, values):
    model.plot_embedding(values, ax=axis)
    axis.figure.canvas.draw()
    assert len(points(axis)[0]) == 150


def test_labels_of_any_kind_are_groups(model, axis, clouds):
    pandas = pytest.importorskip("pandas")
    names = np.array(["_one", "$two", "three\n" * 30])[clouds.labels]
    for column in (names, names.tolist(), names.astype(object), pandas.Series(names, dtype="category", name="$kind")):
        axis.clear()
        model.plot_embedding(column, ax=axis)
        axis.figure.canvas.draw()  # names that look like mathematics are none
        first, second, third = legend(axis)
        assert (first, second) == ("$two (50)", "_one (50)")
        assert third.endswith("… (50)")
        assert "\n" not in third
    assert axis.get_legend().get_title().get_text() == "$kind (nodes)"
    axis.clear()
    model.plot_embedding(clouds.labels > 0, ax=axis)
    assert legend(axis) == ["False (50)", "True (100)"]


def test_few_integers_are_groups_and_many_are_numbers(model):
    left, right = figure.Figure().subplots(1, 2)
    model.plot_embedding(np.arange(150) % 12, ax=left)
    model.plot_embedding(np.arange(150), ax=right)
    assert len(legend(left)) == 12
    assert right.get_legend() is None


def test_many_groups_are_named_where_they_lie(model, axis):
    groups = np.arange(150) % 30
    model.plot_embedding(groups, ax=axis)
    assert axis.get_legend() is None
    assert sorted(int(text.get_text()) for text in axis.texts) == list(range(30))
    np.testing.assert_allclose(axis.texts[4].xy, np.median(model._result.planes[150][groups == 4], axis=0))


def test_no_legend_if_none_is_wanted(model, axis):
    model.plot_embedding(ax=axis, legend=False)
    model.plot_embedding("confidence", ax=axis, legend=False)
    assert axis.get_legend() is None
    assert axis.figure.axes == [axis]


def test_a_sample_is_drawn_of_many_nodes_and_said(model, axis):
    model.plot_embedding(ax=axis, max_points=40)
    where, colours = points(axis)
    assert len(where) == 40
    np.testing.assert_allclose(colours, [to_rgba(MUTED[label]) for label in model.labels_[sample(150, 40)]])
    assert legend(axis)[0] == f"0 ({np.sum(model.labels_ == 0)})"  # sizes are those of all nodes
    assert axis.get_title().endswith("a random sample of 40 nodes is drawn")


def test_another_fit_moves_the_points(clouds, axis):
    model = OrthoNet(3, random_state=0, training={"max_iter": 5}).fit(clouds.graph)
    model.plot_embedding(ax=axis)
    before = points(axis)[0]
    model.set_params(training__max_iter=100).fit(clouds.graph)
    axis.clear()
    model.plot_embedding(ax=axis)
    assert not np.allclose(points(axis)[0], before)
    assert not hasattr(clone(model), "_plane")


def test_signs_differ_up_to_a_hundred_groups(axis):
    assert len({colour_and_symbol(group) for group in range(100)}) == 100
    draw_points(axis, np.zeros((100, 2)), np.arange(100))
    assert len(axis.collections) == len(MARKERS)
    shapes = {tuple(map(tuple, c.get_paths()[0].vertices.round(3))) for c in axis.collections}
    assert len(shapes) == len(MARKERS)
    assert all(len(np.unique(c.get_facecolors(), axis=0)) == len(MUTED) for c in axis.collections)


@pytest.mark.parametrize("n_dims", [1, 2, 3, 5])
@pytest.mark.parametrize("n_points", [1, 2, 40])
def test_anything_is_flattened_to_the_plane(rng, n_points, n_dims):
    flat = flatten(rng.standard_normal((n_points, n_dims)))
    assert flat.shape == (n_points, 2)
    assert np.isfinite(flat).all()


def test_neighbours_stay_neighbours_in_the_plane(rng):
    groups = np.arange(200) % 8
    flat = flatten(np.eye(8)[groups] + 0.05 * rng.standard_normal((200, 8)))
    gaps = np.linalg.norm(flat[:, None] - flat, axis=2) + np.diag(np.full(200, np.inf))
    assert flattening(200, 8) == "t-SNE"
    assert (groups[gaps.argmin(axis=1)] == groups).all()


def test_history_shows_each_step_and_each_look(model, axis):
    assert model.plot_history(ax=axis) is axis
    (losses,) = axis.lines
    np.testing.assert_array_equal(losses.get_xdata(), np.arange(1, model.n_iter_ + 1))
    np.testing.assert_allclose(losses.get_ydata(), model.history_["loss"])
    (beside,) = (other for other in axis.figure.axes if other is not axis)
    turns, level = beside.lines
    assert turns.get_xdata().tolist() == list(range(6, model.n_iter_ + 1, 3))
    np.testing.assert_allclose(turns.get_ydata(), model.history_["turn"])
    assert set(level.get_ydata()) == {0.005}
    assert axis.get_title() == f"stopped after {model.n_iter_} of 200 steps: the turn was below 0.005"


@pytest.mark.parametrize(
    ("n_steps", "n_looks", "wanted"),
    [
        (40, 1, [40]),
        (20, 5, [6, 9, 12, 15, 18]),
        (7, 1, [6]),
        (119, 4, [40, 60, 80, 100]),
        (120, 5, [40, 60, 80, 100, 120]),
    ],
)
def test_looks_are_the_last_steps_of_each_window(n_steps, n_looks, wanted):
    assert look_steps(n_steps, n_looks).tolist() == wanted


def test_a_short_history_has_no_turn(clouds, axis):
    model = OrthoNet(3, random_state=0, training={"max_iter": 1}).fit(clouds.graph)
    model.plot_history(ax=axis)
    assert axis.figure.axes == [axis]
    assert axis.get_title() == "1 of 1 steps: the embedding still turned"


class Interrupting(torch.nn.Linear):
    """A linear map in the middle of whose training somebody presses Ctrl-C."""

    n_calls = 0

    def forward(self, features):
        self.n_calls += self.training
        if self.training and self.n_calls == 8:
            signal.raise_signal(signal.SIGINT)
        return super().forward(features)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_training_says_so(clouds, axis):
    with pytest.warns(UserWarning, match="incomplete"):
        model = OrthoNet(3, network=Interrupting(6, 3), random_state=0, training={"max_iter": 50}).fit(clouds.graph)
    assert model.plot_history(ax=axis).get_title() == "interrupted after 7 of 50 steps: the model is incomplete"
    assert "the model is incomplete" in model._repr_html_()


@pytest.mark.parametrize(
    ("options", "error", "wanted"),
    [
        ({"color": "red"}, ValueError, 'color must be "cluster", "confidence", or a value for each node, got \'red\''),
        ({"color": [1, 2]}, ValueError, r"one value for each of the 150 nodes .*, got shape \(2,\)"),
        ({"color": np.ones((150, 1))}, ValueError, r"got shape \(150, 1\)"),
        ({"color": np.ones(150, complex)}, TypeError, "color must hold numbers or labels, got an array of complex128"),
        ({"ax": "left"}, TypeError, "ax must be matplotlib Axes, got 'left' of type str"),
        ({"max_points": 1}, ValueError, "max_points must be an integer >= 2, got 1"),
    ],
)
def test_wrong_arguments_are_named_and_leave_no_figure(model, options, error, wanted):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    before = pyplot.get_fignums()
    with pytest.raises(error, match=wanted):
        model.plot_embedding(**options)
    assert pyplot.get_fignums() == before


@pytest.mark.parametrize("draw", ["plot_embedding", "plot_history"])
def test_nothing_is_drawn_before_fit(draw):
    with pytest.raises(NotFittedError):
        getattr(OrthoNet(), draw)()


def test_a_loaded_model_draws_the_same(model, tmp_path, axis):
    pytest.importorskip("safetensors")
    model.save(tmp_path / "model")
    again = OrthoNet.load(tmp_path / "model")
    other = figure.Figure().subplots()
    np.testing.assert_allclose(*(points(m.plot_embedding(ax=a))[0] for m, a in ((model, axis), (again, other))))
    assert again._repr_html_() == model._repr_html_()


def test_a_fitted_model_shows_what_it_found(model):
    html = model._repr_html_()
    assert "150 nodes in 3 clusters, 6 features" in html
    for cluster, size in enumerate(np.bincount(model.labels_)):
        sure = model.confidence_[model.labels_ == cluster].mean()
        assert f"<td>{cluster}</td><td>{size}</td><td>{size / 150:.1%}</td><td>{sure:.2f}</td>" in html
    assert len(model.layer_names_) == 4
    for name, weight in zip(model.layer_names_, model.layer_weights_, strict=True):
        assert f"<td>{name}</td><td>{weight:.3g}</td>" in html
    assert "geometric" in html
    assert f"stopped after {model.n_iter_} of 200 steps" in html
    assert model._repr_mimebundle_()["text/html"] == html
    assert model._repr_mimebundle_()["text/plain"] == repr(model)


def test_before_fit_it_is_scikit_learns_diagram():
    html = OrthoNet(4)._repr_html_()
    assert "sk-" in html
    assert OrthoNet(4)._repr_mimebundle_()["text/html"].count("<table>") == html.count("<table>")


def test_text_is_shown_where_scikit_learn_is_told_so(model):
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert "text/html" not in model._repr_mimebundle_()


def test_names_are_escaped_and_long_tables_are_cut(rng):
    features = rng.normal(size=(30, 4))
    views = {f"<script>alert({place})</script>": features for place in range(50)}
    graph = datasets.make_multilayer_gaussians(30, 1, 3, random_state=0).graph.from_views(views)
    model = OrthoNet(25, random_state=0, aggregation="arithmetic", training={"max_iter": 3, "n_networks": 1}).fit(graph)
    for html, rest in ((model._repr_html_(), "and 31 more"), (graph._repr_html_(), "and 10 more layers")):
        assert "<script" not in html
        assert "&lt;script&gt;alert(19)" in html
        assert rest in html
    assert "and 5 more, of" in model._repr_html_()


NOTEBOOK = """
import sys
import orthonet
assert not {"matplotlib", "pandas", "numpy"} & set(sys.modules)
data = orthonet.datasets.make_multilayer_gaussians(80, 2, 3, random_state=0)
model = orthonet.OrthoNet(3, random_state=0, training={'max_iter': 10}).fit(data.graph)
model._repr_html_(), data.graph._repr_html_()
assert "matplotlib" not in sys.modules

from matplotlib.axes import Axes
from matplotlib.figure import Figure
left, right = Figure().subplots(1, 2)
model.plot_embedding(ax=left), model.plot_history(ax=right), data.graph.plot_layers(axes=[left, right])
assert "matplotlib.pyplot" not in sys.modules

import matplotlib
matplotlib.use("agg")
drawn = [model.plot_embedding(), model.plot_embedding("confidence"), model.plot_history(), *data.graph.plot_layers()]
assert all(isinstance(axis, Axes) for axis in drawn)
from matplotlib import pyplot
assert pyplot.get_fignums() == [1, 2, 3, 4]
assert pyplot.gcf() is drawn[-1].figure
"""


def test_a_session_in_a_fresh_process():
    done = subprocess.run([sys.executable, "-c", NOTEBOOK], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_without_matplotlib_the_extra_is_named():
    code = """
import sys
sys.modules["matplotlib"] = None  # as if it were not installed
import orthonet
graph = orthonet.datasets.make_multilayer_gaussians(40, 1, 2, random_state=0).graph
model = orthonet.OrthoNet(2, random_state=0, training={'max_iter': 2}).fit(graph)
model._repr_html_()
for draw in (model.plot_embedding, model.plot_history, graph.plot_layers):
    try:
        draw()
    except ImportError as error:
        assert "drawing needs the package 'matplotlib'" in str(error) and "orthonet[plot]" in str(error), error
    else:
        raise SystemExit("drawn without matplotlib")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
