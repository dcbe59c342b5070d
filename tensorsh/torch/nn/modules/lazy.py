"""Lazy modules: sizes taken from the first input; then they become the module they stand for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from ....engine.tape.grad_modes import no_grad
from ....sandbox.sealed import OpenSealed, is_sealed
from ..parameter import is_lazy
from .family import filled


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
        body = {"cls_to_become": kind, "__doc__": doc, "__module__": "tensorsh." + base.__module__, "_owners": owners}
        made.append(type(base)(f"Lazy{name}", (base, kind), body | {"__qualname__": f"Lazy{name}"}))
    return made


class LazyModuleMixin(metaclass=OpenSealed):
    """Mixed into a module whose parameters have no shape yet; `cls_to_become` is what it is after the first call."""

    __module__ = "torch.nn.modules.lazy"
    cls_to_become: Any = None

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own = self.__dict__
        own["_load_hook"] = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        own["_initialize_hook"] = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def __setstate__(self: Any, state: dict) -> None:
        super().__setstate__(state)
        own = self.__dict__
        if "_initialize_hook" in own:  # the hooks of the module that was copied or pickled
            own["_load_state_dict_pre_hooks"], own["_forward_pre_hooks"] = OrderedDict(), OrderedDict()
            own["_forward_pre_hooks_with_kwargs"] = OrderedDict()
            own["_load_hook"] = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
            own["_initialize_hook"] = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _lazy_load_hook(
        self: Any, state_dict: Any, prefix: str, local_metadata: dict, strict: bool, missing_keys: list, unexpected_keys: list,
        error_msgs: list,
    ) -> None:  # fmt: skip
        """Give what has no shape yet that of the entry to be loaded."""
        for name, param in [*self._parameters.items(), *self._buffers.items()]:
            given = state_dict.get(prefix + name)
            if is_lazy(param) and given is not None and not is_lazy(given):
                with no_grad():
                    param.materialize(given.shape)

    def has_uninitialized_params(self: Any) -> bool:
        """Whether some parameter or buffer has no shape yet."""
        return any(is_lazy(p) for p in [*self._parameters.values(), *self._buffers.values()])

    def initialize_parameters(self: Any, *args: Any, **kwargs: Any) -> None:
        """Take the sizes from the first input; for subclasses to define."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def _infer_parameters(self: Any, module: Any, args: tuple, kwargs: dict | None = None) -> None:
        """The hook before the first call."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        own = module.__dict__
        own.pop("_initialize_hook").remove()
        own.pop("_load_hook").remove()
        kind = module.cls_to_become
        if kind is not None:
            if not all(above in type(module).__mro__ for above in getattr(kind, "__mro__", ()) if is_sealed(above)):
                raise TypeError(
                    f"a {type(module).__name__} cannot become a {kind}: it is derived from other classes of the library"
                )
            object.__setattr__(module, "__class__", kind)

    def _replicate_for_data_parallel(self) -> Any:
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy forward pass to correctly "
            "initialize the modules"
        )
