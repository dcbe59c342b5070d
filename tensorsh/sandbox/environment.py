"""The environment of one session's programs: its builtins and its modules.

Two environments share nothing that a script can change: random generators, module tables, standard streams and the
gate to the files are made anew for each.
"""

from __future__ import annotations

from functools import partial

from . import process
from .beside import Beside
from .files import KEY, Permissions
from .imports import make_import
from .modules.standard import MODULES
from .namespace import Namespace
from .packages import Packages
from .restored import watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TextIO


class Environment:
    """builtins, import_module, and `module(name)` for the names a session knows without an import (np, math)."""

    __slots__ = (
        "argv", "beside", "builtins", "import_module", "modules", "packages", "permissions", "seed", "stderr", "stdin",
        "stdout",
    )  # fmt: skip

    def __init__(
        self, stdout: TextIO | None, stderr: TextIO | None, stdin: TextIO | None, permissions: Permissions,
        seed: int | None, argv: tuple[str, ...], modules: Mapping[str, Namespace | Callable[[], Namespace]],
        prepare: Callable[[], Any] | None = None,
    ) -> None:  # fmt: skip
        from .builtins import make_builtins

        if process.plain:
            raise RuntimeError(
                "tensorsh stands for PyTorch in this process, and programs cannot be kept from changing its classes: open "
                "sessions in another process, or import tensorsh.sandbox.sealed before tensorsh.as_torch"
            )
        self.stdout, self.stderr, self.stdin = stdout, stderr, stdin
        self.permissions, self.seed, self.argv = permissions, seed, [*argv]
        self.modules: dict[str, Namespace | Callable[[], Namespace]] = dict(modules)
        self.modules["numpy"] = lambda: self._make("numpy", _numpy)
        for name, make in MODULES.items():
            self.modules.setdefault(name, partial(self._make, name, make))
        self.beside = Beside(permissions)
        self.packages = permissions.packages = Packages(permissions, prepare)
        self.import_module = make_import(self.modules, self.beside, self.packages)
        self.builtins = make_builtins(self.import_module, permissions, stdout, stdin)
        self.builtins |= {KEY: permissions, "argv": self.argv}

    def _make(self, name: str, make: Callable[[Environment], dict[str, Any]]) -> Namespace:
        from .builtins import call_in_full

        table = make(self)
        call_in_full()
        result = self.modules[name] = Namespace(name, table)
        watch(name, table)
        return result

    def call_with(self, argv: list[str]) -> list[str]:
        """Gives programs another name and other arguments; answers those that they had."""
        before, self.argv = self.argv, argv
        self.builtins["argv"] = argv
        if type(made := self.modules["sys"]) is Namespace:
            vars(made)["argv"] = argv
        return before

    def module(self, name: str) -> Any:
        """The namespace that `import name` binds."""
        return self.import_module(name)

    def names_in(self, path: str) -> list[str]:
        """The names that `from path import ...` finds; of an empty path, the modules that there are."""
        if not path:
            return list(self.modules)
        try:
            return [name for name in dir(self.import_module(path, fromlist=("*",))) if name[:1] != "_"]
        except ImportError:
            return []

    def __iter__(self) -> Iterator[Any]:
        return iter((self.builtins, self.import_module))


def _numpy(environment: Environment) -> dict[str, Any]:
    from .modules.numpy_table import numpy_table

    return numpy_table(environment)


def make_environment(
    stdout: TextIO | None = None, permissions: Permissions | None = None, seed: int | None = None, *,
    stderr: TextIO | None = None, stdin: TextIO | None = None, argv: tuple[str, ...] = ("",),
    modules: Mapping[str, Namespace | Callable[[], Namespace]] | None = None, prepare: Callable[[], Any] | None = None,
) -> Environment:  # fmt: skip
    """A fresh environment; `builtins, import_module = make_environment(...)` works too.

    stdout, stderr  the session's streams; None is whatever `sys.stdout` and `sys.stderr` are at the time
    stdin           what `input()` reads; None refuses
    permissions     which files may be read and written; none by default
    seed            of `random` and `np.random`; None draws one
    modules         further modules by name, above all torch: namespaces or functions that make them
    prepare         called before the first import of an installed package
    """
    return Environment(stdout, stderr, stdin, permissions or Permissions(), seed, argv, modules or {}, prepare)
