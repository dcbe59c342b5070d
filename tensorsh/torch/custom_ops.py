"""Operators that a program defines in Python: ``torch.library.custom_op``, with their own gradients."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..engine.arrays.device import device as Device
from ..engine.arrays.dtype import float64
from ..engine.arrays.extents import owner
from ..engine.arrays.state import here, state
from ..engine.arrays.warning import warn
from ..engine.operators import hooks
from ..engine.tape.function import Function
from ..engine.tape.grad_modes import no_grad
from ..engine.tensors.tensor import Tensor
from ..sandbox.sealed import Sealed
from .amp import autocast, is_autocast_available
from .containers import cast
from .containers import tracked as has_history
from .schemas import Declaration, infer_schema
from .trees import flatten

__all__ = ["CustomOpDef", "custom_op"]


class CustomOpDef(metaclass=Sealed):
    """An operator defined by `custom_op`: call it, or register more of it."""

    __module__ = "torch._library.custom_ops"

    def __init__(self, name: str, function: Callable, declared: Declaration, tags: Any = None) -> None:
        only = inspect.Parameter.KEYWORD_ONLY
        parameters = declared.__signature__.parameters.values()
        if not isinstance(function, Declaration) and any(
            each.kind is only and declared.kinds[each.name][:6] == "Tensor" for each in parameters
        ):
            raise NotImplementedError(
                "custom_op with kwarg-only Tensor args. Please make your tensors not kwarg-only. Got: "
                f"{declared.text.partition('::')[2]}"
            )
        self._qualname = name
        self._function = function
        self._declared = declared
        self._signature = declared.__signature__
        self._defaults = [each.default for each in self._signature.parameters.values()]
        self._only = any(each.kind is only for each in self._signature.parameters.values())
        self._devices = [name for name, kind in declared.kinds.items() if kind.rstrip("?") == "Device"]
        self._fake: Callable | None = None
        self._keys: dict[str, Callable] = waiting().get(name, {})
        self._rules: dict[Any, Callable] = {}
        self._casts: dict[str, Any] = {}
        self._backward: Callable | None = None
        self._setup: Callable | None = None
        self._tags = list(tags) if isinstance(tags, (list, tuple)) else [] if tags is None else [tags]
        self._disabled: set[str] = set()
        self._everywhere = True
        """Whether the function is the kernel for all kinds of devices."""
        self._graph = type(Function)(
            f"GeneratedBackwardFor_{name.replace('::', '_')}_default",
            (Function,),
            {"forward": staticmethod(self._forward), "backward": staticmethod(self._pull), "generate_vmap_rule": True},
        )

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._declared.check(args, kwargs)
        if here.autocast is not None and "cpu" in self._casts:
            return self._in_precision(self._casts["cpu"], args, kwargs)
        above = None if here.below_autograd else self._above()
        if above is not None:
            return self._cast(above(*args, **kwargs))
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for name in self._devices:
            if isinstance(bound.arguments[name], str):
                bound.arguments[name] = Device(bound.arguments[name])
        values = tuple(bound.arguments.values())
        tracked = not here.below_autograd and here.grad_enabled and has_history(values)
        transformed = here.function_modes or here.dual_level >= 0
        if self._declared is self._function and self._backward is None and not transformed:
            result = self._computed(values)[0]
            result = self._warned(values, result) if tracked and "Autograd" not in self._keys else result
        elif transformed or tracked:
            result = self._graph.apply(*values)  # type: ignore[attr-defined]
        else:
            with no_grad():
                result = self._computed(values)[0]
        for name in self._declared.mutated:
            written = bound.arguments[name]
            for each in written if isinstance(written, (tuple, list)) else (written,):
                if isinstance(each, Tensor):
                    each._bump()
        return self._cast(result)

    def _above(self) -> Callable | None:
        """The kernel that comes before all that this does: one of gradients, or one made of other operators."""
        found = self._keys.get("AutogradCPU", self._keys.get("Autograd"))
        if found is None and self._keys.keys().isdisjoint(("CPU", "CompositeExplicitAutograd")):
            found = self._keys.get("CompositeImplicitAutograd")
        return None if found is fallthrough_kernel else found

    def _kernel(self, device: str) -> Callable:
        """The kernel for a kind of device."""
        if device == "meta":
            return self._without_data()
        if device in self._disabled:
            return self._function
        own = (KEYS.get(device, device), "CompositeExplicitAutograd", "CompositeImplicitAutograd")
        for key in own:
            found = self._keys.get(key, fallthrough_kernel)
            if found is not fallthrough_kernel:
                return found
        if self._everywhere:
            return self._function
        if not any(kind[:6] == "Tensor" for kind in self._declared.kinds.values()):
            raise RuntimeError(
                f"{self._name} does not have a kernel registered for {device}. Please use register_kernel to do so."
            )
        raise NotImplementedError(self._declared.absent(KEYS.get(device, device)))

    def _computed(self, values: tuple) -> tuple:
        """What the operator's kernel gives, and the arguments by place and by name alone."""
        plain, only = self._parted(values)
        device = kind_of(values)
        given, named = self._told(plain, only)
        result = hooks.below[0](self, self, given, named) if hooks.below else NotImplemented
        if result is NotImplemented:
            result = self._kernel(device)(*given, **named)
        if self._function is not self._declared and not any("(" in each for each in self._declared.returned):
            self._check_apart(values, result)
        return result, plain, only

    def _told(self, plain: tuple, only: dict) -> tuple[tuple, dict]:
        """The arguments that a kernel is given: those at the end that are as they would be are left out."""
        defaults, count = self._defaults, len(plain)
        while count and same(defaults[count - 1], plain[count - 1]):
            count -= 1
        if only:
            kinds = self._signature.parameters
            only = {name: value for name, value in only.items() if not same(kinds[name].default, value)}
        return plain[:count], only

    def _warned(self, values: tuple, result: Any) -> Any:
        """The result of a kernel that nobody said the gradient of: gradients go through what it is made of, with a warning."""
        flat = [each for each in flatten(values) if isinstance(each, Tensor)]
        many = result if isinstance(result, (tuple, list)) else (result,)
        linked = [self._warns(flat, each) for each in many]
        return type(result)(linked) if many is result else linked[0]

    def _warns(self, inputs: list, result: Any) -> Any:
        if not isinstance(result, Tensor) or not (result.dtype.is_floating_point or result.dtype.is_complex):
            return result
        if result._node is None:
            return WarnNotImplemented.apply(self._declared.name, result, *inputs)  # type: ignore[attr-defined]
        result.register_hook(lambda grad: warn(UNREGISTERED.format(self._declared.name)))
        return result

    def _cast(self, result: Any) -> Any:
        """A result as the schema tells its type."""
        returned = self._declared.returned
        if not returned:
            if result is not None:
                raise RuntimeError(
                    f"Expected PythonKernelHolder for {self._declared.name} to return None but it returned something else instead."
                )
        elif len(returned) > 1:
            return tuple(result) if isinstance(result, list) else result
        elif returned[0].partition("(")[0] == "Tensor" and returned[0][-2:] != "[]":
            if not isinstance(result, Tensor) and result is not None:
                raise RuntimeError(f"Unable to cast {result} to Tensor")
        elif returned[0][-2:] == "[]" and isinstance(result, tuple):
            return list(result)
        return result

    def _forward(self, ctx: Any, *values: Any) -> Any:
        result, plain, only = self._computed(values)
        ctx._count, ctx._extra = len(plain), len(only)
        kinds = list(self._signature.parameters.values())[: len(plain)]
        ctx._defaults = len(plain)
        while ctx._defaults and plain[ctx._defaults - 1] is kinds[ctx._defaults - 1].default:
            ctx._defaults -= 1
        ctx._defaults = len(plain) - ctx._defaults
        if self._setup is not None:
            told = {"keyword_only_inputs": only} if only else {}
            self._setup(ctx=ctx, inputs=plain, output=result, **told)
        return result

    def _parted(self, values: tuple) -> tuple[tuple, dict]:
        """All arguments in order as those by place and those by name alone."""
        if not self._only:
            return values, {}
        kinds = self._signature.parameters
        given = dict(zip(kinds, values, strict=True))
        only = {k: v for k, v in given.items() if kinds[k].kind is inspect.Parameter.KEYWORD_ONLY}
        return tuple(v for k, v in given.items() if k not in only), only

    def _without_data(self) -> Callable:
        """What tells the form of the result, for tensors of the meta device."""
        found = self._keys.get("Meta", self._fake) or self._keys.get("CompositeImplicitAutograd")
        if found is not None:
            return found
        if self._declared.mutated and not self._declared.returned:
            return lambda *args, **kwargs: None
        if isinstance(self._function, Declaration):
            raise NotImplementedError(
                f"{self._qualname}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel "
                "registered. You may have run into this message while using an operator with PT2 compilation APIs "
                "(torch.compile/torch.export); in order to use this operator with those APIs you'll need to add a fake impl. "
                "Please see the following for next steps:  "
                "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html"
            )
        raise RuntimeError(
            f"There was no fake impl registered for {self}. This is necessary for torch.compile/export/fx tracing to work. Please "
            f"use `{self._function.__name__}.register_fake` to add an fake impl."
        )

    def _check_apart(self, values: tuple, result: Any) -> None:
        """Refuse results that lie in the memory of an argument, or of each other."""
        seen = {id(owner(each._array)) for each in values if type(each) is Tensor and each._array.size}
        for each in result if isinstance(result, (tuple, list)) else (result,):
            if not isinstance(each, Tensor) or not each._array.size:
                continue
            if id(owner(each._array)) in seen:
                raise RuntimeError(
                    f"{self._name} (with implementation in ???): The output of this custom operator (1) must not also be an input "
                    "to this custom operator and (2) may not alias any inputs to this custom operator or other returns. The most "
                    "common way to trigger this error is if we have y = custom_op(x) and y and x are the same Tensor. Please "
                    "instead return a clone of the offending output tensor(s) (e.g. return x.clone()) or refactor the custom "
                    "operator to not return y."
                )
            seen.add(id(owner(each._array)))

    def _pull(self, ctx: Any, *grads: Any) -> Any:
        if self._backward is None:
            raise RuntimeError(
                f"Trying to backward through {self._qualname.replace('::', '.')}.default but no autograd formula was "
                "registered. Please use register_autograd to add one."
            )
        found = self._backward(ctx, *grads)
        found = found if isinstance(found, tuple) else (found,)
        # Arguments that were left at their defaults need not be told of.
        left = ctx._defaults if len(found) + ctx._defaults == ctx._count else 0
        return (*found, *[None] * (left + ctx._extra))

    def register_autograd(self, backward: Callable, /, *, setup_context: Callable | None = None) -> None:
        """The gradient: ``backward(ctx, *grads)``, and ``setup_context(ctx, inputs, output)`` to save what it needs."""
        self._refuse_named_tensors("register_autograd")
        self._backward, self._setup = backward, setup_context

    def _refuse_named_tensors(self, asked: str) -> None:
        """NotImplementedError: a parameter by name alone is a tensor."""
        only = inspect.Parameter.KEYWORD_ONLY
        for each in self._signature.parameters.values():
            if each.kind is only and self._declared.kinds[each.name].startswith("Tensor"):
                raise NotImplementedError(
                    f"{asked} with kwarg-only Tensor args. In the original definition of the op, please make your tensors not "
                    f"kwarg-only. Got: {self._declared.text}"
                )

    def register_autocast(self, device_type: str, cast_inputs: Any) -> None:
        """Within `torch.autocast` of a kind of device, the float tensors that the operator is given are cast to a dtype first."""
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise ValueError(f"Device type '{device_type}' does not support autocast.")
        self._casts.setdefault(device_type, cast_inputs)

    def _in_precision(self, dtype: Any, args: tuple, kwargs: dict) -> Any:
        """A call without autocast, of float tensors in a dtype."""
        with autocast("cpu", enabled=False):
            return self(*cast(args, dtype, float64), **cast(kwargs, dtype, float64))

    def register_kernel(self, device_types: Any, fn: Callable | None = None, /) -> Callable:
        """Another function for some kinds of device; a decorator without `fn`."""

        if device_types is not None and not any(k[:6] == "Tensor" for k in self._declared.kinds.values()):
            if not self._devices:
                raise ValueError(
                    "Functions without tensor inputs are required to have a `device: torch.device` argument"
                )

        def register(function: Callable) -> Callable:
            for each in (device_types,) if isinstance(device_types, str) else device_types or ("default",):
                self._keys[KEYS.get(each, each)] = function
            return function

        return register if fn is None else register(fn)

    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Any:
        """A context in which the function that `register_kernel` was given for a kind of device is used, or the operator's own."""
        return self._with_kernel(device_type, enabled)

    @contextmanager
    def _with_kernel(self, device_type: str, enabled: bool) -> Iterator[None]:
        before, action = self._disabled, "enable" if enabled else "disable"
        if KEYS.get(device_type, device_type) not in self._keys:
            told(f"Attempted to {action} kernel for {device_type} but no kernel was registered for this device type.")
        if enabled and device_type not in before:
            told(f"Attempted to enable kernel for  {device_type} but it was already enabled.")
        if not enabled and device_type in before:
            told(f"Attempted to disable kernel for {device_type} but it was already disabled.")
        self._disabled = before - {device_type} if enabled else before | {device_type}
        try:
            yield
        finally:
            self._disabled = before

    def register_fake(self, fn: Callable, /) -> Callable:
        """What the result looks like, for tensors without data: of the meta device here."""
        self._fake = fn
        return fn

    def register_vmap(self, func: Callable | None = None) -> Callable:
        """The results for all slices of a `vmap`: ``func(info, in_dims, *args)`` gives them and their dimensions. Without it the
        operator is called slice by slice."""

        self._refuse_named_tensors("register_vmap")

        def register(function: Callable) -> Callable:
            def rule(info: Any, in_dims: tuple, *values: Any) -> Any:
                plain, only = self._parted(values)
                return function(info, in_dims[: len(plain)], *plain, **only)

            self._graph.vmap, self._graph.generate_vmap_rule = staticmethod(rule), False  # type: ignore[attr-defined]
            return function

        return register if func is None else register(func)

    _namespace = property(lambda self: self._qualname.partition("::")[0])
    _name = property(lambda self: self._qualname.partition("::")[2])
    default = property(lambda self: self, doc="The only form of the operator.")


class WarnNotImplemented(Function):
    """The node of a result whose kernel has no gradient: it says so, and gives none."""

    @staticmethod
    def forward(ctx: Any, name: str, result: Tensor, *inputs: Tensor) -> Tensor:
        ctx.name = name
        return result.detach()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        warn(UNREGISTERED.format(ctx.name))
        return (None,) * len(ctx.needs_input_grad)


WarnNotImplemented._backward_cls._title = "WarnNotImplemented"  # type: ignore[attr-defined]
UNREGISTERED = (
    "{}: an autograd kernel was not registered to the Autograd key(s) but we are trying to backprop through it. This may lead to "
    "silently incorrect behavior. This behavior is deprecated and will be removed in a future version of PyTorch. If your operator "
    "is differentiable, please ensure you have registered an autograd kernel to the correct Autograd key (e.g. "
    "DispatchKey::Autograd, DispatchKey::CompositeImplicitAutograd). If your operator is not differentiable, or to squash this "
    "warning and use the previous behavior, please register torch::CppFunction::makeFallthrough() to DispatchKey::Autograd."
)
KEYS = {"cpu": "CPU", "cuda": "CUDA", "meta": "Meta", "default": "CompositeExplicitAutograd"}
"""What kernels are for, by kinds of devices, as libraries call it."""


def fallthrough_kernel() -> None:
    """Stands for a kernel that leaves a call to whoever comes next; NotImplementedError where it is called."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


def told(message: str) -> None:
    """Log a warning, as ``torch._library.custom_ops`` does."""
    from logging import getLogger

    getLogger("torch._library.custom_ops").warning(message)


def kind_of(values: tuple) -> str:
    """The kind of device of the first tensor among arguments, or of the first device."""
    for each in values:
        if isinstance(each, Tensor):
            return each.device.type
    known = (v if isinstance(v, Device) else v.device for v in flatten(values) if isinstance(v, (Tensor, Device)))
    return next(known, Device("cpu")).type


def same(default: Any, value: Any) -> bool:
    """Whether an argument is as its default."""
    return default is value or type(default) is type(value) and not isinstance(value, Tensor) and default == value


def waiting() -> dict[str, dict[str, Callable]]:
    """Kernels of operators that no program has defined yet, by name and key."""
    return state.__dict__.get("custom_kernels", {})


def named(space: str, name: str) -> list[CustomOpDef]:
    """All forms of an operator that programs defined."""
    whole = f"{space}::{name}"
    return [op for known, op in operators().items() if known.partition(".")[0] == whole]


def operators() -> dict[str, CustomOpDef]:
    """The operators that the session's programs defined."""
    return state.__dict__.get("custom_operators", {})


def custom_op(
    name: str, fn: Callable | None = None, /, *, mutates_args: Any = (), device_types: Any = None,
    schema: str | None = None, tags: Any = None,
) -> Any:  # fmt: skip
    """Make an operator ``namespace::name`` of a function whose parameters have type annotations; a decorator without `fn`."""
    if name.count("::") != 1:
        raise ValueError(
            f"Expected `name` to be of the form `namespace::name`, got: {name}. Please see the documentation of custom_op."
        )

    def define(function: Callable) -> CustomOpDef:
        text = infer_schema(function, mutates_args=mutates_args) if schema is None else schema
        made = CustomOpDef(name, function, Declaration(name, text), tags)
        mutated = set(made._declared.mutated)
        if mutates_args != "unknown" and isinstance(mutates_args, str):
            raise ValueError(
                "mutates_args must either be a sequence of the names of the arguments that are mutated or the string 'unknown'. "
            )
        if mutates_args != "unknown" and mutated != set(mutates_args):
            raise ValueError(
                f"Attempted to create a custom op with `mutates_args={mutates_args}` and `schema={schema}. The schema suggests that "
                f"the op mutates {mutated}which is different from what was provided to us in `mutates_args`. Please make these "
                "consistent."
            )
        if device_types is not None:
            made.register_kernel(device_types, function)
            made._everywhere = False
        return add(made)

    return define if fn is None else define(fn)


def found(op: Any, asked: str = "") -> CustomOpDef:
    """The operator of a name, of a form, or itself; `asked`: by which function. ValueError: it is something else."""
    if isinstance(op, CustomOpDef):
        return op
    own = getattr(op, "_function", None) if hasattr(op, "_overloadname") else None
    if isinstance(own, CustomOpDef):
        return own
    if not isinstance(op, str):
        raise ValueError(f"{asked}({op}): got unexpected type for op: {type(op)}")
    if op.count("::") != 1:
        raise ValueError(UNNAMED.format(op))
    op = op.removesuffix(".default")
    if op not in operators():
        raise RuntimeError(f"operator {op} does not exist")
    return operators()[op]


UNNAMED = (
    'Expected `qualname` to be of the form "namespace::name", but got {}. The qualname passed to the torch.library APIs must consist '
    "of a namespace and a name, e.g. aten::sin"
)


def add(op: CustomOpDef) -> CustomOpDef:
    """Enter an operator among the session's."""
    # A new dict: the snapshots of other sessions share the old one.
    state.__dict__["custom_operators"] = {**operators(), op._qualname: op}
    return op
