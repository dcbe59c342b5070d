"""``torch.cuda``: CUDA devices through cupy; without one it says so, as PyTorch's CPU build does."""

from __future__ import annotations

from typing import Any

from ...engine.arrays import backend
from ...engine.arrays.bounds import settle
from ...engine.arrays.device import device as device_type
from ...engine.tensors.tensor import Tensor
from ...sandbox.sealed import Sealed
from .graphs import CUDAGraph, graph, graph_pool_handle, is_current_stream_capturing
from .memory import (
    OutOfMemoryError,
    empty_cache,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
)  # fmt: skip
from .places import current_device, index_of, module
from .random import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)  # fmt: skip
from .streams import Event, Stream, StreamContext, current_stream, default_stream, set_stream, stream

__all__ = [
    "is_available", "device_count", "current_device", "set_device", "get_device_name", "get_device_capability",
    "get_device_properties", "synchronize", "memory_allocated", "max_memory_allocated", "memory_reserved",
    "max_memory_reserved", "memory_cached", "max_memory_cached", "reset_peak_memory_stats", "reset_max_memory_allocated",
    "reset_max_memory_cached", "reset_accumulated_memory_stats", "empty_cache", "manual_seed", "manual_seed_all", "seed",
    "seed_all", "initial_seed", "get_rng_state", "set_rng_state", "get_rng_state_all", "set_rng_state_all",
    "is_initialized", "init", "is_bf16_supported", "is_tf32_supported", "mem_get_info", "memory_summary", "memory_stats",
    "set_per_process_memory_fraction", "ipc_collect", "device", "device_of", "Event", "Stream", "StreamContext",
    "current_stream", "default_stream", "set_stream", "stream", "OutOfMemoryError", "can_device_access_peer",
    "get_arch_list", "get_gencode_flags", "has_half", "default_generators", "is_current_stream_capturing",
    "CUDAGraph", "graph", "graph_pool_handle", "make_graphed_callables",
]  # fmt: skip

has_half = True


def is_available() -> bool:
    """Whether there is a CUDA device that tensorsh can use."""
    return backend.cupy() is not None


def is_initialized() -> bool:
    """Whether a device was used."""
    return is_available()


_initialized = False
"""What libraries read in the place of `is_initialized`; their own setting up is not asked for."""


def init() -> None:
    """Nothing: the device is met when it is first used."""
    module()


def device_count() -> int:
    """The number of CUDA devices."""
    return backend.device_count()


def set_device(device: Any) -> None:
    """Make a device the one that new CUDA tensors are made on."""
    if device == -1:
        return
    module().cuda.runtime.setDevice(index_of(device))


class device(metaclass=Sealed):
    """``with torch.cuda.device(1):`` makes that device the current one (-1, or None: leaves it as it is)."""

    __module__ = "torch.cuda"

    def __init__(self, device: Any) -> None:
        self.index = device if isinstance(device, int) else -1 if device is None else device_type(device).index or 0

    def __enter__(self) -> None:
        if is_available() and self.index >= 0:
            self.before = current_device()
            set_device(self.index)

    def __exit__(self, *exception: object) -> None:
        if is_available() and self.index >= 0:
            set_device(self.before)


class device_of(device):
    """``with torch.cuda.device_of(x):`` makes a tensor's device the current one; nothing for one on the CPU."""

    __module__ = "torch.cuda"

    def __init__(self, obj: Tensor) -> None:
        super().__init__(obj.get_device() if obj.is_cuda else -1)


def get_device_properties(device: Any = None) -> Any:
    """Name, memory, compute capability and more of a device."""
    return Properties(module().cuda.runtime.getDeviceProperties(index_of(device)))


class Properties(metaclass=Sealed):
    """What a CUDA device is."""

    def __init__(self, raw: dict) -> None:
        self.name = raw["name"].decode()
        self.major, self.minor = raw["major"], raw["minor"]
        self.total_memory, self.multi_processor_count = raw["totalGlobalMem"], raw["multiProcessorCount"]
        self.max_threads_per_multi_processor = raw["maxThreadsPerMultiProcessor"]
        self.warp_size = raw.get("warpSize", 32)
        self.is_integrated, self.is_multi_gpu_board = raw.get("integrated", 0), raw.get("isMultiGpuBoard", 0)
        self.regs_per_multiprocessor = raw.get("regsPerMultiprocessor", 0)
        self.shared_memory_per_block = raw.get("sharedMemPerBlock", 0)
        self.shared_memory_per_multiprocessor = raw.get("sharedMemPerMultiprocessor", 0)
        self.L2_cache_size = raw.get("l2CacheSize", 0)

    def __repr__(self) -> str:
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, total_memory="
            f"{self.total_memory // 1048576}MB, multi_processor_count={self.multi_processor_count}, "
            f"L2_cache_size={self.L2_cache_size // 1048576}MB)"
        )


def get_device_name(device: Any = None) -> str:
    """The name of a device."""
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The compute capability of a device."""
    found = get_device_properties(device)
    return found.major, found.minor


def synchronize(device: Any = None) -> None:
    """Wait until the device has done all it was given."""
    found = module()
    with found.cuda.Device(index_of(device)):
        found.cuda.runtime.deviceSynchronize()
    settle()


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether bfloat16 can be computed with. including_emulation: count devices that do it by other means."""
    return is_available() and (including_emulation or get_device_capability()[0] >= 8)


def is_tf32_supported() -> bool:
    """Whether products may round their factors to TF32."""
    return is_available() and get_device_capability()[0] >= 8


def can_device_access_peer(device: Any, peer_device: Any) -> bool:
    """Whether one device can read another's memory."""
    here, there = index_of(device), index_of(peer_device)
    return here != there and bool(module().cuda.runtime.deviceCanAccessPeer(here, there))


def get_arch_list() -> list[str]:
    """What tensorsh was compiled for: nothing, its kernels are compiled for the device at hand."""
    return []


def get_gencode_flags() -> str:
    """The architectures that kernels are compiled for, as flags of nvcc."""
    return ""


def ipc_collect() -> None:
    """Nothing: memory is not shared between processes."""
    module()


def make_graphed_callables(
    callables: Any, sample_args: Any, num_warmup_iters: int = 3, allow_unused_input: bool = False, pool: Any = None
) -> Any:
    """Functions or modules, forward and backward, each as a graph: the same numbers at the price of two launches.

    callables: a function or module of tensors, or a tuple of them.  sample_args: a tuple of tensors (for a tuple of callables a
    tuple of such), of the shapes that the calls will have.
    """
    from .graphed import graphed  # with it come modules

    several = isinstance(callables, tuple)
    pool = graph_pool_handle() if pool is None else pool
    many = list(zip(callables, sample_args, strict=True)) if several else [(callables, sample_args)]
    made = graphed(many, num_warmup_iters, allow_unused_input, pool)
    return made if several else made[0]


default_generators: tuple = ()


def _is_in_bad_fork() -> bool:
    """Whether the process was forked from one that uses a GPU: such a one would say so itself."""
    return False


def _lazy_init() -> None:
    """`init`, as libraries call it."""
    if not is_available():
        raise AssertionError("Torch not compiled with CUDA enabled")


def _lazy_call(callable: Any, **kwargs: Any) -> None:  # noqa: A002
    """Call a function once there is a GPU in use."""
    if is_available():
        callable()


def _is_compiled() -> bool:
    """Whether there is a GPU that can be reached."""
    return is_available()
