"""Named results: ``torch.return_types.max`` and its like, tuples that print their fields."""

from __future__ import annotations

from typing import Any

from ...sandbox.sealed import Sealed

_made: dict[tuple, type] = {}


def named(name: str, fields: tuple[str, ...]) -> type:
    """The tuple type of an operator's results."""
    found = _made.get((name, fields))
    if found is None:
        members: dict[str, Any] = {f: property(_field(i)) for i, f in enumerate(fields)}
        members |= {
            "__slots__": (), "__repr__": _text, "__match_args__": fields, "n_fields": len(fields),
            "n_sequence_fields": len(fields), "n_unnamed_fields": 0,
        }  # fmt: skip
        members["__module__"] = "torch.return_types"
        found = _made[(name, fields)] = Sealed(name, (tuple,), members)
    return found


def _field(i: int) -> Any:
    return lambda self: tuple.__getitem__(self, i)


def _text(self: Any) -> str:
    lines = ",\n".join(f"{f}={value!r}" for f, value in zip(self.__match_args__, self, strict=True))
    return f"torch.return_types.{type(self).__name__}(\n{lines})"
