"""A cache of tensorsh's own bytecode in the user's folder, where Python may not keep it beside the sources.

With PYTHONDONTWRITEBYTECODE (or a read-only installation that was never compiled) every start would compile all that it
imports, which takes longer than the program it runs. Only modules of this package are concerned, and only a folder that
belongs to the user alone is trusted.
"""

from __future__ import annotations

import marshal
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def install(cache: Any) -> None:
    """Use `cache` for the modules that are imported from now on, if there is need and it can be trusted."""
    if cache is None or not sys.dont_write_bytecode or os.path.isdir(os.path.join(PACKAGE, "__pycache__")):
        return
    folder = os.path.join(str(cache), "bytecode")
    try:
        os.makedirs(str(cache), 0o700, exist_ok=True)  # makedirs gives the mode to the last folder only
        os.makedirs(folder, 0o700, exist_ok=True)
        found = os.lstat(folder)
    except OSError:
        return
    if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o077):
        return
    sys.meta_path.insert(0, Finder(folder))  # type: ignore[arg-type]


class Finder:
    """Finds the modules of this package as Python does, and gives them a loader with a memory."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if not name.startswith("tensorsh."):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = Loader(spec.loader.name, spec.loader.path, self.folder)
        return spec


class Loader(SourceFileLoader):
    """Loads a source file, compiled once."""

    def __init__(self, name: str, path: str, folder: str) -> None:
        super().__init__(name, path)
        self.folder = folder

    def get_code(self, fullname: str) -> CodeType:
        source = os.stat(self.path)
        stamp = f"{sys.version}\0{self.path}\0{source.st_mtime_ns}\0{source.st_size}\0".encode()
        kept = os.path.join(self.folder, f"{fullname}-{crc32(self.path.encode()):08x}.bin")
        try:
            with open(kept, "rb") as file:
                data = file.read()
            if data.startswith(stamp):
                return marshal.loads(memoryview(data)[len(stamp) :])
        except (OSError, ValueError, EOFError, TypeError):
            pass
        code = self.source_to_code(self.get_data(self.path), self.path)
        beside = f"{kept}.{os.getpid()}"
        try:
            with open(beside, "wb") as file:
                file.write(stamp + marshal.dumps(code))
            os.replace(beside, kept)
        except OSError:
            pass
        return code
