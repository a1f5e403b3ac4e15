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


class Experiment(StrEnum):
    """The paper's tables and figures."""

    all = "all"
    table1 = "table1"
    table2 = "table2"
    table3 = "table3"
    figure1 = "figure1"
    figure2 = "figure2"
    figure4 = "figure4"
    figure5 = "figure5"


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


@app.command(
    epilog="Examples: [bold]orthonet paper all --quick[/bold], a few minutes on small data; [bold]orthonet paper table2 "
    "--jobs 2 -o results[/bold], hours, and the same command goes on where it was stopped.",
)
def paper(
    what: Annotated[list[Experiment], typer.Argument(help="Which tables and figures.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for results (JSON), tables (Markdown) and pictures (PNG).")
    ] = Path("orthonet-paper"),
    quick: Annotated[bool, typer.Option("--quick", help="At most 300 nodes of each set and one seed.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Measurements side by side, each then on one thread.")] = 1,
    limit: Annotated[float, typer.Option(min=1, help="Seconds after which one measurement is given up.")] = 900,
    download: Annotated[
        bool, typer.Option("--download", help="Fetch data sets that have a public home and are not here.")
    ] = False,
) -> None:
    """Make the paper's tables and figures again, our numbers beside the printed ones.

    Real data comes from the folder named by ORTHONET_DATA_HOME; sets that are not there are left out, and said so.
    table3 is not in the paper: the same methods on relations and texts.
    """
    names = [one.value for one in Experiment if one is not Experiment.all and (one in what or Experiment.all in what)]
    with _failing_plainly("paper"):
        from orthonet.cli.paper import run_paper

        whole = output.expanduser().resolve()
        folder = whole.with_name(f"{whole.name}-quick") if quick else whole
        if run_paper(names, folder, quick=quick, jobs=jobs, limit=limit, download=download):
            sys.exit(1)


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
