"""The report in a real browser: it draws without errors, answers to the mouse, and fits screens, themes and paper."""

import re
import shutil
import time

import numpy as np
import pytest

from orthonet import MultilayerGraph
from orthonet.report.fitted import Labelling
from orthonet.report.html import write_report

playwright = pytest.importorskip("playwright.sync_api", reason="drives the browser: pip install playwright")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt install chromium")

FLAGS = ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader"]
EMBEDDING = '[data-figure="embedding"]'
TRACES = f"""() => document.querySelector('{EMBEDDING}').data
    .filter(one => one.mode === "markers").map(one => [one.type, one.name, one.x.length])"""


def wait_until(page, expression, seconds=20):
    """Wait until JavaScript is true; `wait_for_function` makes code from text in the page, which its policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(50)


@pytest.fixture(scope="session")
def scattered(ring, model_with):
    """Write a page about so many nodes in so many clusters."""

    def scattered(n_nodes, n_clusters, folder, **more):
        rng = np.random.default_rng(0)
        labels = np.arange(n_nodes) % n_clusters
        embedding = rng.normal(size=(n_nodes, 2)) + 5 * np.eye(n_clusters, 2)[labels]
        model = model_with(labels, embedding=embedding, confidence=rng.random(n_nodes))
        graph = MultilayerGraph([ring(n_nodes)], features=rng.normal(size=(n_nodes, 2)), **more)
        return write_report(graph, model, folder / "report.html")

    return scattered


@pytest.fixture(scope="module")
def driver():
    with playwright.sync_playwright() as found:
        yield found


@pytest.fixture(scope="module")
def browser(driver):
    found = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
    yield found
    found.close()


@pytest.fixture(scope="module")
def report(clouds, model, tmp_path_factory):
    return write_report(clouds.graph, model, tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture
def opened(browser):
    """Open a file offline; when the test is done, nothing else was asked for and nothing went wrong."""
    contexts, wrong = [], []

    def open_page(path, within=browser, **how):
        context = within.new_context(offline=True, **how)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda asked: wrong.append(asked.url) if asked.url != path.as_uri() else None)
        page.goto(path.as_uri())
        page.wait_for_selector("main:not([aria-busy])")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


def hovered(page, place=f"{EMBEDDING} .scatterlayer .point"):
    """Put the mouse on the last point, which lies on top, and return what is shown."""
    point = page.locator(place).last
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2 + 1, box["y"] + box["height"] / 2)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    shown = page.locator(f"{EMBEDDING} .hoverlayer .hovertext")
    shown.first.wait_for()
    return shown.first.text_content()


def test_every_figure_is_drawn(opened, report):
    page = opened(report)
    n_places = page.locator("[data-figure]").count()
    # sizes, embedding, confidence, sources, agreement, loss, turn, and two for each of three layers
    assert n_places == 13
    assert page.locator("[data-figure] .main-svg:first-child").count() == n_places
    assert page.locator(f"{EMBEDDING} .point").count() == 150
    assert page.title() == "150 nodes in 3 clusters · OrthoNet report"


def test_no_button_sends_the_data_anywhere(opened, report):
    titles = (
        opened(report).locator(".modebar-btn").evaluate_all("all => all.map(one => one.dataset.title.toLowerCase())")
    )
    assert set(titles) == {"download plot as a png", "zoom", "pan", "reset axes"}


def test_hovering_shows_the_node(opened, report):
    shown = hovered(opened(report))
    assert re.fullmatch(r"\d+cluster \d · like [\d, ]+confidence (>0|[01])\.\d\d", shown)


def test_names_of_the_data_are_shown_as_they_are(opened, tmp_path, rng, ring, model_with):
    pandas = pytest.importorskip("pandas")
    evil = "</script><img src=x onerror=alert(1)><b>&amp;%{x}"
    ids = [f"{evil} 東京 {node}" for node in range(8)]
    features = pandas.DataFrame(rng.normal(size=(8, 2)), index=ids, columns=[f"{evil} a", "b"])
    model = model_with(np.arange(8) % 2, embedding=rng.normal(size=(8, 2)))
    graph = MultilayerGraph({f"{evil} layer": ring(8)}, features)
    page = opened(write_report(graph, model, tmp_path / "report.html", command=f"orthonet {evil}", title=evil))
    assert any(hovered(page).startswith(one + "cluster") for one in ids)
    page.select_option("#colour-by", label=f"{evil} a")
    assert f"{evil} a: " in hovered(page)
    page.fill("#find-node", ids[3])
    page.keyboard.press("Enter")
    assert page.locator("#found-node").text_content().startswith(f"{ids[3]} · cluster 1 · {evil} a: ")
    assert page.locator("h1").text_content() == evil
    assert page.locator("pre").first.text_content() == f"orthonet {evil}"
    assert page.locator("img").count() == 0


def test_the_selector_colours_the_points(opened, report):
    page = opened(report)
    by_cluster = page.evaluate(TRACES)
    assert len(by_cluster) == 3
    assert sum(n_points for *_, n_points in by_cluster) == 150
    choices = page.locator("#colour-by option").all_text_contents()
    assert choices[:3] == ["cluster", "confidence", "degree in cloud 0"]
    assert "feature 0" in choices
    for name, n_colours in (("confidence", 1), ("degree in cloud 1", 20), ("feature 0", 20)):
        page.select_option("#colour-by", label=name)
        page.wait_for_selector(f"{EMBEDDING} .colorbar")
        assert page.evaluate(TRACES) == [["scatter", name, 150]]
        assert page.locator(f"{EMBEDDING} .colorbar").text_content().endswith(name)
        colours = page.locator(f"{EMBEDDING} .point").evaluate_all("all => all.map(one => one.style.fill)")
        assert len(set(colours)) >= n_colours
    assert "feature 0: " in hovered(page)
    page.select_option("#colour-by", "cluster")
    assert page.evaluate(TRACES) == by_cluster
    assert page.locator(f"{EMBEDDING} .legend .traces").count() == 3


def test_each_cluster_has_its_name_on_it_and_hides_with_it(opened, report):
    page = opened(report)
    names = page.locator(f"{EMBEDDING} .textpoint")
    assert sorted(names.all_text_contents()) == ["0", "1", "2"]
    page.locator(f"{EMBEDDING} .legend .legendtoggle").first.click()
    wait_until(page, f"document.querySelectorAll('{EMBEDDING} .textpoint').length === 2")
    assert sorted(names.all_text_contents()) == ["1", "2"]


def test_a_node_is_found_by_the_keyboard_alone(opened, report):
    page = opened(report)
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "find-node":
            break
    page.keyboard.type("17")
    page.keyboard.press("Enter")
    answer = page.locator("#found-node")
    assert re.fullmatch(r"17 · cluster \d · like [\d, ]+ · confidence (>0|[01])\.\d\d", answer.text_content())
    assert ["scatter", "found", 1] in page.evaluate(TRACES)
    page.fill("#find-node", "nobody")
    page.keyboard.press("Enter")
    assert answer.text_content() == "No such node is drawn here."
    assert len(page.evaluate(TRACES)) == 3


def test_the_colour_is_chosen_by_the_keyboard_alone(opened, report):
    page = opened(report)
    page.focus("#colour-by")
    page.keyboard.type("confi")
    wait_until(page, f"document.querySelector('{EMBEDDING}').data[0].name === 'confidence'")


def test_one_of_a_thousand_features_can_be_chosen(opened, tmp_path, rng, ring, model_with):
    model = model_with(np.arange(12) % 2, embedding=rng.normal(size=(12, 2)))
    features = rng.normal(size=(12, 1000))
    page = opened(write_report(MultilayerGraph([ring(12)], features), model, tmp_path / "report.html"))
    page.select_option("#colour-by", label="feature 777")
    page.fill("#find-node", "5")
    page.keyboard.press("Enter")
    told = page.locator("#found-node").text_content()
    assert float(told.rsplit(": ")[1]) == pytest.approx(features[5, 777], abs=1e-3)


def test_scales_of_density_start_at_nothing(opened, report):
    ends = opened(report).evaluate(
        """Array.from(document.querySelectorAll('[data-figure^="density"], [data-figure^="adjacency"]'), place => {
            const {zmin, zmax, z} = place._fullData[0];
            return [zmin, zmax, Math.max(...z.flat())];
        })"""
    )
    assert len(ends) == 6
    for low, high, most in ends:
        assert (low, high) == (0, most)


def test_every_axis_has_a_title(opened, report):
    untitled = opened(report).evaluate(
        """Array.from(document.querySelectorAll("[data-figure]")).flatMap(place =>
            ["xaxis", "yaxis"].filter(one => !place.layout[one].title?.text).map(one => place.dataset.figure + " " + one))"""
    )
    assert untitled == ["sources yaxis", "agreement yaxis"]  # their ticks are the names of the sources and layers


def test_labels_wear_their_own_names(opened, tmp_path, ring):
    named = Labelling(np.arange(12) % 3, "labels from city", ["<b>Ulm</b>", "Köln", "東京"])
    page = opened(write_report(MultilayerGraph([ring(12)]), named, tmp_path / "report.html"))
    ticks = page.locator('[data-figure="sizes"] .xtick text').all_text_contents()
    assert ticks == ["<b>Ulm</b>", "Köln", "東京"]
    assert page.locator("#clusters tbody th").all_text_contents() == ticks
    assert page.locator("#embedding, #training").count() == 0
    assert page.locator("nav a").count() == page.locator("section").count()


def test_it_follows_the_theme(opened, report):
    page = opened(report, color_scheme="light")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    tick = """document.querySelector('[data-figure="sizes"] .xtick text').style.fill"""
    ink = page.evaluate(tick)
    page.emulate_media(color_scheme="dark")
    wait_until(page, f"{tick} !== '{ink}'")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != paper
    page.emulate_media(color_scheme="light")
    wait_until(page, f"{tick} === '{ink}'")


def test_it_fits_a_phone(opened, report):
    page = opened(report, viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    widths = page.locator("[data-figure] .main-svg:first-child").evaluate_all("all => all.map(one => one.clientWidth)")
    assert max(widths) <= 340


def test_figures_follow_the_window(opened, report):
    page = opened(report, viewport={"width": 1200, "height": 800})
    page.set_viewport_size({"width": 500, "height": 800})
    wait_until(page, f"document.querySelector('{EMBEDDING} .main-svg').clientWidth < 500")
    page.wait_for_selector("main:not([aria-busy])")
    assert page.evaluate("document.documentElement.scrollWidth") <= 500
    widths = page.locator("[data-figure] .main-svg:first-child").evaluate_all("all => all.map(one => one.clientWidth)")
    assert max(widths) < 500


def test_on_paper_it_is_light_and_fits(opened, report):
    page = opened(report, color_scheme="dark")
    state = """() => [
        Math.max(...Array.from(document.querySelectorAll(".main-svg"), one => one.clientWidth)),
        document.querySelector('[data-figure="sizes"] .xtick text').style.fill]"""
    screen = page.evaluate(state)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    width, colour = page.evaluate(state)
    assert width <= 680
    assert page.locator("details:not([open])").count() == 0
    assert colour != screen[1]
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(state) == screen
    assert page.locator("details[open]").count() == 0
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_thirty_clusters_wear_colours_and_symbols(opened, tmp_path, scattered):
    page = opened(scattered(90, 30, tmp_path))
    signs = page.evaluate(
        f"""document.querySelector('{EMBEDDING}').data.filter(one => one.mode === "markers")
            .map(one => one.marker.color + ' ' + one.marker.symbol)"""
    )
    assert len(set(signs)) == 30


def test_many_points_are_drawn_by_webgl(opened, tmp_path, scattered):
    page = opened(scattered(10_001, 2, tmp_path))
    drawn = page.evaluate(TRACES)
    assert {kind for kind, *_ in drawn} == {"scattergl"}
    assert sum(n_points for *_, n_points in drawn) == 10_001
    assert page.locator(f"{EMBEDDING} canvas.gl-canvas").count() > 0
    assert page.locator(f"{EMBEDDING} .legend .traces").count() == 2
    colours = page.evaluate(f"document.querySelector('{EMBEDDING}').data.map(one => one.marker.color)")
    assert colours[0] == colours[2] != colours[1] == colours[3]  # clusters take turns
    page.fill("#find-node", "5")
    page.keyboard.press("Enter")
    assert ["scattergl", "found", 1] in page.evaluate(TRACES)
    page.fill("#find-node", "")
    page.select_option("#colour-by", label="confidence")
    assert page.evaluate(TRACES) == [["scattergl", "confidence", 10_001]]


def test_without_webgl_some_of_many_points_are_drawn(driver, opened, tmp_path, scattered):
    bare = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-3d-apis"])
    try:
        page = opened(scattered(10_001, 2, tmp_path), within=bare)
        drawn = page.evaluate(TRACES)
        assert {kind for kind, *_ in drawn} == {"scatter"}
        assert sum(n_points for *_, n_points in drawn) == 5001
        assert "of every 2 nodes one is drawn" in page.locator("#embedding .note").text_content()
    finally:
        bare.close()
