"""What a command says, and to whom: lines for people, one JSON object for machines, or nothing."""

from __future__ import annotations

import json as json_module
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from orthonet.cli.wording import in_options
from orthonet.support.text import visible

PANEL = "What is said"


@dataclass(frozen=True)
class Talk:
    """How much a command says on standard output; what goes wrong is always said on standard error."""

    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of text.", rich_help_panel=PANEL)
    ] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.", rich_help_panel=PANEL)] = (
        False
    )

    @property
    def plain(self) -> bool:
        """Whether lines for people are wanted."""
        return not (self.json or self.quiet)

    @property
    def verbose(self) -> bool | None:
        """What an estimator's ``verbose`` should be: progress bars by themselves, or never."""
        return None if self.plain else False

    def say(self, text: str) -> None:
        """Print a line for people."""
        if self.plain:
            _printed(lambda: typer.echo(visible(text)))

    def warn(self, text: str) -> None:
        """Print a warning where it does not mix with results."""
        if self.plain:
            typer.echo(f"warning: {in_options(text)}", err=True)

    def show(self, drawn: Any) -> None:
        """Print a table or other thing that rich draws."""
        if self.plain:
            from rich.console import Console

            console = Console(width=None if sys.stdout is not None and sys.stdout.isatty() else 200)
            _printed(lambda: console.print(drawn))

    def result(self, content: Mapping[str, Any]) -> None:
        """Print the result for machines, on one line a field."""
        if self.json and not self.quiet:
            _printed(lambda: typer.echo(json_text(content)))

    @contextmanager
    def waiting(self, title: str) -> Iterator[None]:
        """Show on a terminal that something is going on."""
        if not (self.plain and sys.stderr is not None and sys.stderr.isatty()):
            yield
            return
        from rich.console import Console

        with Console(stderr=True).status(title):
            yield


def json_text(content: Mapping[str, Any]) -> str:
    """Return a mapping as JSON; numpy's numbers and arrays as numbers, and what else JSON does not know as text."""
    return json_module.dumps(
        content, indent=2, default=lambda value: value.tolist() if hasattr(value, "tolist") else str(value)
    )


def _printed(work: Callable[[], None]) -> None:
    """Print; once whoever read it has gone, the work goes on and its results are written, only the talk stops."""
    if sys.stdout is None:  # closed by whoever started the program
        return
    try:
        work()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
