"""Lazy modules: sizes taken from the first input; then they become the module they stand for."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from ..parameter import is_lazy
from .family import filled
from .module import Module


def lazy_forms(base: type, kinds: Iterable[Any], size: str, example: str) -> list[Any]:
    """The lazy form of each of some modules, made of `base`: `LazyConv2d` of `Conv2d`. Its docstring is the module's but
    for the argument `size`, which it does not have, and the example."""
    made = []
    for kind in kinds:
        name = kind.__name__
        words = [line for line in (kind.__doc__ or "").split("\n") if not line.strip().startswith(f"{size}:")]
        words = "\n".join(words).split(">>>")[0] + filled(example, kind.dims)
        doc = f"Lazy {name}: it takes {size} from its first input, and is a plain {name} from then on.\n    {words}"
        owners = base.__dict__.get("_owners", {})
        body = {"becomes": kind, "__doc__": doc, "__module__": "tensorsh." + base.__module__, "_owners": owners}
        made.append(type(base)(f"Lazy{name}", (base, kind), body | {"__qualname__": f"Lazy{name}"}))
    return made


class LazyModule(Module):
    """Mixed into a module whose parameters have no shape yet; `becomes` is what it is after the first call."""

    becomes: type

    def has_uninitialized_params(self) -> bool:
        """Whether some parameter or buffer has no shape yet."""
        return any(is_lazy(p) for p in [*self._parameters.values(), *self._buffers.values()])

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Take the sizes from the first input; for subclasses to define."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.has_uninitialized_params():
            self.initialize_parameters(*args, **kwargs)
        for base in type(self).__mro__:
            if "becomes" in base.__dict__:
                if type(self) is base:
                    object.__setattr__(self, "__class__", self.becomes)
                break
        return Module.__call__(self, *args, **kwargs)


def warn_of_lazy_modules() -> None:
    """Tell that the interface may change, as PyTorch does when a lazy module is made."""
    warnings.warn(
        "Lazy modules are a new feature under heavy development so changes to the API or functionality can happen at any "
        "moment.",
        stacklevel=4,
    )
