"""The commands and their options; what a command does is loaded when it runs, so that help comes at once."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import orthonet

app = typer.Typer(
    name="orthonet",
    help="Cluster multilayer networks with node features.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


class DemoData(StrEnum):
    """What the demo can run on."""

    all = "all"
    gaussians = "gaussians"
    digits = "digits"


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"orthonet {orthonet.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave."),
    ] = False,
) -> None:
    """Cluster multilayer networks with node features."""


@app.command(
    epilog="Example: [bold]orthonet demo --data digits --output my-demo[/bold]",
)
def demo(
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Folder for pictures, labels and scores; made if it is not there."),
    ] = Path("orthonet-demo"),
    data: Annotated[DemoData, typer.Option(help="Which data set to run on.")] = DemoData.all,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the data and of every method.")] = 0,
) -> None:
    """Compare OrthoNet with simpler methods on data that needs no download, and draw what it learnt."""
    names = ("gaussians", "digits") if data is DemoData.all else (data.value,)
    try:
        from orthonet.cli.demo import run_demo

        run_demo(names, output, seed)
    except KeyboardInterrupt:
        typer.echo("interrupted; the files written so far are whole", err=True)
        sys.exit(130)
    except (ImportError, OSError, ValueError) as error:
        typer.echo(f"orthonet demo: {error}", err=True)
        sys.exit(2)
