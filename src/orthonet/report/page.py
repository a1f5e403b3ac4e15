"""The parts a page is made of: escaped text, tables, figures, sections, and data that a script can read.

Whatever is not `Html` is escaped: node ids, layer names and warnings come from files.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from orthonet.support.optional import require
from orthonet.support.text import shortened as shortened
from orthonet.support.text import visible

# Nothing may be fetched, whatever is in the data, and no script may run but ours, which are named by their hashes. Styles are
# inline because plotly sets them on its elements.
POLICY = (
    "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; "
    "img-src data: blob:; worker-src blob:; base-uri 'none'; form-action 'none'"
)
EVAL = "'unsafe-eval'"
"""On pages that draw with WebGL only: plotly makes the callers of its shaders from strings of its own."""

MINUS, NOTHING = "\N{MINUS SIGN}", "\N{EN DASH}"
"""What stands for the sign of a negative number, and for a number that there is not."""
MANY_ROWS = 20
"""Rows above which a table scrolls on a screen, and may be parted on paper."""
PLOTLY = "plotly/plotly-cartesian.min.js"
"""plotly.js without what no page draws, as its makers publish it (plotly.js-cartesian-dist-min); it has no WebGL."""
SCRIPTS = ("points.js", "figures.js", "tables.js", "page.js")
"""The scripts of the page, in the order in which they need each other."""


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


@dataclass(frozen=True)
class Cell:
    """A cell whose text is for reading, and whose value is for sorting and for files."""

    text: str
    value: Any


def markup(value: Any) -> str:
    """Return a value as HTML: escaped, unless it is `Html`."""
    if isinstance(value, Cell):
        return markup(value.text)
    return (
        value if isinstance(value, Html) else escape(number(value) if isinstance(value, Real) else visible(str(value)))
    )


def number(value: Any, digits: int = 3) -> str:
    """Write a number for a reader: thousands parted, a few digits, a dash where there is none."""
    if isinstance(value, Integral):
        text = f"{int(value):,}"
    elif not math.isfinite(value):
        text = NOTHING
    elif value != 0 and not 1e-3 <= abs(value) < 1e9:
        text = f"{value:.{digits - 1}e}"
    else:
        text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}g}"
    return text.replace("-", MINUS)


def percent(value: float) -> str:
    """Write a share."""
    if not math.isfinite(value):
        return NOTHING
    shown = 100 * value
    return f"{shown:.0f} %" if shown >= 10 or shown == 0 else f"{shown:.2g} %"


def probability(value: float) -> str:
    """Write a probability; what is less than 1 does not read 1.00."""
    return ">0.99" if 0.995 <= value < 1 else f"{value:.2f}"


def share(value: float) -> Cell:
    """Write a share into a cell that sorts by it."""
    return Cell(percent(value), round(float(value), 4) if math.isfinite(value) else "")


def confidence(value: float) -> Cell:
    """Write a probability into a cell that sorts by it."""
    return Cell(probability(value), round(float(value), 4))


def signed(value: float, digits: int = 1) -> Cell:
    """Write nats, or another number that speaks for or against, with its sign."""
    if not math.isfinite(value):
        return Cell(NOTHING, "")
    text = f"{value:+.{digits}f}".replace("-", MINUS)
    return Cell(text[1:] if float(f"{value:.{digits}f}") == 0 else text, round(float(value), 4))


def table(
    caption: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    words: Iterable[int] = (0,),
    file: str | None = None,
) -> Html:
    """Return a table whose first column names the rows; columns in ``words`` are text, the others numbers.

    A table with a ``file`` can be sorted, filtered and downloaded under that name, where scripts run.
    """
    texts, lines = set(words), list(rows)

    def cell(value: Any, place: int) -> str:
        kind = "" if place in texts else ' class="number"'
        if isinstance(value, Cell) or (file and isinstance(value, Real)):
            kind += f' data-value="{escape(str(value.value if isinstance(value, Cell) else value))}"'
        if place == 0:
            return f'<th scope="row"{kind}>{markup(value)}</th>'
        return f"<td{kind}>{markup(value)}</td>"

    head = "".join(
        f'<th scope="col"{"" if place in texts else " class=number"}>{markup(name)}</th>'
        for place, name in enumerate(columns)
    )
    body = "".join(f"<tr>{''.join(cell(value, place) for place, value in enumerate(row))}</tr>\n" for row in lines)
    kind = "table tall" if len(lines) > MANY_ROWS else "table"
    tools = f' data-file="{markup(file)}"' if file else ""
    return Html(
        f'<div class="{kind}" tabindex="0" role="region" aria-label="{markup(caption)}"{tools}>'
        f"<table><caption>{markup(caption)}</caption><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>\n"
    )


def pairs(caption: str, values: Iterable[tuple[str, Any]]) -> Html:
    """Return a table of names and what they are."""
    return table(caption, ("name", "value"), values, words=(0, 1))


def figure(name: str, label: str, caption: str, controls: str = "", kind: str = "", hint: str = "") -> Html:
    """Return the place of a picture.

    ``label`` is read to those who do not see it; ``caption`` stands below, and on a screen ``hint``: what the mouse does.
    """
    described = f' <span class="screen">{markup(hint)}</span>' if hint else ""
    return Html(
        f'<figure class="{markup(kind) or "wide"}">{controls}'
        f'<div class="plot" data-figure="{markup(name)}" role="img" aria-label="{markup(label)}"></div>'
        f"<figcaption>{markup(caption)}{described}</figcaption></figure>\n"
    )


def section(identifier: str, title: str, *parts: str) -> Html:
    """Return a section with its heading."""
    return Html(
        f'<section id="{markup(identifier)}" aria-labelledby="{markup(identifier)}-title">'
        f'<h2 id="{markup(identifier)}-title">{markup(title)}</h2>\n{"".join(parts)}</section>\n'
    )


def paragraph(text: Any, kind: str = "") -> Html:
    """Return a paragraph."""
    return Html(f"<p{f' class={kind!r}' if kind else ''}>{markup(text)}</p>\n")


def listing(code: str, label: str) -> Html:
    """Return lines of code that can be copied."""
    return Html(f'<pre tabindex="0" role="region" aria-label="{markup(label)}"><code>{markup(code)}</code></pre>\n')


def packed(values: npt.ArrayLike, bits: Literal[8, 16] = 16) -> dict[str, Any] | None:
    """Return numbers in a few bits each between their extremes, enough for a colour; None if they have no finite range."""
    most = 2**bits - 1
    array = np.asarray(values, dtype=np.float64).ravel()
    low, high = float(array.min(initial=np.inf)), float(array.max(initial=-np.inf))
    if not math.isfinite(high - low):
        return None
    steps = np.zeros(array.shape) if high == low else np.rint((array - low) / (high - low) * most)
    return {"low": low, "high": high, "most": most, "steps": _base64(steps.astype("<u2" if bits == 16 else "u1"))}


def packed_image(values: npt.NDArray[np.float64]) -> dict[str, Any] | None:
    """Return an image in a byte for each cell, or five for each cell that is not 0 where these are few."""
    places = np.flatnonzero(values)
    if 5 * len(places) >= values.size or (values < 0).any():
        return packed(values, bits=8)
    found = packed(np.append(values.ravel()[places], 0.0), bits=8)
    return found if found is None else {**found, "size": values.size, "places": _base64(places.astype("<u4"))}


def floats(values: npt.NDArray[Any]) -> str:
    """Return numbers in 32 bits each, for a script to read."""
    return _base64(values.astype("<f4"))


def plain(value: Any) -> Any:
    """Return what JSON can express: no NumPy, and null for what is not finite."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def shown(value: Any) -> Any:
    """Return data for a script with nothing in its texts that a reader could not see."""
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [shown(item) for item in value]
    return visible(value) if isinstance(value, str) else value


def script_data(data: Any) -> str:
    """Return JSON that can stand in a script element, whatever is in its strings."""
    text = json.dumps(plain(data), allow_nan=False, separators=(",", ":"))
    return text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")


def whole_page(title: str, header: str, sections: Sequence[str], data: Any) -> bytes:
    """Put a page together: one file, everything in it."""
    webgl = _draws_with_webgl(data)
    plotly = whole_plotly() if webgl else _asset(PLOTLY)
    # A browser compares hashes after it has made all line ends alike.
    scripts = [text.replace("\r\n", "\n").replace("\r", "\n") for text in (plotly, "".join(map(_asset, SCRIPTS)))]
    allowed = [*map(_hash, scripts), *([EVAL] if webgl else [])]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY.format(scripts=" ".join(allowed))}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="generator" content="orthonet">\n'
        f'<title>{markup(title)}</title>\n<link rel="icon" href="data:,">\n'
        f"<style>\n{_asset('page.css')}</style>\n</head>\n<body>\n{header}<main>\n{''.join(sections)}</main>\n"
        f'<script type="application/json" id="report-data">{script_data(data)}</script>\n'
        f"{''.join(f'<script>{text}</script>{chr(10)}' for text in scripts)}</body>\n</html>\n"
    ).encode("utf-8", "replace")


def whole_plotly() -> str:
    """Return the plotly.js that draws with WebGL, from the package plotly."""
    return require(
        "plotly.offline", extra="report", purpose="a report that draws more than 10,000 nodes"
    ).get_plotlyjs()


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode('utf-8', 'replace')).digest()).decode('ascii')}'"


def _draws_with_webgl(data: Any) -> bool:
    figures = data.get("figures", {}).values()
    return any(len(one["ids"]) > one["webglAbove"] for one in figures if "webglAbove" in one)


def _asset(name: str) -> str:
    return files("orthonet.report").joinpath(name).read_text(encoding="utf-8")


def _base64(array: npt.NDArray[Any]) -> str:
    return base64.b64encode(array.tobytes()).decode("ascii")
