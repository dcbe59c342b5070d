"""``torch.distributed.pipelining``: a model whose layers lie in several processes, and microbatches that go through them."""

from __future__ import annotations

from ....sandbox.namespace import lazily

_PLACES = {
    "stage": "PipelineStage",
    "pipe": "Pipe SplitPoint pipeline",
    "schedules": "Schedule1F1B ScheduleGPipe ScheduleInterleaved1F1B ScheduleLoopedBFS",
}
_found = lazily(__name__, _PLACES)
globals().update(_found)
__all__ = list(_found)
