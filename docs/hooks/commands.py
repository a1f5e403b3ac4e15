"""An mkdocs hook: `<!-- commands -->` in a page becomes the reference of all commands, made from the command line itself."""

import re
from collections.abc import Iterator
from html import escape
from typing import Any

MARK = "<!-- commands -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the commands in their place."""
    return markdown.replace(MARK, commands_page()) if MARK in markdown else markdown


def commands_page() -> str:
    """Return the Markdown of every command: what it does, how it is called, its options, its examples."""
    import typer

    from orthonet.cli.app import app

    root = typer.main.get_command(app)
    return "\n".join(described(root, root.context_class(root, info_name="orthonet"), 2))


def described(command: Any, context: Any, level: int) -> Iterator[str]:
    """Yield the lines about a command and those below it."""
    yield f"{'#' * level} {context.command_path}\n"
    yield from (f"{paragraph}\n" for paragraph in paragraphs(command.help))
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{context.command_path} {usage}\n```\n"
    parameters = sorted(command.get_params(context), key=lambda parameter: parameter.param_type_name != "argument")
    rows = [row for parameter in parameters if (row := parameter_row(parameter, context))]
    if rows:
        yield "| option | what it does | default |\n|---|---|---|"
        yield from rows
        yield ""
    yield from (f"{example(paragraph)}\n" for paragraph in paragraphs(command.epilog))
    for name, below in getattr(command, "commands", {}).items():
        if not below.hidden:
            yield from described(below, below.context_class(below, info_name=name, parent=context), level + 1)


def parameter_row(parameter: Any, context: Any) -> str | None:
    """Return the table row of an option or argument; None for one that help does not show."""
    record = parameter.get_help_record(context)
    if record is None:
        return None
    spelled, text = record
    helped = parameter.help or ""
    names = (
        sorted((*parameter.opts, *parameter.secondary_opts), key=len)
        if spelled.startswith("-")
        else [spelled.split()[0]]
    )
    calls = " ".join(f"`{name}`" for name in names)
    # What stands behind the help itself: "[default: 10; x>=1]", "[required]".
    notes = text.removeprefix(helped).strip().removeprefix("[").removesuffix("]").split("; ") if text != helped else []
    default = next((f"`{note.removeprefix('default: ')}`" for note in notes if note.startswith("default: ")), "")
    others = [note for note in notes if note and note != "required" and not note.startswith("default: ")]
    said = prose(helped) + (f" ({escape(', '.join(map(limit, others)))})" if others else "")
    cells = (f"{calls} {kind_of(spelled)}", said, "required" if parameter.required else default)
    return "| " + " | ".join(cell.replace("|", "&#124;") for cell in cells) + " |"


def limit(note: str) -> str:
    """Say in words what click writes as "x>=1" or "0<=x<=1"."""
    words = re.sub(r"^x>=", "at least ", re.sub(r"^x<=", "at most ", note))
    return re.sub(r"^(\S+)<=x<=(\S+)$", r"\1 to \2", words)


def kind_of(spelled: str) -> str:
    """Return what an option takes, in small: "int" of "-k, --clusters <int range>"."""
    kind = re.sub(r"^(-\S+[ /]*|\S+ )*?(?=<|[A-Z\[]|$)", "", spelled).strip("<>").removesuffix(" range")
    kind = re.sub(r"^list\[(.*)\]$", r"\1", kind)
    return f"<small>{escape(kind)}</small>" if kind else ""


def paragraphs(text: str | None) -> list[str]:
    """Return the paragraphs of a help text in Markdown."""
    return [prose(part) for part in re.split(r"\n\s*\n", (text or "").replace("\b", "").strip()) if part.strip()]


def example(paragraph: str) -> str:
    """Return a paragraph that starts with a command as an item of a list: the command, and what it is for."""
    return re.sub(
        r"^(`[^`]+`)(?: (?=\w))?(.*)$", lambda found: f"- {found[1]}" + (f": {found[2]}" if found[2] else ""), paragraph
    )


def prose(text: str) -> str:
    """Return rich's markup as Markdown: what stands in bold on a terminal is something to type."""
    from rich.text import Text

    parsed = Text.from_markup(" ".join(text.split()))
    bold = sorted((span.start, span.end) for span in parsed.spans if "bold" in str(span.style))
    pieces, done = [], 0
    for start, end in bold:
        pieces += [escape(parsed.plain[done:start], quote=False), f"`{parsed.plain[start:end].strip()}`"]
        done = end
    return "".join([*pieces, escape(parsed.plain[done:], quote=False)])
