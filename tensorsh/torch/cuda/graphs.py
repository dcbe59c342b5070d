"""``torch.cuda.graphs``: work of a device that is recorded once and launched again as a whole, by CuPy's graph capture."""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

from ...engine.arrays import backend
from ...engine.arrays.cupy_module import accelerator
from ...sandbox.sealed import Sealed
from .places import module
from .streams import Stream, current_stream

__all__ = ["CUDAGraph", "graph", "graph_pool_handle", "is_current_stream_capturing"]

MODES = ("global", "thread_local", "relaxed")
_pools: WeakValueDictionary[tuple[int, int], Any] = WeakValueDictionary()
"""Memory that graphs share, by the handle that a program has."""
_handles: list[tuple[int, int]] = []


def is_current_stream_capturing() -> bool:
    """Whether what is given to the current stream is recorded instead of run."""
    return backend.cupy() is not None and bool(module().cuda.get_current_stream().is_capturing())


def graph_pool_handle() -> tuple[int, int]:
    """The name of a part of memory that several graphs may share: give it to them as `pool`."""
    _handles.append((0, len(_handles) + 1))
    return _handles[-1]


class CUDAGraph(metaclass=Sealed):
    """Work of a device, recorded between `capture_begin` and `capture_end` (see `graph`) and run by `replay`.

    A replay reads and writes the very memory of the recording: fill a graph's inputs with ``copy_`` before, read its results
    after. Random numbers go on from where the generator stands, at each replay.

    Example::

        x = torch.ones(3, device="cuda")
        g = torch.cuda.CUDAGraph()
        with torch.cuda.graph(g):
            y = x * 2
        x.fill_(4)
        g.replay()
        y  # tensor([8., 8., 8.], device='cuda:0')
    """

    __module__ = "torch.cuda.graphs"

    def __init__(self, keep_graph: bool = False) -> None:
        if backend.cupy() is None:
            raise RuntimeError("Tried to instantiate dummy base class CUDAGraph")
        self._graph: Any = None
        self._pool: tuple[int, int] | None = None
        self._capture: tuple = ()
        self._drawn: list[tuple[Any, Any, int]] = []
        self._kept: list[Any] = []

    def capture_begin(self, pool: Any = None, capture_error_mode: str = "global") -> None:
        """Record what the current stream, which is not the default one, is given from here on.

        pool: the handle of memory to share, from `graph_pool_handle` or another graph's `pool`.
        Raises RuntimeError on the default stream, for a graph that has recorded, and for an unknown mode.
        """
        if capture_error_mode not in MODES:
            raise RuntimeError(
                f"Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got {capture_error_mode}"
            )
        if self._graph is not None or self._capture:
            raise RuntimeError(
                "This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new instance."
            )
        cuda = module().cuda
        stream = cuda.get_current_stream()
        if stream.ptr in (0, 1, 2):
            raise RuntimeError(
                "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them on "
                "the default stream.)"
            )
        self._pool = graph_pool_handle() if pool is None else pool
        if self._pool not in _handles:
            raise RuntimeError("There is no memory pool of that handle: take one from torch.cuda.graph_pool_handle().")
        self._kept = accelerator().pools.kept()
        own = _pools.get(self._pool)
        if own is None:
            own = _pools[self._pool] = accelerator().pools.Pool(cuda.MemoryPool())
        self._kept.append(own)
        generator = backend.generator_of(current_stream().device)
        start = module().zeros(2, "uint64")
        allocator = cuda.using_allocator(own.memory.malloc)
        # Memory may be taken from the device meanwhile, which the stricter modes of CUDA forbid.
        stream.begin_capture(cuda.runtime.streamCaptureModeRelaxed)
        allocator.__enter__()
        generator.begin_capture(start)
        self._capture = stream, allocator, generator, start

    def capture_end(self) -> None:
        """End the recording that `capture_begin` began."""
        if not self._capture:
            raise RuntimeError("capture_end() needs a capture that capture_begin() has begun.")
        stream, allocator, generator, start = self._capture
        self._capture = ()
        draws = generator.end_capture()
        allocator.__exit__(None, None, None)
        self._graph = stream.end_capture()
        self._drawn = [(generator, start, draws)] if draws else []

    def replay(self) -> None:
        """Run what was recorded, on the current stream."""
        if self._graph is None:
            raise RuntimeError("Called CUDAGraph::replay without a preceding successful capture.")
        for generator, start, draws in self._drawn:
            generator.prepare_replay(start, draws)
        self._graph.launch(module().cuda.get_current_stream())

    def reset(self) -> None:
        """Forget what was recorded, and give its memory back."""
        self._graph, self._drawn, self._kept = None, [], []

    def pool(self) -> tuple[int, int]:
        """The handle of the graph's memory, for graphs that share it."""
        if self._pool is None:
            raise RuntimeError("Called CUDAGraph::pool() without a preceding successful capture.")
        return self._pool


class graph(metaclass=Sealed):
    """``with torch.cuda.graph(g):`` records the block's work in a `CUDAGraph`, on a stream of its own.

    cuda_graph: the graph.  pool: memory to share with another graph.  stream: where it is recorded; one stream for all
    graphs, where None.
    """

    __module__ = "torch.cuda.graphs"

    default_capture_stream: Any = None

    def __init__(
        self, cuda_graph: CUDAGraph, pool: Any = None, stream: Stream | None = None, capture_error_mode: str = "global"
    ) -> None:
        if graph.default_capture_stream is None:
            type.__setattr__(graph, "default_capture_stream", Stream())
        self.cuda_graph, self.pool, self.mode = cuda_graph, pool, capture_error_mode
        self.capture_stream = graph.default_capture_stream if stream is None else stream

    def __enter__(self) -> None:
        module().cuda.runtime.deviceSynchronize()
        self.capture_stream.__enter__()
        try:
            self.cuda_graph.capture_begin(self.pool, self.mode)
        except BaseException:
            self.capture_stream.__exit__(None, None, None)
            raise

    def __exit__(self, *exception: object) -> None:
        try:
            self.cuda_graph.capture_end()
        finally:
            self.capture_stream.__exit__(*exception)
