"""The report is one file that holds everything, shows what was found, and lets nothing of the data act."""

import base64
import hashlib
import json
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet import MultilayerGraph, OrthoNet, baselines
from orthonet.report import html, page
from orthonet.report.feature_differences import feature_table
from orthonet.report.fitted import Fitted, Labelling
from orthonet.report.provenance import changed_settings, command_line, python_code
from orthonet.report.scatter import scatter
from orthonet.report.sections import layers_section

PUBLISHED = "79542150855a52c567260e3137095dbe2b744e6d702a5cabe67da246942fba7a"
"""SHA-256 of plotly-cartesian.min.js in the package plotly.js-cartesian-dist-min 4.1.1."""
EVIL = "</script><img src=x onerror=evil()>'\"&"


class Structure(HTMLParser):
    """Every element with its attributes, and the text of the page without its scripts."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self._inside = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self._inside.append(tag)

    def handle_endtag(self, tag):
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, text):
        if not {"script", "style"} & set(self._inside):
            self.texts.append(text)

    def of(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


def page_of(graph, model, **more):
    return html.report_page(graph, model, **more).decode()


def data_of(text):
    return json.loads(re.search(r'id="report-data">(.*?)</script>', text, re.DOTALL)[1])


def test_one_file_that_asks_for_nothing(clouds, model, tmp_path):
    path = html.write_report(clouds.graph, model, tmp_path / "report.html")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    structure = Structure(path.read_text(encoding="utf-8"))
    for _, attributes in structure.elements:
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith(("#", "data:"))
    policy = next(one["content"] for one in structure.of("meta") if one.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy
    assert "http" not in policy
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))
    assert "unsafe" not in scripts  # these few nodes are drawn without WebGL, which needs 'unsafe-eval'
    assert scripts.count("'sha256-") == 2


def test_text_from_files_is_visible_on_the_page(clouds, model):
    graph = MultilayerGraph(
        clouds.graph.layers,
        clouds.graph.features,
        layer_names=["a\u202eb", "\x1b[31m", "c"],
        node_ids=clouds.graph.node_ids,
    )
    page = html.report_page(graph, model, warnings=["beware \u202eof\x07"]).decode()
    head = page[: page.index('<script type="application/json"')]
    assert "\u202e" not in head
    assert "\x1b" not in head
    assert "\\u202e" in head
    data = page.split('id="report-data">')[1].split("</script>")[0]
    assert "\\u202e" not in data.replace("\\\\u202e", "")  # only the escape of it, with its backslash


@pytest.fixture(scope="module")
def structure(page_text):
    return Structure(page_text)


def test_the_page_names_its_language_its_heading_and_its_width(structure):
    assert structure.of("html") == [{"lang": "en"}]
    assert len(structure.of("h1")) == 1
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in structure.of("meta")


def test_tables_have_captions_and_their_headings_say_of_what(structure):
    assert all(one.get("scope") in ("row", "col") for one in structure.of("th"))
    assert len(structure.of("caption")) == len(structure.of("table"))


def test_plots_and_controls_can_be_read_without_seeing_them(structure):
    plots = [one for one in structure.of("div") if "data-figure" in one]
    assert plots
    assert all(one["role"] == "img" and one["aria-label"] for one in plots)
    controls = [one["id"] for one in structure.of("select") + structure.of("input")]
    assert [one["for"] for one in structure.of("label")] == controls


def test_ids_are_different_and_links_lead_to_them(structure):
    identifiers = [one["id"] for _, one in structure.elements if "id" in one]
    assert len(identifiers) == len(set(identifiers))
    assert {one["href"][1:] for one in structure.of("a")} <= set(identifiers)


def test_every_place_for_a_figure_has_its_data(clouds, model):
    text = page_of(clouds.graph, model)
    places = [one["data-figure"] for one in Structure(text).of("div") if "data-figure" in one]
    assert sorted(places) == sorted(data_of(text)["figures"])


def test_it_tells_what_was_found(clouds, model):
    text = Structure(page_of(clouds.graph, model, title="Three clouds")).text
    for words in (
        "Three clouds",
        "150 nodes, joined in 3 layers",
        *clouds.graph.layer_names,
        "modularity",
        "feature 0",
    ):
        assert words in text
    figures = data_of(page_of(clouds.graph, model))["figures"]
    assert figures["sizes"]["values"] == np.bincount(model.labels_).tolist()
    np.testing.assert_allclose(figures["loss"]["y"], model.history_["loss"])
    assert len(figures["turn"]["x"]) == len(model.history_["turn"])
    assert figures["turn"]["x"][-1] == model.n_iter_
    assert len(figures["embedding"]["ids"]) == 150


def test_nothing_in_the_data_becomes_html(rng, ring, model_with):
    pandas = pytest.importorskip("pandas")
    features = pandas.DataFrame(rng.normal(size=(12, 2)), columns=[f"{EVIL}a", f"{EVIL}b"])
    features.index = [f"{EVIL}{node}" for node in range(12)]
    graph = MultilayerGraph({f"{EVIL}one": ring(12), f"{EVIL}two": ring(12)}, features)
    model = model_with(np.arange(12) % 2, embedding=rng.normal(size=(12, 2)), confidence=rng.random(12))
    text = page_of(
        graph,
        model,
        command=f"orthonet {EVIL}",
        title=EVIL,
        warnings=[EVIL],
        record={EVIL: EVIL, "versions": {EVIL: EVIL}},
    )
    assert "<img" not in re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    structure = Structure(text)
    assert not structure.of("img")
    for words in (f"{EVIL}one", f"{EVIL}a", f"orthonet {EVIL}", f"{EVIL} · OrthoNet report"):
        assert words in structure.text
    assert data_of(text)["figures"]["embedding"]["ids"][3] == f"{EVIL}3"


@pytest.mark.parametrize("value", ["</script><b>", "<!--", "\u2028 & \u2029", "\ud800", "100 % {x} %{y}"])
def test_strings_survive_the_script_element(value):
    text = page.script_data({"name": value})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"name": value}


def test_an_id_that_no_encoding_holds_is_no_obstacle(rng, ring, model_with):
    graph = MultilayerGraph([ring(6)], node_ids=["\ud800", "b", "c", "d", "e", "f"])
    page_of(graph, model_with([0, 1] * 3, embedding=rng.normal(size=(6, 2))), title="\ud800")


@pytest.mark.parametrize("values", [[3.0], [1.0, 1.0], [-5.0, 0.25, 1e6], np.linspace(-1, 1, 1000)])
def test_packed_numbers_come_back_within_a_step(values):
    packed = page.packed(values)
    steps = np.frombuffer(base64.b64decode(packed["steps"]), dtype="<u2")
    back = packed["low"] + (packed["high"] - packed["low"]) * steps / 65535
    np.testing.assert_allclose(back, values, atol=(packed["high"] - packed["low"]) / 65535)


def test_numbers_for_a_reader():
    shown = [page.number(value) for value in (0, 1234567, 0.12345, -2.5, 12345.6, 1e-7, float("nan"), np.int64(5), 0.0)]
    assert shown == ["0", "1,234,567", "0.123", "−2.5", "12,346", "1.00e−07", "–", "5", "0"]
    assert [page.percent(value) for value in (0, 0.004, 0.25, float("nan"))] == ["0 %", "0.4 %", "25 %", "–"]
    assert [page.probability(value) for value in (0.5, 0.994, 0.9999, 1.0)] == ["0.50", "0.99", ">0.99", "1.00"]


@pytest.mark.parametrize("n_clusters", [2, 11, 100])
def test_any_number_of_clusters_and_no_features(rng, n_clusters, ring, model_with):
    labels = np.arange(200) % n_clusters
    graph = MultilayerGraph([ring(200)])
    text = page_of(graph, model_with(labels, embedding=rng.normal(size=(200, 3))))
    assert data_of(text)["figures"]["sizes"]["values"] == np.bincount(labels).tolist()
    assert "The nodes have no features" in text


def test_empty_clusters_isolated_and_missing_nodes_are_reported(rng, ring, model_with):
    present = np.ones((2, 20), dtype=bool)
    present[1, :5] = False
    thin = csr_array(([1.0, 1.0], ([10, 11], [11, 10])), shape=(20, 20))
    graph = MultilayerGraph({"ring": ring(20), "thin": thin}, present=list(present))
    text = page_of(graph, model_with(np.arange(20) % 2, n_clusters=4, embedding=rng.normal(size=(20, 4))))
    assert "2 of the 4 clusters are empty" in text
    assert "&#x27;thin&#x27; 13 of 15" in text
    assert data_of(text)["figures"]["density-0"]["values"][3] == [None] * 4


def test_a_method_without_embedding_history_or_confidence(clouds):
    rival = baselines.KMeans(3, random_state=0).fit(clouds.graph)
    text = page_of(clouds.graph, rival)
    if not hasattr(rival, "embedding_"):
        assert "KMeans makes no embedding" in text
    assert "KMeans keeps no history" in text


def test_a_loaded_model_gives_the_same_page(clouds, model, tmp_path):
    pytest.importorskip("safetensors")
    model.save(tmp_path / "model")
    again = OrthoNet.load(tmp_path / "model")
    one, other = (data_of(page_of(clouds.graph, each)) for each in (model, again))
    assert one == other


def test_a_sample_stands_for_very_many_nodes(rng, ring, model_with):
    graph = MultilayerGraph([ring(300)], features=rng.normal(size=(300, 2)))
    labels = np.arange(300) % 3
    fitted = Fitted.of(graph, model_with(labels, embedding=rng.normal(size=(300, 3)), confidence=rng.random(300)))
    drawn = scatter(fitted, feature_table(graph.features, labels, 3), sample_above=100)
    shown = [int(node) for node in drawn.data["ids"]]
    assert len(set(shown)) == 100
    clusters = np.frombuffer(base64.b64decode(drawn.data["cluster"]), dtype="<f4")
    np.testing.assert_array_equal(clusters, labels[shown])
    assert "random sample of 100 of the 300 nodes" in drawn.caption
    assert "sample" not in scatter(fitted, None, sample_above=300).caption


@pytest.mark.parametrize(("max_values", "n_chosen"), [(60 * 49, 49), (60 * 30, 30), (0, 20)])
def test_features_can_be_chosen_as_far_as_the_page_has_room(rng, max_values, n_chosen, ring, model_with):
    labels = np.arange(60) % 2
    features = rng.normal(size=(60, 50))
    features[:, 37] = labels
    features[:, 11] = 3.0  # constant: nothing to colour by
    fitted = Fitted.of(MultilayerGraph([ring(60)], features), model_with(labels, embedding=rng.normal(size=(60, 2))))
    drawn = scatter(fitted, feature_table(features, labels, 2), max_values=max_values)
    chosen = [column["name"] for column in drawn.data["columns"] if column["name"].startswith("feature")]
    assert len(chosen) == n_chosen
    assert chosen[0] == "feature 37"
    assert "feature 11" not in chosen
    assert (f"has {n_chosen} of the 49 features that vary" in drawn.caption) == (n_chosen < 49)
    assert (f"the {n_chosen} that differ most of 50" in drawn.controls) == (n_chosen < 49)


def test_what_hardly_differs_sets_no_cluster_apart(rng, ring, model_with):
    labels = np.arange(400) % 2
    features = np.c_[np.tile([0.0, 0.0, 1.0, 1.0], 100), labels + rng.normal(size=400)]
    features[0, 0] = 0.05
    text = Structure(page_of(MultilayerGraph([ring(400)], features), model_with(labels))).text
    assert "feature 1" in text
    assert "feature 0" not in text


def test_labels_from_elsewhere_are_called_by_their_names(ring):
    text = page_of(MultilayerGraph([ring(6)]), Labelling(np.arange(6) % 2, "labels from city", ["Ulm", "Köln"]))
    structure = Structure(text)
    assert data_of(text)["clusters"] == ["Ulm", "Köln"]
    assert "Köln 3 50 %" in structure.text
    assert not {"embedding", "training"} & {one.get("id") for one in structure.of("section")}
    assert "seed" not in structure.text
    with pytest.raises(ValueError, match=r"names has 1 entries, but the labels go from 0 to 1"):
        page_of(MultilayerGraph([ring(6)]), Labelling(np.arange(6) % 2, names=["Ulm"]))


def test_contrasts_on_the_page_are_those_of_pandas(clouds, model):
    pandas = pytest.importorskip("pandas")
    values = pandas.DataFrame(np.asarray(clouds.graph.features))
    text = Structure(page_of(clouds.graph, model)).text
    for cluster in range(3):
        own = model.labels_ == cluster
        apart = (values[own].mean() - values[~own].mean()) / values.std(ddof=0)
        strongest = apart.abs().idxmax()
        shown = f"feature {strongest} {'+' if apart[strongest] > 0 else page.MINUS}{abs(apart[strongest]):.2f}"
        assert shown in text


def test_the_record_has_its_places(clouds, model):
    record = {
        "command": ["/usr/bin/orthonet", "cluster", "my edges.csv"],
        "versions": {"orthonet": "9.8.7"},
        "seconds": {"reading": 1.5},
        "warnings": ["twice told", "a loose screw"],
        "colour": {"of": "the day"},
    }
    text = Structure(page_of(clouds.graph, model, record=record, warnings=["twice told"])).text
    for words in ("orthonet cluster 'my edges.csv'", "9.8.7", "seconds, reading", "a loose screw", "the day"):
        assert words in text
    assert text.count("twice told") == 1
    assert "orthonet own" in Structure(page_of(clouds.graph, model, record=record, command="orthonet own")).text


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (None, None),
        ([], None),
        ("orthonet cluster a b", "orthonet cluster a b"),
        (["/x/__main__.py", "cluster", "a b"], "python -m orthonet cluster 'a b'"),
    ],
)
def test_commands_as_typed(command, shown):
    assert command_line(command) == shown


def test_the_code_on_the_page_gives_the_same_clusters(clouds, model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = python_code(Fitted.of(clouds.graph, model), "graph = the_graph")
    names = {"the_graph": clouds.graph}
    exec(code, names)  # noqa: S102
    np.testing.assert_array_equal(names["model"].labels_, model.labels_)
    assert (tmp_path / "report.html").is_file()


def test_settings_that_cannot_be_written_are_named(ring):
    changed = changed_settings(OrthoNet(4, layer_weights=np.array([1, 2]), network={"hidden_layers": "auto"}))
    assert set(changed) == {"n_clusters", "layer_weights"}
    graph = MultilayerGraph([ring(8)])
    model = OrthoNet(2, random_state=np.random.default_rng(0), verbose=False, training={"max_iter": 5}).fit(graph)
    code = python_code(Fitted.of(graph, model))
    assert "# random_state was Generator(PCG64)" in code
    assert "OrthoNet(n_clusters=2, training={'max_iter': 5})" in code


def test_what_does_not_fit_is_refused(clouds, model, tmp_path, model_with):
    with pytest.raises(ValueError, match=r"model labels 150 nodes, but graph has 10"):
        html.write_report(clouds.graph.subgraph(np.arange(10)), model, tmp_path / "report.html")
    with pytest.raises(ValueError, match=r"integers from 0, got .*-1"):
        html.write_report(clouds.graph, model_with(np.full(150, -1), 2), tmp_path / "report.html")
    with pytest.raises(IsADirectoryError, match=r"is a folder; name a file in it"):
        html.write_report(clouds.graph, model, tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        html.write_report(clouds.graph, model, tmp_path / "nowhere" / "report.html")
    assert not list(tmp_path.iterdir())


def test_only_pages_that_need_webgl_need_plotly(clouds, model, tmp_path, monkeypatch, ring, model_with, rng):
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    html.write_report(clouds.graph, model, tmp_path / "report.html")
    many = model_with(np.arange(10_001) % 2, embedding=rng.normal(size=(10_001, 2)))
    with pytest.raises(ImportError, match=r"pip install 'orthonet\[report\]'"):
        html.write_report(MultilayerGraph([ring(10_001)]), many, tmp_path / "many.html")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_a_page_about_a_small_graph_is_small(clouds, model, rng, model_with):
    assert len(html.report_page(clouds.graph, model)) < 2_000_000
    views = [rng.normal(size=(2000, 100)) for _ in range(6)]
    graph = MultilayerGraph.from_views(views)
    more = {"evidence": rng.normal(size=(2000, 6)), "source_names": graph.layer_names, "confidence": rng.random(2000)}
    many = model_with(np.arange(2000) % 10, embedding=rng.normal(size=(2000, 10)), **more)
    assert len(html.report_page(graph, many)) < 2_000_000


def test_plotly_is_as_its_makers_published_it():
    script = page._asset(page.PLOTLY)
    assert hashlib.sha256(script.encode()).hexdigest() == PUBLISHED
    assert "Licensed under the MIT license" in script[:200]


def test_layers_have_the_weights_that_were_used_and_the_features_own_layer_is_named(clouds, model):
    shown = str(layers_section(Fitted.of(clouds.graph, model))[0])
    *of_layers, of_features = model.layer_weights_
    for weight in of_layers:
        assert f"{weight:.3g}" in shown
    assert "One more layer, features, joins nodes with similar features" in shown
    assert f"its weight was {of_features:.3g}." in shown


def test_layers_that_weigh_the_same_are_shown_so(clouds):
    alike = {"assign_labels": "kmeans", "layer_weights": None, "training": {"max_iter": 2}}
    model = OrthoNet(3, random_state=0, verbose=False, **alike).fit(clouds.graph)
    shown = str(layers_section(Fitted.of(clouds.graph, model))[0])
    assert shown.count("0.267") == 3
    assert "One more layer, features, joins nodes with similar features; its weight was 0.2." in shown


def test_weights_of_other_methods_are_shown_too(clouds, model_with):
    graph = MultilayerGraph(clouds.graph.layers[:2], layer_names=["a", "b"])
    found = model_with(clouds.labels, layer_names=("a", "b"), layer_weights=np.array([0.125, 0.875]))
    shown = str(layers_section(Fitted.of(graph, found))[0])
    assert re.findall(r"0\.\d75|0\.125", shown) == ["0.125", "0.875"]
