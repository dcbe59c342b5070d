"""``torch.library``: operators that a program defines, with their own gradients."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..engine.function import Function
from ..engine.state import state
from ..engine.tensor import Tensor
from ..sealed import Sealed

__all__ = ["CustomOpDef", "custom_op", "register_autograd", "register_fake", "register_kernel", "register_vmap"]


class CustomOpDef(metaclass=Sealed):
    """An operator defined by `custom_op`: call it, or register more of it."""

    __module__ = "torch._library.custom_ops"

    def __init__(self, name: str, function: Callable, mutates: Any) -> None:
        self._qualname = name
        self._function = function
        self._signature = inspect.signature(function)
        for parameter in self._signature.parameters.values():
            if parameter.annotation is inspect.Parameter.empty:
                raise ValueError(
                    f"infer_schema(func): Parameter {parameter.name} must have a type annotation. Got func with signature "
                    f"{self._signature})"
                )
        self._mutates = tuple(mutates)
        self._kernels: dict[str, Callable] = {}
        self._backward: Callable | None = None
        self._setup: Callable | None = None
        self._graph = type(Function)(
            f"GeneratedBackwardFor_{name.replace('::', '_')}_default",
            (Function,),
            {"forward": staticmethod(self._forward), "backward": staticmethod(self._pull)},
        )

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        result = self._graph.apply(*bound.arguments.values())  # type: ignore[attr-defined]
        for name in self._mutates:
            written = bound.arguments[name]
            if isinstance(written, Tensor):
                written._bump()
        return result

    def _forward(self, ctx: Any, *values: Any) -> Any:
        given = dict(zip(self._signature.parameters, values, strict=True))
        kinds = self._signature.parameters
        only = {k: v for k, v in given.items() if kinds[k].kind is inspect.Parameter.KEYWORD_ONLY}
        plain = tuple(v for k, v in given.items() if k not in only)
        device = next((v.device.type for v in values if isinstance(v, Tensor)), "cpu")
        result = self._kernels.get(device, self._function)(*plain, **only)
        ctx._count, ctx._extra = len(plain), len(only)
        if self._setup is not None:
            told = {"keyword_only_inputs": only} if only else {}
            self._setup(ctx=ctx, inputs=plain, output=result, **told)
        return result

    def _pull(self, ctx: Any, *grads: Any) -> Any:
        if self._backward is None:
            raise RuntimeError(
                f"Trying to backward through {self._qualname.replace('::', '.')}.default but no autograd formula was "
                "registered. Please use register_autograd to add one."
            )
        found = self._backward(ctx, *grads)
        return (*(found if isinstance(found, tuple) else (found,)), *[None] * ctx._extra)

    def register_autograd(self, backward: Callable, /, *, setup_context: Callable | None = None) -> None:
        """The gradient: ``backward(ctx, *grads)``, and ``setup_context(ctx, inputs, output)`` to save what it needs."""
        self._backward, self._setup = backward, setup_context

    def register_kernel(self, device_types: Any, fn: Callable | None = None, /) -> Callable:
        """Another function for some kinds of device; a decorator without `fn`."""

        def register(function: Callable) -> Callable:
            for each in (device_types,) if isinstance(device_types, str) else device_types or ("cpu", "cuda"):
                self._kernels[each] = function
            return function

        return register if fn is None else register(fn)

    def register_fake(self, fn: Callable, /) -> Callable:
        """What the result looks like, for PyTorch's compiler; there is none here."""
        return fn

    def register_vmap(self, func: Callable | None = None) -> Callable:
        """A batched form, which `vmap` does not need here."""
        return (lambda function: function) if func is None else func

    @property
    def default(self) -> CustomOpDef:
        """The only form of the operator."""
        return self


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
        made = CustomOpDef(name, function, () if mutates_args == "unknown" else mutates_args)
        # A new dict: the snapshots of other sessions share the old one.
        state.__dict__["custom_operators"] = {**operators(), name: made}
        return made

    return define if fn is None else define(fn)


def found(op: Any) -> CustomOpDef:
    """The operator of a name, or itself."""
    if isinstance(op, CustomOpDef):
        return op
    if op not in operators():
        raise RuntimeError(f"operator {op} does not exist")
    return operators()[op]


def register_autograd(
    op: Any, backward: Callable, /, *, setup_context: Callable | None = None, lib: Any = None
) -> None:
    """`CustomOpDef.register_autograd` of an operator given by name."""
    found(op).register_autograd(backward, setup_context=setup_context)


def register_kernel(op: Any, device_types: Any, func: Callable | None = None, /, *, lib: Any = None) -> Callable:
    """`CustomOpDef.register_kernel` of an operator given by name."""
    return found(op).register_kernel(device_types, func)


def register_fake(op: Any, func: Callable | None = None, /, *, lib: Any = None) -> Any:
    """`CustomOpDef.register_fake` of an operator given by name."""
    return found(op).register_fake if func is None else found(op).register_fake(func)


def register_vmap(op: Any, func: Callable | None = None, /, *, lib: Any = None) -> Any:
    """`CustomOpDef.register_vmap` of an operator given by name."""
    return found(op).register_vmap(func)


class Operators(metaclass=Sealed):
    """``torch.ops``: the operators that programs define, as ``torch.ops.namespace.name``."""

    __module__ = "torch"
    __slots__ = ("_space",)

    def __init__(self, space: str = "") -> None:
        self._space = space

    def __getattr__(self, name: str) -> Any:
        if not self._space:
            return Operators(name)
        made = operators().get(f"{self._space}::{name}")
        if made is None:
            raise AttributeError(f"'_OpNamespace' '{self._space}' object has no attribute '{name}'")
        return made
