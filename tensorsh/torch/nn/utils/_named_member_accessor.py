"""``torch.nn.utils._named_member_accessor``: the parameters and buffers of a module by dotted names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ....engine.tensors.tensor import Tensor
from ..modules.module import Module


def set_tensor(module: Module, name: str, tensor: Tensor) -> None:
    """Put a tensor in the place of a parameter or buffer."""
    swap_tensor(module, name, tensor, allow_missing=True)


def swap_tensor(module: Module, name: str, tensor: Any, allow_missing: bool = False) -> Any:
    """Put a tensor in the place of another, which is given back; None takes it away."""
    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of torch.nn.Module")
    for table in (module._parameters, module._buffers):
        if name in table:
            before = table[name]
            _put(module, name, table, tensor)
            return before
    if not allow_missing and not hasattr(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    before = getattr(module, name, None)
    setattr(module, name, tensor)
    return before


def _put(module: Module, name: str, table: dict, tensor: Any) -> None:
    module.__dict__.pop(name, None)
    table[name] = tensor
    if name not in module.__dict__ and getattr(module, name, None) is not tensor:
        module.__dict__[name] = tensor


class NamedMemberAccessor:
    """A module's submodules and tensors by dotted names."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def get_submodule(self, name: str) -> Module:
        return self.module.get_submodule(name)

    def _home(self, name: str) -> tuple[Module, str]:
        prefix, _, last = name.rpartition(".")
        return self.get_submodule(prefix), last

    def get_tensor(self, name: str) -> Tensor:
        home, last = self._home(name)
        found = getattr(home, last, None)
        if not isinstance(found, Tensor):
            raise AttributeError(f"{home._get_name()} has no attribute `{last}`")
        return found

    def set_tensor(self, name: str, value: Tensor) -> None:
        set_tensor(*self._home(name), value)

    def swap_tensor(self, name: str, value: Any, allow_missing: bool = False) -> Any:
        return swap_tensor(*self._home(name), value, allow_missing)

    def get_tensors(self, names: Iterable[str]) -> list[Tensor]:
        return [self.get_tensor(name) for name in names]

    def set_tensors_dict(self, named_tensors: dict[str, Tensor]) -> None:
        for name, value in named_tensors.items():
            self.set_tensor(name, value)

    def swap_tensors_dict(self, named_tensors: dict, allow_missing: bool = False) -> tuple[dict, list[str]]:
        return {n: self.swap_tensor(n, v, allow_missing) for n, v in named_tensors.items()}, []

    def check_keys(self, keys: Iterable[str]) -> tuple[list[str], list[str]]:
        """The names that are missing among some, and those among them that the module has not."""
        given, own = set(keys), {name for name, _ in self.named_tensors()}
        return sorted(own - given), sorted(given - own)

    def named_parameters(self, remove_duplicate: bool = True) -> Any:
        return self.module.named_parameters(remove_duplicate=remove_duplicate)

    def named_buffers(self, remove_duplicate: bool = True) -> Any:
        return self.module.named_buffers(remove_duplicate=remove_duplicate)

    def named_tensors(self, remove_duplicate: bool = True) -> Any:
        yield from self.named_parameters(remove_duplicate)
        yield from self.named_buffers(remove_duplicate)

    def named_modules(self, remove_duplicate: bool = True) -> Any:
        return self.module.named_modules(remove_duplicate=remove_duplicate)
