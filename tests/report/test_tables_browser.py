"""Tables of the report in a real browser: headings sort, a text filters, and what is left can be downloaded."""

import csv
import shutil

import numpy as np
import pytest

from orthonet import MultilayerGraph
from orthonet.report.html import write_report

playwright = pytest.importorskip("playwright.sync_api", reason="drives the browser: pip install playwright")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt install chromium")
TABLE = '[data-file="all-nodes"]'


@pytest.fixture(scope="module")
def page(ring, model_with, tmp_path_factory):
    """A page about thirty nodes, of which number 7 has an id that CSV must quote."""
    rng = np.random.default_rng(0)
    sure = np.round(np.linspace(0.5, 1.0, 30), 4)
    model = model_with(
        np.arange(30) % 3,
        confidence=sure,
        probabilities=np.full((30, 3), 1 / 3),
        evidence=np.round(rng.normal(size=(30, 2)), 2),
        source_names=("work", "lunch"),
    )
    ids = [f"p{node}" if node != 7 else 'p7, "the odd"' for node in range(30)]
    file = write_report(
        MultilayerGraph([ring(30)], node_ids=ids), model, tmp_path_factory.mktemp("page") / "report.html"
    )
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        wrong = []
        found = browser.new_context(offline=True, accept_downloads=True).new_page()
        found.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
        found.on("pageerror", lambda error: wrong.append(str(error)))
        found.goto(file.as_uri())
        found.wait_for_selector("main:not([aria-busy])")
        yield found
        browser.close()
    assert wrong == []


def column(page, place):
    return page.locator(f"{TABLE} tbody tr:not([hidden])").evaluate_all(
        f"rows => rows.map(row => row.cells[{place}].textContent)"
    )


def test_headings_sort_numbers_by_size_and_turn_round(page):
    heading = page.locator(f"{TABLE} thead button", has_text="confidence")
    heading.click()
    down = column(page, 2)
    assert down[0] == "1.00"
    assert down[-1] == "0.50"
    assert page.locator(f'{TABLE} th[aria-sort="descending"]').count() == 1
    heading.click()
    assert column(page, 2) == down[::-1]
    page.locator(f"{TABLE} thead button", has_text="node").first.click()
    assert column(page, 0)[:4] == ["p0", "p1", "p2", "p3"]  # p10 is not before p2


def test_minus_signs_count_when_sorting(page):
    page.locator(f"{TABLE} thead button", has_text="work").click()
    shown = [float(one.replace("−", "-")) for one in column(page, 4)]
    assert shown == sorted(shown, reverse=True)
    assert shown[-1] < 0 < shown[0]


def test_a_text_filters_and_what_is_left_is_downloaded(page, tmp_path):
    box = page.locator("#filter-all-nodes")
    box.fill("p1")
    assert column(page, 0) == ["p1"]  # the whole id, where there is one
    box.fill("the ODD")
    assert column(page, 0) == ['p7, "the odd"']
    assert "1 of 30 rows" in page.locator('output[for="filter-all-nodes"]').text_content()
    with page.expect_download() as waiting:
        page.locator("p.controls:has(#filter-all-nodes) button").click()
    assert waiting.value.suggested_filename == "all-nodes.csv"
    waiting.value.save_as(tmp_path / "nodes.csv")
    with (tmp_path / "nodes.csv").open(newline="") as file:
        head, row = list(csv.reader(file))
    assert head == ["node", "cluster", "confidence", "runner-up", "work", "lunch"]
    assert row[:3] == ['p7, "the odd"', "1", "0.6207"]
    box.fill("")
    assert len(column(page, 0)) == 30
