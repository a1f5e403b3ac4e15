"""The command line in this process, and files to give it."""

import csv

import numpy as np
import pytest

from orthonet.files import write_network


@pytest.fixture(scope="session")
def orthonet():
    """Run a command; returns what typer's runner does."""
    testing = pytest.importorskip("typer.testing")

    def run(*arguments):
        from orthonet.cli.app import app

        return testing.CliRunner().invoke(app, [str(argument) for argument in arguments])

    return run


@pytest.fixture(scope="session")
def network_in(clouds):
    """Write to a folder edges.csv, which has a column of layers, nodes.csv with a text column, and truth.csv."""

    def network_in(folder):
        write_network(clouds.graph, folder / "edges.csv", nodes=folder / "nodes.csv")
        rows = (folder / "nodes.csv").read_text().splitlines()
        towns = ["town", *(f"town {label}" for label in clouds.labels)]
        (folder / "nodes.csv").write_text(
            "\n".join(f"{row},{town}" for row, town in zip(rows, towns, strict=True)) + "\n"
        )
        lines = ["node,class", *(f"{node},{label}" for node, label in enumerate(clouds.labels))]
        (folder / "truth.csv").write_text("\n".join(reversed(lines[1:])) + "\n")
        return folder

    return network_in


@pytest.fixture
def network(network_in, tmp_path):
    """The test's own folder with these files."""
    return network_in(tmp_path)


@pytest.fixture(scope="session")
def views_in(clouds):
    """Write the three clouds to a folder, as a table with a heading, one without, and an array; return the options."""

    def views_in(folder):
        first, second, third = np.hsplit(clouds.graph.features, 3)
        np.savetxt(folder / "first.csv", first, delimiter=",", header="x,y", comments="")
        np.savetxt(folder / "second.tsv", second, delimiter="\t")
        np.save(folder / "third.npy", third)
        return [f"--view={name}" for name in (folder / "first.csv", folder / "second.tsv", f"c={folder / 'third.npy'}")]

    return views_in


@pytest.fixture
def views(views_in, tmp_path):
    return views_in(tmp_path)


@pytest.fixture(scope="session")
def rows_of():
    """Return the rows of a table, each a dict by the names of the columns."""

    def rows_of(file):
        with file.open() as lines:
            return list(csv.DictReader(lines))

    return rows_of


@pytest.fixture(scope="session")
def labels_of(rows_of):
    """Return the labels that a run wrote."""
    return lambda folder: np.array([int(row["label"]) for row in rows_of(folder / "labels.csv")])
