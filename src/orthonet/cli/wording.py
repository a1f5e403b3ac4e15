"""Sentences of the library in the words of the command line: ``unknown_nodes='drop'`` is ``--unknown-nodes drop`` there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from orthonet.cli.inputs import Inputs
from orthonet.support.sentences import Argument, Sentence
from orthonet.support.text import sentence

OPTIONS = {
    **{field.name: f"--{field.name.replace('_', '-')}" for field in fields(Inputs)},
    "layer": "--layer-column",
    "categories": "--category",
    "aggregation": "--aggregation",
    "training.device": "--device",
    "n_clusters": "--clusters",
    "n_neighbors": "--neighbors",
    "layer_weights": "--layer-weight",
    "training.max_iter": "--steps",
    "training.batch_size": "--batch-size",
    "training.checkpoint_dir": "--checkpoint-dir",
    "random_state": "--seed",
}
"""The option for each argument of the library that has one."""
SETTINGS = {
    "assign_labels": "assign_labels",
    "epsilon": "epsilon",
    "network.hidden_layers": "network.hidden_layers",
    "solver": "aggregation.solver",
    "p": "aggregation.p",
    "max_iter": "aggregation.max_iter",
}
"""What --set calls the arguments that have no option."""
OPTIONS_OF_COMMANDS = {"convert": {"format": "--to"}}
"""Options that are called otherwise in one command."""
SWITCHES = {"heading": ("--heading", "--no-heading"), "directed": ("--directed", "--undirected")}
"""Options for arguments that are True or False."""


def in_options(said: str | BaseException, command: str = "") -> str:
    """Return a sentence, an error or a warning on one line, with options in the place of arguments.

    Only what the library marked as an argument is replaced, never what a user wrote, such as a path.

    >>> in_options(Sentence("layer=a.csv, row 2: no weight; pass ", Argument("missing_weights", "one", "drop")))
    'layer=a.csv, row 2: no weight; pass --missing-weights one or drop'
    >>> in_options(ValueError(Sentence("raise ", Argument("n_neighbors"))))
    'raise --neighbors'
    >>> in_options(Sentence("pass ", Argument("solver", "compressed"), ", or a larger ", Argument("epsilon")))
    'pass --set aggregation.solver=compressed, or a larger --set epsilon=…'
    """
    if isinstance(said, BaseException):
        said = said.args[0] if said.args and isinstance(said.args[0], Sentence) else str(said)
    parts = said.parts if isinstance(said, Sentence) else (said,)
    options = OPTIONS | OPTIONS_OF_COMMANDS.get(command, {})
    text = "".join(_option(part, options) if isinstance(part, Argument) else part for part in parts)
    return sentence(text)


def _option(argument: Argument, options: Mapping[str, str]) -> str:
    """Return an argument as an option; one that the command line does not have stays as it is."""
    if argument.name in SWITCHES and argument.values:
        on, off = SWITCHES[argument.name]
        return on if argument.values[0] else off
    values = " or ".join(map(str, argument.values))
    if argument.name == "layer_weights" and argument.values == (None,):  # which no --layer-weight says
        return "--set layer_weights=None"
    if argument.name in SETTINGS:
        return f"--set {SETTINGS[argument.name]}={values or '…'}"
    if argument.name not in options:
        return str(argument)
    return f"{options[argument.name]} {values}".strip()
