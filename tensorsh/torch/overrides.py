"""``torch.overrides``: classes and modes that answer in place of torch's functions (``__torch_function__``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from types import FunctionType
from typing import Any

from ..engine.arrays.state import here
from ..engine.loading import table
from ..engine.operators.hooks import PYTHON_METHODS, arrived  # noqa: F401 - root.py takes it from here
from ..engine.operators.public_form import PYTHON
from ..engine.operators.torch_function import (  # noqa: F401 - the namespaces above take them from here
    DisableTorchFunction,
    DisableTorchFunctionSubclass,
    TorchFunctionMode,
    Unanswered,
    attend,
    override,
    overriders,
    stay,
)
from ..engine.tensors.tensor import Late, Tensor
from ..sandbox.sealed import Sealed
from ..sandbox.wrapping import signature as signature_of
from ..sandbox.wrapping import wraps

__all__ = [
    "TorchFunctionMode", "get_ignored_functions", "get_overridable_functions", "handle_torch_function",
    "has_torch_function", "is_tensor_like", "is_tensor_method_or_property", "redispatch_function", "resolve_name",
    "wrap_torch_function",
]  # fmt: skip


def has_torch_function(args: Iterable) -> bool:
    """Whether a mode, or the class of one of the arguments, overrides functions. TypeError: no sequence."""
    if not isinstance(args, (tuple, list)) and not hasattr(type(args), "__iter__"):
        raise TypeError("expected a sequence")
    if here.skips_override:
        here.skips_override = False
        return False
    return bool(here.function_modes or overriders(args, []))


def handle_torch_function(public_api: Callable, relevant_args: Iterable, *args: Any, **kwargs: Any) -> Any:
    """The answer of the arguments' classes to a call of `public_api`."""
    try:
        answer = override(public_api, args, kwargs, relevant_args)
    except Unanswered as error:
        raise TypeError(str(error)) from None
    if answer is NotImplemented:
        raise TypeError(f"no implementation found for '{public_api.__module__}.{public_api.__name__}'")
    return answer


def redispatch_function(func: Callable, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
    """Call a function itself, so that what it calls is still overridden."""
    if not hasattr(func, "_title") and func.__name__ != "__get__":
        here.skips_override = True
        return func(*args, **(kwargs or {}))
    before = here.outermost
    try:
        here.outermost = False
        here.settle()
        return func(*args, **(kwargs or {}))
    finally:
        here.outermost = before
        here.settle()


def wrap_torch_function(dispatcher: Callable) -> Callable:
    """A decorator: the arguments that `dispatcher` gives may override the function."""

    def decorate(function: Callable) -> Callable:
        @wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            if has_torch_function(dispatcher(*args, **kwargs)):
                return handle_torch_function(wrapped, dispatcher(*args, **kwargs), *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def is_tensor_like(inp: Any) -> bool:
    """Whether something is a tensor or overrides what is done with tensors."""
    return isinstance(inp, Tensor) or getattr(type(inp), "__torch_function__", None) is not None


def is_tensor_method_or_property(func: Callable) -> bool:
    """Whether a function is a method of tensors."""
    return getattr(func, "_title", "").startswith("Tensor.") or func.__name__ == "__get__"


def _methods() -> dict[str, Any]:
    """What tensors have by their names, loaded."""
    table.load_all()
    own = {name: value for name, value in vars(Tensor).items() if type(value) is not Late}
    return {**table.METHODS, **own}


def resolve_name(f: Callable) -> str | None:
    """The dotted name of a function."""
    for prefix, names in (("torch.Tensor.", _methods()), ("torch.", table.FUNCTIONS)):
        for name, function in names.items():
            if function is f:
                return prefix + "functional." * (prefix == "torch." and name in PYTHON) + name
            if isinstance(function, property) and function.__get__ == f:
                return f"{prefix}{name}.__get__"
    module = getattr(f, "__module__", None) or ""
    return f"{module}.{f.__name__}" if module == "torch.nn.init" else None


IGNORED = {
    "": """
        _functional_sym_constrain_range _make_dep_token arange are_deterministic_algorithms_enabled as_strided as_tensor asarray
        autocast_decrement_nesting autocast_increment_nesting bartlett_window blackman_window broadcast_shapes can_cast
        clear_autocast_cache compile cond cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution cudnn_convolution_add_relu
        cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler cudnn_is_acceptable device dtype empty empty_permuted
        empty_quantized empty_strided enable_grad eye fill finfo fork from_file from_numpy frombuffer full get_autocast_cpu_dtype
        get_autocast_dtype get_autocast_gpu_dtype get_autocast_ipu_dtype get_autocast_xla_dtype get_default_device get_default_dtype
        get_deterministic_debug_mode get_device_module get_float32_matmul_precision get_num_interop_threads get_num_threads
        get_rng_state hamming_window hann_window iinfo import_ir_module import_ir_module_from_buffer inference_mode init_num_threads
        initial_seed is_anomaly_check_nan_enabled is_anomaly_enabled is_autocast_cache_enabled is_autocast_cpu_enabled
        is_autocast_enabled is_autocast_ipu_enabled is_autocast_xla_enabled is_deterministic_algorithms_warn_only_enabled
        is_grad_enabled is_inference_mode_enabled is_storage is_tensor is_vulkan_available is_warn_always_enabled kaiser_window layout
        linspace load logspace manual_seed memory_format merge_type_from_type_comment miopen_ctc_loss mkldnn_adaptive_avg_pool2d
        mkldnn_convolution mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d mkldnn_rnn_layer no_grad normal ones
        parse_ir parse_schema parse_type_comment promote_types qscheme rand rand_like randint randint_like randn randn_like randperm
        range result_type save scalar_tensor seed set_anomaly_enabled set_autocast_cache_enabled set_autocast_cpu_dtype
        set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype set_autocast_ipu_dtype
        set_autocast_ipu_enabled set_autocast_xla_dtype set_autocast_xla_enabled set_default_device set_default_tensor_type
        set_deterministic_debug_mode set_float32_matmul_precision set_flush_denormal set_grad_enabled set_num_interop_threads
        set_num_threads set_printoptions set_rng_state set_warn_always sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor
        sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor sym_constrain_range sym_constrain_range_for_size sym_fresh_size tensor
        thread_safe_generator tril_indices triu_indices typename unify_type_list use_deterministic_algorithms vander vmap wait zeros""",
    "functional": """
        boolean_dispatch handle_torch_function has_torch_function has_torch_function_unary has_torch_function_variadic""",
    "nn.functional": """
        _canonical_mask _none_or_dtype assert_int_or_pair grouped_mm hardsigmoid hardswish scaled_grouped_mm scaled_mm sigmoid tanh
        upsample upsample_bilinear upsample_nearest""",
    "nn.init": """
        calculate_gain constant dirac eye kaiming_normal kaiming_uniform normal orthogonal sparse uniform xavier_normal xavier_uniform""",
    "Tensor": """
        __class__ __delattr__ __delitem__ __dir__ __getattribute__ __hash__ __init__ __init_subclass__ __iter__ __new__ __setattr__
        __subclasshook__ __torch_dispatch__ __torch_function__ _addmm_activation _conj _conj_physical _dtensor__new__ _fix_weakref
        _is_all_true _is_any_true _is_zerotensor _lazy_clone _make_subclass _make_wrapper_subclass _neg_view _philox_normal_
        _philox_uniform_ _reduce_ex_internal _rev_view_func_unsafe _to_sparse _to_sparse_bsc _to_sparse_bsr _to_sparse_csc
        _to_sparse_csr _typed_storage _use_count _view_func _view_func_unsafe as_subclass eig lstsq new new_empty new_empty_strided
        new_full new_ones new_tensor new_zeros reinforce solve stride symeig to_padded_tensor to_sparse_bsc to_sparse_bsr to_sparse_coo
        to_sparse_csc to_sparse_csr unflatten""",
    "fft": """
        fftfreq rfftfreq""",
}
"""The functions of PyTorch that nobody can override, by their namespace below torch."""


def get_ignored_functions() -> set:
    """Functions that cannot be overridden."""
    from .root import torch

    found = set()
    for space, names in IGNORED.items():
        at = attrgetter(space)(torch) if space else torch
        found.update(getattr(at, name) for name in names.split() if hasattr(at, name))
    return found


def get_overridable_functions() -> dict[Any, list]:
    """The functions that can be, by their namespace."""
    found: dict[Any, list] = {Tensor: [f for f in _methods().values() if hasattr(f, "_title")]}
    for name, function in table.FUNCTIONS.items():
        if not name.rpartition(".")[2].startswith("_") and hasattr(function, "_title"):
            found.setdefault("torch." + name.rpartition(".")[0] if "." in name else "torch", []).append(function)
    return found


def _plain_mode(self: Any, func: Callable, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
    return func(*args, **(kwargs or {}))


BaseTorchFunctionMode = type("BaseTorchFunctionMode", (TorchFunctionMode,), {"__torch_function__": _plain_mode})
"""A mode that changes nothing."""


def _get_current_function_mode() -> Any:
    return here.function_modes[-1] if here.function_modes else None


def _get_current_function_mode_stack() -> list:
    return list(here.function_modes)


def enable_reentrant_dispatch() -> Any:
    """A context within a ``__torch_dispatch__`` in which operations are recorded, as they were where it was called."""
    from .dispatching import reentrant

    return reentrant()


class _enable_torch_function(metaclass=Sealed):  # noqa: N801 - PyTorch's name
    """A context in which classes override functions again, within one in which they do not."""

    def __enter__(self) -> None:
        self._before, here.overriding = here.overriding, True

    def __exit__(self, *_: Any) -> None:
        here.overriding = self._before


def get_testing_overrides() -> dict[Any, Callable]:
    """For each function that can be overridden a function that takes as many arguments as it needs, and gives -1."""
    from ..sandbox.namespace import names as entries
    from .root import torch

    attend()
    found: dict[Any, Callable] = {}
    for prefix, names in (("torch.", table.FUNCTIONS), ("Tensor.", _methods())):
        for name, function in names.items():
            if isinstance(function, property):
                if hasattr(function.fget, "_title"):
                    found[function.__get__] = _taking(1)
            elif hasattr(function, "_title") and function not in found:
                found[function] = _taking(_needed(prefix + name, function))
    layers = torch.nn
    functional = layers.functional
    for module, public in ((functional, entries(functional)), (layers.init, INITIAL), (torch, QUESTIONS)):
        for name in public:
            function = getattr(module, name)
            if module is torch or isinstance(function, FunctionType) and not hasattr(function, "_title"):
                found[function] = _taking(
                    _needed("Tensor." + name, function), named=function if module is layers.init else None
                )
    ignored = get_ignored_functions()
    return {function: answer for function, answer in found.items() if function not in ignored}


INITIAL = "constant_ kaiming_uniform_ normal_ uniform_".split()
QUESTIONS = "is_complex is_floating_point numel".split()
"""Functions without an operator that a class may override, too."""


def _needed(title: str, function: Callable) -> int:
    """How many arguments a function needs."""
    from ..engine.wording.overloads import overloads, parameter_text

    text = parameter_text(title.removeprefix("torch."))
    method = title.startswith("Tensor.")
    last = title.rpartition(".")[2]
    if last in PYTHON_METHODS:
        return 1 if last in _OF_ONE else 3 if last == "__setitem__" else 2
    if not text and method:
        try:
            parameters = list(signature_of(function).parameters.values())
        except (TypeError, ValueError):
            return 1
        return sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    if text.startswith("python "):
        parts = text.removeprefix("python ").split(", ")
        if any(each[:1] == "*" and each[:2] != "**" and len(each) > 1 for each in parts):
            return ANY
        return (method and parts[0] != "self") + sum(
            "=" not in each and each[:1] != "*" for each in parts[: (parts + ["*"]).index("*")]
        )
    return method + min(
        sum(p.default is None and not p.keyword_only for p in each.parameters) for each in overloads(text)
    )


ANY = -1
"""As many arguments as there are."""
_OF_ONE = frozenset(
    f"__{name}__"
    for name in "neg abs pos invert len bool int float complex index repr iter array dlpack dlpack_device".split()
)
"""Python's methods that take the tensor alone."""


def _taking(count: int, named: Callable | None = None) -> Callable:
    """A function of so many arguments, and any further ones by name; what is called with names alone has them all."""
    if count == ANY:
        return lambda *each, **rest: -1
    names = list(signature_of(named).parameters) if named else [f"a{i}" for i in range(count)]
    return eval(f"lambda {''.join(f'{name}, ' for name in names[:count])}**rest: -1")  # noqa: S307 - text of our own


def has_torch_function_unary(tensor: Any) -> bool:
    """Whether the class of a value overrides functions."""
    return has_torch_function((tensor,))


def has_torch_function_variadic(*args: Any) -> bool:
    """Whether the class of one of the values overrides functions."""
    return has_torch_function(args)


def get_default_nowrap_functions() -> set:
    """What classes of one's own give as it is: the properties that name another tensor of theirs."""
    return {getattr(Tensor, name).__get__ for name in ("_base", "grad")}
