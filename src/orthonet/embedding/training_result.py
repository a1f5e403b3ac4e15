"""What training reports. It does not import torch, so that reports and pictures of a run do not either."""

from __future__ import annotations

from dataclasses import dataclass, field

WINDOW = 20
"""Steps between two looks at how far the embedding has turned."""


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
