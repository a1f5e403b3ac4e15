"""The command line."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the ``orthonet`` command."""
    try:
        from orthonet.cli.app import app, help_of
    except ImportError as error:
        sys.exit(f"orthonet: the command line needs {error.name or 'more packages'}: pip install 'orthonet[cli]'")
    except KeyboardInterrupt:
        sys.exit(130)
    match sys.argv[1:]:
        case [name, "--help"] if not name.startswith("-"):
            help_of(name)
    app()
