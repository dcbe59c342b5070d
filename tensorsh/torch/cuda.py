"""``torch.cuda``: CUDA devices through cupy; without one it says so, as PyTorch's CPU build does."""

from __future__ import annotations

from typing import Any

from ..engine import backend
from ..engine.bounds import settle
from ..engine.device import device as device_type
from ..engine.tensor import Tensor
from ..sealed import Sealed
from .settings import manual_seed as seed_everything

__all__ = [
    "is_available", "device_count", "current_device", "set_device", "get_device_name", "get_device_capability",
    "get_device_properties", "synchronize", "memory_allocated", "max_memory_allocated", "memory_reserved",
    "max_memory_reserved", "memory_cached", "reset_peak_memory_stats", "reset_max_memory_allocated", "empty_cache",
    "manual_seed", "manual_seed_all", "seed", "seed_all", "initial_seed", "get_rng_state", "set_rng_state",
    "is_initialized", "init", "is_bf16_supported", "mem_get_info", "memory_summary", "ipc_collect", "device", "Event",
    "Stream", "current_stream", "default_stream", "stream", "OutOfMemoryError",
]  # fmt: skip

_peak = [0]


class OutOfMemoryError(RuntimeError, metaclass=Sealed):
    """The device has no memory left for a tensor."""

    __module__ = "torch"


def is_available() -> bool:
    """Whether there is a CUDA device that tensorsh can use."""
    return backend.cupy() is not None


def is_initialized() -> bool:
    return is_available()


def init() -> None:
    _module()


def device_count() -> int:
    """The number of CUDA devices."""
    return backend.device_count()


def _module() -> Any:
    backend.check_device(device_type("cuda"))
    return backend.cupy()


def _index(d: Any) -> int:
    if d is None:
        return _module().cuda.runtime.getDevice()
    found = device_type(d)
    return backend.check_device(found).index or 0


def current_device() -> int:
    """The number of the device that new CUDA tensors are made on."""
    return _module().cuda.runtime.getDevice()


def set_device(device: Any) -> None:
    """Make a device the one that new CUDA tensors are made on."""
    _module().cuda.runtime.setDevice(_index(device))


class device(metaclass=Sealed):
    """``with torch.cuda.device(1):`` makes that device the current one."""

    def __init__(self, device: Any) -> None:
        self.index = device if isinstance(device, int) else device_type(device).index or 0

    def __enter__(self) -> None:
        if is_available():
            self.before = current_device()
            set_device(self.index)

    def __exit__(self, *exception: object) -> None:
        if is_available():
            set_device(self.before)


def get_device_properties(device: Any = None) -> Any:
    """Name, memory and compute capability of a device."""
    module = _module()
    raw = module.cuda.runtime.getDeviceProperties(_index(device))
    return Properties(
        raw["name"].decode(), raw["major"], raw["minor"], raw["totalGlobalMem"], raw["multiProcessorCount"]
    )


class Properties(metaclass=Sealed):
    """What a CUDA device is."""

    def __init__(self, name: str, major: int, minor: int, total_memory: int, multi_processor_count: int) -> None:
        self.name, self.major, self.minor = name, major, minor
        self.total_memory, self.multi_processor_count = total_memory, multi_processor_count

    def __repr__(self) -> str:
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, total_memory="
            f"{self.total_memory // 1048576}MB, multi_processor_count={self.multi_processor_count})"
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
    _module().cuda.runtime.deviceSynchronize()
    settle()


def memory_allocated(device: Any = None) -> int:
    """Bytes held by tensors on the device."""
    module = backend.cupy()
    used = 0 if module is None else module.get_default_memory_pool().used_bytes()
    _peak[0] = max(_peak[0], used)
    return used


def max_memory_allocated(device: Any = None) -> int:
    memory_allocated(device)
    return _peak[0]


def memory_reserved(device: Any = None) -> int:
    """Bytes the pool has taken from the device."""
    module = backend.cupy()
    return 0 if module is None else module.get_default_memory_pool().total_bytes()


max_memory_reserved = memory_cached = memory_reserved


def reset_peak_memory_stats(device: Any = None) -> None:
    _peak[0] = 0


reset_max_memory_allocated = reset_peak_memory_stats


def empty_cache() -> None:
    """Give unused memory of the pool back to the device."""
    module = backend.cupy()
    if module is not None:
        module.get_default_memory_pool().free_all_blocks()


def ipc_collect() -> None:
    return None


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Free and total bytes of the device."""
    return _module().cuda.runtime.memGetInfo()


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """A line about the pool."""
    return f"allocated {memory_allocated()} bytes, reserved {memory_reserved()} bytes"


def is_bf16_supported(including_emulation: bool = True) -> bool:
    return is_available()


def manual_seed(seed: int) -> None:
    """Seeds the CUDA numbers: they come from the session's generator, so where there is a device that is seeded."""
    if is_available():
        seed_everything(seed)


manual_seed_all = manual_seed


def seed() -> None:
    return None


seed_all = seed


def initial_seed() -> int:
    _module()
    from .settings import initial_seed as of_session

    return of_session()


def get_rng_state(device: Any = "cuda") -> Tensor:
    _module()
    from .settings import get_rng_state as of_session

    return of_session()


def set_rng_state(new_state: Tensor, device: Any = "cuda") -> None:
    from .settings import set_rng_state as of_session

    of_session(new_state)


class Event(metaclass=Sealed):
    """A moment in the device's work: ``record()`` it, and ask for the time between two."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        if not is_available():
            raise RuntimeError("Tried to instantiate dummy base class Event")
        self._event = _module().cuda.Event()

    def record(self, stream: Any = None) -> None:
        self._event.record()

    def synchronize(self) -> None:
        self._event.synchronize()

    def query(self) -> bool:
        return self._event.done

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this event to another."""
        return _module().cuda.get_elapsed_time(self._event, end_event._event)


class Stream(metaclass=Sealed):
    """A queue of the device's work."""

    def __init__(self, device: Any = None, priority: int = 0) -> None:
        if not is_available():
            raise RuntimeError("Tried to instantiate dummy base class Stream")
        self._stream = _module().cuda.Stream()

    def synchronize(self) -> None:
        self._stream.synchronize()

    def __enter__(self) -> Stream:
        self._stream.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stream.__exit__(*exception)


def stream(stream: Any) -> Any:
    return stream


def current_stream(device: Any = None) -> Any:
    _module()
    return Stream()


default_stream = current_stream
