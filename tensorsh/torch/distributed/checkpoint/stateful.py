"""What has a state: anything with `state_dict` and `load_state_dict`."""

from __future__ import annotations

from typing import Any

from ....sandbox.sealed import OpenSealed

__all__ = ["Stateful"]


class Told(OpenSealed):
    """The class of a class that says of each object whether it has its methods."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is not Stateful:
            return type.__instancecheck__(cls, instance)
        return callable(getattr(instance, "state_dict", None)) and callable(getattr(instance, "load_state_dict", None))


Told.__name__ = "type"


class Stateful(metaclass=Told):
    """What a checkpoint takes the state of by itself: objects with `state_dict()` and `load_state_dict(state_dict)`."""

    __module__ = "torch.distributed.checkpoint.stateful"

    def state_dict(self) -> dict[str, Any]:
        """What is to be kept."""
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take what was kept.
        state_dict: that."""


def states(state_dict: Any) -> dict:
    """A state dict with the states of objects that have some in their place."""
    return {k: v.state_dict() if isinstance(v, Stateful) else v for k, v in state_dict.items()}
