"""The part of Python's pickle format that checkpoints use, written and read without Python's pickle.

What is written is protocol 2, as PyTorch writes it. Reading builds numbers, strings, plain containers and what the caller
lists by name; a file can name nothing else, and no object's attributes can be set, so a file cannot run code.
"""

from __future__ import annotations

import _compat_pickle
import struct
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from .makers import REFUSED, UNKNOWN, UNSAFE, Maker, UnpicklingError

PROTO, STOP, MARK = b"\x80", b".", b"("
MAX_DEPTH = 500
CHAINS = (tuple, frozenset, slice)
"""What Python hashes and compares with all that is in it."""
MOST_NESTED = 1 << 16
"""So many tuples within one, each as often as it stands there: Python hashes and compares them all."""


class Global:
    """A name that is written as such: ``Global("torch", "float32")``."""

    __slots__ = ("module", "name")

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name


class Call:
    """A value that is written as the call of a global."""

    __slots__ = ("function", "arguments", "state")

    def __init__(self, function: Global, *arguments: Any) -> None:
        self.function, self.arguments = function, arguments
        self.state: Any = None


class Object:
    """An instance that is written as its class, the arguments of `__new__` and its state."""

    __slots__ = ("arguments", "kind", "state")

    def __init__(self, kind: Global, arguments: tuple, state: Any) -> None:
        self.kind, self.arguments, self.state = kind, arguments, state


class Persistent:
    """A value that is kept outside and written as its key."""

    __slots__ = ("key",)

    def __init__(self, key: tuple) -> None:
        self.key = key


class Writer:
    """Writes one value; `convert` turns what is no plain data into a Global, Call or Persistent, or refuses it."""

    def __init__(self, convert: Callable) -> None:
        self.convert = convert
        self.parts: list[bytes] = [PROTO + b"\x02"]
        self.memo: dict[Any, int] = {}
        self.kept: list = []
        self.depth = 0

    def dump(self, value: Any) -> bytes:
        self.save(value)
        self.parts.append(STOP)
        return b"".join(self.parts)

    def remember(self, key: Any, value: Any = None) -> None:
        n = len(self.memo)
        self.memo[key] = n
        self.kept.append(value)  # so that no later object gets its id
        self.parts.append(b"q" + bytes([n]) if n < 256 else b"r" + struct.pack("<I", n))

    def recall(self, key: Any) -> bool:
        n = self.memo.get(key)
        if n is None:
            return False
        self.parts.append(b"h" + bytes([n]) if n < 256 else b"j" + struct.pack("<I", n))
        return True

    def save(self, value: Any) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise RecursionError("containers nested too deep to be saved")
        kind = type(value)
        if value is None or kind is bool:
            self.parts.append(b"N" if value is None else b"\x88" if value else b"\x89")
        elif kind is int:
            self.integer(value)
        elif kind is float:
            self.parts.append(b"G" + struct.pack(">d", value))
        elif kind is str:
            self.text(value)
        elif kind is tuple:
            self.tuple(value)
        elif kind is list:
            if not self.recall(id(value)):
                self.parts.append(b"]")
                self.remember(id(value), value)
                self.many(value, b"a", b"e")
        elif kind is dict or kind is OrderedDict:
            self.dict(value)
        elif kind is Global:
            self.name(value)
        elif kind is Call:
            self.call(value, value)
        elif kind is Persistent:
            self.tuple(value.key)
            self.parts.append(b"Q")
        elif kind is bytes:
            self.call(Call(Global("_codecs", "encode"), value.decode("latin1"), "latin1"), value)
        elif kind is complex:
            self.call(Call(Global("__builtin__", "complex"), value.real, value.imag), value)
        elif kind is set or kind is frozenset:
            self.call(Call(Global("__builtin__", kind.__name__), list(value)), value)
        elif not self.recall(id(value)):
            made = self.convert(value)
            if type(made) is Call:
                self.call(made, value)
            elif type(made) is Object:
                self.object(made, value)
            else:
                self.save(made)
        self.depth -= 1

    def call(self, value: Call, stands_for: Any) -> None:
        if self.recall(id(stands_for)):
            return
        self.name(value.function)
        self.tuple(value.arguments)
        self.parts.append(b"R")
        self.remember(id(stands_for), stands_for)
        if value.state is not None:
            self.save(value.state)
            self.parts.append(b"b")

    def object(self, value: Object, stands_for: Any) -> None:
        self.name(value.kind)
        self.tuple(value.arguments)
        self.parts.append(b"\x81")
        self.remember(id(stands_for), stands_for)
        if value.state is not None:
            self.save(value.state)
            self.parts.append(b"b")

    def integer(self, value: int) -> None:
        if 0 <= value < 256:
            self.parts.append(b"K" + bytes([value]))
        elif 0 <= value < 65536:
            self.parts.append(b"M" + struct.pack("<H", value))
        elif -(2**31) <= value < 2**31:
            self.parts.append(b"J" + struct.pack("<i", value))
        else:
            data = value.to_bytes((value.bit_length() >> 3) + 1, "little", signed=True)
            length = b"\x8a" + bytes([len(data)]) if len(data) < 256 else b"\x8b" + struct.pack("<i", len(data))
            self.parts.append(length + data)

    def text(self, value: str) -> None:
        if not self.recall(value):
            data = value.encode("utf-8", "surrogatepass")
            self.parts.append(b"X" + struct.pack("<I", len(data)) + data)
            self.remember(value)

    def tuple(self, value: tuple) -> None:
        if value and self.recall(id(value)):
            return
        if len(value) > 3:
            self.parts.append(MARK)
        for each in value:
            self.save(each)
        self.parts.append(b")\x85\x86\x87t"[min(len(value), 4) :][:1])
        if value:
            self.remember(id(value), value)

    def many(self, values: Any, one: bytes, several: bytes) -> None:
        values = list(values)
        for at in range(0, len(values), 1000):
            batch = values[at : at + 1000]
            if len(batch) > 1:
                self.parts.append(MARK)
            for each in batch:
                if one == b"s":
                    self.save(each[0])
                    self.save(each[1])
                else:
                    self.save(each)
            self.parts.append(one if len(batch) == 1 else several)

    def dict(self, value: Any) -> None:
        if self.recall(id(value)):
            return
        if type(value) is OrderedDict:
            self.name(Global("collections", "OrderedDict"))
            self.parts.append(b")R")
        else:
            self.parts.append(b"}")
        self.remember(id(value), value)
        self.many(value.items(), b"s", b"u")
        metadata = getattr(value, "_metadata", None) if type(value) is OrderedDict else None
        if metadata is not None:
            self.dict({"_metadata": metadata})
            self.parts.append(b"b")

    def name(self, value: Global) -> None:
        if not self.recall((value.module, value.name)):
            self.parts.append(b"c" + f"{value.module}\n{value.name}\n".encode())
            self.remember((value.module, value.name))


def of_weights(names: dict) -> bool:
    """Whether what means these names is read with ``weights_only=True``."""
    return getattr(names, "classes", ()) is not None


class Reader:
    """Reads one value; `names` says what a global stands for, `load` gives the value of a persistent key."""

    def __init__(self, data: bytes, names: dict, load: Callable, encoding: str = "utf-8", plain: bool = False) -> None:
        """encoding: of texts that Python 2 wrote; ``bytes`` leaves them as bytes. plain: weights are read, as PyTorch does with
        ``weights_only=True``, by operations of protocol 2 alone."""
        self.data, self.names, self.load, self.encoding = data, names, load, encoding
        self.plain = plain
        self.at = 0
        self.stack: list = []
        self.marks: list[list] = []
        self.memo: dict[int, Any] = {}
        self.nested: dict[int, tuple[Any, int, int]] = {}
        """Those of these kinds with others in them: how deep they are nested, and how many are in them."""

    def take(self, n: int) -> bytes:
        part = self.data[self.at : self.at + n]
        if n < 0 or len(part) < n:
            raise EOFError("Ran out of input")
        self.at += n
        return part

    def number(self, layout: str) -> Any:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))[0]

    def line(self, coding: str = "utf-8") -> str:
        end = self.data.find(b"\n", self.at)
        if end < 0:
            raise EOFError("Ran out of input")
        text = self.data[self.at : end].decode(coding)
        self.at = end + 1
        return text

    def read(self) -> Any:
        try:
            while True:
                code = self.take(1)
                if code == STOP:
                    return self.stack.pop()
                action = ACTIONS.get(code)
                if action is None or self.plain and code not in PLAIN:
                    raise self.unsupported(code[0])
                action(self)
        except (IndexError, struct.error, KeyError, TypeError, ValueError, OverflowError) as error:
            if code == b"Q" and type(error) is TypeError:  # what the caller says of a key
                raise
            raise self.damaged(error) from None

    def damaged(self, error: Exception) -> Exception:
        if self.plain and type(error) in (IndexError, KeyError):
            return error
        if type(error) is IndexError:
            return UnpicklingError("unpickling stack underflow")
        return UnpicklingError(f"damaged file: {error}")

    def unsupported(self, code: int) -> Exception:
        if self.plain:
            return UnpicklingError(REFUSED.replace("{why}", UNKNOWN.format(code=code)))
        if self.at == 1:
            known = 32 <= code < 127 and chr(code) not in "'\\"
            key = chr(code) if known else f"\\x{code:02x}"
            return UnpicklingError(f"invalid load key, '{key}'.")
        return UnpicklingError(f"pickle in tensorsh reads plain data, no operation {code:#x}")

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def above_mark(self) -> list:
        items = self.stack
        self.stack = self.marks.pop()
        return items

    def find(self, module: str, name: str) -> Any:
        found = self.names.get((module, name))
        if found is None:
            if module == "__builtin__":
                module, name = _compat_pickle.NAME_MAPPING.get((module, name), ("builtins", name))
            whole = name if module == "builtins" else f"{module}.{name}"
            if getattr(self.names, "classes", ()) is None:
                raise UnpicklingError(f"Unsupported global: GLOBAL {whole}: no class or function of this program")
            raise UnpicklingError(UNSAFE.replace("{name}", whole))
        return found

    def reduce(self) -> None:
        arguments = self.stack.pop()
        function = self.stack.pop()
        is_maker = isinstance(function, Maker)
        allowed = is_maker or getattr(self.names, "callable", lambda function: False)(function)
        if not allowed or type(arguments) is not tuple:
            raise UnpicklingError("Trying to call what is no allowed function")
        try:
            made = (function._call if is_maker else function)(*arguments)
            self.push(self.measured(made) if isinstance(made, CHAINS) else made)
        except TypeError as error:
            raise UnpicklingError(f"damaged file: {error}") from None

    def new(self) -> None:
        """An instance of a class; only where the names tell which classes a file may make."""
        arguments, kind = self.stack.pop(), self.stack.pop()
        make = getattr(self.names, "make", None)
        if make is None or type(arguments) is not tuple:
            raise UnpicklingError("Trying to make an instance of what is no allowed class")
        made = make(kind, arguments)
        self.push(self.measured(made) if isinstance(made, CHAINS) else made)

    def build(self) -> None:
        state = self.stack.pop()
        fill = getattr(self.names, "fill", None)
        if fill is not None and fill(self.stack[-1], state):
            return
        if type(self.stack[-1]) is not OrderedDict or type(state) is not dict or set(state) - {"_metadata"}:
            raise UnpicklingError("Only the metadata of a state dict can be set")
        self.stack[-1].__dict__.update(state)

    def pairs(self, items: list) -> None:
        target = self.stack[-1]
        if type(target) not in (dict, OrderedDict, Counter, defaultdict):
            raise UnpicklingError("damaged file: items for what is no dict")
        try:
            update = dict.update if type(target) is Counter else type(target).update  # Counter's own adds
            update(target, zip(items[::2], items[1::2], strict=True))
        except (TypeError, ValueError) as error:
            raise UnpicklingError(f"damaged file: {error}") from None

    def extend(self, items: list) -> None:
        if type(self.stack[-1]) not in (list, deque):
            raise UnpicklingError("damaged file: items for what is no list")
        self.stack[-1].extend(items)

    def join(self, items: list) -> None:
        if type(self.stack[-1]) is not set:
            raise UnpicklingError("damaged file: members of what is no set")
        try:
            self.stack[-1].update(items)
        except TypeError as error:
            raise UnpicklingError(f"damaged file: {error}") from None

    def tuple_of(self, n: int) -> None:
        items = tuple(self.stack[-n:]) if n else ()
        if len(items) < n:
            raise UnpicklingError("damaged file: too few items")
        del self.stack[len(self.stack) - n :]
        self.push_tuple(items)

    def push_tuple(self, items: tuple) -> None:
        self.push(self.measured(items))

    def measured(self, made: Any) -> Any:
        """A tuple, frozenset or slice that Python can hash, and compare, without overflowing its stack, and within a lifetime."""
        items = tuple.__iter__(made) if isinstance(made, tuple) else made  # past what a program's class says
        items = (made.start, made.stop, made.step) if type(made) is slice else items
        within = [self.nested.get(id(each), (each, 1, 1)) for each in items if isinstance(each, CHAINS)]
        if within:
            depth = 1 + max([below for _, below, _ in within])
            count = 1 + sum([many for _, _, many in within])
            if depth > MAX_DEPTH or count > max(MOST_NESTED, len(self.data)):
                raise UnpicklingError("damaged file: tuples nested too deep")
            self.nested[id(made)] = made, depth, count
        return made

    def mark(self) -> None:
        self.marks.append(self.stack)
        self.stack = []

    def memoize(self, n: int) -> None:
        self.memo[n] = self.stack[-1]

    def stack_global(self) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        if type(name) is not str or type(module) is not str:
            raise UnpicklingError("damaged file: a name that is no text")
        self.push(self.find(module, name))


class Scan(Reader):
    """Reads past one value: nothing is made of it, but the persistent keys are given to `load`."""

    def find(self, module: str, name: str) -> Any:
        return self.names.get((module, name))

    def reduce(self) -> None:
        del self.stack[-2:]
        self.push(None)

    new = reduce

    def build(self) -> None:
        self.stack.pop()

    def pairs(self, items: list) -> None: ...

    def extend(self, items: list) -> None: ...


def _text(r: Reader, layout: str) -> None:
    r.push(r.take(r.number(layout)).decode("utf-8", "surrogatepass"))


def _older_text(r: Reader, layout: str) -> None:
    data = r.take(r.number(layout))
    r.push(data if r.encoding == "bytes" else data.decode(r.encoding, "strict"))


def _quoted(r: Reader) -> None:
    """A text as Python 2 printed it."""
    import codecs

    line = r.line("latin1").strip()
    if len(line) < 2 or line[0] != line[-1] or line[0] not in "'\"":
        raise UnpicklingError("the STRING opcode argument must be quoted")
    data = codecs.escape_decode(line[1:-1].encode("latin1"))[0]  # type: ignore[attr-defined]
    r.push(data if r.encoding == "bytes" else data.decode(r.encoding, "strict"))


def _printed(r: Reader) -> None:
    line = r.line()
    r.push(line == "01" if line in ("00", "01") else int(line.rstrip("L")))


def _dict(r: Reader) -> None:
    items = r.above_mark()
    r.push({})
    r.pairs(items)


def _two(r: Reader) -> list:
    value = r.stack.pop()
    return [r.stack.pop(), value]


ACTIONS: dict[bytes, Callable[[Reader], Any]] = {
    PROTO: lambda r: r.take(1), b"\x95": lambda r: r.take(8), MARK: Reader.mark,
    b"N": lambda r: r.push(None), b"\x88": lambda r: r.push(True), b"\x89": lambda r: r.push(False),
    b"K": lambda r: r.push(r.number("<B")), b"M": lambda r: r.push(r.number("<H")), b"J": lambda r: r.push(r.number("<i")),
    b"\x8a": lambda r: r.push(int.from_bytes(r.take(r.number("<B")), "little", signed=True)),
    b"G": lambda r: r.push(r.number(">d")), b"X": lambda r: _text(r, "<I"), b"\x8c": lambda r: _text(r, "<B"),
    b"C": lambda r: r.push(r.take(r.number("<B"))), b"B": lambda r: r.push(r.take(r.number("<I"))),
    b"]": lambda r: r.push([]), b"}": lambda r: r.push({}), b")": lambda r: r.push(()),
    b"\x85": lambda r: r.tuple_of(1), b"\x86": lambda r: r.tuple_of(2), b"\x87": lambda r: r.tuple_of(3),
    b"t": lambda r: (items := r.above_mark(), r.push_tuple(tuple(items))),
    b"a": lambda r: r.extend([r.stack.pop()]), b"e": lambda r: r.extend(r.above_mark()),
    b"s": lambda r: r.pairs(_two(r)), b"u": lambda r: r.pairs(r.above_mark()),
    b"q": lambda r: r.memoize(r.number("<B")), b"r": lambda r: r.memoize(r.number("<I")),
    b"\x94": lambda r: r.memoize(len(r.memo)), b"h": lambda r: r.push(r.memo[r.number("<B")]),
    b"j": lambda r: r.push(r.memo[r.number("<I")]), b"c": lambda r: r.push(r.find(r.line(), r.line())),
    b"\x93": Reader.stack_global, b"R": lambda r: r.reduce(), b"b": lambda r: r.build(), b"\x81": lambda r: r.new(),
    b"U": lambda r: _older_text(r, "<B"), b"T": lambda r: _older_text(r, "<i"),
    b"Q": lambda r: r.push(r.load(r.stack.pop())),
    b"\x8f": lambda r: r.push(set()), b"\x90": lambda r: r.join(r.above_mark()),
    b"\x91": lambda r: r.push(r.measured(frozenset(r.above_mark()))), b"\x8d": lambda r: _text(r, "<Q"),
    b"\x8b": lambda r: r.push(int.from_bytes(r.take(r.number("<i")), "little", signed=True)),
    b"\x8e": lambda r: r.push(r.take(r.number("<Q"))), b"\x96": lambda r: r.push(bytearray(r.take(r.number("<Q")))),
    b"I": _printed, b"L": _printed, b"F": lambda r: r.push(float(r.line())), b"S": _quoted,
    b"V": lambda r: r.push(r.line("latin1").encode("latin1").decode("raw-unicode-escape")),
    b"l": lambda r: (items := r.above_mark(), r.push(list(items))), b"d": _dict,
    b"p": lambda r: r.memoize(int(r.line())), b"g": lambda r: r.push(r.memo[int(r.line())]),
    b"0": lambda r: r.stack.pop(), b"1": Reader.above_mark, b"2": lambda r: r.push(r.stack[-1]),
}  # fmt: skip
PLAIN = frozenset([b"%c" % code for code in b"\x80\x81\x85\x86\x87\x88\x89\x8a\x8f(.)GJKMNQRUX]abcehjqrstu}"])
"""The operations that PyTorch's reader of weights knows, those of protocol 2."""
