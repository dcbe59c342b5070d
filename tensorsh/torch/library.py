"""``torch.library``: operators that a program defines, with their own gradients."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

from ..engine.loading import table
from ..engine.tensors.tensor import Tensor
from ..sandbox import process
from ..sandbox.sealed import Sealed
from .custom_ops import (
    UNNAMED,
    CustomOpDef,
    add,
    custom_op,
    found,
    operators,
    register_autograd,
    register_fake,
    register_kernel,
    register_vmap,
)
from .nn.attention import SealedEnum
from .opcheck import USUAL, check
from .schemas import Declaration, infer_schema

__all__ = [
    "CustomOpDef", "Library", "custom_op", "define", "fallthrough_kernel", "get_ctx", "impl", "infer_schema", "opcheck", "register_autograd",
    "register_fake", "register_kernel", "register_vmap", "triton_op", "wrap_triton",
]  # fmt: skip


def define(qualname: Any, schema: Any, *, lib: Any = None, tags: Any = ()) -> None:
    """Declare an operator ``namespace::name`` by its schema; `impl` gives it kernels."""
    if qualname.count("::") != 1:
        raise ValueError(UNNAMED.format(qualname))
    declared = Declaration(qualname, schema)
    add(CustomOpDef(qualname, declared, declared, tags))


def fallthrough_kernel() -> None:
    """Stands for a kernel that leaves a call to whoever comes next; NotImplementedError where it is called."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


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
        define(f"{self.ns}::{name.strip()}", opening + rest, tags=tags)
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


for _function in (custom_op, infer_schema, register_autograd, register_fake, register_kernel, register_vmap):
    _function.__module__ = __name__


@contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    """A `Library` within a block."""
    yield Library(*args, **kwargs)


def opcheck(
    op: Any, args: tuple, kwargs: dict | None = None, *, test_utils: Any = USUAL, raise_exception: bool = True, atol: Any = None,
    rtol: Any = None,
) -> dict[str, Any]:  # fmt: skip
    """What is wrong with an operator that a program defined, called with such arguments: for each test "SUCCESS" or its error.
    test_utils: the tests, or one's name: of its schema (what it writes into, what its results share), of how its gradient is
    registered, of its form without data, of forward and backward together. raise_exception: whether the first error is raised.
    atol, rtol: how far results may differ. OpCheckError: a test that failed."""
    if not isinstance(op, (CustomOpDef, OpOverload, OpOverloadPacket)):
        raise ValueError(
            "opcheck(op, ...): op must be instance of torch._ops.OpOverload, e.g. torch.ops.aten.sin.default, got "
            f"{type(op)}"
        )
    return check(op if isinstance(op, CustomOpDef) else op._function, args, kwargs or {}, test_utils, raise_exception)


def get_ctx() -> Any:
    """What a form without data may ask for new sizes: nothing."""
    return None


impl_abstract = register_fake


def register_torch_dispatch(op: Any, torch_dispatch_class: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """A decorator that gives its function back: a class's own ``__torch_dispatch__`` is asked here."""
    return func if func is not None else lambda function: function


def register_autocast(op: Any, device_type: str, cast_inputs: Any, /, *, lib: Any = None) -> None:
    """NotImplementedError: operators of a program's own are not cast by `autocast`."""
    raise NotImplementedError("tensorsh does not cast a custom operator's inputs: cast them in the operator")


def triton_op(name: str, fn: Any = None, /, *, mutates_args: Any, schema: Any = None) -> Any:
    """An operator as `custom_op` makes it, whose function says its form without data, too; the Triton kernels that it starts by
    `wrap_triton` are not run."""

    def made(function: Callable) -> Any:
        operator = custom_op(name, function, mutates_args=mutates_args, schema=schema)
        operator.register_fake(function)
        return operator

    return made if fn is None else made(fn)


def wrap_triton(triton_kernel: Any, /) -> Any:
    """ModuleNotFoundError: a kernel of Triton, which tensorsh does not run."""
    raise ModuleNotFoundError("No module named 'triton'")


class Tag(Enum, metaclass=SealedEnum):
    """What the definition of an operator may say of it, for compilers: here it changes nothing."""

    core = 0
    cudagraph_unsafe = 1
    data_dependent_output = 2
    dynamic_output_shape = 3
    flexible_layout = 4
    generated = 5
    inplace = 6
    inplace_view = 7
    maybe_aliasing_or_mutating = 8
    needs_contiguous_strides = 9
    needs_exact_strides = 10
    needs_fixed_stride_order = 11
    nondeterministic_bitwise = 12
    nondeterministic_seeded = 13
    out = 14
    out_variant = 15
    pointwise = 16
    pt2_compliant_tag = 17
    reduction = 18
    view_copy = 19

    def __int__(self) -> int:
        return self.value


Tag.__module__ = "torch"


class Called(metaclass=Sealed):
    """A function with the name of an operator."""

    def __init__(self, name: str, function: Callable) -> None:
        self._name, self._function = name, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def __str__(self) -> str:
        return self._name


class OpOverload(Called):
    """One form of an operator, ``torch.ops.aten.add.Tensor``: here all forms are one function. Each form is one object."""

    __module__ = "torch._ops"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self._name.rpartition('.')[0]}', overload='{self._overloadname}')>"

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

    @property
    def tags(self) -> list:
        """What the definition of an operator that a program defined says of it; nothing of PyTorch's own."""
        return getattr(self._function, "_tags", [])

    @property
    def _schema(self) -> Any:
        """The schema of an operator that a program defined."""
        if not isinstance(self._function, CustomOpDef):
            raise AttributeError(f"tensorsh keeps no schema of {self._name}")
        return self._function._declared.schema

    def decompose(self, *args: Any, **kwargs: Any) -> Any:
        """NotImplemented: an operator is not made of others here."""
        return NotImplemented


class OpOverloadPacket(Called):
    """An operator in all its forms, ``torch.ops.aten.add``."""

    __module__ = "torch._ops"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self._name}')>"

    @property
    def __name__(self) -> str:
        return self._name.rpartition(".")[2]

    @property
    def _qualified_op_name(self) -> str:
        return self._name.replace(".", "::")

    def overloads(self) -> list[str]:
        """The names of its forms."""
        return ["default"]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"The underlying op of '{self._name}' has no overload name '{name}'")
        return form_of(self._name, name, self._function)


_FORMS: dict[tuple[str, str], OpOverload] = {}
_PACKETS: dict[str, OpOverloadPacket] = {}
"""Operators, made when they are asked for: each is one object, which programs compare and count by."""


def form_of(operator: str, form: str, function: Callable) -> OpOverload:
    """The one object of a form of an operator: programs compare them."""
    found = _FORMS.get((operator, form))
    if found is None or found._function is not function and operator[:5] != "aten.":
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
            as_method = args and isinstance(args[0], Tensor) and "out" not in kwargs
            return (method if as_method else own)(*args, **kwargs)

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
        whole = f"{self._space}.{name}"
        packet = _PACKETS.get(whole)
        if packet is None or packet._function is not made:
            packet = _PACKETS[whole] = OpOverloadPacket(whole, made)
        return packet

    def __repr__(self) -> str:
        return (
            f"<module 'torch.ops.{self._space}' from 'torch.ops'>"
            if self._space
            else "<module 'torch.ops' from '_ops.py'>"
        )
