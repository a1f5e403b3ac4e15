"""Options that several commands share: the fields of a dataclass, which `takes` turns into parameters of a command."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, get_type_hints

Command = Callable[..., None]


def takes(**groups: type[Any]) -> Callable[[Command], Command]:
    """Replace parameters of a command by the fields of dataclasses, and pass it the dataclasses made from them.

    ``@takes(inputs=Inputs)`` lets ``def info(inputs: Inputs)`` be called with every option that `Inputs` declares.
    """

    def spread(command: Command) -> Command:
        hints = get_type_hints(command, include_extras=True)
        parameters = []
        for name, parameter in inspect.signature(command).parameters.items():
            if name in groups:
                parameters += _parameters(groups[name])
            else:
                parameters.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))

        @functools.wraps(command)
        def called(**given: Any) -> None:
            made = {
                name: group(**{field.name: given.pop(field.name) for field in fields(group)})
                for name, group in groups.items()
            }
            command(**given, **made)

        del called.__wrapped__  # else the old signature would be read
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return called

    return spread


def _parameters(group: type[Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
