"""The one gate between a script and the file system.

    Permissions(read=["data"], write=["out"])      what `--allow-read=data --allow-write=out` says

Links and `..` are resolved first and paths are compared component by component. A refusal names the flag that would
allow it and does not tell whether the file exists. Files are read whole, and written beside their place and then
renamed, so that a script never holds a real file object (whose type could open any other file) and nothing
half-written is left.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from contextvars import copy_context
from weakref import WeakSet

from . import process
from .copying import uncopied
from .kinds import Immutable
from .methods import keep_methods
from .sealed import by_program, current, program_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, BinaryIO, Literal, NoReturn

_OPEN = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


KEY = "<permissions>"
"""Where they stand among the builtins of the session's programs."""


def acting() -> Permissions | None:
    """The permissions that code has here: those of the innermost program that led to it, wherever that is called from.

    A generator of one program may be freed, and so go on to its `finally`, while another runs, or none.
    """
    frame = program_frame(sys._getframe(1), KEY)
    return current.get() or process.outside if frame is None else frame.f_builtins[KEY]


class Permissions:
    """The folders and files that may be read and written, True is everything, () nothing; and the installed packages that may be
    imported. A package runs with all the rights of Python, whatever the program that imports it is allowed."""

    __slots__ = ("__weakref__", "imports", "packages", "read", "write")

    def __setattr__(self, name: str, value: Any) -> None:
        if by_program(sys._getframe(1)):
            raise AttributeError(f"attribute '{name}' of permissions is not writable")
        object.__setattr__(self, name, value)

    def __init__(
        self, read: Iterable[str] | bool = (), write: Iterable[str] | bool = (), imports: Iterable[str] = ()
    ) -> None:
        self.read = _resolve_all(read)
        self.write = _resolve_all(write)
        self.imports = package_names(imports)
        self.packages: Any = None  # as the session's programs hold them

    def check(self, path: Any, kind: Literal["read", "write"] = "read") -> str:
        """The resolved path, or PermissionError."""
        text = path_text(path)
        resolved = os.path.realpath(text)
        allowed = getattr(self, kind)
        if allowed is True or any(is_within(resolved, folder) for folder in allowed):
            return resolved
        verb = "reading" if kind == "read" else "writing"
        raise PermissionError(f"{verb} {text!r} needs --allow-{kind}={text}")

    def allows(self, path: Any, kind: Literal["read", "write"] = "read") -> bool:
        try:
            self.check(path, kind)
        except PermissionError:
            return False
        return True

    def open_for_read(self, path: Any) -> BinaryIO:
        """A real file object, for library code only: it must not reach a script."""
        return opened(self.check(path, "read"), path, os.O_RDONLY, "rb")

    def open_for_both(self, path: Any) -> BinaryIO:
        """As `open_for_read`, of a file that is read and written in place, made where there is none."""
        self.check(path, "write")
        return opened(self.check(path, "read"), path, os.O_RDWR | os.O_CREAT, "r+b")

    def open_for_write(self, path: Any) -> Replacement:
        """`with permissions.open_for_write(path) as file: file.write(data)`; for library code only."""
        resolved = self.check(path, "write")
        if os.path.isdir(resolved):
            raise IsADirectoryError(21, "Is a directory", path_text(path))
        return Replacement(resolved, path_text(path))

    def read_bytes(self, path: Any) -> bytes:
        with self.open_for_read(path) as file:
            return file.read()

    def write_bytes(self, path: Any, data: bytes) -> None:
        with self.open_for_write(path) as file:
            file.write(data)

    def open(
        self, file: Any, mode: str = "r", buffering: int = -1, encoding: str | None = None, errors: str | None = None,
        newline: str | None = None,
    ) -> TextFile | BinaryFile:  # fmt: skip
        """The builtin `open` of a script."""
        return self.open_packed(bytes, bytes, file, mode, encoding, errors, newline)

    def open_packed(
        self, unpack: Callable[[bytes], bytes], pack: Callable[[bytes], bytes], file: Any, mode: str,
        encoding: str | None, errors: str | None, newline: str | None,
    ) -> TextFile | BinaryFile:  # fmt: skip
        """A file whose contents library code makes of its bytes, and these of its contents: when it is closed, which may be later
        than the program ends."""
        kind = _mode(mode)
        path = path_text(file)
        if kind["binary"] and (encoding, errors, newline) != (None, None, None):
            raise ValueError("binary mode doesn't take an encoding, errors or newline argument")
        data = kept = b""
        if kind["writes"]:
            resolved = self.check(path, "write")
            if os.path.isdir(resolved):
                raise IsADirectoryError(21, "Is a directory", path)
            if "x" in mode and os.path.lexists(resolved):
                raise FileExistsError(17, "File exists", path)
            if not os.path.isdir(os.path.dirname(resolved)):
                raise FileNotFoundError(2, "No such file or directory", path)
            if "+" in mode and "w" not in mode:
                self.check(path, "read")
            if "r" in mode or ("a" in mode and os.path.exists(resolved)):
                data = Permissions(read=True).read_bytes(resolved)
            if mode.strip("bt") == "a":
                data, kept = b"", data  # written again, but neither read nor shown to a script that may only write
            elif data:
                data = unpack(data)
        else:
            data = unpack(self.read_bytes(path))
        target = Replacement(self.check(path, "write"), path) if kind["writes"] else None
        result: Any
        if kind["binary"]:
            result = BinaryFile(data)
        else:
            text = io.TextIOWrapper(io.BytesIO(data), encoding or "utf-8", errors, newline).read()
            result = TextFile(text, newline="\n" if newline is None else newline)
            result._coding = (encoding or "utf-8", errors or "strict")
        if "a" in mode:
            result.seek(0, 2)
        result._set(path, mode, target, kept, pack)
        return result


def opened(resolved: str, given: Any, flags: int, mode: Literal["rb", "r+b"]) -> BinaryIO:
    """The regular file at a path that was checked; OSError names the path as it was given."""
    try:
        descriptor = os.open(resolved, flags | _OPEN | getattr(os, "O_NONBLOCK", 0), 0o666)
    except OSError as error:
        raise _as_given(error, given) from None
    kind = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(kind):
        os.close(descriptor)
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(21, "Is a directory", path_text(given))
        raise OSError(f"{path_text(given)!r} is not a regular file")
    return os.fdopen(descriptor, mode)


class Replacement:
    """A file written under another name beside its place and renamed when all went well."""

    __slots__ = ("_file", "_given", "_path", "_temporary")

    def __init__(self, path: str, given: str) -> None:
        self._path, self._given = path, given
        self._temporary = ""

    def __enter__(self) -> BinaryIO:
        folder, name = os.path.split(self._path)
        for _ in range(100):
            self._temporary = os.path.join(folder, f".{name[:200]}.{os.urandom(4).hex()}.tmp")
            try:
                descriptor = os.open(self._temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OPEN, 0o666)
                break
            except FileExistsError:
                continue
            except OSError as error:
                raise _as_given(error, self._given) from None
        else:
            raise FileExistsError(17, "File exists", self._given)
        try:
            os.chmod(self._temporary, stat.S_IMODE(os.stat(self._path).st_mode))
        except OSError:
            pass  # a new file, or one whose mode is not ours to give
        self._file = os.fdopen(descriptor, "wb")
        return self._file

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        try:
            self._file.close()
            if kind is None:
                os.replace(self._temporary, self._path)
        except OSError as failure:
            kind = failure
            raise _as_given(failure, self._given) from None
        finally:
            if kind is not None:
                try:
                    os.unlink(self._temporary)
                except OSError:
                    pass


UNWRITTEN: WeakSet[Any] = WeakSet()
"""Files opened for writing, which get their contents when they are closed, or let go."""


def close_all() -> None:
    """Close what programs have left open, as the interpreter does when it ends."""
    for file in list(UNWRITTEN):
        file.close()


class _Handle:
    """The base of text and binary files: a name, a mode, and a place to go when they are closed."""

    _name = ""
    _mode_text = "r"
    _target: Replacement | None = None
    _kept = b""
    _pack: Any = bytes

    def _set(self, name: str, mode: str, target: Replacement | None, kept: bytes, pack: Any) -> None:
        self._name, self._mode_text, self._target, self._kept, self._pack = name, mode, target, kept, pack
        if target is not None:
            UNWRITTEN.add(self)

    name = property(lambda self: self._name)
    mode = property(lambda self: self._mode_text)

    def readable(self) -> bool:
        return "r" in self._mode_text or "+" in self._mode_text

    def writable(self) -> bool:
        return self._target is not None

    def _commit(self) -> None:
        if self._target is not None and not self.closed:  # type: ignore[attr-defined]
            with self._target as file:
                file.write(self._kept + self._pack(self._content()))

    def _content(self) -> bytes:
        raise NotImplementedError

    def read(self, size: int | None = -1) -> Any:
        if not self.readable():
            self._refuse("readable")
        return super().read(size)  # type: ignore[misc]

    def write(self, data: Any) -> int:
        if self._target is None:
            self._refuse("writable")
        return super().write(data)  # type: ignore[misc]

    def flush(self) -> None:
        self._commit()

    def close(self) -> None:
        try:
            self._commit()
        finally:
            self._target = None
            super().close()  # type: ignore[misc]

    __copy__ = __deepcopy__ = uncopied

    def _refuse(self, wanted: str) -> NoReturn:
        raise io.UnsupportedOperation(f"not {wanted}")


class TextFile(_Handle, io.StringIO, metaclass=Immutable):  # type: ignore[metaclass]
    """A file opened by a script as text."""

    _coding = ("utf-8", "strict")

    def _content(self) -> bytes:
        return self.getvalue().encode(*self._coding)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._coding[0]

    def __repr__(self) -> str:
        return f"<file name={self._name!r} mode={self._mode_text!r} encoding={self.encoding!r}>"


class BinaryFile(_Handle, io.BytesIO, metaclass=Immutable):  # type: ignore[metaclass]
    """A file opened by a script as bytes."""

    def _content(self) -> bytes:
        return self.getvalue()

    def __repr__(self) -> str:
        return f"<file name={self._name!r} mode={self._mode_text!r}>"


keep_methods(TextFile)
keep_methods(BinaryFile)


def path_text(path: Any) -> str:
    """The text of a path, asked for once, as a plain str: a str subclass or an `__fspath__` cannot answer twice."""
    if isinstance(path, str):
        text = str.__str__(path)
    else:
        convert = getattr(type(path), "__fspath__", None)
        told = None if convert is None else convert(path)
        if not isinstance(told, str):
            kind = type(path).__name__
            raise TypeError(f"expected str or a path, not {kind}: files are named, not numbered")
        text = str.__str__(told)
    if "\0" in text:
        raise ValueError("embedded null byte")
    return text


def as_program(function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a call that asks what a program has given (the text of its error), with the permissions of the session at hand, or
    none: not with those of whoever asks."""
    if process.plain or current.get() is not None:
        return function(*arguments)
    apart = copy_context()
    apart.run(current.set, Permissions())
    return apart.run(function, *arguments)


def package_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names of packages. Raises ValueError for what is none."""
    found = tuple(names.split(",") if isinstance(names, str) else names)
    for name in found:
        if type(name) is not str or not name.isidentifier() or name[0] == "_":
            raise ValueError(f"a package is named as in `import NAME`, not {name!r}")
    return found


def _resolve_all(paths: Iterable[str] | bool) -> tuple[str, ...] | bool:
    if paths is True:
        return True
    if not paths:
        return ()
    return tuple(os.path.realpath(path_text(path)) for path in ([paths] if isinstance(paths, str) else paths))


def is_within(path: str, folder: str) -> bool:
    """Whether a resolved path is a folder or lies below it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _as_given(error: OSError, path: Any) -> OSError:
    """The error with the path as the script wrote it."""
    return type(error)(error.errno, error.strerror, path_text(path))


def _mode(mode: str) -> dict[str, bool]:
    if type(mode) is not str:
        raise TypeError(f"open() argument 'mode' must be str, not {type(mode).__name__}")
    letters = set(mode)
    if letters - set("rwaxbt+") or len(letters) != len(mode):
        raise ValueError(f"invalid mode: {mode!r}")
    if len(letters & set("rwax")) != 1:
        raise ValueError("must have exactly one of create/read/write/append mode")
    if {"b", "t"} <= letters:
        raise ValueError("can't have text and binary mode at once")
    return {"binary": "b" in mode, "writes": bool(letters & set("wax+"))}
