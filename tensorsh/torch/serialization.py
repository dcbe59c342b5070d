"""``torch.save`` and ``torch.load``: PyTorch's files, both ways.

A file is a zip archive: `data.pkl` holds the structure, `data/0`, `data/1` ... the memory of the tensors, which those that
share memory share here too. Files are reached through the session's permissions; a file can build tensors and plain
containers, nothing else (see `pickled.py`).
"""

from __future__ import annotations

import io
import operator
import os
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..engine.arrays.deferred import memory_of
from ..engine.arrays.device import device as device_type
from ..engine.arrays.dtype import BY_NAME, COMPLEX_HALF, DTYPES, as_pairs, float16, of_pairs
from ..engine.arrays.dtype import dtype as dtype_type
from ..engine.arrays.extents import span, strided
from ..engine.arrays.state import state
from ..engine.arrays.warning import warn
from ..engine.graph.fields import wrap
from ..engine.tensors.storage import bytes_of
from ..engine.tensors.tensor import Size, Tensor
from ..engine.tensors.typed_storage import TypedStorage
from ..sandbox import process
from ..sandbox.files import Permissions, acting
from ..sandbox.integers import octets
from .archives import archive, is_path
from .file_options import LoadEndianness, get_default_load_endianness, skipping, unless_skipped
from .loaded import Loaded, Storage, layout_of
from .makers import Kind, UnpicklingError, makers
from .pickled import Call, Global, Persistent, Reader, Writer, of_weights
from .quantized_codes import CODES, per_channel_affine, per_tensor_affine
from .rebuilding import _rebuild_meta_tensor_no_storage, as_written, metadata_of, quantized, quantizer, rebuild_sparse

__all__ = ["load", "save"]

MAP_LOCATION = Any
"""The type of `map_location`, in annotations of libraries."""

STORAGES = {
    "QUInt8Storage": "uint8", "QInt8Storage": "int8", "QInt32Storage": "int32",
    "DoubleStorage": "float64", "FloatStorage": "float32", "HalfStorage": "float16", "BFloat16Storage": "bfloat16",
    "LongStorage": "int64", "IntStorage": "int32", "ShortStorage": "int16", "CharStorage": "int8", "ByteStorage": "uint8",
    "BoolStorage": "bool", "ComplexDoubleStorage": "complex128", "ComplexFloatStorage": "complex64",
}  # fmt: skip
"""Names of typed storages; other dtypes are stored as bytes with their name."""
STORAGE_OF = {dtype: storage for storage, dtype in STORAGES.items()} | {x.name: x.short + "Storage" for x in CODES}
REBUILD = "torch._utils"


def permissions() -> Permissions:
    """Of the session whose program asks; outside of sessions everything is allowed, as in Python."""
    found = acting()
    return Permissions(read=True, write=True) if found is None else found


# Saving


class Storages:
    """The memory behind the tensors that are saved: each piece once."""

    older = False
    """Whether a file of the older kind is written."""

    def __init__(self) -> None:
        self.pieces: dict[int, tuple[str, Any]] = {}
        self.widths: dict[str, int] = {}

    def place(self, array: Any) -> tuple[str, Any, int, tuple]:
        """Key and memory of an array, its offset there and its strides, in elements."""
        root = array
        while isinstance(root.base, np.ndarray):
            root = root.base
        size = array.itemsize
        whole = root.flags.c_contiguous and root.dtype == array.dtype
        offset = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
        if not whole or offset % size or any(s % size or s < 0 for s in array.strides):
            root, offset = np.ascontiguousarray(array).reshape(array.shape), 0  # numpy makes one dimension of none
            array = root
        if id(root) not in self.pieces:
            self.pieces[id(root)] = (str(len(self.pieces)), root)
        return *self.pieces[id(root)], offset // size, tuple(s // size for s in array.strides)

    def convert(self, value: Any) -> Any:
        """What is no plain data, as the calls that build it."""
        if isinstance(value, Tensor):
            return self.tensor(value)
        if isinstance(value, Size):
            return Call(Global("torch", "Size"), tuple(value))
        if isinstance(value, dtype_type):
            return Global("torch", value.name)
        if isinstance(value, device_type):
            return Call(
                Global("torch", "device"), *([value.type] if value.index is None else [value.type, value.index])
            )
        if isinstance(value, (np.generic, np.ndarray)):
            from .pickled_arrays import written as written_array

            return written_array(value)
        from .objects import written

        made = written(value)
        if made is not None:
            return made
        for plain in (OrderedDict, dict, list, tuple, str, int, float):
            if isinstance(value, plain):
                return plain(value)
        raise self.refused(value)

    def refused(self, value: Any) -> Exception:
        """The error of what cannot be written."""
        advice = ": save its state_dict() instead" if hasattr(value, "state_dict") else ""
        return TypeError(f"torch.save writes tensors and plain containers, no '{type(value).__name__}' object{advice}")

    def sparse(self, t: Tensor) -> Call:
        from ..engine.sparse.arrays import Coo

        array = t._array
        name = Call(Global("torch.serialization", "_get_layout"), str(array.layout))
        parts = (array.indices,) if type(array) is Coo else (array.starts, array.others)
        data = (*(self.tensor(wrap(each)) for each in parts), self.tensor(wrap(array.values)), Size(array.shape))
        plain = Call(
            Global(REBUILD, "_rebuild_sparse_tensor"), name, (*data, array.coalesced) if type(array) is Coo else data
        )
        if t._is_parameter:
            return Call(Global(REBUILD, "_rebuild_parameter"), plain, t.requires_grad, OrderedDict())
        return plain

    def absent(self, t: Tensor) -> Call:
        """A tensor of the meta device: its form."""
        form = Global("torch", t.dtype.name), tuple(t.shape), t.stride()
        plain = Call(Global(REBUILD, "_rebuild_meta_tensor_no_storage"), *form, t.requires_grad and not t._is_parameter)
        if t._is_parameter:
            return Call(Global(REBUILD, "_rebuild_parameter"), plain, t.requires_grad, OrderedDict())
        return plain

    def tensor(self, t: Tensor) -> Call:
        if hasattr(t._array, "layout"):
            return self.sparse(t)
        unless_skipped(t)
        if t.is_meta:
            return self.absent(t)
        bits, array = metadata_of(t), memory_of(t._array)
        array = array if type(array) is np.ndarray else t.cpu()._array
        dtype = t.dtype.name
        key, root, offset, strides = self.place(as_pairs(array) if array.dtype is COMPLEX_HALF else array)
        if array.dtype is COMPLEX_HALF:
            strides = tuple([s // 2 for s in strides[:-1]])
        typed = STORAGE_OF.get(dtype)
        storage = Global("torch", typed) if typed else Global("torch.storage", "UntypedStorage")
        length, self.widths[key] = (root.size, t.dtype.itemsize) if typed else (root.nbytes, 1)
        kept = Persistent(("storage", storage, key, str(t.device), length, *((None,) if self.older else ())))
        hooks, shape = OrderedDict(), tuple(array.shape)
        if t._is_parameter:
            plain = Call(Global(REBUILD, "_rebuild_tensor_v2"), kept, offset, shape, strides, False, hooks, *bits)
            return Call(Global(REBUILD, "_rebuild_parameter"), plain, t.requires_grad, OrderedDict())
        if t.is_quantized:
            scheme, *how = quantizer(t)
            how = Global("torch", scheme.name), *[self.tensor(x) if isinstance(x, Tensor) else x for x in how]
            return Call(Global(REBUILD, "_rebuild_qtensor"), kept, offset, shape, strides, how, False, hooks)
        made, name = ("_rebuild_tensor_v2", ()) if typed else ("_rebuild_tensor_v3", (Global("torch", dtype),))
        return Call(Global(REBUILD, made), kept, offset, shape, strides, t.requires_grad, hooks, *name, *bits)


@contextmanager
def told_of_places(path: Any, older: bool) -> Iterator[None]:
    """The errors of PyTorch's writer of archives for a path that cannot be written."""
    try:
        yield
    except (FileNotFoundError, IsADirectoryError) as error:
        if older or not is_path(path) or error.filename is None or os.fspath(error.filename) != os.fspath(path):
            raise
        if isinstance(error, FileNotFoundError):
            raise RuntimeError(f"Parent directory {os.path.dirname(os.fspath(path))} does not exist.") from None
        raise RuntimeError(
            "[enforce fail at inline_container.cc:747] . open file failed with strerror: Is a directory"
        ) from None


def save(
    obj: Any, f: Any, pickle_module: Any = None, pickle_protocol: int = 2, _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:  # fmt: skip
    """Write tensors, and containers of them such as state dicts, to a file (or a BytesIO) that PyTorch can load.
    obj: tensors, numbers, texts and dicts, lists and tuples of them, modules too. f: a path, where the program may write, or
    what has a `write`. Tensors that share memory share it again when they are loaded. PermissionError: a path where it may
    not write. pickle_module, pickle_protocol: have no effect.
    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save({"w": torch.ones(2)}, file)
    >>> torch.load(io.BytesIO(file.getvalue()))
    {'w': tensor([1., 1.])}"""
    if not is_path(f) and not hasattr(f if process.plain else type(f), "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    operator.index(pickle_protocol)
    if skipping() and not _use_new_zipfile_serialization:
        raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
    if process.plain:
        from .pickling import save as pickled

        with told_of_places(f, not _use_new_zipfile_serialization):
            pickled(obj, f, pickle_module, pickle_protocol, not _use_new_zipfile_serialization)
        return
    storages = Storages()
    storages.older = not _use_new_zipfile_serialization
    structure = Writer(storages.convert).dump(obj)
    name = "archive"
    if is_path(f):
        name = os.path.splitext(os.path.basename(os.fspath(f)))[0] or "archive"
    if storages.older:
        from .older_files import written

        data = b"".join(
            written(structure, [(key, root, storages.widths[key]) for key, root in storages.pieces.values()])
        )
    else:
        data = archive(name, structure, [root for _, root in storages.pieces.values()])
    if is_path(f):
        with told_of_places(f, storages.older):
            permissions().write_bytes(f, data)
    else:
        f.write(data)


# Loading


def load(
    f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool | None = None,
    mmap: bool | None = None, **pickle_load_args: Any,
) -> Any:  # fmt: skip
    """What a file (or a BytesIO) holds that PyTorch or tensorsh saved: tensors and plain containers; with
    ``weights_only=False`` also modules and instances of the program's own classes.
    f: a path that the program may read, or what has a `read`. map_location: the device that tensors are put on.
    weights_only: False for modules and instances, too; a program of tensorsh runs nothing of a file as code. mmap: has no
    effect. pickle_module, pickle_load_args: for plain Python, where a file of strangers may run what it likes.
    UnpicklingError: a file of another kind, a class that may not be loaded. PermissionError: a path that it may not read.
    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save(torch.ones(2), file)
    >>> torch.load(io.BytesIO(file.getvalue()))
    tensor([1., 1.])
    """
    if process.plain:
        weights_only = forced(weights_only, pickle_module)
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if is_path(f):
        data = permissions().read_bytes(f)
    elif hasattr(f if process.plain else type(f), "read"):
        if process.plain and not hasattr(f, "seek"):
            raise AttributeError(NOT_SEEKABLE.format(kind=type(f).__name__))
        data = f.read()
        if mmap and bytes(data[:4]) == b"PK\x03\x04":
            raise ValueError("f must be a file path in order to use the mmap argument")
        if mmap:
            raise RuntimeError(
                "mmap can only be used with files saved with `torch.save(_use_new_zipfile_serialization=True), please torch.save "
                "your checkpoint with this option in order to use mmap."
            )
    else:
        raise AttributeError(NOT_SEEKABLE.format(kind=type(f).__name__))
    for name in pickle_load_args:
        if name != "encoding":
            raise TypeError(f"Unpickler.__init__() got an unexpected keyword argument '{name}'")
    if isinstance(data, str):
        raise AssertionError("Expected bytes, got str")
    data = octets(data)
    if not data:
        raise EOFError
    names = known_names(weights_only is False)
    if data[:4] == b"PK\x03\x04":
        found: Any = Archive(data, map_location, names)
    else:
        from .older_files import Older

        found = Older(data, map_location, names, pickle_load_args.get("encoding", "utf-8"))
    if process.plain and (weights_only is False or pickle_module is not None):
        from .pickling import load as unpickled

        loaded = unpickled(found, pickle_module, **pickle_load_args)
    else:
        loaded = found.read()
    if hasattr(found, "at") and not is_path(f) and hasattr(f if process.plain else type(f), "seek"):
        f.seek(found.at - len(data), 1)  # where the next may begin
    return loaded


NOT_SEEKABLE = (
    "'{kind}' object has no attribute 'seek'. You can only torch.load from a file that is seekable. Please pre-load the data into "
    "a buffer like io.BytesIO and try to load from it instead."
)


def forced(weights_only: bool | None, pickle_module: Any) -> bool | None:
    """Whether plain data alone is read, after PyTorch's two variables of the environment."""
    always, never = (os.environ.get(f"TORCH_FORCE_{name}_LOAD", "").lower() in ("1", "y", "yes", "true")
                     for name in ("WEIGHTS_ONLY", "NO_WEIGHTS_ONLY"))  # fmt: skip
    if always and never:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should be set, but both were set."
        )
    if always:
        return True
    if never and weights_only is None:
        warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was not explicitly "
            "passed to `torch.load`, forcing weights_only=False.",
            UserWarning,
        )
        return False
    return weights_only


def known_names(objects: bool) -> dict:
    """What the names in a file stand for."""
    if process.plain and not objects:
        from .safe_globals import Allowed

        return Allowed(NAMES)
    if not objects and not state.__dict__.get("safe_globals"):
        return NAMES
    from .objects import Names, safe_classes

    return Names(NAMES, None if objects else safe_classes())


class Archive(Loaded):
    """A checkpoint that is being read."""

    def __init__(self, data: bytes, map_location: Any, names: dict) -> None:
        import zipfile

        super().__init__(map_location, names)
        self.data, self.total = memoryview(data), len(data)
        try:
            self.file = zipfile.ZipFile(io.BytesIO(data))
        except zipfile.BadZipFile:
            why = "failed finding central directory" if len(data) > 22 else "not a ZIP archive"
            raise RuntimeError(
                f"PytorchStreamReader failed reading zip archive: {why}. This is an internal miniz error. If you are seeing this "
                "error, there is a high likelihood that your checkpoint file is corrupted. This can happen if the checkpoint was "
                "not saved properly, was transferred incorrectly, or the file was modified after saving."
            ) from None
        found = [n for n in self.file.namelist() if n.endswith("/data.pkl") and n.count("/") == 1]
        if len(found) != 1:
            raise RuntimeError("PytorchStreamReader failed locating file data.pkl: file not found")
        self.folder = found[0].removesuffix("data.pkl")
        if self.folder + "byteorder" in self.file.namelist():
            order = bytes(self.record("byteorder"))
            if order not in (b"little", b"big"):
                raise ValueError("Unknown endianness type: " + order.decode("latin1"))
            self.swaps = order == b"big"
        else:
            self.swaps = get_default_load_endianness() is LoadEndianness.BIG

    def record(self, name: str) -> memoryview:
        """A file of the archive where it lies; as in PyTorch, its checksum is not looked at."""
        try:
            info = self.file.getinfo(self.folder + name)
        except KeyError:
            raise RuntimeError(f"PytorchStreamReader failed locating file {name}: file not found") from None
        if info.compress_type or info.file_size > self.total:
            raise RuntimeError(f"PytorchStreamReader failed reading file {name}: compressed or longer than the archive")
        head = self.data[info.header_offset : info.header_offset + 30]
        if len(head) < 30 or head[:4] != b"PK\x03\x04" or info.flag_bits & 1:
            raise RuntimeError(f"PytorchStreamReader failed reading file {name}: file not found")
        # The local header's own lengths of the name and of what pads it.
        start = info.header_offset + 30 + int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
        found = self.data[start : start + info.file_size]
        if len(found) < info.file_size:
            raise RuntimeError(f"PytorchStreamReader failed reading file {name}: longer than the archive")
        return found

    def read(self) -> Any:
        return Reader(bytes(self.record("data.pkl")), self.names, self.storage, plain=of_weights(self.names)).read()

    def bytes_of(self, name: str, kind: str | None, length: int = 0) -> Any:
        record = self.record(f"data/{name}")
        if skipping():
            return np.zeros(len(record), np.uint8)
        memory = np.frombuffer(bytearray(record), np.uint8)
        self.swap(memory, kind)
        return memory


def rebuild(storage: Any, offset: Any, shape: Any, strides: Any, requires_grad: Any, *rest: Any) -> Tensor:
    """A tensor on loaded memory; what would reach beyond it is refused."""
    named = [each for each in rest if isinstance(each, dtype_type)]
    if isinstance(storage, TypedStorage):
        storage = None if named else storage.dtype.name, bytes_of(storage._untyped_storage), None
    if type(storage) is not tuple or len(storage) != 3 or (storage[0] is None and not named):
        raise UnpicklingError("damaged file: a tensor without storage")
    known, memory, target = storage
    dtype = named[0].numpy if known is None else BY_NAME[known].numpy
    numbers = [offset, *shape, *strides]
    if any(type(n) is not int or n < 0 for n in numbers) or len(shape) != len(strides):
        raise UnpicklingError("damaged file: a tensor of unknown form")
    pairs = dtype is COMPLEX_HALF
    size = 4 if pairs else dtype.itemsize
    if span(shape, strides, size, offset) > memory.size:
        raise RuntimeError("damaged file: a tensor reaches beyond its storage")
    steps = tuple([s * size for s in strides])
    if pairs:
        array = of_pairs(strided(memory, (*shape, 2), (*steps, 2), offset * size, float16.numpy))
    else:
        array = strided(memory, tuple(shape), steps, offset * size, dtype)
    made = wrap(array)
    for each in rest:
        if type(each) is dict:
            made = as_written(made, each)
    if target is not None:
        made = made.to(target)
    if requires_grad:
        made.requires_grad = True
    return made


def parameter(data: Any, requires_grad: Any, *rest: Any) -> Tensor:
    from .nn.parameter import Parameter

    if not isinstance(data, Tensor):
        raise UnpicklingError("damaged file: a parameter without data")
    return Parameter(data, bool(requires_grad))


def encode(text: Any, coding: Any = "latin1") -> bytes:
    if type(text) is not str or coding not in ("latin1", "latin-1"):
        raise UnpicklingError("damaged file: bytes of unknown form")
    return text.encode("latin1")


def array_of_bytes(*parts: Any) -> bytearray:
    if parts and type(parts[0]) not in (bytes, str, list):  # a number would ask for so much memory
        raise UnpicklingError("damaged file: bytes of unknown form")
    return bytearray(*parts)


def ordered(*items: Any) -> OrderedDict:
    return OrderedDict(*items)


FUNCTIONS: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): ordered,
    (REBUILD, "_rebuild_tensor_v2"): rebuild,
    (REBUILD, "_rebuild_tensor_v3"): rebuild,
    (REBUILD, "_rebuild_parameter"): parameter,
    (REBUILD, "_rebuild_qtensor"): lambda *parts: quantized(rebuild(*parts[:4], False), parts[4]),
    (REBUILD, "_rebuild_meta_tensor_no_storage"): _rebuild_meta_tensor_no_storage,
    (REBUILD, "_rebuild_sparse_tensor"): rebuild_sparse,
    ("torch.serialization", "_get_layout"): layout_of,
    ("torch", "Size"): lambda *parts: Size(*parts),
    ("torch", "device"): device_type,
    ("_codecs", "encode"): encode,
    ("collections", "Counter"): Kind(Counter),
}
for _module in ("__builtin__", "builtins"):
    FUNCTIONS |= {(_module, "set"): Kind(set), (_module, "frozenset"): Kind(frozenset)}
    FUNCTIONS |= {(_module, "complex"): lambda *parts: complex(*parts), (_module, "bytes"): lambda: b""}
    FUNCTIONS |= {(_module, "bytearray"): array_of_bytes}
NAMES: dict[tuple[str, str], Any] = makers(FUNCTIONS) | {("torch.storage", "UntypedStorage"): Storage(None)}
NAMES |= {("torch", storage): Storage(dtype) for storage, dtype in STORAGES.items()}
NAMES |= {("torch", each.name): each for each in (*DTYPES, per_tensor_affine, per_channel_affine)}
save.__module__ = load.__module__ = "torch.serialization"


def _load_from_bytes(b: bytes) -> Any:
    """What `save` wrote."""
    return load(io.BytesIO(b), weights_only=False)


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """The names in a file that `load` would refuse as they are, in plain Python."""
    import pickletools
    import zipfile

    if not zipfile.is_zipfile(f):
        raise ValueError("Expected input to be a checkpoint returned by torch.save")
    with zipfile.ZipFile(f) as archive:
        data = archive.read(next(name for name in archive.namelist() if name.endswith("/data.pkl")))
    from .objects import safe_classes

    known, found, strings = known_names(False), [], []
    for op, argument, _ in pickletools.genops(data):
        if op.name == "GLOBAL":
            found.append(tuple(str(argument).split(" ", 1)))
        elif op.name == "STACK_GLOBAL" and len(strings) > 1:
            found.append(tuple(strings[-2:]))
        elif isinstance(argument, str):
            strings.append(argument)
    safe = {f"{each.__module__}.{each.__qualname__}" for each in safe_classes() if hasattr(each, "__qualname__")}
    return [".".join(each) for each in dict.fromkeys(found) if each not in known and ".".join(each) not in safe]
