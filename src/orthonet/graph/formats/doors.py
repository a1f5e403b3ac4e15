"""What the doors to files share: files with or without names of their own, and errors that name the file."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, TypeAlias, TypeVar

PathType: TypeAlias = str | PathLike[str]
Result = TypeVar("Result")


def named_paths(paths: Any) -> list[tuple[str | None, PathType]]:
    """Return the paths of a mapping with their names, those of a sequence, or a single one, with None."""
    if isinstance(paths, str | PathLike):
        return [(None, paths)]
    named: list[tuple[str | None, PathType]]
    named = list(paths.items()) if isinstance(paths, Mapping) else [(None, path) for path in paths]
    if not named:
        raise ValueError("paths is empty; name at least one file")
    return named


def told(path: PathType, work: Callable[[], Result]) -> Result:
    """Do the work; whatever is wrong with a file is an error that names it."""
    try:
        return work()
    except (ValueError, csv.Error) as error:
        if isinstance(error, ValueError) and str(path) in str(error):
            raise
        raise ValueError(f"{path}: {error}") from error
    except OSError as error:
        if str(path) in str(error):
            raise
        raise OSError(f"{path}: {error}") from error
