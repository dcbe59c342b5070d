"""``torch.nn.utils.parametrize``: parameters that are computed from others by modules."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

from ....engine.arrays.state import state
from ....engine.tape.grad_modes import no_grad
from ....engine.tensors.tensor import Tensor
from ....sandbox.classes import is_script_class, register_class
from ....sandbox.named import delete_named, read_named, write_named
from ....sandbox.names import is_special
from ..modules.container import ModuleDict, ModuleList
from ..modules.module import Module
from ..parameter import Parameter

__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
    "transfer_parametrizations_and_params", "type_before_parametrizations",
]  # fmt: skip


@contextmanager
def cached() -> Any:
    """A context in which each parametrized tensor is computed once, and not at each access.

    >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 1))
    >>> with nn.utils.parametrize.cached():
    ...     print(layer.weight is layer.weight)
    True
    >>> layer.weight is layer.weight
    False
    """
    own = state.__dict__
    outer = own.get("parametrized")
    own["parametrized"] = {} if outer is None else outer
    try:
        yield
    finally:
        own["parametrized"] = outer


class ParametrizationList(ModuleList):
    """The original of a tensor and the modules that are applied to it."""

    def __init__(self, modules: Any, original: Tensor, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        new: Any = original
        with no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:
                        pass
        if not isinstance(new, (Tensor, list, tuple)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            if original.dtype is not new.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}"
                )
            if isinstance(original, Parameter):
                original.data = new.data
                self.original = original
            else:
                self.register_buffer("original", new)
        else:
            for i, each in enumerate(new):
                if not isinstance(each, Tensor):
                    raise ValueError(
                        f"'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got element {i} of the "
                        f"sequence with type {type(each).__name__}."
                    )
                if isinstance(original, Parameter):
                    each = Parameter(each.detach(), original.requires_grad)
                    self.register_parameter(f"original{i}", each)
                else:
                    self.register_buffer(f"original{i}", each)

    def originals(self) -> list:
        if self.is_tensor:
            return [self.original]
        return [read_named(self, f"original{i}") for i in range(self.ntensors)]

    def forward(self) -> Tensor:
        first, *rest = list(self)
        x = first(*self.originals())
        for module in rest:
            x = module(x)
        return x

    def right_inverse(self, value: Tensor) -> None:
        """Change the originals so that the tensor gets a value."""
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            for own, new in zip(self.originals(), [value] if self.is_tensor else value, strict=True):
                own.data = new.data


def _property(name: str) -> property:
    def read(self: Any) -> Tensor:
        entry = self.parametrizations[name]
        known = state.__dict__.get("parametrized")
        if known is None:
            return entry()
        key = (id(self), name)
        if key not in known:
            known[key] = entry()
        return known[key]

    def write(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(read, write)


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrizations.

    module: the module. tensor_name: of this tensor of it; None for any.

    >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 1))
    >>> nn.utils.parametrize.is_parametrized(layer, "weight"), nn.utils.parametrize.is_parametrized(layer, "bias")
    (True, False)
    """
    found = getattr(module, "_modules", {}).get("parametrizations")
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def type_before_parametrizations(module: Any) -> type:
    """The class that a module had."""
    return type(module).__bases__[0] if type(module) in _injected else type(module)


_injected: WeakSet[type] = WeakSet()
"""The classes on which properties stand: each has one object, and no program defined it."""


def _inject(module: Any) -> None:
    """Give a module a class of its own, on which the properties can stand."""
    base = type(module)

    def setattr_(self: Any, name: str, value: Any) -> None:
        if isinstance(type(self).__dict__.get(name), property):
            type(self).__dict__[name].__set__(self, value)
        else:
            base.__setattr__(self, name, value)

    def deepcopied(self: Any, memo: dict) -> Any:
        import copy

        made = memo[id(self)] = object.__new__(type(self))
        Module.__setstate__(made, copy.deepcopy(self.__dict__, memo))
        return made

    def getstate(self: Any) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
            "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
        )

    body = {
        "__setattr__": setattr_, "__deepcopy__": deepcopied, "__getstate__": getstate,
        "__module__": "torch.nn.utils.parametrize",
    }  # fmt: skip
    made = type(f"Parametrized{base.__name__}", (base,), body)
    _injected.add(made)
    if is_script_class(base):
        register_class(made)
    object.__setattr__(module, "__class__", made)
    module.parametrizations = ModuleDict()


def register_parametrization(module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False) -> Any:
    """From now on `module.tensor_name` is `parametrization(original)`, computed at each access; the original is what is trained.

    module: the module, which is returned. tensor_name: a parameter or buffer of it. parametrization: a module; with a method
    `right_inverse` the tensor can be assigned to. unsafe: another shape or dtype is no error. ValueError: no such tensor, or one of
    another shape without `unsafe`.

    >>> class Positive(nn.Module):
    ...     def forward(self, x):
    ...         return x.exp()
    >>> layer = nn.utils.parametrize.register_parametrization(nn.Linear(2, 1), "weight", Positive())
    >>> bool((layer.weight > 0).all()), [name for name, _ in layer.named_parameters()]
    (True, ['bias', 'parametrizations.weight.original'])
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        entry = module.parametrizations[tensor_name]
        if not unsafe:
            _check_next(parametrization, read_named(module, tensor_name), tensor_name)
        entry.append(parametrization)
        entry.unsafe |= unsafe
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'"
        )
    if type(tensor_name) is not str or is_special(tensor_name):
        raise AttributeError(f"{tensor_name!r} cannot be the name of a parametrization")
    original = read_named(module, tensor_name)
    if not unsafe:
        _check(parametrization, original)
    entry = ParametrizationList([parametrization], original, unsafe)
    delete_named(module, tensor_name)
    if type(module) not in _injected:
        _inject(module)
    module.parametrizations[tensor_name] = entry
    setattr(type(module), tensor_name, _property(tensor_name))
    return module


def _check_next(parametrization: Any, value: Tensor, name: str) -> None:
    """A further parametrization must keep dtype and shape, and so must its right inverse."""
    with no_grad():
        new = parametrization(value)
        if not isinstance(new, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(new).__name__}.")
        _check_alike(
            value, new, name, "Registering a parametrization may not change the {words} of the tensor",
            "parametrization({of}).{words}",
        )  # fmt: skip
        if not hasattr(parametrization, "right_inverse"):
            return
        try:
            back = parametrization.right_inverse(new)
        except NotImplementedError:
            return
        if not isinstance(back, Tensor):
            raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
        told = "The tensor returned by parametrization.right_inverse must have the same {words} as {of}"
        _check_alike(value, back, name, told, "returned {words}")


def _check_alike(value: Tensor, other: Tensor, name: str, told: str, title: str) -> None:
    """Refuse a tensor of another dtype or shape than a module's. told, title: what is wrong, and what the other is."""
    of = f"module.{name}"
    for words in ("dtype", "shape"):
        own, found = getattr(value, words), getattr(other, words)
        if own != found:
            raise ValueError(
                f"{told}, unless the `unsafe` flag is enabled.\n{{of}}.{{words}}: {own}\n{title}: {found}".format(
                    words=words, of=of
                )
            )


def transfer_parametrizations_and_params(from_module: Any, to_module: Any, tensor_name: str | None = None) -> Any:
    """Give a module the parametrizations of another (of one tensor, or of all) and the originals of these."""
    if not is_parametrized(from_module):
        return to_module
    for name in from_module.parametrizations if tensor_name is None else [tensor_name]:
        source = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            write_named(to_module, name, Parameter(read_named(from_module, name).detach()))
        for each in source:
            register_parametrization(to_module, name, each)
        target = to_module.parametrizations[name]
        for original in ["original"] if source.is_tensor else [f"original{i}" for i in range(source.ntensors)]:
            write_named(target, original, read_named(source, original))
    return to_module


def _check(parametrization: Any, value: Tensor) -> None:
    """A parametrization must keep dtype and shape."""
    with no_grad():
        new = value
        if hasattr(parametrization, "right_inverse"):
            try:
                new = parametrization.right_inverse(value)
            except NotImplementedError:
                pass
        parts = [new] if isinstance(new, Tensor) else new
        if not isinstance(parts, (list, tuple)) or not all(isinstance(each, Tensor) for each in parts):
            return  # which the list of parametrizations refuses
        result = parametrization(*([new] if isinstance(new, Tensor) else new))
    if not isinstance(result, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(result).__name__}.")
    for words, a, b in (("dtype", value.dtype, result.dtype), ("shape", value.shape, result.shape)):
        if a != b:
            raise ValueError(
                f"Registering a parametrization may not change the {words} of the tensor, unless `unsafe` flag is enabled.\n"
                f"unparametrized {words}: {a}\nparametrized {words}: {b}"
            )


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """A tensor is made plain again.

    module: the module, which is returned. tensor_name: the tensor. leave_parametrized: with the value it has, else with its
    original one. ValueError: it is not parametrized.

    >>> class Double(nn.Module):
    ...     def forward(self, x):
    ...         return 2 * x
    >>> layer = nn.utils.parametrize.register_parametrization(nn.Linear(2, 1), "bias", Double())
    >>> _ = nn.utils.parametrize.remove_parametrizations(layer, "bias")
    >>> nn.utils.parametrize.is_parametrized(layer)
    False
    """
    if not is_parametrized(module, tensor_name) or type(module) not in _injected:
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    entry = module.parametrizations[tensor_name]
    if leave_parametrized:
        with no_grad():
            value = read_named(module, tensor_name)
        original = entry.originals()[0]
        if entry.is_tensor:
            original.data = value.data
        else:
            original = Parameter(value.detach(), original.requires_grad) if isinstance(original, Parameter) else value
    elif entry.is_tensor:
        original = entry.original
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence of "
            "tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if len(module.parametrizations) == 0:
        delattr(module, "parametrizations")
        object.__setattr__(module, "__class__", type(module).__bases__[0])
    if isinstance(original, Parameter):
        module.register_parameter(tensor_name, original)
    else:
        module.register_buffer(tensor_name, original)
    return module


for _f in (
    transfer_parametrizations_and_params, is_parametrized, type_before_parametrizations, register_parametrization,
    remove_parametrizations, cached,
):  # fmt: skip
    _f.__module__ = "torch.nn.utils.parametrize"
