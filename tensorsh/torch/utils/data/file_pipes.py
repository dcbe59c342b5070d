"""Data pipes of files, for plain Python alone: their names, the files opened, and what is read of them."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator
from typing import Any, BinaryIO, TextIO

from .pipe import IterableWrapper, IterDataPipe, functional_datapipe, named

__all__ = ["FileLister", "FileOpener", "StreamReader", "StreamWrapper"]


class StreamWrapper:
    """A file that is closed when nobody has it any more. parent_stream: the file that it is a part of. name: how it is shown."""

    session_streams: dict[Any, int] = {}
    debug_unclosed_streams = False

    def __init__(self, file_obj: Any, parent_stream: Any = None, name: str | None = None) -> None:
        self.file_obj, self.name, self.closed = file_obj, name, False
        self.child_counter, self.parent_stream, self.close_on_last_child = 0, None, False
        if parent_stream is not None:
            if not isinstance(parent_stream, StreamWrapper):
                raise RuntimeError(f"Parent stream should be StreamWrapper, {type(parent_stream)} was given")
            parent_stream.child_counter += 1
            self.parent_stream = parent_stream
        if StreamWrapper.debug_unclosed_streams:
            StreamWrapper.session_streams[self] = 1

    @classmethod
    def close_streams(cls, v: Any, depth: int = 0) -> None:
        """Close all of them in a tree of dicts, lists and tuples."""
        if isinstance(v, StreamWrapper):
            v.close()
        elif isinstance(v, (dict, list, tuple)) and depth <= 10:
            for each in v.values() if isinstance(v, dict) else v:
                cls.close_streams(each, depth + 1)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["file_obj"], name)

    def close(self, *args: Any, **kwargs: Any) -> None:
        """Close the file, and the one that it is a part of after its last part."""
        if self.closed:
            return
        StreamWrapper.session_streams.pop(self, None)
        parent = self.__dict__.get("parent_stream")
        if parent is not None:
            parent.child_counter -= 1
            if not parent.child_counter and parent.close_on_last_child:
                parent.close()
        if hasattr(self.file_obj, "close"):
            self.file_obj.close(*args, **kwargs)
        self.closed = True

    def autoclose(self) -> None:
        """Close it with its last part, or at once."""
        self.close_on_last_child = True
        if self.child_counter == 0:
            self.close()

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *vars(StreamWrapper), *dir(self.file_obj)})

    def __del__(self) -> None:
        if "file_obj" in self.__dict__ and not self.closed:
            self.close()

    def __iter__(self) -> Iterator:
        yield from self.file_obj

    def __next__(self) -> Any:
        return next(self.file_obj)

    def __repr__(self) -> str:
        return f"StreamWrapper<{f'{self.name},' if self.name is not None else ''}{self.file_obj!r}>"

    def __getstate__(self) -> Any:
        return self.file_obj

    def __setstate__(self, obj: Any) -> None:
        self.file_obj, self.closed, self.name = obj, False, None


StreamWrapper.__module__ = "torch.utils.data.datapipes.utils.common"


def fits(name: str, masks: Any) -> bool:
    return not masks or any(fnmatch.fnmatch(name, mask) for mask in ([masks] if isinstance(masks, str) else masks))


def refuse(error: OSError) -> None:
    raise error


@functional_datapipe("list_files")
class FileLister(IterDataPipe):
    """The paths of the files in folders whose names fit masks such as ``*.png``, in order."""

    def __init__(
        self, root: Any = ".", masks: Any = "", *, recursive: bool = False, abspath: bool = False,
        non_deterministic: bool = False, length: int = -1,
    ) -> None:  # fmt: skip
        root = [root] if isinstance(root, str) else root
        self.datapipe = root if isinstance(root, IterDataPipe) else IterableWrapper(root)
        self.masks, self.recursive, self.abspath = masks, recursive, abspath
        self.non_deterministic, self.length = non_deterministic, length

    def __iter__(self) -> Iterator:
        for root in self.datapipe:
            if os.path.isfile(root):
                if fits(os.path.basename(root), self.masks):
                    yield os.path.abspath(root) if self.abspath else root
            else:
                yield from self._below(root)

    def _below(self, root: str) -> Iterator:
        for path, folders, files in os.walk(root, onerror=refuse):
            path = os.path.abspath(path) if self.abspath else path
            for name in files if self.non_deterministic else sorted(files):
                if fits(name, self.masks):
                    yield os.path.join(path, name)
            if not self.recursive:
                return
            if not self.non_deterministic:
                folders.sort()

    def __len__(self) -> int:
        if self.length == -1:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        return self.length


@functional_datapipe("open_files")
class FileOpener(IterDataPipe):
    """Paths with the files opened: ``(path, file)``."""

    def __init__(self, datapipe: Any, mode: str = "r", encoding: str | None = None, length: int = -1) -> None:
        if mode not in ("b", "t", "rb", "rt", "r"):
            raise ValueError(f"Invalid mode {mode}")
        if "b" in mode and encoding is not None:
            raise ValueError("binary mode doesn't take an encoding argument")
        self.datapipe, self.mode, self.encoding, self.length = datapipe, mode, encoding, length

    def __iter__(self) -> Iterator:
        mode = "r" + self.mode if self.mode in ("b", "t") else self.mode
        for path in self.datapipe:
            if not isinstance(path, str):
                raise TypeError(f"Expected string type for pathname, but got {type(path)}")
            file: BinaryIO | TextIO = open(path, mode, encoding=self.encoding)  # type: ignore[assignment]  # noqa: SIM115
            yield path, StreamWrapper(file)

    def __len__(self) -> int:
        if self.length == -1:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        return self.length


@functional_datapipe("read_from_stream")
class StreamReader(IterDataPipe):
    """What is read of opened files: ``(path, contents)``, in pieces of `chunk`."""

    def __init__(self, datapipe: Any, chunk: int | None = None) -> None:
        self.datapipe, self.chunk = datapipe, chunk

    def __iter__(self) -> Iterator:
        for path, stream in self.datapipe:
            while found := stream.read(self.chunk):
                yield path, found
            stream.close()


named(
    "iter", "IterDataPipe", {"filelister": (FileLister,), "fileopener": (FileOpener,), "streamreader": (StreamReader,)}
)
