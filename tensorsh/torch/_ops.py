"""``torch.ops``: operators as ``torch.ops.namespace.name``, in all their forms, and their classes, as ``torch._ops`` has them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..engine.loading import table
from ..engine.operators.torch_function import override
from ..engine.tensors.tensor import Tensor
from ..sandbox import process
from ..sandbox.sealed import Sealed, acts_for_program
from .custom_ops import CustomOpDef, named

__all__: list[str] = []


class HigherOrderOperator:
    """An operator that takes functions: called, it runs what `py_impl` or a derived class says."""

    def __init__(self, name: str, *, cacheable: bool = False) -> None:
        self._name = self.__name__ = name

    def name(self) -> str:
        return self._name

    def py_impl(self, key: Any) -> Any:
        """A decorator that gives its function back: nothing is dispatched by a key here."""
        return lambda function: function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"tensorsh has no higher-order operator {self._name}: call the functions themselves")


def given_kernel(kernels: dict[str, Callable], key: str, kernel: Callable) -> Callable[[], None]:
    """Put a kernel under a key; the answer puts back what was there, where it still stands."""
    before = kernels.get(key)
    kernels[key] = kernel

    def undo() -> None:
        if kernels.get(key) is kernel:
            kernels.pop(key)
            if before is not None:
                kernels[key] = before

    return undo


class Called(metaclass=Sealed):
    """A function with the name of an operator."""

    def __init__(self, name: str, function: Callable) -> None:
        self._name, self._function = name, function
        self.__module__ = "torch._ops." + name.partition(".")[0]

    def __setattr__(self, name: str, value: Any) -> None:
        """All programs share an operator."""
        if name not in ("_name", "_function", "__module__", "__qualname__") and acts_for_program(sys._getframe(1)):
            raise AttributeError(f"cannot set an attribute of {self!r}")
        object.__setattr__(self, name, value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        values = (*args, *kwargs.values())
        if any(not isinstance(x, Tensor) and hasattr(type(x), "__torch_function__") for x in values):
            found = override(self, args, kwargs)
            if found is NotImplemented:
                raise TypeError(f"no implementation found for '{self.__module__}.{self._name}'")
            return found
        return self._function(*args, **kwargs)

    def __str__(self) -> str:
        return self._name

    def __reduce__(self) -> tuple:
        return regained, (self._name,)

    def __deepcopy__(self, memo: Any = None) -> Any:
        return self

    __copy__ = __deepcopy__


def regained(name: str) -> Any:
    """The operator of a name, for `pickle`."""
    found: Any = ops
    for part in name.split("."):
        found = getattr(found, part)
    return found


class OpOverload(Called):
    """One form of an operator, ``torch.ops.aten.add.Tensor``: here all forms are one function. Each form is one object."""

    __module__ = "torch._ops"

    def __init__(self, name: str, function: Callable) -> None:
        super().__init__(name, function)
        self.__qualname__ = name.replace(".", "::", 1)

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self._name.rpartition('.')[0]}', overload='{self._overloadname}')>"

    namespace = property(lambda self: self._name.partition(".")[0], doc="The part of the name before the operator's.")
    _overloadname = property(lambda self: self._name.rpartition(".")[2])
    _opname = property(lambda self: self._name.split(".")[1])
    __name__ = property(lambda self: self._name.partition(".")[2])

    @property
    def overloadpacket(self) -> OpOverloadPacket:
        """The operator in all its forms."""
        return getattr(Operators(self.namespace), self._opname)

    _overloadpacket = overloadpacket

    def name(self) -> str:
        """The name with colons: ``aten::add.Tensor``."""
        form = "" if self._overloadname == "default" else "." + self._overloadname
        return f"{self.namespace}::{self._opname}{form}"

    @property
    def tags(self) -> list:
        """What the definition of an operator that a program defined says of it; nothing of PyTorch's own."""
        return getattr(self._function, "_tags", [])

    @property
    def _defined_in_python(self) -> bool:
        """Whether a program defined it."""
        return isinstance(self._function, CustomOpDef)

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

    __name__ = property(lambda self: self._name.rpartition(".")[2])
    _qualified_op_name = property(lambda self: self._name.replace(".", "::"))

    def overloads(self) -> list[str]:
        """The names of its forms."""
        return [op._declared.form or "default" for op in self._forms()] or ["default"]

    def _forms(self) -> list[CustomOpDef]:
        return named(*self._name.split(".", 1))

    def __getattr__(self, name: str) -> Any:
        forms = {} if name[:1] == "_" else {op._declared.form or "default": op for op in self._forms()}
        if name[:1] == "_" or forms and name not in forms:
            raise AttributeError(f"The underlying op of '{self._name}' has no overload name '{name}'")
        return form_of(self._name, name, forms.get(name, self._function))


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
    space, _, rest = name.partition("_")
    if own is None and space in ("linalg", "special", "fft"):
        return table.find_function(f"{space}.{rest}")
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
KEYS = frozenset("_pin_memory unsqueeze_copy squeeze_copy slice_copy split_copy view_as_real_copy".split())
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


DEFINED: dict[str, dict[str, Callable]] = {}
"""The functions of further namespaces, entered by the modules that have them."""


class Overloaded:
    """The forms of an operator that a program defined: a call is one of the first whose schema fits."""

    def __init__(self, forms: list[CustomOpDef]) -> None:
        self.forms = forms

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Overloaded) and self.forms == other.forms

    __hash__ = object.__hash__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        wrong = []
        for form in self.forms:
            try:
                form._declared.check(args, kwargs)
            except RuntimeError as error:
                wrong.append(f"{error}\n")
            else:
                return form(*args, **kwargs)
        raise RuntimeError(
            "Overloaded torch operator invoked from Python failed to match any schema:\n" + "\n".join(wrong)
        )


class Operators(metaclass=Sealed):
    """``torch.ops``: operators as ``torch.ops.namespace.name``: what programs define, and in ``aten`` PyTorch's own."""

    __module__ = "torch"
    __slots__ = ("_space",)

    def __init__(self, space: str = "") -> None:
        self._space = space

    def __getattr__(self, name: str) -> Any:
        if not self._space:
            return load_library if name == "load_library" else Operators(name)
        forms = named(self._space, name)
        made: Any = Overloaded(forms) if len(forms) > 1 else forms[0] if forms else None
        if made is None and self._space == "aten":
            made = below_autograd(name) or of_either(name)
        if made is None:
            made = DEFINED.get(self._space, {}).get(name)
        if made is None:
            raise AttributeError(f"'_OpNamespace' '{self._space}' object has no attribute '{name}'")
        whole = f"{self._space}.{name}"
        packet = _PACKETS.get(whole)
        if packet is None or packet._function != made:
            packet = _PACKETS[whole] = OpOverloadPacket(whole, made)
        return packet

    def __delattr__(self, name: str) -> None:
        """Nothing: a namespace is made anew whenever it is asked for."""

    def __repr__(self) -> str:
        return (
            f"<module 'torch.ops.{self._space}' from 'torch.ops'>"
            if self._space
            else "<module 'torch.ops' from '_ops.py'>"
        )


_OpNamespace = Operators
"""PyTorch's name of the class of ``torch.ops.aten``."""
ops = Operators()
