"""The commands and their options; what a command does is loaded when it runs, so that help comes at once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
    with _failing_plainly("demo"):
        from orthonet.cli.demo import run_demo

        run_demo(names, output, seed)


@app.command(
    epilog="Examples: [bold]orthonet cluster --view shape=shape.csv --view texture=texture.csv -k 5 -o out[/bold]; on four "
    "processes: [bold]torchrun --nproc-per-node 4 -m orthonet cluster …[/bold]",
)
def cluster(
    n_clusters: Annotated[int, typer.Option("--clusters", "-k", min=2, help="Number of groups.")],
    view: Annotated[
        list[str] | None,
        typer.Option(help="name=path of a table, one row a node, from which a layer is built; may be repeated."),
    ] = None,
    layer: Annotated[
        list[str] | None, typer.Option(help="name=path of a square matrix of edge weights; may be repeated.")
    ] = None,
    features: Annotated[Path | None, typer.Option(help="Table of features, one row a node, for --layer.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")] = Path("orthonet-out"),
    neighbors: Annotated[int, typer.Option(min=1, help="Neighbours in layers built from features.")] = 10,
    batch_size: Annotated[
        int | None, typer.Option(min=2, help="Nodes a training step; chosen by size if not given.")
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Training steps at most.")] = 200,
    checkpoint_dir: Annotated[
        Path | None,
        typer.Option(help="Folder that keeps the state of training; a run that was killed goes on from it."),
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or mps.")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything random.")] = 0,
) -> None:
    """Cluster nodes that are given by tables or by matrices of edge weights; write labels, embedding and model."""
    with _failing_plainly("cluster"):
        from orthonet.cli.cluster import Inputs, run_cluster

        options = {
            "n_clusters": n_clusters,
            "batch_size": "auto" if batch_size is None else batch_size,
            "max_steps": steps,
            "checkpoint_dir": checkpoint_dir,
            "device": device,
            "random_state": seed,
        }
        run_cluster(Inputs(view or [], layer or [], features), output, neighbors, options)


@contextmanager
def _failing_plainly(command: str) -> Iterator[None]:
    """Say in a sentence what was wrong, and leave with 2; with 130 after Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("interrupted; the files written so far are whole", err=True)
        sys.exit(130)
    except (ImportError, OSError, ValueError, FloatingPointError) as error:
        typer.echo(f"orthonet {command}: {error}", err=True)
        sys.exit(2)
