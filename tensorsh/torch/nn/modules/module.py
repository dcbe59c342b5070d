"""Module: the base of all networks. It registers what is assigned to it, and walks over it.

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 2)      # a submodule: entered in _modules
            self.scale = nn.Parameter(...) # a parameter: entered in _parameters
        def forward(self, x): ...

Calling a module calls `forward`; a module without hooks pays one attribute for them. The rest stands in `hooks.py` (what
happens around forward and backward) and `state.py` (state dicts).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ....engine.tensors.tensor import Tensor
from ....sandbox.classes import allow
from ....sandbox.sealed import OpenSealed, housed
from ....sandbox.wrapping import renamed
from ..parameter import Buffer, Parameter
from .common_hooks import SWITCHES, as_hooks_want  # noqa: F401 - the namespace takes its settings from here
from .registry import CALLED, REGISTRIES, Registry, attributes, held, shown

__all__ = [
    "Module", "register_module_forward_hook", "register_module_forward_pre_hook", "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
]  # fmt: skip


def typename(value: Any) -> str:
    from ...questions import typename as name

    return name(value)


_EXTRA_STATE_KEY_SUFFIX = "_extra_state"
"""The end of the key in a state dict under which a module's `get_extra_state` stands."""


class Module(metaclass=OpenSealed):
    """Base class of all modules. A class of one's own calls ``super().__init__()`` first, assigns parameters and other
    modules, which are registered under their names, and defines `forward`; calling the module calls it, with the hooks
    around it.
    parameters(), buffers(), modules() and children() walk over what was registered, state_dict() and load_state_dict()
    keep it, train() and eval() set `training`, to(), float() and others convert, zero_grad() forgets gradients, apply()
    calls a function.
    args, kwargs: none, TypeError otherwise. NotImplementedError where `forward` is missing, AttributeError for
    parameters assigned before ``super().__init__()``.
    >>> class Double(nn.Module):
    ...     def forward(self, x): return 2 * x
    >>> Double()(torch.ones(2))
    tensor([2., 2.])"""

    training: bool
    call_super_init = False
    dump_patches = False
    _hooked = True
    """Whether any hook was ever registered, or `__init__` was not called, in which case `hooks.call` says so."""
    _version: int = 1
    _owners: dict[str, str] = {}
    """For the classes below: whose method PyTorch's errors call an inherited one (empty: their own)."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.startswith("tensorsh.torch."):
            housed(cls, cls.__module__[9:])
            owners = {} if cls.__init__ is Module.__init__ else {"__init__": ""}
            for base in (*cls.__bases__, cls):
                owners |= base.__dict__.get("_owners", {})
            for name, owner in owners.items():
                if name not in cls.__dict__:
                    setattr(cls, name, renamed(getattr(cls, name), f"{owner or cls.__name__}.{name}"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs and not self.call_super_init:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if args and not self.call_super_init:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        own = attributes(self)
        if dict.__contains__(own, "_parameters"):  # called once more: what the registries showed goes
            for kind in REGISTRIES:
                own[kind] = {}
        shows = self._shows_entries()
        dict.update(own, training=True, _hooked=False, _non_persistent_buffers_set=set())
        dict.update(own, {kind: Registry(own) if shows else {} for kind in REGISTRIES})
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; to be defined by subclasses."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._hooked:
            from .hooks import call

            return call(self, args, kwargs)
        return self.forward(*args, **kwargs)

    # Registration

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Add a tensor that is no parameter but belongs to the module's state."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = as_hooks_want(self, "_buffer_registration_hooks", name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Any) -> None:
        """Add a parameter under a name."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To "
                f"express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = as_hooks_want(self, "_parameter_registration_hooks", name, param)

    def add_module(self, name: str, module: Any) -> None:
        """Add a submodule under a name."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = as_hooks_want(self, "_module_registration_hooks", name, module)

    def register_module(self, name: str, module: Any) -> None:
        """Another name of `add_module`."""
        self.add_module(name, module)

    def _check_name(self, kind: str, name: Any, entries: dict) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in entries:
            raise KeyError(f"attribute '{name}' already exists")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        parameters = dict.get(own, "_parameters")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, parameters)
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if parameters is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            if name in parameters:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            self._forget(name, self._modules)
            self._modules[name] = as_hooks_want(self, "_module_registration_hooks", name, value)
        elif parameters is None:
            object.__setattr__(self, name, value)
        elif name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            parameters[name] = None
        elif name in self._modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            self._modules[name] = None
        elif name in self._buffers and not isinstance(value, Buffer):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)"
                )
            self._buffers[name] = value
        elif name in REGISTRIES:
            own[name] = value
        elif isinstance(value, Buffer):
            self.register_buffer(name, value, *(() if value.persistent else (False,)))
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        """What Python does not find among the attributes: an entry that another has put into the three dicts; no special name,
        which libraries look for."""
        own = self.__dict__
        for registry in REGISTRIES if shown(name) else ():
            found = dict.get(own, registry)
            if found is not None and name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def _shows_entries(self) -> bool:
        """Whether entries are attributes as others are; a class's own `__getattr__` is asked for them, as PyTorch asks it."""
        return type(self).__getattr__ is Module.__getattr__

    def _forget(self, name: str, keep: dict) -> None:
        """Take a name out of the other registries before it is entered in `keep`."""
        if name not in keep:
            dict.pop(self.__dict__, name, None)
        for entries in (self._parameters, self._buffers, self._modules):
            if entries is not keep and name in entries:
                del entries[name]
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        for entries in (self._parameters, self._buffers, self._modules):
            if name in entries:
                del entries[name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __setstate__(self, state: dict) -> None:
        own = attributes(self)
        own.update(state)
        for kind in REGISTRIES:
            found = dict.get(own, kind)
            if type(found) is dict and self._shows_entries():  # as pickle kept it
                own[kind] = Registry(found)
        dict.__setitem__(own, "_hooked", any(dict.__contains__(own, name) for name in CALLED))

    def __dir__(self) -> list[str]:
        names = {*dir(type(self)), *held(self)} - {"_hooked"}
        return sorted(name for name in names if not name[:1].isdigit())

    # Finding parts

    def get_submodule(self, target: str) -> Module:
        """The submodule of a dotted name."""
        module: Any = self
        for item in target.split(".") if target != "" else ():
            if not hasattr(module, item):
                raise AttributeError(f"{module._get_name()} has no attribute `{item}`")
            module = module._modules.get(item)
            if not isinstance(module, Module):
                raise AttributeError(f"`{item}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module in the place of a dotted name."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        *path, name = target.split(".")
        parent = self.get_submodule(".".join(path))
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and name not in parent._modules:
            raise AttributeError(f"`{name}` is not an nn.Module")
        parent._modules[name] = module

    def get_parameter(self, target: str) -> Any:
        """The parameter of a dotted name."""
        return self._get_entry(target, "_parameters", "an nn.Parameter")

    def get_buffer(self, target: str) -> Any:
        """The buffer of a dotted name."""
        return self._get_entry(target, "_buffers", "a buffer")

    def _get_entry(self, target: str, registry: str, title: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if name not in module.__dict__[registry]:
            raise AttributeError(f"`{name}` is not {title}")
        return module.__dict__[registry][name]

    # Walking

    def named_modules(self, memo: set | None = None, prefix: str = "", remove_duplicate: bool = True) -> Iterator:
        """This module and all below it with their dotted names."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in list(self._modules.items()):
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator:
        """This module and all below it."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator:
        """The direct submodules with their names."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator:
        """The direct submodules."""
        for _, module in self.named_children():
            yield module

    def _named_members(self, registry: str, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator:
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, value in getattr(module, registry).items():
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield path + ("." if path else "") + name, value

    def named_parameters(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator:
        """The parameters of this module and those below it with their dotted names."""
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator:
        """The parameters of this module and those below it."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator:
        """The buffers of this module and those below it with their dotted names."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator:
        """The buffers of this module and those below it."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def apply(self, fn: Callable) -> Any:
        """Call `fn` on every submodule, then on this module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Any:
        """Set training mode here and below; `eval()` is ``train(False)``."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Any:
        """Set evaluation mode here and below."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Whether operations on the parameters are recorded."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or fill them with zeros."""
        for param in self.parameters():
            if param._grad is not None:
                if set_to_none:
                    param._grad = None
                else:
                    param._grad = param._grad.detach()
                    param._grad.zero_()

    # Converting

    def _apply(self, fn: Callable, recurse: bool = True) -> Any:
        """Replace the memory of every parameter, gradient and buffer by what `fn` makes of it."""
        from .convert import applied

        if recurse:
            for module in self.children():
                module._apply(fn)
        return applied(self, fn)

    def _replicate_for_data_parallel(self) -> Any:
        from .convert import replica

        return replica(self)

    def _cast(self, name: str) -> Any:
        return self._apply(lambda t: getattr(t, name)() if t.is_floating_point() else t)

    def float(self) -> Any:
        """Floating-point parameters and buffers as float32."""
        return self._cast("float")

    def double(self) -> Any:
        """Floating-point parameters and buffers as float64."""
        return self._cast("double")

    def half(self) -> Any:
        """Floating-point parameters and buffers as float16."""
        return self._cast("half")

    def bfloat16(self) -> Any:
        """Floating-point parameters and buffers as bfloat16."""
        return self._cast("bfloat16")

    def type(self, dst_type: Any) -> Any:
        """All parameters and buffers as a dtype."""
        return self._apply(lambda t: t.type(dst_type))

    def cpu(self) -> Any:
        """All parameters and buffers on the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Any = None) -> Any:
        """All parameters and buffers on a CUDA device."""
        return self._apply(lambda t: t.cuda(device))

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Parameters and buffers on a device, in a floating-point dtype, or as a tensor is."""
        from .convert import converter

        return self._apply(converter(args, kwargs))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Any:
        """Parameters and buffers on a device, their values lost."""
        from ..reach import T

        return self._apply(lambda t: T.empty_like(t, device=device), recurse)

    def share_memory(self) -> Any:
        """The module itself, its parameters and buffers in memory that processes share."""
        return self._apply(lambda t: t.share_memory_())

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Accepted; modules run as they are."""

    # Text

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What the text of the module says besides its submodules."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        if not self._modules and len(lines) == 1:
            return f"{self._get_name()}({lines[0]})"
        lines += [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        return f"{self._get_name()}(" + ("\n  " + "\n  ".join(lines) + "\n" if lines else "") + ")"


def indented(text: str) -> str:
    """A text with all lines but the first moved right by two."""
    first, *rest = text.split("\n")
    return "\n".join([first, *["  " + line if line.strip() else "" for line in rest]])


housed(Module, "torch.nn.modules.module")
allow(
    Module, "_parameters", "_buffers", "_modules", "_non_persistent_buffers_set", "_get_name", "_apply", "_forward_hooks",
    "_forward_pre_hooks", "_backward_hooks", "_version", "_load_from_state_dict", "_save_to_state_dict",
)  # fmt: skip

from . import state as _state  # noqa: E402, F401
from .hooks import (  # noqa: E402
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
)
