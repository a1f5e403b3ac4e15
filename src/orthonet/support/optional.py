"""Import a package that is not a core dependency, or say what to install."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType


def is_installed(module: str) -> bool:
    """Return whether ``module`` could be imported, without importing it."""
    return importlib.util.find_spec(module) is not None


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Return the imported ``module``, or raise an `ImportError` that names the extra that brings it.

    Parameters
    ----------
    module : str
        Name as in an import statement, e.g. ``"safetensors.numpy"``.
    extra : str
        The extra of ``orthonet`` that installs it.
    purpose : str
        What it is needed for, the subject of the error's sentence, e.g. ``"saving a model"``.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"{purpose} needs the package {package!r}, which is not installed (or not whole): "
            f"pip install 'orthonet[{extra}]'"
        ) from error
