"""The operators as modules call them: ``F.relu`` is ``nn.functional.relu``, ``T.zeros`` is ``torch.zeros``.

A name is looked up in the operator table when it is first used, so that importing a module loads no family of operators.
"""

from __future__ import annotations

from typing import Any

from ...engine.loading import table


class Functions:
    """The functions of the table below a prefix, as attributes."""

    replaced = False
    """Whether plain Python has put a function of its own in the place of one."""

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

    def replace(self, name: str, function: Any = None) -> None:
        """Call another function under a name from now on; without one what the table has."""
        self.__dict__.pop(name, None)
        if function is not None:
            self.__dict__.update({name: function, "replaced": True})


F = Functions("nn.functional.")
T = Functions("")
L = Functions("linalg.")
