"""What a command says, and to whom: lines for people, one JSON object for machines, or nothing."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from orthonet.cli.wording import in_options

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
            typer.echo(text)

    def warn(self, text: str) -> None:
        """Print a warning where it does not mix with results."""
        if self.plain:
            typer.echo(f"warning: {in_options(text)}", err=True)

    def show(self, drawn: Any) -> None:
        """Print a table or other thing that rich draws."""
        if self.plain:
            from rich.console import Console

            Console(width=None if sys.stdout.isatty() else 200).print(drawn)

    def result(self, content: Mapping[str, Any]) -> None:
        """Print the result for machines, on one line a field."""
        if self.json and not self.quiet:
            typer.echo(json_module.dumps(content, indent=2, default=_number))

    @contextmanager
    def waiting(self, title: str) -> Iterator[None]:
        """Show on a terminal that something is going on."""
        if not (self.plain and sys.stderr.isatty()):
            yield
            return
        from rich.console import Console

        with Console(stderr=True).status(title):
            yield


def _number(value: Any) -> Any:
    """Return numpy's numbers and arrays, and paths, as JSON knows them."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
