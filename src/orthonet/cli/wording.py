"""Sentences of the library in the words of the command line: ``unknown_nodes='drop'`` is ``--unknown-nodes drop`` there."""

from __future__ import annotations

import re
from dataclasses import fields

from orthonet.cli.inputs import Inputs

OPTIONS = {
    **{field.name: f"--{field.name.replace('_', '-')}" for field in fields(Inputs)},
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
_WITH_VALUE = re.compile(rf"\b({'|'.join(OPTIONS)})=(?:'([^']*)'|(\w+))")
_ALONE = re.compile(rf"\b([Rr]aise|[Ll]ower|in|with|pass) ({'|'.join(name for name in OPTIONS if '_' in name)})\b")


def in_options(text: str) -> str:
    """Return a sentence, on one line, with options in the place of arguments.

    >>> in_options("row 2: no weight; pass missing_weights='one' or 'drop'")
    "row 2: no weight; pass --missing-weights one or 'drop'"
    >>> in_options("raise n_neighbors")
    'raise --neighbors'
    """
    line = " ".join(text.splitlines())
    line = line.replace("heading=True", "--heading").replace("heading=False", "--no-heading")
    line = _WITH_VALUE.sub(lambda found: f"{OPTIONS[found[1]]} {found[2] or found[3]}", line)
    return _ALONE.sub(lambda found: f"{found[1]} {OPTIONS[found[2]]}", line)
