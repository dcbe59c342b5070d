"""Names of ``torch`` itself that programs use and its documentation does not list: what older versions of it had, what stands in the
way of a type check, and settings that its own contexts set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.arrays.device import as_device
from ..engine.arrays.dtype import dtype
from ..engine.arrays.state import here, state
from ..engine.arrays.type_names import type_name
from ..engine.loading.table import find_function
from ..engine.operators.autocast import Precision
from ..engine.operators.hooks import attend
from ..engine.tensors.tensor import Tensor
from ..sandbox.sealed import Sealed, all_housed
from .amp import get_autocast_dtype, is_autocast_enabled
from .cuda import Event as Event
from .cuda import Stream as Stream
from .futures import Future as Future
from .jit import ScriptFunction as ScriptFunction
from .jit import ScriptModule as ScriptModule
from .root import UNDOCUMENTED
from .root import torch as T  # noqa: N812
from .settings import contiguous_format, get_default_device
from .settings import is_warn_always_enabled as is_warn_always_enabled

__all__ = UNDOCUMENTED

has_lapack = has_mkl = has_openmp = has_spectral = True
"""What PyTorch is built with on the processors that it is read for."""
legacy_contiguous_format = contiguous_format


class AcceleratorError(RuntimeError, metaclass=Sealed):
    """What a device reports of itself."""


class SymInt(metaclass=Sealed):
    """A size that is not known yet; all sizes are known here, so nothing is one."""


class SymFloat(metaclass=Sealed):
    """A number that is not known yet; nothing is one."""


class SymBool(metaclass=Sealed):
    """A truth that is not known yet; nothing is one."""


all_housed(globals(), "torch")


def get_device_module(device: Any = None) -> Any:
    """The module of a kind of device (None: of the default one): ``torch.cpu``."""
    kind = get_default_device().type if device is None else as_device(device).type
    return getattr(T, kind)


# -- autocast: what its contexts set, one by one ------------------------------------------------------------------


def set_autocast_enabled(device_type: Any, enabled: bool | None = None) -> None:
    """Begin or end an `autocast` without a context. device_type: "cpu", or, alone, whether one of a GPU is to be in effect. enabled:
    whether to begin one."""
    if isinstance(device_type, bool):
        device_type, enabled = "cuda", device_type
    if device_type != "cpu":
        if enabled:
            raise NotImplementedError(
                f"tensorsh does not compute in mixed precision on '{device_type}': set_autocast_enabled('cpu', True) does on the CPU"
            )
        return
    if enabled:
        attend()
    here.autocast = Precision(get_autocast_dtype("cpu"), True, {}) if enabled else None
    here.settle()


def set_autocast_dtype(device_type: str, dtype: dtype) -> None:
    """The type that an `autocast` computes in where it is given none. device_type: "cpu" or "cuda"."""
    here.__dict__.setdefault("autocast_dtypes", {})[device_type] = dtype
    if device_type == "cpu" and here.autocast is not None:
        here.autocast = Precision(dtype, here.autocast.cache, {})
        here.settle()


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Whether the `autocast` in effect casts each weight once only. enabled: True or False."""
    here.__dict__["autocast_cache"] = enabled
    if here.autocast is not None:
        here.autocast.cache = enabled


def autocast_increment_nesting() -> int:
    """One more context of `autocast`; how many there are then."""
    here.__dict__["autocast_nesting"] = found = here.__dict__.get("autocast_nesting", 0) + 1
    return found


def autocast_decrement_nesting() -> int:
    """One context of `autocast` less; how many are left."""
    here.__dict__["autocast_nesting"] = found = here.__dict__.get("autocast_nesting", 0) - 1
    return found


def is_autocast_cpu_enabled() -> bool:
    """Whether an `autocast` of the CPU is in effect."""
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """Begin or end an `autocast` of the CPU without a context. enabled: whether to begin one."""
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype() -> dtype:
    """The type that an `autocast` of the CPU computes in."""
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: dtype) -> None:
    """The type that an `autocast` of the CPU computes in where it is given none."""
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype() -> dtype:
    """The type that an `autocast` of a GPU computes in."""
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype: dtype) -> None:
    """The type that an `autocast` of a GPU computes in where it is given none."""
    set_autocast_dtype("cuda", dtype)


# -- the backward pass ------------------------------------------------------------------------------------------


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Say where the operators of a gradient were called, as `autograd.set_detect_anomaly` does. enabled: whether to. check_nan: look for
    NaN after every step of a backward pass, too. TypeError: an `enabled` that is no bool."""
    if type(enabled) is not bool:
        raise TypeError(
            f"set_anomaly_enabled(): argument 'enabled' (position 1) must be bool, not {type_name(enabled)}"
        )
    state.anomaly, state.check_nan = enabled, check_nan


def is_anomaly_check_nan_enabled() -> bool:
    """Whether gradients are looked through for NaN where `set_anomaly_enabled` is on."""
    return state.check_nan


# -- tensors ----------------------------------------------------------------------------------------------------


def is_distributed(input: Tensor) -> bool:  # noqa: A002
    """Whether a tensor lies on several machines: none does."""
    if not isinstance(input, Tensor):
        raise TypeError(f"is_distributed(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    return False


def is_vulkan_available() -> bool:
    """Whether there is a device that is used by Vulkan: no."""
    return False


def compiled_with_cxx11_abi() -> bool:
    """Whether extensions are to be compiled with the newer library of C++: yes, as PyTorch's."""
    return True


def _product(name: str, of: str, what: str) -> Callable:
    def product(input: Tensor, mat2: Tensor) -> Tensor:  # noqa: A002
        return find_function(of)(input, mat2)

    product.__name__ = product.__qualname__ = name
    product.__doc__ = f"The product of a sparse matrix and a dense one{what}; an older name of `{of}`."
    return product


spmm, dsmm = _product("spmm", "mm", ""), _product("dsmm", "mm", "")
hsmm = _product("hsmm", "hspmm", ", sparse by rows")


def _copy_of(name: str, what: str) -> Callable:
    def copied(input: Tensor) -> Tensor:  # noqa: A002
        return getattr(input, name)().clone()

    copied.__name__ = copied.__qualname__ = name + "_copy"
    copied.__doc__ = f"A copy of the {what}."
    return copied


crow_indices_copy = _copy_of("crow_indices", "compressed rows of a sparse tensor")
col_indices_copy = _copy_of("col_indices", "columns of a tensor with compressed rows")
ccol_indices_copy = _copy_of("ccol_indices", "compressed columns of a sparse tensor")
row_indices_copy = _copy_of("row_indices", "rows of a tensor with compressed columns")
