"""Builds ``torch``: read-only namespaces over the operator table and over the Python files of this folder.

A name is looked up in three places: the extras below (dtypes, classes, settings), the `__all__` of the Python file that
carries the namespace's dotted name, and the operator table under ``<dotted name>.``.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, ModuleType
from typing import Any

from ..engine.arrays import door
from ..engine.arrays import dtype as dtypes
from ..engine.arrays.state import state
from ..engine.loading import table
from ..language.pytorch_names import in_plain_python, instead_of, lacking
from ..sandbox.namespace import Lazy, Linked, Namespace, absent, names

SUBMODULES = (
    "nn nn.functional nn.grad nn.attention nn.attention.bias nn.attention.flex_attention nn.init nn.utils nn.utils.rnn nn.utils.parametrize nn.utils.parametrizations nn.utils.prune "
    "nn.utils.stateless nn.utils.clip_grad nn.utils.convert_parameters nn.parallel nn.parameter nn.modules nn.modules.module nn.modules.container nn.modules.linear "
    "nn.modules.activation nn.modules.dropout nn.modules.flatten nn.modules.loss nn.modules.conv nn.modules.pooling "
    "nn.modules.batchnorm nn.modules.rnn nn.modules.transformer nn.modules.normalization nn.modules.padding nn.modules.sparse "
    "nn.modules.upsampling nn.modules.distance nn.modules.utils "
    "optim optim.lr_scheduler optim.optimizer optim.swa_utils autograd autograd.functional autograd.graph autograd.variable "
    "autograd.profiler autograd.forward_ad autograd.grad_mode autograd.function linalg fft special "
    "signal signal.windows masked random cpu cpu.amp cuda cuda.amp cuda.nvtx cuda.memory cuda.random cuda.streams utils utils.data utils.data.dataset utils.data.sampler utils.data.dataloader utils.data.distributed utils._pytree "
    "serialization utils.checkpoint utils.deterministic utils.dlpack utils.rnn distributions distributions.kl distributions.constraints "
    "distributions.transforms distributions.utils functional testing utils.hooks quasirandom futures "
    "return_types types accelerator backends backends.mps backends.cuda backends.cuda.matmul backends.cudnn backends.mkl backends.mkldnn "
    "backends.openmp backends.opt_einsum backends.quantized mps version jit amp overrides profiler library func storage hub onnx compiler nested sparse "
    "distributed distributed.constants distributed.device_mesh distributed.distributed_c10d distributed._functional_collectives distributed.nn "
    "distributed.nn.functional xpu mtia multiprocessing distributed.algorithms distributed.algorithms.join "
    "distributed.algorithms._checkpoint distributed.algorithms._checkpoint.checkpoint_wrapper distributed.algorithms.ddp_comm_hooks distributed.algorithms.ddp_comm_hooks.default_hooks distributed._tensor "
    "distributed.algorithms.ddp_comm_hooks.post_localSGD_hook distributed.algorithms.ddp_comm_hooks.powerSGD_hook "
    "distributed.algorithms.ddp_comm_hooks.debugging_hooks distributed.algorithms.model_averaging "
    "distributed.algorithms.model_averaging.averagers distributed.algorithms.model_averaging.utils "
    "nn.parallel.distributed distributed.tensor distributed.tensor.parallel distributed.fsdp distributed.fsdp.wrap "
    "distributed.fsdp.api distributed.fsdp.fully_sharded_data_parallel distributed.checkpoint "
    "distributed.rpc distributed.pipelining distributed.checkpoint.state_dict distributed.checkpoint.planner distributed.checkpoint.default_planner "
    "distributed.checkpoint.filesystem distributed.checkpoint.stateful distributed.checkpoint.format_utils distributed.optim _dynamo _dynamo.config _dynamo.eval_frame _dynamo.exc"
).split()
"""Dotted names below torch that are namespaces."""

AUTOCAST = "autocast is_autocast_enabled get_autocast_dtype is_autocast_cache_enabled clear_autocast_cache".split()
QUANTIZED = (
    "dequantize int_repr per_channel_affine per_channel_symmetric per_tensor_affine per_tensor_symmetric q_per_channel_axis "
    "q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qint32 qint8 qscheme quantize_per_channel "
    "quantize_per_tensor quantize_per_tensor_dynamic quantized_max_pool1d quantized_max_pool2d quint2x4 quint4x2 quint8"
).split()
STATED = [
    f"{kind}{n}" for kind in ("uint", "int") for n in range(1, 8)
] + "bits8 bits16 bits1x8 bits2x4 bits4x2 float4_e2m1fn_x2".split()
STORAGES = (
    "UntypedStorage TypedStorage Storage BoolStorage ByteStorage CharStorage ShortStorage IntStorage LongStorage HalfStorage "
    "BFloat16Storage FloatStorage DoubleStorage ComplexFloatStorage ComplexDoubleStorage QUInt8Storage "
    "QInt8Storage QInt32Storage"
).split()
UNDOCUMENTED = (
    "AcceleratorError Event Future ScriptFunction ScriptModule Stream SymBool SymFloat SymInt autocast_decrement_nesting "
    "autocast_increment_nesting ccol_indices_copy col_indices_copy compiled_with_cxx11_abi crow_indices_copy dsmm "
    "get_autocast_cpu_dtype get_autocast_gpu_dtype get_device_module has_lapack has_mkl has_openmp has_spectral hsmm "
    "is_anomaly_check_nan_enabled is_autocast_cpu_enabled is_distributed is_vulkan_available is_warn_always_enabled "
    "legacy_contiguous_format row_indices_copy set_anomaly_enabled set_autocast_cache_enabled set_autocast_cpu_dtype "
    "set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype spmm"
).split()
SPARSE = "_nnz _indices _values _coalesced_ _dimI _dimV".split()
"""What programs ask of sparse tensors by names with an underscore."""
PRIVATE = (
    "_LRScheduler _Loss _WeightedLoss _BatchNorm _InstanceNorm _NormBase _ConvNd _ConvTransposeNd _DropoutNd _ntuple _single "
    "_pair _triple _quadruple _calculate_fan_in_and_fan_out _calculate_correct_fan _pytree _functional_collectives _dynamo _orig_mod _tensor "
    "_checkpoint"
).split()
"""Names with an underscore that programs use all the same: base classes, above all."""


class Names:
    """What a namespace contains, as a mapping that finds entries when they are asked for."""

    def __init__(self, dotted: str, extras: dict[str, Any]) -> None:
        self.prefix = dotted + "." if dotted else ""
        self.extras = extras
        self.module = "tensorsh.torch." + dotted if dotted else None
        self._exported: dict[str, Any] | None = None
        self.switches: dict[str, Any] = {}
        self._sizes: tuple[int, ...] = ()
        self._names: list[str] = []

    def exported(self) -> dict[str, Any]:
        """The public names of the Python file behind this namespace."""
        if self._exported is None:
            exported: dict[str, Any] = {}
            if self.module is not None:
                try:
                    found = importlib.import_module(self.module)
                except ModuleNotFoundError as error:
                    if not (error.name or "").startswith("tensorsh.torch"):
                        raise
                else:
                    if found.__spec__ is not None and getattr(found.__spec__, "_initializing", False):
                        return exported  # asked for while it is being imported
                    exported = {name: getattr(found, name) for name in getattr(found, "__all__", ())}
                    self.switches = getattr(found, "SWITCHES", {})
            self._exported = exported
        return self._exported

    def get(self, name: str, default: Any = None) -> Any:
        value = self.extras.get(name, default)
        if value is not default:
            return value
        value = self.exported().get(name, default)
        if value is not default:
            return value
        return table.find_function(self.prefix + name) or default

    def loaded(self, name: str) -> Any:
        """The value of a name, if nothing has to be loaded for it, else None."""
        value = self.extras.get(name, (self._exported or {}).get(name))
        if type(value) is Lazy:
            return None
        return table.FUNCTIONS.get(self.prefix + name) if value is None else value

    def __contains__(self, name: object) -> bool:
        return (
            name in self.extras
            or name in self.exported()
            or name in self.switches
            or table.has_function(f"{self.prefix}{name}")
        )

    def __iter__(self) -> Iterator[str]:
        exported = self.exported()
        sizes = len(self.extras), len(exported), len(self.switches), len(table.FUNCTIONS)  # what is there never goes
        if sizes != self._sizes:
            functions = [n[len(self.prefix) :] for n in table.function_names() if n.startswith(self.prefix)]
            self._names = sorted({*self.extras, *exported, *self.switches, *(n for n in functions if "." not in n)})
            self._sizes = sizes
        return iter(self._names)


class TorchNamespace(Namespace):
    """A namespace below torch. What its Python file lists as SWITCHES can be set; the values belong to the session."""

    def __setattr__(self, name: str, value: object) -> None:  # type: ignore[override]
        if isinstance(value, ModuleType):  # Python's import sets the submodules it loads; the table stays as it is.
            return
        switch = switch_of(self, name)
        if switch is None:
            super().__setattr__(name, value)
        default = names(self).switches[name]
        if isinstance(default, Linked):
            default.set(value)
            return
        # A new dict: the snapshots of other sessions share the old one.
        state.__dict__["switches"] = {**state.__dict__.get("switches", {}), switch: value}

    def __getattr__(self, name: str) -> Any:
        switch = switch_of(self, name)
        if switch is None:
            return super().__getattr__(name)
        default = names(self).switches[name]
        if isinstance(default, Linked):
            return default.get()
        return state.__dict__.get("switches", {}).get(switch, default)


TorchNamespace.__name__ = "module"  # in what Python says of one


def switch_of(namespace: Namespace, name: str) -> str | None:
    """The full name of a setting that programs can change; None for any other name."""
    table = names(namespace)
    if not isinstance(table, Names) or name[:2] == "__" or name in table.extras:
        return None
    table.exported()
    return table.prefix + name if name in table.switches else None


def explain_missing(namespace: Namespace, table: Names, name: str) -> None:
    """The error of a name that is not there; of one that PyTorch has, it says that tensorsh has it not, and what is near."""
    error = absent(namespace, name)
    said = lacking(namespace.__name__, name)
    if said is not None:
        from difflib import get_close_matches

        title = f"{namespace.__name__}.{name}"
        near = [] if instead_of(title) or in_plain_python(title) else get_close_matches(name, list(table), 3, 0.7)
        error.add_note(
            "hint: " + said + ("; the nearest it has: " + " or ".join(f"`{n}`" for n in near) if near else "")
        )
    raise error


def namespace(dotted: str, extras: dict[str, Any]) -> TorchNamespace:
    found = Names(dotted, extras)
    title = "torch." + dotted if dotted else "torch"
    made: TorchNamespace
    missing = lambda name: explain_missing(made, found, name)  # noqa: E731
    made = TorchNamespace(title, found, missing=missing, public=_Public(found))  # type: ignore[arg-type]
    return made


class _Public:
    """The names of ``from torch import *``, listed when they are needed."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def __iter__(self) -> Iterator[str]:
        return (n for n in self.names if not n.startswith("_"))


def build() -> TorchNamespace:
    """torch with everything below it."""
    extras: dict[str, dict[str, Any]] = {"": root_extras()} | {dotted: {} for dotted in SUBMODULES}
    for dotted in SUBMODULES:
        parent, _, name = dotted.rpartition(".")
        extras[parent][name] = Lazy(lambda dotted=dotted: namespace(dotted, extras[dotted]))
    safe = "add_safe_globals get_safe_globals clear_safe_globals safe_globals"
    extras["serialization"] |= {name: lazily("objects", name) for name in safe.split()}
    extras["serialization"]["skip_data"] = lazily("file_options", "skip_data")
    extras["nn.functional"]["grad"] = extras["nn"]["grad"]
    extras["functional"]["F"] = extras["nn"]["functional"]
    extras["masked"]["_ops"] = Lazy(lambda: torch.masked)
    extras["masked"]["_input_mask"] = lazily("masked.where", "_input_mask")
    extras["cpu.amp"] |= {"autocast": lazily("amp", "cpu_autocast"), "GradScaler": lazily("amp", "CpuGradScaler")}
    extras["cuda"] |= {name: lazily("cuda.typed", name) for name in dtypes.TYPED}
    older = {"GradScaler": "CudaGradScaler"} | {
        name: f"cuda_{name}" for name in ("autocast", "custom_fwd", "custom_bwd")
    }
    extras["cuda.amp"] |= {name: lazily("amp", made) for name, made in older.items()}
    return namespace("", extras[""])


def _override() -> None:
    """A program's class overrides functions: all of them ask from now on, but where values are only looked at."""
    from ..sandbox import classes

    _load("overrides", "stay")("classes")
    classes.unasked = _load("overrides", "DisableTorchFunction")


def root_extras() -> dict[str, Any]:
    """What stands in torch itself besides the operators: types, constants, settings, modes."""
    from ..engine.arrays.device import device
    from ..engine.graph import nodes
    from ..engine.operators.public_form import Method, PublicForm, Written
    from ..engine.tape import backward, grad_modes  # noqa: F401 - backward puts its method on Tensor
    from ..engine.tape.function import FunctionNode
    from ..engine.tensors import tensor
    from ..sandbox.classes import allow, open_to_own, when_defined
    from ..sandbox.kinds import stands_for
    from ..sandbox.stores import unwritable
    from . import questions, settings

    stands_for(PublicForm, BuiltinFunctionType)
    stands_for(Written, FunctionType)
    stands_for(Method, MethodDescriptorType)
    unwritable.update((PublicForm, property))  # and what is derived from it

    allow(TorchNamespace, "_ops")
    allow(tensor.Tensor, "_version", "_base", "_is_view", *SPARSE)
    allow(tensor.TensorMeta, "_make_subclass")
    allow(TorchNamespace, *PRIVATE)
    allow(nodes.Node, "_saved_*", "_raw_saved_*", "_sequence_nr")
    open_to_own(FunctionNode)
    door.late[:] = [_arrived]
    when_defined["__torch_function__"] = _override

    found: dict[str, Any] = {d.name: d for d in dtypes.DTYPES}
    found |= dtypes.ALIASES
    found |= {
        "Tensor": tensor.Tensor, "Size": tensor.Size, "dtype": dtypes.dtype, "device": device, "finfo": dtypes.finfo,
        "iinfo": dtypes.iinfo, "inf": float("inf"), "nan": float("nan"),
        "pi": 3.141592653589793, "e": 2.718281828459045, "newaxis": None, "__version__": "2.13.0+cpu",
        "no_grad": grad_modes.no_grad, "enable_grad": grad_modes.enable_grad, "set_grad_enabled": grad_modes.set_grad_enabled,
        "inference_mode": grad_modes.inference_mode, "is_grad_enabled": grad_modes.is_grad_enabled,
        "is_inference_mode_enabled": grad_modes.is_inference_mode_enabled, "is_anomaly_enabled": grad_modes.is_anomaly_enabled,
    }  # fmt: skip
    found |= {name: getattr(part, name) for part in (settings, questions) for name in part.__all__}
    later = {
        "serialization": ["load", "save"], "storage": STORAGES, "quantized": QUANTIZED, "quantized_codes": STATED, "undocumented": UNDOCUMENTED,
        "amp": [*AUTOCAST, "GradScaler"], "overrides": ["DisableTorchFunction", "DisableTorchFunctionSubclass"],
        "library": ["Tag"], "_ops": ["ops"], "func": ["vmap"], "cuda.memory": ["OutOfMemoryError"],
        "control_flow": ["cond", "while_loop"],
    }  # fmt: skip
    found |= {name: lazily(file, name) for file, names in later.items() for name in names}
    return found


def _arrived(args: tuple, kwargs: dict) -> bool:
    """Whether a call failed for an object whose class overrides functions, which nobody knew so far: in plain Python."""
    given = [*args, *kwargs.values()]
    given += [each for one in given if isinstance(one, list | tuple) for each in one]
    own = any(hasattr(type(each), "__torch_function__") and type(each).__module__[:9] != "tensorsh." for each in given)
    return own and _load("overrides", "arrived")(args, kwargs)


def _load(module: str, name: str) -> Any:
    return getattr(importlib.import_module("tensorsh.torch." + module), name)


def lazily(module: str, name: str) -> Lazy:
    """A name of a file of this folder, which is imported when the name is first used."""
    return Lazy(lambda: _load(module, name))


torch = build()


def torch_names() -> Names:
    """The container of the names that scripts may use without the prefix."""
    return torch._table
