"""Sentences that name arguments of functions, kept in parts: the command line says the same with its options instead."""

from __future__ import annotations

from typing import Any, Self


class Argument:
    """An argument of a function within a sentence, alone or with the values it may be given.

    >>> str(Argument("weight")), str(Argument("missing_weights", "one", "drop"))
    ('weight', "missing_weights='one' or 'drop'")
    """

    def __init__(self, name: str, *values: Any) -> None:
        self.name, self.values = name, values

    def __str__(self) -> str:
        return f"{self.name}={' or '.join(map(repr, self.values))}" if self.values else self.name

    __repr__ = __str__


class Sentence(str):
    """Text that remembers which of its parts are arguments.

    >>> sentence = Sentence("no weight; pass ", Argument("missing_weights", "one"))
    >>> sentence, sentence.parts[0]
    ("no weight; pass missing_weights='one'", 'no weight; pass ')
    """

    parts: tuple[str | Argument, ...]

    def __new__(cls, *parts: str | Argument) -> Self:
        """Join the parts."""
        text = super().__new__(cls, "".join(map(str, parts)))
        text.parts = tuple(piece for part in parts for piece in (part.parts if isinstance(part, Sentence) else (part,)))
        return text
