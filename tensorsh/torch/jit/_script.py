"""What ``torch.jit.script`` and ``trace`` make: modules and functions of TorchScript's kinds that run as Python runs them.

A scripted module shares parameters and buffers with the one it was made of, and has everything else for itself: `training`,
attributes, the modules below it.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NoReturn

from ...engine.arrays.warning import warn
from ...engine.operators.torch_function import TorchFunctionMode
from ...engine.tape.grad_modes import no_grad
from ...engine.tensors.tensor import Tensor
from ...sandbox.named import read_named
from ...sandbox.sealed import Sealed
from ...sandbox.wrapping import signature
from ..nn.modules.module import Module
from ..nn.modules.registry import REGISTRIES, attributes
from ..nn.parameter import Uninitialized
from ._state import _enabled

__all__: list[str] = []


def refuse(name: str, instead: str) -> NoReturn:
    """RuntimeError: what of TorchScript is PyTorch's alone, and what to do in its place."""
    raise RuntimeError(f"torch.jit.{name} {instead}")


class ScriptModule(Module):
    """A module of TorchScript. A class of one's own is derived from it, and its modules are scripted when they are assigned."""

    original_name = property(lambda self: type(self).__name__, doc="The name of the class it was made of.")

    def __setattr__(self, name: str, value: Any) -> None:
        Module.__setattr__(self, name, script_module(value) if isinstance(value, Module) else value)

    @property
    def graph(self) -> Any:
        """RuntimeError: graphs of TorchScript are PyTorch's alone."""
        refuse("ScriptModule.graph", "is a graph of TorchScript, which tensorsh has not: see torch.fx.symbolic_trace")

    inlined_graph = code = code_with_constants = graph

    def save(self, f: Any, **kwargs: Any) -> None:
        """RuntimeError: TorchScript files are PyTorch's alone."""
        refuse("save", "writes TorchScript, which tensorsh has not: save the state dict with torch.save")

    save_to_buffer = save

    def __reduce_ex__(self, protocol: Any) -> Any:
        if protocol == 4:  # `copy` asks so; pickles of this protocol ask for the state
            return super().__reduce_ex__(protocol)
        self.__getstate__()

    def __getstate__(self) -> Any:
        raise RuntimeError(
            f"Tried to serialize object __torch__.{self.original_name} which does not have a __getstate__ method defined!"
        )


TRACING = [0]
"""How many traces are under way."""
SCRIPTING = [False]
"""Whether what runs was scripted, which a program asks for by `is_scripting`."""


def as_script(call: Any, *args: Any, **kwargs: Any) -> Any:
    """A call of what was scripted."""
    was, SCRIPTING[0] = SCRIPTING[0], True
    try:
        return call(*args, **kwargs)
    finally:
        SCRIPTING[0] = was


class RecursiveScriptModule(ScriptModule):
    """What `script` makes of a module; those below it are scripted, too."""

    __repr__ = Module.__repr__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return as_script(super().__call__, *args, **kwargs)

    def extra_repr(self) -> str:
        return f"original_name={self.original_name}"

    def __copy__(self) -> Any:
        return copied(self, type(self), {name: dict(getattr(self, name)) for name in REGISTRIES})

    def __deepcopy__(self, memo: dict) -> Any:
        from copy import deepcopy

        made = memo[id(self)] = object.__new__(type(self))
        Module.__setstate__(made, deepcopy(self.__dict__, memo))
        return made


class TracedModule(RecursiveScriptModule):
    """What `trace` makes of a module below the one that is traced."""

    __call__ = Module.__call__

    def _get_name(self) -> str:
        return self.original_name


class TopLevelTracedModule(TracedModule):
    """What `trace` makes of a module."""


for _kind in (ScriptModule, RecursiveScriptModule):
    _kind.__module__ = "torch.jit._script"
for _kind in (TracedModule, TopLevelTracedModule):
    _kind.__module__ = "torch.jit._trace"


FLOATS = (float, "float", float | None, "Optional[float]")
"""Annotations of parameters for which a script is given a float where the call has a whole number."""


class ScriptFunction(metaclass=Sealed):
    """What `script` and `trace` make of a function: it is called as the function is."""

    __module__, __qualname__ = "torch.jit", "torch.jit.ScriptFunction"

    def __init__(self, function: Any) -> None:
        self.__wrapped__ = function
        self._scripted = True
        self.__name__, self.__qualname__ = "ScriptFunction", "torch.jit.ScriptFunction"
        self.__doc__ = getattr(function, "__doc__", None)
        self.name = getattr(function, "__name__", type(function).__name__)
        self.qualified_name = f"__torch__.{self.name}"
        kinds = getattr(function, "__annotations__", {}).values()
        self._signature = signature(function) if any(kind in FLOATS for kind in kinds) else None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._signature is None:
            return self._run(*args, **kwargs)
        given = self._signature.bind(*args, **kwargs)
        given.apply_defaults()
        for name, value in given.arguments.items():
            if self._signature.parameters[name].annotation in FLOATS and isinstance(value, (int, Tensor)):
                given.arguments[name] = float(value)
        return self._run(*given.args, **given.kwargs)

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        called = self.__wrapped__
        return as_script(called, *args, **kwargs) if self._scripted else called(*args, **kwargs)

    graph = inlined_graph = code = ScriptModule.graph
    save = ScriptModule.save


def copied(module: Module, kind: type, registries: dict[str, dict]) -> Any:
    """A module of a class with another's attributes and tables of its own; the tensors are those of the other."""
    own = attributes(module)._plain()
    tables = {name: value.copy() for name, value in own.items() if isinstance(value, (OrderedDict, set))}
    made = object.__new__(kind)
    Module.__setstate__(made, own | tables | registries)
    return made


def script_module(
    module: Module, kind: type = RecursiveScriptModule, below: type = RecursiveScriptModule,
    memo: dict[int, Any] | None = None,
) -> Any:  # fmt: skip
    """A module as one of TorchScript's: of its own class and of `kind`, with those below it. RuntimeError for lazy ones."""
    memo = {} if memo is None else memo
    if isinstance(module, ScriptModule):
        return module
    if id(module) in memo:
        return memo[id(module)]
    named = (*module._parameters.items(), *module._buffers.items())
    lazy = [name for name, value in named if isinstance(value, Uninitialized)]
    if lazy:
        title = f"{type(module).__module__}.{type(module).__name__}"
        raise RuntimeError(f"'{title}' has uninitialized parameters {lazy[0]}. Did you forget to run a forward pass?")
    own = type(module)
    made = type(kind.__name__, (kind, own), {"__module__": kind.__module__, "original_name": own.__name__})
    found = memo[id(module)] = copied(module, made, {name: {} for name in REGISTRIES})
    found._parameters.update(module._parameters)
    found._buffers.update(module._buffers)
    for name, each in module._modules.items():
        found._modules[name] = None if each is None else script_module(each, below, below, memo)
    return found


def script(obj: Any, *args: Any, **kwargs: Any) -> Any:
    """A module as a `ScriptModule`, a function as a `ScriptFunction`, both run by Python; a class is left as it is."""
    if not _enabled or isinstance(obj, (type, ScriptFunction)):
        return obj
    if isinstance(obj, Module):
        return script_module(obj)
    if isinstance(obj, (bool, int, float, complex, str, bytes, tuple, Tensor)) or obj is None:
        raise TypeError(f"{type(obj)} is a built-in class")
    return ScriptFunction(obj) if callable(obj) else obj


LATER = (
    " might cause the trace to be incorrect. We can't record the data flow of Python values, so this value will be treated as a "
    "constant in the future. This means that the trace might not generalize to other inputs!"
)
TOLD = {
    **{
        name: f"Converting a tensor to a {kind}{LATER}"
        for name, kind in {
            "__bool__": "Python boolean", "__int__": "Python integer", "__index__": "Python index", "__float__": "Python float",
            "item": "Python number", "tolist": "Python list", "numpy": "NumPy array", "__array__": "NumPy array",
        }.items()
    },
    "__len__": "Using len to get tensor shape might cause the trace to be incorrect. Recommended usage would be tensor.shape[0]. "
    "Passing a tensor of different shape might lead to errors or silently give incorrect results.",
    "__iter__": "Iterating over a tensor might cause the trace to be incorrect. Passing a tensor of different shape won't change the "
    "number of iterations executed (and might lead to errors or silently give incorrect results).",
}  # fmt: skip
"""What is said while a program is traced of what a trace could not know later."""


class Tracing(TorchFunctionMode):
    """Warns of what a trace could not know later."""

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        if func.__name__ in TOLD:
            warn(TOLD[func.__name__], TracerWarning)
        return func(*args, **(kwargs or {}))


class TracerWarning(Warning):
    """A warning of what a trace could not know later."""

    __module__ = "torch.jit._trace"

    @staticmethod
    def ignore_lib_warnings() -> None:
        """Leave such warnings out that come of torch itself: there are none."""


def traced(call: Any, checked: bool, *args: Any, **kwargs: Any) -> None:
    """A call of what is traced, and the two that PyTorch compares it with: traced again, and plainly."""
    TRACING[0] += 1
    try:
        with Tracing():
            call(*args, **kwargs)
            if checked:
                with no_grad():
                    call(*args, **kwargs)
    finally:
        TRACING[0] -= 1
    if checked:
        with no_grad():
            call(*args, **kwargs)


def checks(args: tuple, kwargs: dict) -> bool:
    """Whether a trace is compared with other calls, unless ``check_trace=False`` says otherwise."""
    return args[1] if len(args) > 1 else kwargs.get("check_trace", True)


def trace(func: Any, example_inputs: Any = None, *args: Any, example_kwarg_inputs: Any = None, **kwargs: Any) -> Any:
    """A module or a function as `script` gives it, called with the examples, so that what it raises is raised."""
    if not _enabled:
        return func
    if example_inputs is None and not isinstance(example_kwarg_inputs, dict):
        raise RuntimeError("example_kwarg_inputs should be a dict")
    given = (example_inputs,) if isinstance(example_inputs, (Tensor, dict)) else example_inputs or ()
    traced(func, checks(args, kwargs), *given, **(example_kwarg_inputs or {}))
    if isinstance(func, Module):
        return script_module(func, TopLevelTracedModule, TracedModule)
    made = script(func)
    if isinstance(made, ScriptFunction):
        made._scripted = False
    return made


def trace_module(mod: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """A module as `trace` gives it; `inputs` has the examples of each method."""
    for name, given in inputs.items():
        traced(read_named(mod, name), checks(args, kwargs), *((given,) if isinstance(given, (Tensor, dict)) else given))
    return script_module(mod, TopLevelTracedModule, TracedModule)


def freeze(mod: Any, *args: Any, **kwargs: Any) -> Any:
    """The module itself. RuntimeError for one that is not scripted, or is being trained."""
    if not isinstance(mod, ScriptModule):
        raise RuntimeError(
            "Freezing expects a ScriptModule as input. Please use torch.jit.script or torch.jit.trace to script your "
            "'nn.Module'."
        )
    if mod.training:
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() on your module before "
            "freezing."
        )
    return mod
