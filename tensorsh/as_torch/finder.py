"""The finder of ``torch`` and all below it, and of the version that libraries ask the package index's tools for."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution
from types import CodeType, ModuleType
from typing import Any

from ..language import plain_tracebacks
from ..sandbox import process
from .versions import NAME, VERSION
from .vision import FINDER as VISION


class Stated(Distribution):
    """What ``importlib.metadata.version("torch")`` reads: text in memory, no file and nothing installed."""

    def read_text(self, filename: str) -> str | None:
        return f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\n" if filename == "METADATA" else None

    def locate_file(self, path: Any) -> Any:
        from pathlib import Path

        return Path(__file__).parent / path


class Finder(MetaPathFinder, Loader):
    """Finds and makes the modules of ``torch``."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != NAME:
            return None
        from .modules import origin

        found = origin(fullname)
        if found is None:
            return None
        spec = ModuleSpec(fullname, self, origin=found[0], is_package=found[1])
        spec.has_location = True
        return spec

    def find_distributions(self, context: Any = None) -> Iterator[Distribution]:
        if context is None or context.name is None or context.name.lower() == NAME:
            yield Stated()

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        from .modules import StandIn

        return StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Python's pickle learns of tensors, nodes can be called; names are made when they are asked for."""
        if module.__name__ == NAME and process.plain:
            from ..engine.tape import calling
            from ..torch import pickling

            calling.install()
            pickling.install()
        if module.__name__ == "torch.utils.tensorboard":
            importlib.import_module("tensorsh.torch.utils.tensorboard")  # which needs what may not be installed

    def get_source(self, fullname: str) -> str | None:
        from .modules import origin

        found = origin(fullname)
        if found is None or not found[0].endswith(".py"):
            return None
        with open(found[0], encoding="utf-8") as file:
            return file.read()

    def get_code(self, fullname: str) -> CodeType | None:
        """What ``python -m torch.utils.collect_env`` runs: the file of tensorsh that has the module's name."""
        from .modules import file_of

        if file_of(fullname) is None:
            return None
        text = f"import runpy; runpy.run_module('tensorsh.{fullname}', run_name='__main__', alter_sys=True)"
        return compile(text, f"<{fullname}>", "exec")

    def is_package(self, fullname: str) -> bool:
        from .modules import origin

        found = origin(fullname)
        return found is not None and found[1]


FINDER = Finder()


def fill() -> None:
    """Imports ``torch``, so that packages that look for it in ``sys.modules`` find it."""
    importlib.import_module(NAME)


def install() -> None:
    """Puts the finder in its place; once it is there, nothing happens.

    Raises ImportError where PyTorch is imported already. Where no class of tensorsh's was made so far, they are made as
    PyTorch's are, for plain Python alone: programs cannot be run in a sandbox beside it (`Session` says so). Tracebacks that end a
    process are shown without the engine's frames.
    """
    if FINDER in sys.meta_path:
        return
    there = sys.modules.get(NAME)
    if there is not None:
        raise ImportError(
            f"PyTorch itself is imported in this process, from {getattr(there, '__file__', None)}: import "
            "tensorsh.as_torch before it, or start with `python -m tensorsh.as_torch`",
            name=NAME,
        )
    if "tensorsh.sandbox.sealed" not in sys.modules:
        process.plain = True
    sys.meta_path[:0] = [FINDER, VISION]
    importlib.invalidate_caches()
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = plain_tracebacks.show
