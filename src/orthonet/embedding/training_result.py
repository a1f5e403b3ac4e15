"""What training reports. It does not import torch, so that reports and pictures of a run do not either."""

from __future__ import annotations

from dataclasses import dataclass, field

WINDOW, EXACT_WINDOW = 20, 3
"""Steps between two looks at how far the embedding has turned, the second where the last layer is solved for at each."""


@dataclass
class TrainingResult:
    """What came of a training run."""

    losses: list[float] = field(default_factory=list)
    """Loss before each step."""
    turns: list[float] = field(default_factory=list)
    """How far the embedding turned from one look to the next."""
    converged: bool = False
    """Whether the embedding had settled when training stopped."""
    interrupted: bool = False
    """Whether it was stopped by Ctrl-C."""
    bytes_per_step: float = 0.0
    """What each process gives to the others at a step."""


def steps_between_looks(n_steps: int, n_looks: int) -> int:
    """Return how often training looked at the embedding, from how many steps it took and how many turns it saw."""
    return EXACT_WINDOW if n_looks > max(n_steps // WINDOW - 1, 0) else WINDOW
