"""``torch.autograd.profiler``: the older form of ``torch.profiler``."""

from __future__ import annotations

from ..profiler import EventList, FunctionEvent, old_profile, record_function

__all__ = ["EventList", "FunctionEvent", "profile", "record_function"]

profile = old_profile
