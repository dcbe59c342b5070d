"""``torch.autograd.profiler``: the older form of ``torch.profiler``."""

from __future__ import annotations

from ..profiler import EventList, FunctionEvent, old_profile, record_function

__all__ = ["EventList", "FunctionEvent", "profile", "record_function"]

profile = old_profile


def kineto_available() -> bool:
    """Whether Kineto measures: there is none, the profiler counts by itself."""
    return False


class emit_nvtx:
    """A context that would name operators to NVIDIA's profiler; it names nothing."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled

    def __enter__(self) -> emit_nvtx:
        return self

    def __exit__(self, *_: object) -> None: ...


class emit_itt(emit_nvtx):
    """A context that would name operators to Intel's profiler; it names nothing."""


class itt:
    """``torch.profiler.itt``: Intel's profiler, which is not there."""

    @staticmethod
    def is_available() -> bool:
        return False
