"""How a command ends that cannot do what it was asked to: with a sentence, and an exit code."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from orthonet.cli.wording import in_options

NO_MEMORY = ("not enough memory", "out of memory", "allocate memory", "bad_alloc", "can't start new thread")
"""What torch, and the libraries below it, say in an error of no kind of its own where memory is lacking."""


@contextmanager
def failing_plainly(command: str) -> Iterator[None]:
    """Say in a sentence what was wrong, and leave with 2; with 130 after Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("interrupted; no file was left half-written", err=True)
        sys.exit(130)
    except (ImportError, OSError, ValueError, FloatingPointError) as error:
        typer.echo(f"orthonet {command}: {in_options(error, command)}", err=True)
        sys.exit(2)
    except (MemoryError, RuntimeError) as error:
        said = in_options(error, command)
        if not isinstance(error, MemoryError) and not any(words in said.lower() for words in NO_MEMORY):
            raise
        asked = re.search(r"tried to allocate (\d+) bytes", said)  # what else torch says is about its own files
        said = f"{int(asked[1]) / 2**20:,.0f} MiB more were asked for" if asked else said
        why = f" ({said})" if said else ""
        typer.echo(f"orthonet {command}: there is not enough memory{why}; no file was left half-written", err=True)
        sys.exit(2)
