"""The operators as modules call them: ``F.relu`` is ``nn.functional.relu``, ``T.zeros`` is ``torch.zeros``.

A name is looked up in the operator table when it is first used, so that importing a module loads no family of operators.
"""

from __future__ import annotations

from typing import Any

from ...engine.loading import table


class Functions:
    """The functions of the table below a prefix, as attributes."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        found = table.find_function(self._prefix + name)
        if found is None:
            raise AttributeError(
                f"module 'torch.{self._prefix[:-1]}' has no attribute '{name}'".replace("'torch.'", "'torch'")
            )
        self.__dict__[name] = found
        return found


F = Functions("nn.functional.")
T = Functions("")
L = Functions("linalg.")
