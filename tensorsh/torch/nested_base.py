"""What nested tensors of both layouts have in common: a tensor of all elements, with the history that gradients need, and how its parts
lie in it. Functions reach it as they reach every class with ``__torch_function__``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.loading.elementwise import elementwise
from ..engine.operators.hooks import stay
from ..engine.operators.torch_function import DisableTorchFunctionSubclass
from ..engine.tensors.tensor import Tensor, TensorMeta

__all__: list[str] = []
TRUNCATED = "Value in output_size is less than NestedTensor padded size. Truncation is not supported."


class Nested(Tensor, metaclass=TensorMeta):
    """Tensors of different sizes as one."""

    _nested: Any
    """How the parts lie in the tensor of all elements."""
    _rules: dict[str, Callable] = {}
    """What each function does with such tensors; all others are elementwise, or refused."""
    _on_all: frozenset[str] = frozenset()
    """Names that are computed on all elements as elementwise functions are."""
    _refusal = ""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        name = func.__name__
        if name == "__get__":
            name = getattr(getattr(func, "__self__", None), "__name__", name)
        with DisableTorchFunctionSubclass():
            rule = cls._rules.get(name)
            if rule is not None:
                return rule(func, *args, **(kwargs or {}))
            if name in cls._on_all or name in elementwise() or name.rstrip("_") in elementwise():
                return cls._rules["elementwise"](func, args, kwargs or {})
        raise NotImplementedError(cls._refusal.format(name=name))

    @property
    def grad(self) -> Any:
        with DisableTorchFunctionSubclass():
            found = Tensor.grad.fget(self)  # type: ignore[attr-defined]
            return found if found is None else nested(type(self), found.view_as(found), self._nested)

    @grad.setter
    def grad(self, value: Any) -> None:
        Tensor.grad.fset(self, value)  # type: ignore[attr-defined]

    def values(self) -> Tensor:
        """All elements: of rows, one below the other."""
        with DisableTorchFunctionSubclass():
            return self.view_as(self) if self.requires_grad else self.detach()

    def to_padded_tensor(self, padding: float, output_size: Any = None) -> Tensor:
        """A tensor of all parts, the shorter ones filled up."""
        with DisableTorchFunctionSubclass():
            return self._rules["to_padded_tensor"](None, self, padding, output_size)

    @property
    def is_nested(self) -> bool:  # type: ignore[override]
        return True


def nested(kind: type, values: Tensor, form: Any) -> Any:
    """A nested tensor of a class on all its elements."""
    stay("classes")
    made = values if type(values) is Tensor else Tensor.view_as(values, values)
    made.__class__ = kind
    made._nested = form  # type: ignore[attr-defined]
    return made
