"""How long each stage of a fit took in this process, and how much it sent."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from orthonet.embedding.processes import Processes


@dataclass
class Stages:
    """Seconds and bytes, stage by stage."""

    processes: Processes
    done: dict[str, dict[str, float]] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure what is done inside."""
        started, used, sent = time.perf_counter(), time.process_time(), self.processes.bytes_sent
        yield
        self.done[name] = {
            "seconds": round(time.perf_counter() - started, 4),
            "processor_seconds": round(time.process_time() - used, 4),
            "bytes_sent": float(self.processes.bytes_sent - sent),
        }
