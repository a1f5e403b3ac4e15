"""Warnings that point at the user's line, however deep in the package they arise."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

PACKAGE = str(Path(__file__).parent.parent)


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, naming the first caller outside this package."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    warnings.warn(message, category, stacklevel=level)
