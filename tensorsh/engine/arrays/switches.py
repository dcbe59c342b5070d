"""The settings that every call of an operator looks at, at fixed places in memory.

Cython compiles this file together with `switches.pxd`; without a compiler it runs as it stands."""

from typing import Any

from .door import settle


class Switches:
    """The part of the engine's settings (`State`) that is looked at most often."""

    grad_enabled: bool
    inference: bool
    places: Any
    """Tells where in a program an operation is recorded, if anybody wants to know: a function, else False."""

    born: int
    """The number of the innermost transform of `torch.func` that is under way, which tensors made in it bear; 0 outside."""

    def settings(self) -> dict:
        """The settings in effect, by their names: not a copy, they change until others are used."""
        own = self.__dict__
        own["grad_enabled"], own["inference"], own["places"] = self.grad_enabled, self.inference, self.places
        own["born"] = self.born
        return own

    def use(self, settings: dict) -> None:
        """Put settings in the place of those in effect; those with places of their own are only read."""
        self.__dict__ = settings
        self.grad_enabled, self.inference = settings["grad_enabled"], settings["inference"]
        self.places, self.born = settings["places"], settings["born"]
        settle(settings)
