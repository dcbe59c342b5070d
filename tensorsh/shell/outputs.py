"""What was entered and what it gave: `In[3]` and `_i3` are a text, `Out[3]` and `_3` its last value, `_`, `__` and `___` the last
three values, `_i`, `_ii` and `_iii` the last three texts.

They stand behind a program's own names, as Python's builtins do: what a program calls `Out` is its own, and `%who` lists none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..session import Session

LAST = ("_", "__", "___")
ENTERED = ("i", "ii", "iii")
"""Behind an underscore, the last three texts."""


class Outputs:
    """The values that were echoed, by the number of their entry, the newest `most` of them."""

    def __init__(self, session: Session, most: int) -> None:
        self.session, self.most = session, most
        self.values: dict[int, Any] = {}
        self.echoed = 0
        self.texts: list[str] = [""]
        names = session._builtins
        names["In"], names["Out"] = self.texts, self.values

    def entered(self, number: int, text: str) -> None:
        """Notes the text of an entry."""
        self.texts += [""] * (number - len(self.texts) + 1)
        names = self.session._builtins
        for back in ENTERED:
            names[f"_{back}"] = self.texts[max(number - len(back), 0)]
        self.texts[number] = names[f"_i{number}"] = text

    def keep(self, number: int, value: Any) -> None:
        """Notes a value that an entry gave."""
        self.echoed += 1
        variables = self.session.variables
        variables["___"], variables["__"] = variables.get("__"), variables.get("_")
        variables["_"] = value
        if self.most and value is not self.values:  # which would hold itself
            self.values[number] = value
            self.session._builtins[f"_{number}"] = value
            while len(self.values) > self.most:
                self._drop(next(iter(self.values)))

    def _drop(self, number: int) -> None:
        del self.values[number]
        self.session._builtins.pop(f"_{number}", None)

    def forget(self) -> None:
        """Lets go of all values."""
        for number in list(self.values):
            self._drop(number)
        for name in LAST:
            self.session.variables.pop(name, None)
