"""The site builds without a warning, and its references have every public name, command and option."""

import importlib
import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

import orthonet
from orthonet import aggregation, baselines, datasets, files, metrics
from orthonet.graph import convert

ROOT = Path(__file__).parent.parent
REFERENCE = sorted((ROOT / "docs" / "reference").glob("*.md"))


def public_names():
    """Return the paths under which users import things."""
    lists = {module.__name__: module.__all__ for module in (orthonet, aggregation, baselines, datasets, convert, files)}
    lists["orthonet.metrics"] = [name for name, _ in inspect.getmembers(metrics, is_own_function)]
    paths = [f"{module}.{name}" for module, names in lists.items() for name in names if not name.startswith("_")]
    return [path for path in paths if not inspect.ismodule(found(path))]


def is_own_function(value):
    return inspect.isfunction(value) and value.__module__ == "orthonet.metrics" and not value.__name__.startswith("_")


def found(path):
    """Return what a path names: a module, or something in one."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return getattr(found(module), name)


def in_the_reference():
    return [path for page in REFERENCE for path in re.findall(r"^::: ([\w.]+)$", page.read_text(), re.MULTILINE)]


def test_every_public_name_has_its_place_in_the_reference():
    places = [id(found(path)) for path in in_the_reference()]
    assert [path for path in public_names() if id(found(path)) not in places] == []


def test_nothing_has_two_places_in_the_reference():
    paths = in_the_reference()
    assert sorted({path for path in paths if paths.count(path) > 1}) == []


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    for package in ("mkdocs", "material", "mkdocstrings", "griffe"):
        pytest.importorskip(package, reason="needs orthonet[docs]")
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert (built.returncode, built.stdout, built.stderr) == (0, "", "")
    return folder


@pytest.mark.slow
def test_the_built_reference_has_an_anchor_for_each_name(site):
    anchors = {
        anchor for page in site.glob("reference/**/*.html") for anchor in re.findall(r'id="([^"]+)"', page.read_text())
    }
    assert [path for path in in_the_reference() if path not in anchors and not inspect.ismodule(found(path))] == []


@pytest.mark.slow
def test_the_built_pages_are_linked_and_hold_no_leftovers(site):
    page = (site / "reference" / "clustering.html").read_text()
    assert re.search(
        r'<a[^>]+href="[^"]*aggregation.html#orthonet.aggregate"[^>]*><code>orthonet.aggregate</code></a>', page
    )
    text = "".join(one.read_text() for one in site.rglob("*.html"))
    assert "<!-- commands -->" not in text
    assert ".. [1]" not in text
    assert not re.search(r"\[\d\]_", text)


@pytest.mark.slow
def test_the_built_page_of_commands_has_all_of_them(site):
    page = (site / "commands.html").read_text()
    for path, names, help_text in everything_on_the_command_line():
        assert path in page
        section = page.split(f'id="{path.replace(" ", "-")}"')[1].split("<h3", 1)[0].split("<h2", 1)[0]
        for name in names:
            assert f"<code>{name}</code>" in section, (path, name)
        shown = unescape(re.sub(r"<[^>]+>", " ", section))
        assert words(re.sub(r"\[/?bold\]", "", help_text)) in words(shown), (path, names)


@pytest.fixture(scope="module")
def opened(site):
    """Open a page of the site as a file, offline, and hand over what would be copied."""
    playwright = pytest.importorskip("playwright.sync_api", reason="drives the browser: pip install playwright")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("no Chromium here: apt install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(offline=True, viewport={"width": 1400, "height": 900})
        context.add_init_script(
            "window.copied = []; document.addEventListener('copy', () => window.copied.push("
            "document.activeElement.value ?? getSelection().toString()), true);"
        )

        def open_page(name):
            page = context.new_page()
            page.goto((site / name).as_uri())
            return page

        yield open_page
        browser.close()


@pytest.mark.slow
def test_opened_as_files_tabs_lead_to_pages_and_search_finds(opened):
    page = opened("index.html")
    page.locator(".md-tabs__link", has_text="Guides").click()
    page.wait_for_url("**/guide.html")
    assert page.locator("h1").first.text_content().startswith("User guide")
    page.locator(".md-search__input").click()
    page.keyboard.type("corroboration")
    found = page.locator(".md-search-result__link").first
    found.wait_for(timeout=20_000)
    found.click()
    assert "corroboration" in page.locator("article").text_content().lower()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "block", "first", "never"),
    [
        ("starts.html", ".language-console", "orthonet cluster data/multinet/aucs.mpx -k 7", ("$ ", "rows kept")),
        ("evidence.html", ".language-pycon", "from orthonet import OrthoNet", (">>> ", "stability 0.9")),
    ],
)
def test_copy_buttons_copy_what_one_types(opened, name, block, first, never):
    page = opened(name)
    place = page.locator(block).first
    place.scroll_into_view_if_needed()
    place.hover()
    place.locator("button[data-md-type='copy'], button.md-clipboard, button.md-code__button").first.click()
    page.wait_for_timeout(300)
    (copied, *_) = page.evaluate("window.copied")
    assert copied.startswith(first)
    assert not any(one in copied for one in never)


def words(text):
    return " ".join(re.findall(r"\w+", text))


def everything_on_the_command_line():
    """Yield each command with its options, one at a time, as the program itself has them."""
    typer = pytest.importorskip("typer")
    from orthonet.cli.app import app

    root = typer.main.get_command(app)
    commands = {"orthonet": root} | {f"orthonet {name}": one for name, one in root.commands.items() if not one.hidden}
    assert len(commands) > 1
    for path, command in commands.items():
        for parameter in command.params:
            if not getattr(parameter, "hidden", False):
                names = parameter.opts if parameter.param_type_name == "option" else []
                yield path, [*names, *parameter.secondary_opts], " ".join((parameter.help or "").split())


def test_help_is_shown_as_it_is_meant():
    pytest.importorskip("typer")
    hook = loaded_hook("commands")
    assert hook.prose("Try [bold]orthonet demo[/bold], it is <fast>.") == "Try `orthonet demo`, it is &lt;fast&gt;."
    assert [hook.limit(note) for note in ("x>=1", "x<=9", "0<=x<=1")] == ["at least 1", "at most 9", "0 to 1"]
    kinds = {
        "-k, --clusters <int range>": "int",
        "-o, --output PATH": "PATH",
        "--quick / --no-quick": "",
        "--quick": "",
    }
    assert {spelled: re.sub("<.*?>", "", hook.kind_of(spelled)) for spelled in kinds} == kinds
    assert hook.on_page_markdown("as it was") == "as it was"
    assert "orthonet cluster" in hook.on_page_markdown("<!-- commands -->")


def test_docstrings_lose_what_only_numpydoc_understands():
    pytest.importorskip("griffe")
    hook = loaded_hook("docstrings")
    parameters = "rows, columns : int\n    How many.\nhow : {'a', 'b'}, optional\n    As [1]_.\n"
    written = parameters + '\n.. [1] A. Author,\n   `"On\n   it" <https://doi.org/1>`_, 2026.\n'
    shown = "rows : int\n    How many.\ncolumns : int\n    How many.\nhow : {'a', 'b'} or None, optional\n    As [1].\n"
    assert hook.markdown_of(written) == shown + '\n1. A. Author, ["On it"](https://doi.org/1), 2026.\n'
    assert hook.markdown_of("words, words\nand more") == "words, words\nand more"


def loaded_hook(name):
    spec = importlib.util.spec_from_file_location(f"{name}_hook", ROOT / "docs" / "hooks" / f"{name}.py")
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    return hook
