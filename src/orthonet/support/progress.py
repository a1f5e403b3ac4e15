"""A progress bar that shows itself only when somebody waits in front of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE_SECONDS = 2.0

Report = Callable[[int, str], None]
"""What the worker calls after each step: ``report(steps_done, message)``."""


@contextmanager
def progress(title: str, total: int, verbose: bool | None = None, *, slow_steps: bool = False) -> Iterator[Report]:
    """Yield a function to report steps to.

    Parameters
    ----------
    title : str
        What is being done.
    total : int
        Number of steps at most.
    verbose : bool or None, default=None
        None shows a bar after two seconds if standard error is a terminal (or a notebook) and `rich` is
        installed, True shows it at once and wherever standard error goes, False never.
    slow_steps : bool, default=False
        Whether the bar shows itself also in the middle of a step, as where one takes minutes.
    """
    shown = None if verbose is None else bool(verbose)
    bar = None if shown is False else _bar(required=shown is True)
    if bar is None:
        yield lambda done, message: None
        return

    task = bar.add_task(title, total=total, message="")
    started = time.monotonic()

    def report(done: int, message: str) -> None:
        if not bar.live.is_started and (shown or time.monotonic() - started > PATIENCE_SECONDS):
            bar.start()
        bar.update(task, completed=done, message=message)

    waiting = Timer(PATIENCE_SECONDS, bar.start)
    waiting.daemon = True
    if slow_steps and not shown:
        waiting.start()
    try:
        yield report
    finally:
        waiting.cancel()
        if waiting.is_alive():
            waiting.join()
        if bar.live.is_started:
            bar.stop()


def _bar(required: bool) -> Progress | None:
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
    except ImportError as error:
        if required:
            raise ImportError(
                "verbose=True draws its progress bar with 'rich': pip install 'orthonet[progress]'"
            ) from error
        return None
    console = Console(stderr=True)
    if not (required or console.is_terminal or console.is_jupyter):
        return None
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[message]}"),
    )
    return Progress(*columns, console=console, transient=not required)
