"""``torch._C``: the compiled half of PyTorch, as far as libraries ask it. Most of it answers how things are: nothing is
traced, scripted, transformed by functorch or fused here. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

import enum
from typing import Any
from weakref import ref

from ...engine.arrays.device import device
from ...engine.arrays.dtype import dtype
from ...engine.arrays.state import state
from ...engine.loading.table import find_function
from ...engine.operators.torch_function import (
    DisableTorchFunction,
    DisableTorchFunctionSubclass,
    disabled,
    disabled_below,
)
from ...engine.ops.linalg.common import _LinAlgError  # noqa: F401 - a name of this module
from ...engine.tape.backward import current_task
from ...engine.tape.function import FunctionNode as _FunctionBase  # noqa: F401
from ...engine.tape.grad_modes import is_grad_enabled  # noqa: F401
from ...engine.tensors.storage import UntypedStorage as StorageBase  # noqa: F401
from ...engine.tensors.tensor import Size, Tensor, TensorMeta
from ..absent_devices import answering
from ..custom_ops import below_autograd
from ..futures import Future
from ..jit import ScriptFunction
from ..root import torch as T  # noqa: N812
from ..settings import Generator
from ._functorch import (  # noqa: F401
    _debug_only_are_vmap_fallback_warnings_enabled,
    _debug_only_display_vmap_fallback_warnings,
)

__all__ = [
    "DisableTorchFunction", "DisableTorchFunctionSubclass", "DispatchKey", "DispatchKeySet", "Future", "Generator", "Graph",
    "Node", "ScriptFunction", "Size", "Value", "device", "dtype",
]  # fmt: skip

TensorBase = _TensorBase = Tensor
_TensorMeta = TensorMeta
Function = ScriptFunction


# As a builtin function, it is bound to nothing where a class has it.
_disabled_torch_function_impl = staticmethod(disabled)
_disabled_torch_dispatch_impl = staticmethod(disabled_below)


class _DisableTorchDispatch:
    """A context in which neither classes nor modes are asked below autograd."""

    def __enter__(self) -> None:
        from ..dispatching import silence

        self.within = silence()
        self.within.__enter__()

    def __exit__(self, *_: object) -> None:
        self.within.__exit__(None, None, None)


def _current_graph_task_id() -> int:
    """The number of the backward pass under way; -1 where there is none."""
    return current_task()


class Graph:
    """A graph of TorchScript; there is none."""


class Value:
    """A value in a graph of TorchScript; there is none."""


class Node:
    """A node in a graph of TorchScript; there is none."""


class Argument:
    """An argument in a schema of TorchScript; there is none."""


class _Keys(enum.EnumMeta):
    """Every name is a key: nothing is dispatched by one here."""

    def __getattr__(cls, name: str) -> Any:
        if name[:1] == "_":
            raise AttributeError(name)
        return cls.Undefined


class DispatchKey(enum.Enum, metaclass=_Keys):
    """The kinds of kernels among which PyTorch chooses."""

    Undefined = 0


class DispatchKeySet:
    """A set of them."""

    def __init__(self, *keys: Any) -> None:
        self.keys = keys

    def __or__(self, other: Any) -> DispatchKeySet:
        return DispatchKeySet(*self.keys, *getattr(other, "keys", ()))

    def has(self, key: Any) -> bool:
        return False


class _Context:
    """A context that changes nothing."""

    def __init__(self, *args: Any) -> None:
        self.args = args

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: Any) -> None:
        return None


class _ExcludeDispatchKeyGuard(_Context):
    """A context in which some kernels are passed over; there are no others."""


class _AutoDispatchBelowAutograd(_Context):
    """A context below the recording of operations, from where it is made."""

    def __init__(self) -> None:
        self._within: Any = (state.grad_enabled,)
        state.grad_enabled = False
        below_autograd.append(self._within)

    def __exit__(self, *error: Any) -> None:
        if self._within is not None:
            (state.grad_enabled,) = self._within
            below_autograd.pop()
        self._within = None

    __del__ = __exit__


class _DisableFuncTorch(_Context):
    """A context without functorch's transformations."""


def _get_default_device() -> str:
    """The kind of device that new tensors are on."""
    return T.get_default_device().type


def _get_accelerator(check: bool = False) -> device:
    return T.accelerator.current_accelerator() or device("cpu")


def _cuda_getDeviceCount() -> int:  # noqa: N802
    return T.cuda.device_count()


def _get_cpu_capability() -> str:
    return T.backends.cpu.get_cpu_capability()


def _len_torch_function_stack() -> int:
    return len(state.function_modes)


def _has_torch_function(args: Any) -> bool:
    return T.overrides.has_torch_function(args)


def _is_torch_function_enabled() -> bool:
    return state.overriding


def _get_autocast_dtype(kind: str = "cuda") -> Any:
    return T.get_autocast_dtype(kind)


ANSWERS: dict[str, Any] = dict.fromkeys(
    """_is_tracing _are_functorch_transforms_active _cuda_isInBadFork _jit_set_profiling_executor _jit_set_profiling_mode
    _jit_set_texpr_fuser_enabled _jit_override_can_fuse_on_cpu _jit_override_can_fuse_on_gpu _jit_set_nvfuser_enabled
    _jit_set_nvfuser_guard_mode _jit_can_fuse_on_cpu _jit_can_fuse_on_gpu _jit_get_profiling_executor
    _get_graph_executor_optimize _jit_set_nvfuser_horizontal_mode _set_graph_executor_optimize
    _jit_set_num_profiled_runs""".split(),
    False,
)
ANSWERS |= dict.fromkeys("_get_tracing_state _log_api_usage_once _cuda_clearCublasWorkspaces".split())
ANSWERS["_get_privateuse1_backend_name"] = "privateuseone"
globals().update(
    {name: answering(name, value, "What there is not, and how it is set.") for name, value in ANSWERS.items()}
)

has_lapack = has_spectral = True
has_mkl = has_mkldnn = has_cuda = has_openmp = _has_cuda = _has_cudnn = _has_mps = _has_xpu = False


class _WeakTensorRef:
    """A reference to a tensor that does not keep it."""

    def __init__(self, x: Tensor) -> None:
        self._reference = ref(x)

    def expired(self) -> bool:
        """Whether the tensor is gone."""
        return self._reference() is None


class _EnableTorchFunction:
    """Classes override functions again, as long as it lives."""

    def __init__(self) -> None:
        self._before, state.overriding = state.overriding, True

    def __del__(self) -> None:
        state.overriding = self._before


class ScriptDict(dict):
    """A dictionary as TorchScript would hold it."""


class ScriptList(list):
    """A list as TorchScript would hold it."""


class ScriptMethod:
    """What TorchScript would make of a method; there is none."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("TorchScript is not available: call the method itself")


def _is_torch_function_all_disabled() -> bool:
    return not state.overriding and not state.function_modes


def _get_function_stack_at(level: int) -> Any:
    return state.function_modes[level]


def _infer_size(first: Any, second: Any) -> Any:
    """The common shape of two."""
    return find_function("broadcast_shapes")(tuple(first), tuple(second))


def _is_alias_of(first: Tensor, second: Tensor) -> bool:
    """Whether two tensors lie in the same memory."""
    return first.untyped_storage() == second.untyped_storage()  # type: ignore[attr-defined]


_ConvBackend = enum.Enum(  # type: ignore[misc]
    "_ConvBackend",
    "CudaDepthwise2d CudaDepthwise3d Cudnn CudnnTranspose Empty Miopen MiopenDepthwise MiopenTranspose Mkldnn MkldnnTranspose "
    "MkldnnEmpty NnpackSpatial Overrideable Slow2d Slow3d SlowDilated2d SlowDilated3d SlowTranspose2d SlowTranspose3d "
    "Winograd3x3Depthwise Xnnpack2d Mps MpsTranspose",
)
"""The kernels of convolutions among which PyTorch chooses."""


def _select_conv_backend(
    input: Tensor, weight: Tensor, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, *rest: Any
) -> Any:
    """The kernel that PyTorch would choose on a CPU without oneDNN."""
    if not input.numel() or not weight.numel():
        return _ConvBackend.Empty
    dims = "3d" if weight.dim() == 5 else "2d"
    kind = "SlowTranspose" if transposed else "SlowDilated" if any(n > 1 for n in dilation) else "Slow"
    return _ConvBackend[kind + dims]


def _has_storage(x: Tensor) -> bool:
    return not hasattr(x._array, "layout")


def _storage_address(x: Tensor) -> int:
    return x.untyped_storage()._cdata


def _storage_id(x: Tensor) -> int:
    return x.untyped_storage()._cdata


def _data_address(x: Tensor) -> int:
    return x.data_ptr()


def _is_torch_function_mode_enabled() -> bool:
    """Whether a mode is asked before functions."""
    return bool(state.function_modes)
