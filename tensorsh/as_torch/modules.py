"""The modules that stand for PyTorch's: real ones, which fill themselves when they are asked.

A module's names come from five places, in this order: the namespace that scripts see, the Python file that carries its
name in tensorsh/torch (for torch itself, `private.py`), the table of where PyTorch defines what (language/pytorch_modules.txt,
recorded), the modules below it, the table of what is refused when it is used (refused.py).
"""

from __future__ import annotations

import importlib
import os
import sys
from functools import cache, lru_cache
from types import FunctionType, ModuleType
from typing import Any

from ..engine.operators.public_form import PublicForm
from ..language.pytorch_names import MODULES
from ..language.pytorch_names import names as recorded
from ..sandbox import process
from ..sandbox.namespace import Namespace, names, submodule
from ..torch.nn import reach
from ..torch.root import switch_of, torch
from ..torch.torch_version import TorchVersion
from . import refused
from .elsewhere import places
from .versions import NAME, VERSION

HOME = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "torch")
_IMPORTS = "__file__ __path__ __spec__ __loader__ __package__ __cached__ __wrapped__ __getattr__ __builtins__".split()
"""What Python's import sets, and asks for before."""
ELSEWHERE = frozenset(("istft", "pca_lowrank", "svd_lowrank"))
"""What torch.functional has of other modules."""
_ABSENT: Any = object()


def layout() -> dict[str, frozenset[str]]:
    """The names that each module of PyTorch defines and a package above it has, too."""
    return recorded(MODULES)


@cache
def namespace(fullname: str) -> Namespace | None:
    """The namespace of scripts that has a module's name."""
    found: Namespace | None = torch
    for part in fullname.split(".")[1:]:
        found = submodule(found, part) if part in names(found) else None  # type: ignore[arg-type]
        if found is None:
            return None
    return found


@cache
def file_of(fullname: str) -> str | None:
    """The Python file of tensorsh/torch that has a module's name."""
    base = os.path.join(HOME, *fullname.split(".")[1:])
    for path in (os.path.join(base, "__init__.py"), base + ".py"):
        if os.path.isfile(path):
            return path
    return None


@cache
def origin(fullname: str) -> tuple[str, bool] | None:
    """A module's file and whether it is a package; None where there is no such module."""
    path = file_of(fullname)
    dotted = fullname.partition(".")[2]
    below = dotted + "."
    if (
        path is None
        and dotted not in known_modules()
        and dotted not in refused.modules()
        and namespace(fullname) is None
    ):
        if not any(known.startswith(below) for known in known_modules()):
            return None
    stub = os.path.join(HOME, dotted + ".pyi")
    shown = path or (stub if os.path.isfile(stub) else os.path.join(HOME, "root.py"))
    return shown, not dotted or os.path.basename(shown) == "__init__.py" or any(
        m.startswith(below) for m in (*known_modules(), *refused.modules())
    )


@lru_cache(maxsize=1)
def known_modules() -> frozenset[str]:
    from ..torch.root import SUBMODULES

    return frozenset({*SUBMODULES, *layout(), *(name.split(".", 1)[-1].rpartition(".")[0] for name in places())} - {""})


CALLED_BY_LAYERS = {"torch": reach.T, "torch.nn.functional": reach.F, "torch.linalg": reach.L}
"""The functions that layers call, by the module of which PyTorch's layers ask for them: who replaces one there is called."""
_deleted: set[tuple[str, str]] = set()
"""Settings that were deleted, by module and name."""


class StandIn(ModuleType):
    """A module of ``torch``. Its dictionary is complete whenever somebody looks at it (``vars``, ``mock.patch``)."""

    def __getattr__(self, name: str) -> Any:
        if (self.__name__, name) in _deleted:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        found = _find(self, name)
        home = getattr(found, "__module__", None)
        if home == NAME and name in layout().get("functional", ()) and name not in ELSEWHERE and process.plain:
            found.__module__ = NAME + ".functional"
        elif (
            isinstance(found, (FunctionType, PublicForm))
            and process.plain
            and found.__name__ == name
            and home != self.__name__
        ):
            if home == NAME and getattr(torch, name, None) is not found:
                found.__module__ = self.__name__  # by which it is pickled
        elif isinstance(home, str) and home.startswith(NAME + ".") and home not in sys.modules and origin(home):
            importlib.import_module(home)  # where `inspect` and `pickle` look for it
        own = ModuleType.__dict__["__dict__"].__get__(self)
        if switch_of_module(self, name) is None:
            found = own.setdefault(name, found)
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        space = None if isinstance(value, ModuleType) else switch_of_module(self, name)
        if isinstance(value, StandIn) and value.__name__ == f"{self.__name__}.{name}" and _is_more(self, name):
            return  # Python's import sets the module, where PyTorch has the function of that name: `autograd.gradcheck`
        if space is not None:
            setattr(space, name, value)
            _deleted.discard((self.__name__, name))
        else:
            super().__setattr__(name, value)
            if self.__name__ in CALLED_BY_LAYERS and process.plain and callable(value):
                CALLED_BY_LAYERS[self.__name__].replace(name, value)

    def __delattr__(self, name: str) -> None:
        """A setting is gone until it is set again: `mock.patch` takes it away before it puts back what was there."""
        if switch_of_module(self, name) is None:
            super().__delattr__(name)
            if self.__name__ in CALLED_BY_LAYERS:
                CALLED_BY_LAYERS[self.__name__].replace(name)
        else:
            _deleted.add((self.__name__, name))

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        own = ModuleType.__dict__["__dict__"].__get__(self)
        if "<full>" not in own:
            own["<full>"] = None
            for name in listed(self):
                if name not in own and switch_of_module(self, name) is None:
                    try:
                        getattr(self, name)
                    except (AttributeError, ImportError):
                        continue
            del own["<full>"]
        return own

    def __dir__(self) -> list[str]:
        own = ModuleType.__dict__["__dict__"].__get__(self)
        return sorted({*own, *listed(self)})


def switch_of_module(module: StandIn, name: str) -> Any:
    """The namespace in which a name is a setting that programs can change; None for any other name."""
    space = namespace(module.__name__)
    return space if space is not None and hasattr(type(space), "__getattr__") and switch_of(space, name) else None  # type: ignore[arg-type]


def _is_more(module: StandIn, name: str) -> bool:
    """Whether a module has something else under the name of one below it."""
    space = namespace(module.__name__)
    return space is not None and name in names(space) and not isinstance(getattr(space, name), Namespace)


def exported(module: StandIn) -> dict[str, Any]:
    """The names of the Python file behind a module, those with an underscore as well."""
    if module.__name__ == NAME:
        return vars(importlib.import_module("tensorsh.torch.private"))
    if file_of(module.__name__) is None:
        return {}
    found = importlib.import_module("tensorsh." + module.__name__)
    return {} if isinstance(found, Namespace) else vars(found)


def listed(module: StandIn) -> list[str]:
    """The names of a module that ``dir`` shows."""
    space = namespace(module.__name__)
    found = [] if space is None else list(names(space))
    file = {} if module.__name__ == NAME else exported(module)
    public = file.get("__all__")
    found += public if public is not None else [n for n, v in file.items() if n[:1] != "_" and _is_at_home(v, module)]
    dotted = module.__name__.partition(".")[2]
    found += layout().get(dotted, ())
    start = dotted + "." if dotted else ""
    found += [m[len(start) :] for m in known_modules() if m.startswith(start) and "." not in m[len(start) :]]
    return [name for name in dict.fromkeys(found) if name]


def _is_at_home(value: Any, module: StandIn) -> bool:
    return getattr(value, "__module__", None) in (module.__name__, "tensorsh." + module.__name__)


def _find(module: StandIn, name: str) -> Any:
    """The value of a name that stands not yet in a module's dictionary."""
    fullname = module.__name__
    if name == "__version__" and fullname in (NAME, NAME + ".version"):
        return TorchVersion(VERSION)
    if name == "__all__":
        return [each for each in listed(module) if not each.startswith("_")]
    if fullname == NAME and name == NAME:
        return module
    if name in _IMPORTS:
        raise AttributeError(f"module {fullname!r} has no attribute {name!r}", name=name, obj=module)
    space = namespace(fullname)
    if space is not None and (name in names(space) or switch_of_module(module, name)):
        value = getattr(space, name)
        return importlib.import_module(value.__name__) if isinstance(value, Namespace) else value
    if f"{fullname}.{name}" in places():
        home, own = places()[f"{fullname}.{name}"]
        return getattr(importlib.import_module("tensorsh.torch." + home), own)
    file = exported(module)
    value = file.get(name, _ABSENT)
    if value is _ABSENT and name[:2] != "__" and "__getattr__" in file:
        value = getattr(sys.modules["tensorsh." + fullname], name, _ABSENT)
    if value is not _ABSENT and not isinstance(value, ModuleType | Namespace) and name[:2] != "__":
        return value
    if name in layout().get(fullname.partition(".")[2], ()):
        value = _above(fullname, name)
        if value is not _ABSENT:
            return value
    if name.isidentifier() and origin(f"{fullname}.{name}") is not None:
        return importlib.import_module(f"{fullname}.{name}")
    value = refused.value(fullname.partition(".")[2], name)
    if value is not None:
        return _of_package(fullname, name, value)
    if fullname.startswith(NAME + ".distributions.") and name[:1] != "_":
        value = _above(fullname, name)  # what each of these files of PyTorch has from the package
        if value is not _ABSENT:
            return value
    if space is not None and name[:2] != "__":
        return getattr(space, name)  # which says what is near
    raise AttributeError(f"module {fullname!r} has no attribute {name!r}", name=name, obj=module)


def _of_package(fullname: str, name: str, value: Any) -> Any:
    """What the package of a module has under a name that the module is asked for, where that is more than a refusal: PyTorch's
    packages have names from their modules. Those that are large, as torch.distributed, have others of the same name."""
    package = fullname.rpartition(".")[0]
    found = getattr(importlib.import_module(package), name, value) if package.count(".") > 1 else value
    other = isinstance(found, ModuleType | Namespace) or found is refused.value(package.partition(".")[2], name)
    return value if other else found


def _above(fullname: str, name: str) -> Any:
    """A name that PyTorch defines here, from where tensorsh has it: one of the namespaces above."""
    while "." in fullname:
        fullname = fullname.rpartition(".")[0]
        space = namespace(fullname)
        if space is not None and name in names(space):
            value = getattr(space, name)
            if not isinstance(value, Namespace):
                return value
    return _ABSENT
