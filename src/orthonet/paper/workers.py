"""Run many measurements in processes of their own: side by side, each stopped when its time is over."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

Record = dict[str, Any]
START_SECONDS = 120.0
"""How long a new process may take to load its packages."""
LONGEST_WAIT = 3600.0
"""How long to wait for a result at once at most; then the clocks of all tasks are looked at again."""
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
"""What the numerical libraries read when they are loaded."""


@dataclass(frozen=True)
class Task:
    """One measurement: a function of a module (so that another process can find it) and what to call it with.

    ``about`` are fields that its record has even if it fails.
    """

    key: str
    function: Callable[..., Record]
    arguments: tuple[Any, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class _Worker:
    """A process that runs one task after another, so that packages and data are loaded once."""

    connection: Connection = field(init=False)
    process: Any = field(init=False)
    task: Task | None = None
    started: float = 0.0

    def __post_init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        try:  # the clock of a task starts when packages are loaded
            if self.connection.poll(START_SECONDS):
                self.connection.recv()
        except (EOFError, ConnectionError):
            self.process.join()
            raise OSError(f"a worker process ended with code {self.process.exitcode} before its first task") from None

    def give(self, task: Task) -> bool:
        """Hand over a task; return whether the process was there to take it."""
        self.task, self.started = task, time.monotonic()
        try:
            self.connection.send((task.function, task.arguments))
        except OSError:
            self.task = None
            return False
        return True

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def run_tasks(tasks: Sequence[Task], *, jobs: int, limit: float) -> Iterator[tuple[Task, Record]]:
    """Yield each task with what it returned, as soon as it is known.

    Parameters
    ----------
    tasks : sequence of Task
    jobs : int
        Processes side by side; with more than one, each computes on one thread.
    limit : float
        Seconds that a task may take. What takes longer is stopped and yields ``{"stopped_after": limit}``; what fails
        yields ``{"error": …}``.
    """
    waiting = deque(tasks)
    workers: list[_Worker] = []
    with _single_threads(jobs > 1):
        try:
            while waiting or any(worker.task for worker in workers):
                _hand_out(waiting, workers, jobs)
                busy = [(worker, worker.task) for worker in workers if worker.task]
                patience = max(0.0, min(worker.started + limit for worker, _ in busy) - time.monotonic())
                patience = min(patience, LONGEST_WAIT)
                wait([worker.connection for worker, _ in busy], timeout=patience)
                for worker, task in busy:
                    record = _collect(worker, limit)
                    if record is None:
                        continue
                    worker.task = None
                    if not worker.process.is_alive() or "stopped_after" in record:
                        worker.stop()
                        workers.remove(worker)
                    yield task, record
        finally:
            for worker in workers:
                worker.stop()


def _hand_out(waiting: deque[Task], workers: list[_Worker], jobs: int) -> None:
    while waiting:
        idle = next((worker for worker in workers if not worker.task), None)
        if idle is None:
            if len(workers) >= jobs:
                return
            idle = _Worker()
            workers.append(idle)
        task = waiting.popleft()
        if not idle.give(task):  # it died while it was idle: another one will do it
            waiting.appendleft(task)
            idle.stop()
            workers.remove(idle)


def _collect(worker: _Worker, limit: float) -> Record | None:
    """Return what a worker has to say, or None if it is still at work."""
    try:
        if worker.connection.poll():
            record: Record = worker.connection.recv()
            return record
    except (EOFError, ConnectionError):
        worker.process.join()
        code = worker.process.exitcode
        return {"error": f"the process ended with code {code}" + (" (out of memory?)" if code == -9 else "")}
    return {"stopped_after": limit} if time.monotonic() - worker.started >= limit else None


def _serve(connection: Connection) -> None:
    """Run what comes through the connection, in a process of its own, until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the first process, which stops this one
    connection.send("ready")
    while True:
        try:
            function, arguments = connection.recv()
        except EOFError:
            return
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                record = function(*arguments)
            except Exception as error:
                record = {"error": f"{type(error).__name__}: {error}"}
        ours = sorted({str(one.message) for one in warned if one.category is UserWarning})
        connection.send({**record, "warnings": ours} if ours else record)


@contextmanager
def _single_threads(wanted: bool) -> Iterator[None]:
    """Let processes started inside compute on one thread each; libraries read these variables when they are loaded."""
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    if wanted:
        os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
