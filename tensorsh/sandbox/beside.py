"""Modules that a program brings along: files beside it (`mymod.tsr`, `mymod.py`, packages), run under the program's own gate.

A program holds such a module itself, so that `mymod.x` is as fast as in Python and follows what the module binds. Its dictionary
holds the gate (`__builtins__`), so no special name is read or set in it, and nothing that is no identifier: what code calls in
angle brackets (`<store>`) would be looked for there first. `from m import x` gets a table of the names asked for and not the
module, because CPython looks into the real `sys.modules` where a name is missing.
"""

from __future__ import annotations

import os
from types import ModuleType

from .classes import allow, open_to_own
from .files import Permissions
from .kinds import STAND_INS
from .names import is_special
from .namespace import Namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

ENDS = (".tsr", ".py")


class ScriptModule(ModuleType):
    """A module of a session's own."""

    __slots__ = ("_folder", "_path", "_title")

    def __init__(self, title: str, path: str, folder: str | None) -> None:
        super().__init__(title)
        put = object.__setattr__
        put(self, "_title", title)
        put(self, "_path", path)  # of the text; nothing for a folder without any
        put(self, "_folder", folder)  # of a package

    @property
    def __name__(self) -> str:  # type: ignore[override]
        return self._title

    def __setattr__(self, name: str, value: Any) -> None:
        _check(self, name)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        _check(self, name)
        super().__delattr__(name)

    def __repr__(self) -> str:
        return f"<module {self._title!r} from {self._path or self._folder!r}>"

    def __dir__(self) -> list[str]:
        return sorted(public(self))

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("cannot pickle 'module' object")


STAND_INS[ScriptModule] = STAND_INS[ModuleType]
open_to_own(ScriptModule)
allow(ScriptModule, "__file__", "__all__", "__author__", "__package__")


def _check(module: ScriptModule, name: str) -> None:
    if is_special(name) or not name.isidentifier():
        raise AttributeError(f"module {module._title!r} keeps its attribute {name!r} to itself")


def public(module: ScriptModule) -> list[str]:
    """The names that a module's text has bound."""
    return [name for name in vars(module) if type(name) is str and not is_special(name) and name.isidentifier()]


class Beside:
    """The modules that the programs of one session have imported from a folder.

    folder   where top-level modules lie; "" is the current folder, None nowhere
    execute  runs the text of a file in a module
    """

    def __init__(self, permissions: Permissions) -> None:
        self.permissions = permissions
        self.folder: str | None = None
        self.execute: Callable[[ScriptModule, str], None] | None = None
        self.loaded: dict[str, ScriptModule] = {}
        self.made: list[ScriptModule] = []  # those that failed as well: their functions may have got about
        self.running: set[str] = set()
        self.written: dict[str, int] = {}
        """When the files that ran were written."""

    def find(self, name: str) -> ScriptModule | None:
        """The module of a dotted name, run if need be; None where there is no file of that name."""
        found = self.loaded.get(name)
        if found is not None:
            return found
        above, _, last = name.rpartition(".")
        folder = self.loaded[above]._folder if above else self.folder
        if folder is None or self.execute is None or not last.isidentifier():
            return None
        place = self._place(folder, last)
        if place is None:
            return None
        module = self.loaded[name] = ScriptModule(name, *place)
        self.made.append(module)
        vars(module)["__package__"] = name if module._folder is not None else above
        vars(module)["__file__"] = module._path or None
        try:
            self._run(module)
        except BaseException:
            self.loaded.pop(name, None)
            raise
        module = self.loaded.get(name, module)
        if above:
            vars(self.loaded[above])[last] = module
        return module

    def _place(self, folder: str, last: str) -> tuple[str, str | None] | None:
        """The file of a module, and the folder that it is a package of."""
        base = os.path.join(folder, last)
        for end in ENDS:
            path = os.path.join(base, "__init__" + end)
            if os.path.isfile(path):
                return path, base
        for end in ENDS:
            if os.path.isfile(base + end):
                return base + end, None
        return ("", base) if os.path.isdir(base) else None

    def _run(self, module: ScriptModule) -> None:
        if not module._path:
            return
        if not Permissions([self.folder or os.curdir]).allows(module._path):  # a link that leads out
            self.permissions.check(module._path)
        self.running.add(module._title)
        self.written[module._title] = os.stat(module._path).st_mtime_ns
        try:
            self.execute(module, module._path)  # type: ignore[misc]
        finally:
            self.running.discard(module._title)

    def changed(self) -> list[ScriptModule]:
        """The modules whose files were written anew since they ran."""
        found = []
        for title, module in list(self.loaded.items()):
            try:
                written = os.stat(module._path).st_mtime_ns if module._path else 0
            except OSError:
                continue
            if written != self.written.get(title, 0):
                found.append(module)
        return found

    def reload(self, module: Any) -> ScriptModule:
        """Runs a module's text anew in the same variables."""
        if type(module) is not ScriptModule:
            raise TypeError("reload() argument must be a module")
        if self.loaded.get(module._title) is not module:
            raise ImportError(f"module {module._title} not in sys.modules", name=module._title)
        self._run(module)
        return module

    def names(self, module: ScriptModule, wanted: tuple[str, ...]) -> Namespace:
        """What `from module import ...` binds."""
        own = vars(module)
        if "*" in wanted:
            listed: Any = own.get("__all__")
            if type(listed) not in (list, tuple):
                listed = [name for name in public(module) if name[:1] != "_"]
            wanted = tuple(listed)
        table: dict[str, Any] = {}
        for name in wanted:
            if type(name) is not str or is_special(name) or not name.isidentifier():
                raise ImportError(f"cannot import name {name!r} from {module._title!r}", name=module._title)
            if name not in own and module._folder is not None:
                self.find(f"{module._title}.{name}")
            if name not in own:
                raise self._no_name(module, name)
            table[name] = own[name]
        return Namespace(module._title, table, public=list(table))

    def _no_name(self, module: ScriptModule, name: str) -> ImportError:
        text, path = f"cannot import name {name!r} from ", module._path or "unknown location"
        if module._title in self.running:
            text += f"partially initialized module {module._title!r} (most likely due to a circular import) ({path})"
        else:
            text += f"{module._title!r} ({path})"
        return ImportError(text, name=module._title, path=module._path or None)

    def absolute(self, name: str, level: int, variables: Any) -> str:
        """The full name of a relative import in a module with these variables."""
        package = variables.get("__package__") if type(variables) is dict else None
        if not package or package not in self.loaded:
            raise ImportError("attempted relative import with no known parent package")
        parts = package.split(".")
        if level > len(parts):
            raise ImportError("attempted relative import beyond top-level package")
        return ".".join([*parts[: len(parts) - level + 1], *([name] if name else [])])

    def holds(self, variables: Any) -> bool:
        """Whether these are the variables of one of the modules."""
        return any(vars(module) is variables for module in self.made)

    def let_go(self) -> None:
        """Frees what the modules hold, the newest first."""
        for module in reversed(self.made):
            for name in reversed(public(module)):
                vars(module).pop(name, None)
        self.loaded.clear()
        self.made.clear()
