"""``torch.library``: operators that a program defines, with their own gradients."""

from __future__ import annotations

import inspect
import re
import sys
from ast import literal_eval
from collections.abc import Callable
from typing import Any

from ..engine.arrays.state import state
from ..engine.loading import table
from ..engine.tape.function import Function
from ..engine.tensors.tensor import Tensor
from ..sandbox import process
from ..sandbox.sealed import MARK, Sealed

__all__ = [
    "CustomOpDef", "Library", "custom_op", "define", "impl", "register_autograd", "register_fake", "register_kernel",
    "register_vmap",
]  # fmt: skip


class CustomOpDef(metaclass=Sealed):
    """An operator defined by `custom_op`: call it, or register more of it."""

    __module__ = "torch._library.custom_ops"
    _declared: Declaration | None = None

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
        self._composite: Callable | None = None
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
        if self._declared is not None:
            self._declared.check(args, kwargs)
        if self._composite is not None:
            return self._composite(*args, **kwargs)
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
        return add(CustomOpDef(name, function, () if mutates_args == "unknown" else mutates_args))

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
    is_library = process.plain or MARK not in sys._getframe(1).f_builtins
    if is_library and isinstance(op, str) and op not in operators():  # a library's, whose compiled part is not there
        return (lambda function: function) if func is None else func
    return found(op).register_fake if func is None else found(op).register_fake(func)


def register_vmap(op: Any, func: Callable | None = None, /, *, lib: Any = None) -> Any:
    """`CustomOpDef.register_vmap` of an operator given by name."""
    return found(op).register_vmap(func)


def add(op: CustomOpDef) -> CustomOpDef:
    """Enter an operator among the session's."""
    # A new dict: the snapshots of other sessions share the old one.
    state.__dict__["custom_operators"] = {**operators(), op._qualname: op}
    return op


class Declaration:
    """An operator declared by a schema, ``(Tensor x, float k=2.0, *, int n=1) -> Tensor``: it has no kernel yet."""

    def __init__(self, name: str, schema: str) -> None:
        found = re.fullmatch(r"\s*\((.*)\)\s*->\s*(.+?)\s*", schema)
        if found is None:
            raise ValueError(
                'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got '
                f'"{schema}"'
            )
        self.name, self.kinds, shown = name, {}, []
        parameters, kind = [], inspect.Parameter.POSITIONAL_OR_KEYWORD
        for part in re.split(r",\s*(?![^\[(]*[\])])", found[1]) if found[1].strip() else []:
            if part.strip() == "*":
                kind = inspect.Parameter.KEYWORD_ONLY
                shown.append("*")
                continue
            typed, _, default = part.partition("=")
            type, _, argument = typed.strip().rpartition(" ")
            value = literal_eval(default) if default else inspect.Parameter.empty
            parameters.append(inspect.Parameter(argument, kind, default=value, annotation=type))
            self.kinds[argument] = type
            number = f"{value:g}" + "." * value.is_integer() if isinstance(value, float) else default
            shown.append(f"{type} {argument}" + f"={number}" * bool(default))
        self.text = f"{name}({', '.join(shown)}) -> {found[2]}"
        self.__signature__ = inspect.Signature(parameters)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"Could not run '{self.name}' with arguments from the 'CPU' backend. This could be because the operator doesn't "
            "exist for this backend, or was omitted during the selective/custom build process (if using custom build)."
        )

    def check(self, args: tuple, kwargs: dict) -> None:
        """PyTorch's errors of arguments that a call lacks, and of what stands in place of a tensor."""
        for i, (name, parameter) in enumerate(self.__signature__.parameters.items()):
            given = args[i] if i < len(args) else kwargs.get(name, parameter.default)
            if given is inspect.Parameter.empty:
                raise RuntimeError(f"{self.name}() is missing value for argument '{name}'. Declaration: {self.text}")
            if self.kinds[name] == "Tensor" and not isinstance(given, Tensor):
                raise RuntimeError(
                    f"{self.name}() Expected a value of type 'Tensor' for argument '{name}' but instead found type "
                    f"'{type(given).__name__}'.\nPosition: {i}\nValue: {given!r}\nDeclaration: {self.text}"
                )


def define(qualname: Any, schema: Any, *, lib: Any = None, tags: Any = ()) -> None:
    """Declare an operator ``namespace::name`` by its schema; `impl` gives it kernels."""
    if qualname.count("::") != 1:
        raise ValueError(
            f'Expected `qualname` to be of the form "namespace::name", but got {qualname}. The qualname passed to the '
            "torch.library APIs must consist of a namespace and a name, e.g. aten::sin"
        )
    declared = Declaration(qualname, schema)
    made = add(CustomOpDef(qualname, declared, ()))
    made._declared = declared


def impl(qualname: Any, types: Any, func: Any = None, *, lib: Any = None) -> Any:
    """Give a declared operator a kernel for some kinds of device ("cpu", "default"); a decorator without `func`."""
    if isinstance(qualname, Library):
        return impl_of(qualname, types, func)
    op = found(qualname)

    def register(function: Callable) -> Callable:
        for each in (types,) if isinstance(types, str) else types:
            if each == "default":
                op._composite = function
            op._kernels[each] = function
        return function

    return register if func is None else register(func)


def impl_of(library: Library, name: str, key: Any = "") -> Callable:
    """The decorator ``@impl(library, name, dispatch_key)``."""

    def register(function: Callable) -> Callable:
        library.impl(name, function, key or "")
        return function

    return register


class Library(metaclass=Sealed):
    """The operators of a namespace: ``define`` declares them, ``impl`` gives them kernels."""

    __module__ = "torch.library"

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported library kind: {kind}")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Declare an operator by its name and schema, ``add(Tensor a, Tensor b) -> Tensor``."""
        name, opening, rest = schema.partition("(")
        define(f"{self.ns}::{name.strip()}", opening + rest)
        return name.strip()

    def impl(self, op_name: str, fn: Callable, dispatch_key: str = "", *, with_keyset: bool = False, **_: Any) -> None:
        """Give an operator of the namespace a kernel."""
        op = found(op_name if "::" in op_name else f"{self.ns}::{op_name}")
        key = dispatch_key or self.dispatch_key
        if key in ("", "CompositeImplicitAutograd", "Autograd", "AutogradCPU"):
            op._composite = fn
        elif key == "CompositeExplicitAutograd":
            op._kernels |= {"cpu": fn, "cuda": fn}
        else:
            op._kernels[key.lower()] = fn


class OpOverload(metaclass=Sealed):
    """One form of an operator, ``torch.ops.aten.add.Tensor``: here all forms are one function. Each form is one object."""

    __module__ = "torch._ops"

    def __init__(self, name: str, function: Callable) -> None:
        self._name, self._function = name, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self._name.rpartition('.')[0]}', overload='{self._overloadname}')>"

    def __str__(self) -> str:
        return self._name

    @property
    def namespace(self) -> str:
        """The part of the name before the operator's."""
        return self._name.partition(".")[0]

    @property
    def _overloadname(self) -> str:
        return self._name.rpartition(".")[2]

    @property
    def _opname(self) -> str:
        return self._name.split(".")[1]

    @property
    def __name__(self) -> str:
        return self._name.partition(".")[2]

    @property
    def overloadpacket(self) -> OpOverloadPacket:
        """The operator in all its forms."""
        return getattr(Operators(self.namespace), self._opname)

    def name(self) -> str:
        """The name with colons: ``aten::add.Tensor``."""
        form = "" if self._overloadname == "default" else "." + self._overloadname
        return f"{self.namespace}::{self._opname}{form}"

    def decompose(self, *args: Any, **kwargs: Any) -> Any:
        """NotImplemented: an operator is not made of others here."""
        return NotImplemented


class OpOverloadPacket(metaclass=Sealed):
    """An operator in all its forms, ``torch.ops.aten.add``."""

    __module__ = "torch._ops"

    def __init__(self, name: str, function: Callable) -> None:
        self._name, self._function = name, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self._name}')>"

    def __str__(self) -> str:
        return self._name

    @property
    def __name__(self) -> str:
        return self._name.rpartition(".")[2]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"The underlying op of '{self._name}' has no overload name '{name}'")
        return form_of(self._name, name, self._function)


_FORMS: dict[tuple[str, str], OpOverload] = {}
_PACKETS: dict[str, OpOverloadPacket] = {}
"""PyTorch's own operators, made when they are asked for: each is one object, which programs compare and count by."""


def form_of(operator: str, form: str, function: Callable) -> OpOverload:
    """The one object of a form of an operator: programs compare them."""
    if operator[:5] != "aten.":
        return OpOverload(f"{operator}.{form}", function)
    found = _FORMS.get((operator, form))
    if found is None:
        found = _FORMS[operator, form] = OpOverload(f"{operator}.{form}", function)
    return found


def of_engine(name: str) -> Callable | None:
    """The engine's function of an operator of PyTorch's own, ``aten::name``; its method where it is only that."""
    own = table.find_function(name) or table.find_method(name)
    return own or table.find_function(f"nn.functional.{name}") or table.find_function(f"special.{name}")


def of_either(name: str) -> Callable | None:
    """As `of_engine`; where there is a method, it is called on a tensor, for it takes sizes and dimensions in more forms."""
    own, method = of_engine(name), table.find_method(name)
    if own is None or method is None or method is own or name == "where" or isinstance(method, property):
        return own
    found = _EITHER.get(name)
    if found is None:

        def found(*args: Any, **kwargs: Any) -> Any:
            return (method if args and isinstance(args[0], Tensor) else own)(*args, **kwargs)

        _EITHER[name] = found
    return found


_EITHER: dict[str, Callable] = {}
KEYS = frozenset(
    "_pin_memory unsqueeze_copy squeeze_copy slice_copy split_copy view_as_real_copy convolution_backward".split()
)
"""Operators of ``torch.ops.aten`` by which libraries tell calls apart; they are not called."""


def below_autograd(name: str) -> Callable | None:
    """What stands for an operator of ``torch.ops.aten`` that no public function is, in plain Python."""
    if not (process.plain or "torch" in sys.modules):
        return None
    from .aten import KERNELS

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"tensorsh does not have torch.ops.aten.{name}: call the function of torch that uses it"
        )

    return refuse if name in KEYS else KERNELS.get(name)


def load_library(path: Any) -> None:
    """``torch.ops.load_library``: OSError, for there are no compiled operators of others here."""
    raise OSError(f"Could not load this library: {path} (tensorsh runs no compiled extensions)")


class Operators(metaclass=Sealed):
    """``torch.ops``: operators as ``torch.ops.namespace.name``: what programs define, and in ``aten`` PyTorch's own."""

    __module__ = "torch"
    __slots__ = ("_space",)

    def __init__(self, space: str = "") -> None:
        self._space = space

    def __getattr__(self, name: str) -> Any:
        if not self._space:
            return load_library if name == "load_library" else Operators(name)
        made = operators().get(f"{self._space}::{name}")
        if made is None and self._space == "aten":
            made = below_autograd(name) or of_either(name)
        if made is None:
            raise AttributeError(f"'_OpNamespace' '{self._space}' object has no attribute '{name}'")
        if self._space != "aten":
            return OpOverloadPacket(f"{self._space}.{name}", made)
        packet = _PACKETS.get(name)
        if packet is None or packet._function is not made:
            packet = _PACKETS[name] = OpOverloadPacket(f"aten.{name}", made)
        return packet

    def __repr__(self) -> str:
        return (
            f"<module 'torch.ops.{self._space}' from 'torch.ops'>"
            if self._space
            else "<module 'torch.ops' from '_ops.py'>"
        )
