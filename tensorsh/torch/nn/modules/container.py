"""Modules that hold modules or parameters: in order, as lists, as dicts."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....engine.arrays.warning import warn
from ....engine.tensors.tensor import Tensor
from ....sandbox.named import read_named, write_named
from ..parameter import Parameter
from .module import Module, indented, typename

__all__ = ["Container", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"]


class Container(Module):
    """Modules by their names; it is not called. FutureWarning: every `Module` holds modules, so derive from that.
    kwargs: the modules.
    TypeError for what is no module, KeyError for a name that is taken.
    >>> list(nn.Container(first=nn.Identity()).named_children())
    [('first', Identity())]"""

    def __init__(self, **kwargs: Any) -> None:
        warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that instead.",
            FutureWarning,
        )
        super().__init__()
        for key, value in kwargs.items():
            self.add_module(key, value)


class Numbered(Module):
    """What Sequential and ModuleList share: submodules named 0, 1, 2..."""

    _owners = dict.fromkeys("__len__ __iter__ __setitem__ __delitem__ append pop".split(), "")

    def _place(self, idx: Any) -> int:
        idx = operator.index(idx)
        if not -len(self) <= idx < len(self):
            raise IndexError(f"index {idx} is out of range")
        return idx % len(self)

    def _name(self, idx: Any) -> str:
        return list(self._modules)[self._place(idx)]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator:
        return iter(self._modules.values())

    def __setitem__(self, idx: int, module: Module) -> None:
        write_named(self, self._name(idx), module)

    def __delitem__(self, idx: Any) -> None:
        for name in list(self._modules)[idx] if isinstance(idx, slice) else [self._name(idx)]:
            delattr(self, name)
        left = list(self._modules.values())
        self._modules.clear()
        for i, module in enumerate(left):
            self._modules[str(i)] = module

    def append(self, module: Module) -> Any:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: Any) -> Any:
        """Take out the module (or, for a slice, modules) at a place."""
        module = self[key]  # type: ignore[index]
        del self[key]
        return module

    def _put(self, index: int, module: Module) -> None:
        for i in range(len(self._modules), index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module


class Sequential(Numbered):
    """Modules called one after another, each with the result of the one before; without modules it gives its input.
    args: the modules, named 0, 1, 2..., or one OrderedDict of names and modules.
    Its modules can be read by number, slice and name, and changed with append, insert, extend, pop, +, * and del.
    TypeError for what is no module, IndexError for a place that is not there.
    >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    >>> model(torch.zeros(1, 2)).shape, model[1]
    (torch.Size([1, 3]), ReLU())"""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = len(args) == 1 and isinstance(args[0], OrderedDict)
        for name, module in args[0].items() if named else enumerate(args):
            self.add_module(name if named else str(name), module)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return list(self._modules.values())[self._place(idx)]

    def insert(self, index: int, module: Module) -> Any:
        """Add a module before a place."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        n = len(self._modules)
        if not -n <= index <= n:
            raise IndexError(f"Index out of range: {index}")
        self._put(index + n if index < 0 else index, module)
        return self

    def extend(self, sequential: Iterable) -> Any:
        """Add modules at the end."""
        for module in sequential:
            self.append(module)
        return self

    def _check(self, other: Any) -> None:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")

    def __add__(self, other: Any) -> Sequential:
        self._check(other)
        return Sequential().extend(self).extend(other)

    def __iadd__(self, other: Any) -> Any:
        self._check(other)
        return self.extend(list(other))

    def _times(self, other: Any) -> list:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return list(self) * other

    def __mul__(self, other: Any) -> Sequential:
        return Sequential().extend(self._times(other))

    __rmul__ = __mul__

    def __imul__(self, other: Any) -> Any:
        return self.extend(self._times(other)[len(self) :])


class ModuleList(Numbered):
    """Modules in a list, registered with the module they belong to, so that their parameters are found; a list alone
    would hide them. It is not called: `forward` uses its modules as it likes.
    modules: an iterable of modules (None: none), named 0, 1, 2...; append, extend, insert, pop, slices and + are those
    of a list.
    TypeError for what is no module, IndexError for a place that is not there.
    >>> layers = nn.ModuleList([nn.Linear(2, 2)] + [nn.Linear(2, 1)])
    >>> len(layers), len(list(layers.parameters()))
    (2, 4)"""

    def __init__(self, modules: Iterable | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[str(self._place(idx))]

    def insert(self, index: int, module: Module) -> None:
        """Add a module before a place."""
        self._put(index, module)

    def extend(self, modules: Iterable) -> Any:
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in list(modules):
            self.append(module)
        return self

    def __iadd__(self, modules: Iterable) -> Any:
        return self.extend(modules)

    def __add__(self, other: Iterable) -> ModuleList:
        return ModuleList(self).extend(iter(other))

    def __repr__(self) -> str:
        texts = [repr(module) for module in self]
        if not texts:
            return self._get_name() + "()"
        runs: list[list] = []
        for i, text in enumerate(texts):
            if runs and runs[-1][2] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i, text])
        lines = [indented(f"({a}): {text}" if a == b else f"({a}-{b}): {b - a + 1} x {text}") for a, b, text in runs]
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"


def pairs(title: str, called: str, given: Any) -> Iterator:
    """The key and value pairs of an iterable of pairs."""
    for j, pair in enumerate(given):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{title} update sequence element #{j} should be Iterable; is{type(pair).__name__}")
        if len(pair) != 2:  # type: ignore[arg-type]
            raise ValueError(f"{title} update sequence element #{j} has length {len(pair)}; 2 is required")  # type: ignore[arg-type]
        yield tuple(pair)


class ModuleDict(Module):
    """Modules in a dict, registered with the module they belong to, so that their parameters are found; in the order in
    which they were entered. It is not called: `forward` uses its modules as it likes.
    modules: a mapping of names to modules, or an iterable of pairs (None: none); keys, items, values, pop, update,
    clear, `in` and del are those of a dict. TypeError for what is no module, KeyError for a name that is not there or
    has a dot.
    >>> layers = nn.ModuleDict({"act": nn.ReLU(), "out": nn.Linear(2, 1)})
    >>> layers["act"], list(layers)
    (ReLU(), ['act', 'out'])"""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Take out all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Take out a module."""
        return self._modules.pop(key)

    def keys(self) -> Any:
        return self._modules.keys()

    def items(self) -> Any:
        return self._modules.items()

    def values(self) -> Any:
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules from a mapping or from pairs."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                + type(modules).__name__
            )
        mapping = isinstance(modules, (Mapping, ModuleDict))
        for key, module in modules.items() if mapping else pairs("ModuleDict", "module", modules):  # type: ignore[attr-defined]
            self[key] = module


def described(p: Any, kind: str) -> str:
    if not isinstance(p, Tensor):
        return "Object of type: " + type(p).__name__
    size = "x".join(map(str, p.shape))
    device = f" ({p.device})" if p.device.type == "cuda" else ""
    return f"{'Parameter' if isinstance(p, Parameter) else 'Tensor'} containing: [{kind} of size {size}{device}]"


class ParameterList(Module):
    """Parameters (and other values) in a list, registered with the module they belong to; tensors become parameters.
    values: an iterable (None: none), its tensors named 0, 1, 2... in the state dict; append, extend, slices and len()
    are those of a list. IndexError for a place that is not there, TypeError for what cannot be iterated over,
    RuntimeError when called.
    >>> values = nn.ParameterList([torch.ones(2), torch.zeros(1)])
    >>> len(values), values[0].requires_grad
    (2, True)"""

    def __init__(self, values: Iterable | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _name(self, idx: Any) -> str:
        idx = operator.index(idx)
        if not -len(self) <= idx < len(self):
            raise IndexError(f"index {idx} is out of range")
        return str(idx % len(self))

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)([self[i] for i in range(*idx.indices(len(self)))])
        return read_named(self, self._name(idx))

    def __setitem__(self, idx: int, param: Any) -> None:
        name = self._name(idx)
        if isinstance(param, Tensor) and not isinstance(param, Parameter):
            param = Parameter(param)
        write_named(self, name, param)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator:
        return iter([self[i] for i in range(len(self))])

    def __iadd__(self, parameters: Iterable) -> Any:
        return self.extend(parameters)

    def append(self, value: Any) -> Any:
        """Add a value at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable) -> Any:
        """Add values at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        kinds = (str(p.dtype) if isinstance(p, Tensor) else "" for p in self)
        return "\n".join(f"  ({i}): {described(p, kind)}" for (i, p), kind in zip(enumerate(self), kinds, strict=True))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Parameters (and other values) in a dict, registered with the module they belong to; tensors become parameters.
    parameters: a mapping (a plain one is taken in the order of its keys) or an iterable of pairs (None: none). keys,
    items, values, get, setdefault, pop, popitem, update, copy, fromkeys, `in` and | are those of a dict.
    TypeError for keys that are no strings, AttributeError for a key that is not there, RuntimeError when called.
    >>> values = nn.ParameterDict({"scale": torch.ones(2)})
    >>> values["scale"].requires_grad, list(values)
    (True, ['scale'])"""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _checked(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return str.__str__(key)  # of a class of its own, which could lie about what is in it

    def __getitem__(self, key: str) -> Any:
        key = self._checked(key)
        if key not in self._keys or key[:2] == "__":
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{key}'")
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        key = self._checked(key)
        if (
            type(key) is not str
            or key[:2] == "__"
            or (key[:1] == "_" and key in self.__dict__ and key not in self._keys)
        ):
            raise KeyError(f"{key!r} cannot be the name of a parameter")
        self._keys[key] = None
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, key, value)

    def __delitem__(self, key: str) -> None:
        key = self._checked(key)
        del self._keys[key]
        if key[:2] != "__":
            delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator:
        return iter(self._keys)

    def __reversed__(self) -> Iterator:
        return reversed(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key: str, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple:
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self else default

    def fromkeys(self, keys: Iterable, default: Any = None) -> ParameterDict:
        return ParameterDict([(key, default) for key in keys])

    def keys(self) -> Any:
        return self._keys.keys()

    def items(self) -> Any:
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Any:
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add values from a mapping (a plain one in the order of its keys) or from pairs."""
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but got "
                + type(parameters).__name__
            )
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            found: Iterable = list(parameters.items())
        elif isinstance(parameters, Mapping):
            found = sorted(parameters.items())
        else:
            found = pairs("ParameterDict", "parameter", parameters)
        for key, value in found:
            self[key] = value

    def extra_repr(self) -> str:
        return "\n".join(
            f"  ({key}): {described(p, typename(p) if isinstance(p, Tensor) else '')}" for key, p in self.items()
        )

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: ParameterDict) -> ParameterDict:
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        made = other.copy()
        made.update(self)
        return made

    def __ior__(self, other: ParameterDict) -> Any:
        self.update(other)
        return self
