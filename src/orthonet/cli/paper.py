"""``orthonet paper``: the paper's tables and figures, made again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from orthonet.cli.talk import Talk
from orthonet.paper.registry import EXPERIMENTS, Run
from orthonet.paper.sets import DOWNLOAD_VARIABLE
from orthonet.support.optional import require


def run_paper(
    names: Sequence[str], folder: Path, *, quick: bool, jobs: int, limit: float, download: bool, talk: Talk
) -> int:
    """Make the named tables and figures in a folder; return how many measurements failed."""
    if download:
        os.environ[DOWNLOAD_VARIABLE] = "1"
    require("matplotlib", extra="cli", purpose="drawing the figures")
    folder = folder.expanduser()
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; name a folder with --output")
    folder.mkdir(parents=True, exist_ok=True)
    console = Console(quiet=not talk.plain)
    failed, files = 0, []
    for name in names:
        run = Run(name, folder, quick=quick, jobs=jobs, limit=limit)
        console.rule(EXPERIMENTS[name].title, align="left")
        try:
            failed += _measure(run, console)
        finally:
            written = run.write()
        if written:
            console.print(Markdown(written[0].read_text().partition("\n")[2]))
        for path in (run.results.path, *written):
            if path.exists():
                files.append(str(path))
                console.print(f"wrote {path}", highlight=False, soft_wrap=True)
    talk.result({"output": str(folder), "files": files, "failed": failed})
    return failed


def _measure(run: Run, console: Console) -> int:
    remaining = run.remaining()
    failures: dict[str, str] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        shown = bar.add_task(run.name, total=len(remaining))
        for task, record in run.advance():
            bar.update(shown, advance=1, description=f"{run.name}: {task.key}")
            if "error" in record and not any(task.key in keys for keys in run.left_out.values()):
                failures[task.key] = record["error"]
            if "stopped_after" in record:
                console.print(f"stopped after {record['stopped_after']:.0f} s: {task.key}", highlight=False)
    for reason, keys in run.left_out.items():
        console.print(f"left out {len(keys)} ({keys[0]}, …): {reason}", highlight=False, soft_wrap=True)
    for key, error in failures.items():
        console.print(f"failed: {key}: {error}", highlight=False, soft_wrap=True, style="red")
    return len(failures)
