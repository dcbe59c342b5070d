"""The import statement of a script: a fixed table of namespaces, and the modules that the script brings along (beside.py).

The function made here stands in the builtins under `__import__`, so that an import is refused when it is executed,
not when it is read. CPython's `from m import name` looks into the real `sys.modules`
when a name is missing, so each name is checked here before the bytecode goes on.
"""

from __future__ import annotations

from .beside import Beside, ScriptModule
from .namespace import Namespace, names, submodule
from .packages import PackageModule, Packages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

_real_import = __import__


def make_import(
    modules: Mapping[str, Namespace | Callable[[], Namespace]], beside: Beside, packages: Packages
) -> Callable[..., Any]:
    """A function with `__import__`'s signature that knows the modules of one session."""
    loaded: dict[str, Namespace] = {}

    def load(name: str) -> Namespace | ScriptModule:
        module: Namespace | ScriptModule | None = loaded.get(name)
        if module is None:
            entry = None if name == "torchvision" and packages.allows(name) else modules.get(name)
            if entry is None:
                module = beside.find(name) or packages.find(name)
                if module is None:
                    raise unknown(name)
                return module
            module = loaded[name] = entry if isinstance(entry, Namespace) else entry()
        return module

    def import_module(
        name: str, globals: object = None, locals: object = None, fromlist: Sequence[str] | None = None, level: int = 0
    ) -> Any:
        if type(fromlist) is list:
            # Only C code asks with a list (PyImport_Import: numpy's `mean`, `strptime`), and only for the effect: it
            # takes the module from `sys.modules` itself. A script that got here would gain nothing.
            _real_import(name, None, None, fromlist, 0)
            return None
        if type(name) is not str or type(level) is not int:
            raise TypeError("a module's name must be a string")
        if level:
            name = beside.absolute(name, level, globals)
        top, *rest = name.split(".")
        module = parent = beside.loaded[top] if level else load(top)
        for part in rest:
            child = _below(beside, packages, module, part)
            if child is None:
                raise no_submodule(name, module, part)
            module = child
        if not fromlist:
            return parent
        if type(module) is ScriptModule:
            return beside.names(module, tuple(fromlist))
        if type(module) is PackageModule:
            return packages.names(module, tuple(fromlist))
        for wanted in fromlist:
            if wanted != "*" and not _offers(module, wanted):
                error = ImportError(
                    f"cannot import name {wanted!r} from {module.__name__!r} (unknown location)", name=module.__name__
                )
                error.__notes__ = hints(module, wanted)
                raise error
        return module

    return import_module


def _below(
    beside: Beside, packages: Packages, module: Namespace | ScriptModule, part: str
) -> Namespace | ScriptModule | None:
    """The module `part` within another."""
    if type(module) is ScriptModule:
        return beside.find(f"{module._title}.{part}")
    if type(module) is PackageModule:
        return packages.find(f"{module.__name__}.{part}")
    return submodule(module, part)


def _offers(module: Any, name: str) -> bool:
    """Whether `from module import name` finds a name of the table (not one of the class's own, like `__class__`)."""
    return name in names(module) if name[:1] == "_" else hasattr(module, name)


def unknown(name: str) -> ModuleNotFoundError:
    """The error of a module that there is not, in Python's words. The same for every name: a program learns nothing of what is
    installed."""
    return ModuleNotFoundError(f"No module named {name!r}", name=name)


def hints(module: Any, name: str) -> list[str]:
    """The remark that the error of `module.name` adds to its message."""
    try:
        getattr(module, name)
    except AttributeError as error:
        return list(getattr(error, "__notes__", ()))
    return []


def no_submodule(name: str, module: Any, part: str) -> ModuleNotFoundError:
    """The error of `import math.x` or `import torch.x.y`."""
    error = ModuleNotFoundError(f"No module named {name!r}", name=name)
    said = hints(module, part) if isinstance(module, Namespace) else []
    if said:
        error.__notes__ = said
        return error
    own = type(module) is ScriptModule
    package = (
        module._folder is not None if own else any(isinstance(value, Namespace) for value in vars(module).values())
    )
    package = package or module.__name__.partition(".")[0] == "torch"  # folders in PyTorch, most of them
    reason = "" if package else f"; {module.__name__!r} is not a package"
    return ModuleNotFoundError(f"No module named {name!r}{reason}", name=name)
