"""`os` and `pathlib` as far as they go through the gate of files.

Working with the text of a path is free; whether something is there, and what is in it, asks the permissions first.
"""

from __future__ import annotations

import os as _os
import pathlib as _pathlib
from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..environment import Environment
    from ..files import Permissions


def _questions(permissions: Permissions) -> dict[str, Any]:
    """The functions of os and os.path that touch the disk."""
    from ..files import path_text

    check = permissions.check

    def makedirs(name: Any, mode: int = 0o777, exist_ok: bool = False) -> None:
        _os.makedirs(check(name, "write"), mode & 0o777, exist_ok)

    def movable(path: Any) -> str:
        """A file that goes elsewhere could be read there: it must be one that may be read, too."""
        path = path_text(path)  # a program's path may tell another name each time
        check(path)
        return check(path, "write")

    return {
        "exists": lambda path: _os.path.exists(check(path)),
        "isfile": lambda path: _os.path.isfile(check(path)),
        "isdir": lambda path: _os.path.isdir(check(path)),
        "getsize": lambda filename: _os.path.getsize(check(filename)),
        "listdir": lambda path=".": _os.listdir(check(path)),
        "makedirs": makedirs,
        "mkdir": lambda path, mode=0o777: _os.mkdir(check(path, "write"), mode & 0o777),
        "remove": lambda path: _os.remove(check(path, "write")),
        "rmdir": lambda path: _os.rmdir(check(path, "write")),
        "rename": lambda src, dst: _os.rename(movable(src), check(dst, "write")),
        "replace": lambda src, dst: _os.replace(movable(src), check(dst, "write")),
        "getcwd": lambda: check("."),
    }


def os(environment: Environment) -> dict[str, Any]:
    """Paths, and folders behind the gate. `environ` is a dictionary of the session's own, with the numbers of a rank in it."""
    from ...ranks.world import said
    from ..files import path_text
    from ..namespace import Namespace

    def pure(name: str) -> Any:
        function = getattr(_os.path, name)

        def call(*parts: Any) -> Any:
            return function(*[path_text(part) for part in parts])

        call.__name__ = call.__qualname__ = name
        return call

    asks = _questions(environment.permissions)
    asks["unlink"] = asks["remove"]
    path = {
        name: pure(name) for name in "basename commonprefix dirname isabs join normpath relpath split splitext".split()
    }
    path |= {name: asks.pop(name) for name in ("exists", "isfile", "isdir", "getsize")}
    path |= {"sep": _os.sep, "pardir": _os.pardir, "curdir": _os.curdir}
    own: dict[str, str] = said()
    return asks | {
        "path": Namespace("os.path", path),
        "environ": own,
        "getenv": lambda key, default=None: own.get(key, default),
        "cpu_count": _os.cpu_count,
        "sep": _os.sep,
        "linesep": _os.linesep,
        "name": _os.name,
        "fspath": path_text,
        "getpid": lambda: 1,
    }


def glob(environment: Environment) -> dict[str, Any]:
    """The folders that a pattern begins with must be readable."""

    def find(pathname: Any, *, recursive: bool = False) -> list[str]:
        import glob as real

        from ..files import path_text

        pattern = path_text(pathname)
        fixed = pattern
        while real.has_magic(fixed):
            fixed = _os.path.dirname(fixed)
        environment.permissions.check(fixed or ".")
        found = real.glob(pattern, recursive=recursive)
        return [path for path in found if environment.permissions.allows(path)]

    return {"glob": find, "iglob": lambda pathname, *, recursive=False: iter(find(pathname, recursive=recursive))}


def shutil(environment: Environment) -> dict[str, Any]:
    """Copying a file and removing a folder, behind the gate."""
    permissions = environment.permissions

    def copy(src: Any, dst: Any) -> str:
        target = permissions.check(dst, "write")
        if _os.path.isdir(target):
            target = _os.path.join(target, _os.path.basename(permissions.check(src)))
        permissions.write_bytes(target, permissions.read_bytes(src))
        return target

    def rmtree(path: Any, ignore_errors: bool = False) -> None:
        import shutil as real

        real.rmtree(permissions.check(path, "write"), bool(ignore_errors))

    return {"copy": copy, "copyfile": copy, "rmtree": rmtree}


def tempfile(environment: Environment) -> dict[str, Any]:
    """Folders for a while, where the folder for temporary files may be written."""
    from ..kinds import Final, make

    permissions = environment.permissions

    def mkdtemp(suffix: str = "", prefix: str = "tmp", dir: Any = None) -> str:
        import tempfile as real

        if any(type(part) is not str or _os.sep in part for part in (suffix, prefix)):
            raise ValueError("mkdtemp: suffix and prefix are parts of a name")
        return real.mkdtemp(suffix, prefix, permissions.check(gettempdir() if dir is None else dir, "write"))

    def gettempdir() -> str:
        """The system's folder if it may be written, else the first that may."""
        import tempfile as real

        usual, allowed = real.gettempdir(), permissions.write
        return (
            allowed[0] if isinstance(allowed, tuple) and allowed and not permissions.allows(usual, "write") else usual
        )

    class TemporaryDirectory(metaclass=Final):
        """A folder that is removed at the end of the context."""

        __slots__ = ("name",)

        def __enter__(self) -> str:
            return self.name

        def __exit__(self, *error: Any) -> None:
            self.cleanup()

        def cleanup(self) -> None:
            import shutil as real

            real.rmtree(permissions.check(self.name, "write"), ignore_errors=True)

    def temporary(suffix: str = "", prefix: str = "tmp", dir: Any = None) -> Any:
        return make(TemporaryDirectory, name=mkdtemp(suffix, prefix, dir))

    return {"TemporaryDirectory": temporary, "gettempdir": gettempdir, "mkdtemp": mkdtemp}


def pathlib(environment: Environment) -> dict[str, Any]:
    from ..files import path_text

    permissions = environment.permissions
    asks = _questions(permissions)

    class Path(_pathlib.PurePath(".").__class__):  # type: ignore[misc]
        """A path whose questions to the disk go through the session's permissions."""

        __slots__ = ()
        __module__ = "pathlib"

        def __repr__(self) -> str:
            return f"PosixPath({str(self)!r})" if _os.name == "posix" else f"WindowsPath({str(self)!r})"

        def exists(self) -> bool:
            return asks["exists"](self)

        def is_file(self) -> bool:
            return asks["isfile"](self)

        def is_dir(self) -> bool:
            return asks["isdir"](self)

        def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
            if exist_ok and asks["isdir"](self) if permissions.allows(self) else False:
                permissions.check(self, "write")
            elif parents:
                asks["makedirs"](self, mode, exist_ok)
            else:
                try:
                    asks["mkdir"](self, mode)
                except FileExistsError:
                    if not exist_ok or not _os.path.isdir(permissions.check(self, "write")):
                        raise

        def iterdir(self) -> Any:
            return (self / name for name in asks["listdir"](self))

        def glob(self, pattern: str) -> Any:
            import glob as real

            pattern = path_text(pattern)  # one of a program's class would lead elsewhere than it says
            if not pattern or _os.path.isabs(pattern):
                raise ValueError(f"Unacceptable pattern: {pattern!r}")
            root = permissions.check(self)
            found = real.glob(pattern, root_dir=root, recursive=True, include_hidden=True)
            return (self / name for name in found if permissions.allows(_os.path.join(root, name)))

        def rglob(self, pattern: str) -> Any:
            return self.glob(_os.path.join("**", path_text(pattern)))

        def open(
            self, mode: str = "r", buffering: int = -1, encoding: str | None = None, errors: str | None = None,
            newline: str | None = None,
        ) -> Any:  # fmt: skip
            return permissions.open(self, mode, buffering, encoding, errors, newline)

        def read_bytes(self) -> bytes:
            return permissions.read_bytes(self)

        def read_text(self, encoding: str | None = None, errors: str | None = None) -> str:
            with permissions.open(self, "r", -1, encoding, errors) as file:
                return file.read()  # type: ignore[return-value]

        def write_bytes(self, data: bytes) -> int:
            data = bytes(data)
            permissions.write_bytes(self, data)
            return len(data)

        def write_text(self, data: str, encoding: str | None = None, errors: str | None = None) -> int:
            with permissions.open(self, "w", -1, encoding, errors) as file:
                return file.write(data)  # type: ignore[arg-type]

        def unlink(self, missing_ok: bool = False) -> None:
            try:
                asks["remove"](self)
            except FileNotFoundError:
                if not missing_ok:
                    raise

        def rmdir(self) -> None:
            asks["rmdir"](self)

        def rename(self, target: Any) -> Any:
            asks["rename"](self, target)
            return type(self)(target)

        def replace(self, target: Any) -> Any:
            asks["replace"](self, target)
            return type(self)(target)

        def resolve(self, strict: bool = False) -> Any:
            return type(self)(permissions.check(self))

        def absolute(self) -> Any:
            return self if self.is_absolute() else type(self)(permissions.check("."), self)

        @classmethod
        def cwd(cls) -> Any:
            return cls(permissions.check("."))

    return {"Path": Path, "PurePath": Path}
