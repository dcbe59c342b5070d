"""The settings that every call of an operator looks at, at fixed places in memory.

Cython compiles this file together with `switches.pxd`; without a compiler it runs as it stands.
"""

from typing import Any


class Switches:
    """The part of the engine's settings (`State`) that is looked at most often."""

    grad_enabled: bool
    inference: bool
    places: Any
    """Tells where in a program an operation is recorded, if anybody wants to know: a function, else False."""

    def snapshot(self) -> dict:
        """All settings, by their names."""
        own = dict(self.__dict__)
        own["grad_enabled"], own["inference"], own["places"] = self.grad_enabled, self.inference, self.places
        return own

    def restore(self, snapshot: dict) -> None:
        """Bring all settings back to what they were."""
        own = self.__dict__
        self.grad_enabled, self.inference = snapshot["grad_enabled"], snapshot["inference"]
        self.places = snapshot["places"]
        own.update(snapshot)  # never empty between; those with places of their own are only read there
        if len(own) != len(snapshot):
            for name in own.keys() - snapshot.keys():
                del own[name]
        self.settle()  # type: ignore[attr-defined] # of State
