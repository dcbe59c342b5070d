"""The names of what carries messages, and which of them are there."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from ...sandbox.sealed import Sealed

__all__ = [
    "Backend", "get_default_backend_for_device", "is_backend_available", "is_gloo_available", "is_mpi_available",
    "is_nccl_available", "is_ucc_available", "is_xccl_available",
]  # fmt: skip


class Backend(str, metaclass=Sealed):
    """A backend's name in lower case: `Backend("GLOO")` is "gloo", a plain text."""

    __module__ = "torch.distributed"
    __slots__ = ()
    UNDEFINED, GLOO, NCCL, UCC, MPI, XCCL, FAKE = "undefined", "gloo", "nccl", "ucc", "mpi", "xccl", "fake"
    backend_list = ("undefined", "gloo", "nccl", "xccl", "ucc", "mpi", "fake")
    default_device_backend_map = {"cpu": "gloo", "cuda": "nccl", "xpu": "xccl", "mps": "gloo"}

    def __new__(cls, name: str) -> str:  # type: ignore[misc]
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return name.lower()


def check_backend(backend: Any) -> str:
    """The backend that an argument of init_process_group names; None is the one of the tensors' device."""
    if backend is None:
        return "undefined"
    name = Backend(backend)
    parts = carriers(name)
    for part in parts:
        if part in ("gloo", "mpi", "undefined"):
            continue
        if part == "nccl":
            if not is_nccl_available() and len(parts) == 1:
                raise RuntimeError(
                    "Distributed package doesn't have NCCL built in: there is no GPU here, or cupy is missing; use the backend gloo"
                )
        elif part in ("ucc", "xccl"):
            raise RuntimeError(f"Distributed package doesn't have {part.upper()} built in")
        else:
            raise AssertionError(f"Unknown backend type {part}")
    return name


def carriers(name: str) -> list[str]:
    """The backends in a name such as "cpu:gloo,cuda:nccl"."""
    return [part.rpartition(":")[2] for part in name.split(",")]


def is_mpi_available() -> bool:
    """Whether programs should choose MPI by themselves: no, as in PyTorch's own packages. Where gloo is, `init_process_group` takes
    "mpi", too."""
    return False


def is_gloo_available() -> bool:
    """Whether collectives on the CPU are there: by MPI, under gloo's name."""
    return find_spec("mpi4py") is not None


def is_nccl_available() -> bool:
    """Whether collectives on GPUs are there: cupy with NCCL."""
    if find_spec("cupy") is None:
        return False
    try:
        from cupy.cuda import nccl
    except ImportError:
        return False
    return bool(getattr(nccl, "available", False))


def is_ucc_available() -> bool:
    """Whether UCC is there: never."""
    return False


def is_xccl_available() -> bool:
    """Whether XCCL is there: never."""
    return False


def is_backend_available(backend: str) -> bool:
    """Whether a backend is there."""
    there = {"gloo": is_gloo_available, "mpi": is_mpi_available, "nccl": is_nccl_available}
    return there.get(backend.lower(), is_ucc_available)()


def get_default_backend_for_device(device: Any) -> str:
    """The backend for tensors of a device."""
    kind = device.partition(":")[0] if isinstance(device, str) else device.type
    if kind not in Backend.default_device_backend_map:
        raise ValueError(f"Default backend not registered for device : {device}")
    return Backend.default_device_backend_map[kind]
