"""A part of CUDA's C, run by numpy: all threads of a launch take each step together.

Values are numpy scalars and arrays with one element for each thread; a mask says which threads take part. C's own rules
hold for types, casts and the division of integers. A place read or written outside an array, by a thread that takes part,
raises IndexError: a GPU would not say so. What this cannot show are missing barriers, as no thread runs ahead of another.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

TOKEN = re.compile(
    r"\s*(?://[^\n]*|#pragma[^\n]*|(0[xX][0-9a-fA-F]+[uUlL]*|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?[fFuUlL]*)|([A-Za-z_]\w*)|"
    r"(<<=|>>=|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^<>=!]=|[-+*/%&|^~!<>=?:;,.(){}\[\]]))"
)
TYPES = {
    "bool": np.bool_, "char": np.int8, "int": np.int32, "unsigned": np.uint32, "long": np.int64, "ulong": np.uint64,
    "float": np.float32, "double": np.float64, "size_t": np.uint64, "ptrdiff_t": np.int64, "void": None,
}  # fmt: skip
TYPES = {name: kind if kind is None else np.dtype(kind) for name, kind in TYPES.items()}
LEVELS = [
    ["||"],
    ["&&"],
    ["|"],
    ["^"],
    ["&"],
    ["==", "!="],
    ["<", ">", "<=", ">="],
    ["<<", ">>"],
    ["+", "-"],
    ["*", "/", "%"],
]
SKIPPED = {"const", "__restrict__", "static", "inline", "__device__", "__global__", "__forceinline__", "extern"}


class Parser:
    """Text to statements and expressions, as tuples that begin with their kind."""

    def __init__(self, text: str, types: dict[str, Any]) -> None:
        text = re.sub(r'extern "C"', "", text)
        self.tokens, at = [], 0
        while at < len(text.rstrip()):
            found = TOKEN.match(text, at)
            assert found, f"not C that is understood: {text[at : at + 40]!r}"
            at = found.end()
            if found.lastgroup is None and found.lastindex:
                self.tokens.append(found.group(found.lastindex))
        self.at, self.types = 0, types

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, wanted: str | None = None) -> str:
        token = self.peek()
        assert wanted is None or token == wanted, (
            f"{wanted!r} expected at {' '.join(self.tokens[self.at : self.at + 12])}"
        )
        self.at += 1
        return token

    def accept(self, wanted: str) -> bool:
        found = self.peek() == wanted
        self.at += found
        return found

    def is_type(self) -> bool:
        return self.peek() in SKIPPED or self.peek() in self.types or self.peek() == "__shared__"

    def type(self) -> tuple[Any, bool]:
        """A type, and whether it is shared by the threads of a block."""
        shared, words = False, []
        while self.is_type() and not (words and self.peek() in self.types and words[-1] not in ("unsigned", "long")):
            word = self.take()
            shared |= word == "__shared__"
            if word in self.types:
                words.append(word)
        if words[:1] == ["unsigned"] and len(words) > 1:
            words = ["ulong"] if "long" in words else ["unsigned"]
        while self.accept("*") or self.accept("__restrict__") or self.accept("const"):
            pass
        return self.types[words[0]], shared

    def program(self) -> dict[str, tuple]:
        """The functions of a source, by their names: parameters and body."""
        found = {}
        while self.peek():
            self.type()
            name = self.take()
            self.take("(")
            params = []
            while not self.accept(")"):
                kind, _ = self.type()
                params.append((kind, self.take()))
                self.accept(",")
            found[name] = (params, self.statement())
        return found

    def statement(self) -> tuple:
        if self.accept("{"):
            body = []
            while not self.accept("}"):
                body.append(self.statement())
            return ("block", body)
        if self.accept(";"):
            return ("block", [])
        if self.accept("if"):
            self.take("(")
            condition = self.expression()
            self.take(")")
            yes = self.statement()
            return ("if", condition, yes, self.statement() if self.accept("else") else ("block", []))
        if self.accept("for"):
            self.take("(")
            first = self.statement()
            condition = ("number", np.bool_(True)) if self.peek() == ";" else self.expression()
            self.take(";")
            step = ("block", []) if self.peek() == ")" else self.simple()
            self.take(")")
            return ("block", [first, ("while", condition, self.statement(), step)])
        if self.accept("while"):
            self.take("(")
            condition = self.expression()
            self.take(")")
            return ("while", condition, self.statement(), ("block", []))
        if self.peek() in ("break", "continue", "return"):
            kind = self.take()
            value = None if self.peek() == ";" else self.expression()
            self.take(";")
            return (kind, value)
        found = self.simple()
        self.take(";")
        return found

    def simple(self) -> tuple:
        """A declaration, an assignment or a call; several with commas between them."""
        if self.is_type():
            kind, shared = self.type()
            several = []
            while True:
                name = self.take()
                if self.accept("["):
                    several.append(("array", kind, name, self.expression(), shared))
                    self.take("]")
                else:
                    several.append(("declare", kind, name, self.expression() if self.accept("=") else None))
                if not self.accept(","):
                    return ("block", several)
        several = [self.assignment()]
        while self.accept(","):
            several.append(self.assignment())
        return ("block", several)

    def assignment(self) -> tuple:
        for step in "++", "--":
            if self.accept(step):
                return ("assign", step[0] + "=", self.expression(), ("number", np.int32(1)))
        target = self.expression()
        if self.peek() in ("++", "--"):
            return ("assign", self.take()[0] + "=", target, ("number", np.int32(1)))
        if self.peek().endswith("=") and self.peek() not in ("==", "<=", ">=", "!="):
            return ("assign", self.take(), target, self.expression())
        return ("call only", target)

    def expression(self) -> tuple:
        condition = self.binary(0)
        if self.accept("?"):
            yes = self.expression()
            self.take(":")
            return ("choose", condition, yes, self.expression())
        return condition

    def binary(self, level: int) -> tuple:
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in LEVELS[level]:
            left = ("binary", self.take(), left, self.binary(level + 1))
        return left

    def unary(self) -> tuple:
        for sign in "-", "!", "~", "+", "&":
            if self.accept(sign):
                return ("unary", sign, self.unary())
        if self.peek() == "(" and self.peek(1) in self.types and self.peek(2) != "(":
            self.take("(")
            kind, _ = self.type()
            self.take(")")
            return ("cast", kind, self.unary())
        return self.postfix()

    def postfix(self) -> tuple:
        token = self.take()
        found: tuple
        if token == "(":
            found = self.expression()
            self.take(")")
        elif token in self.types:
            self.take("(")
            found = ("cast", self.types[token], self.expression())
            self.take(")")
        elif token[0].isdigit() or token[0] == ".":
            found = ("number", number(token))
        elif token in ("true", "false"):
            found = ("number", np.bool_(token == "true"))
        else:
            found = ("name", token)
        while True:
            if self.accept("["):
                found = ("index", found, self.expression())
                self.take("]")
            elif self.accept("."):
                found = ("name", f"{found[1]}.{self.take()}")
            elif self.accept("("):
                args = []
                while not self.accept(")"):
                    args.append(self.expression())
                    self.accept(",")
                found = ("call", found[1], args)
            else:
                return found


def number(text: str) -> Any:
    text = text.lower()
    if not text.startswith("0x") and re.search(r"[.e]", text) or text.endswith("f") and not text.startswith("0x"):
        return np.float32(text[:-1]) if text.endswith("f") else np.float64(text)
    plain = text.rstrip("ul")
    value, suffix = int(plain, 0), text[len(plain) :]
    if "ll" in suffix or value >= 1 << 32:
        return (np.uint64 if "u" in suffix else np.int64)(value)
    return (np.uint32 if "u" in suffix or value >= 1 << 31 else np.int32)(value)


def common(a: Any, b: Any) -> np.dtype:
    """C's type for an operation on two operands."""
    return joined(a.dtype, b.dtype)


@cache
def joined(a: np.dtype, b: np.dtype) -> np.dtype:
    floats = [d for d in (a, b) if d.kind in "fV"]  # V: bfloat16
    if floats:
        return max(floats, key=lambda d: d.itemsize)
    kinds = [d if d.itemsize >= 4 else np.dtype(np.int32) for d in (a, b)]
    return max(kinds, key=lambda d: (d.itemsize, d.kind == "u"))


def cast(value: Any, kind: Any) -> Any:
    if getattr(value, "dtype", None) is kind or kind is None or isinstance(value, POINTERS):
        return value
    return np.asarray(value).astype(kind)[()]


def some(mask: np.ndarray) -> bool:
    """Whether any thread is in a mask; numpy's own `any` takes ten times as long for a few."""
    return np.count_nonzero(mask) > 0


def spread(value: Any, mask: np.ndarray) -> np.ndarray:
    """A value with one element for each thread."""
    if getattr(value, "shape", ()) == mask.shape:
        return value
    value = np.asarray(value)
    return np.broadcast_to(value, mask.shape) if value.ndim else np.ndarray(mask.shape, value.dtype, value, 0, (0,))


def outside(at: Any, size: int) -> np.ndarray:
    """Where a number is none of an element; negative ones are large without their sign."""
    return at.view(f"u{at.itemsize}") >= size if at.dtype.kind == "i" else at >= size


class Memory:
    """What a pointer points to: elements by their number."""

    def __init__(self, array: np.ndarray) -> None:
        assert array.flags.c_contiguous, "a kernel was given an array that is not contiguous"
        self.array = array.reshape(-1)

    def places(self, at: Any, mask: Any, lanes: Any) -> tuple:
        at = spread(at, mask)
        wrong = outside(at, self.array.size)
        if not some(wrong):
            return at, mask
        if some(mask & wrong):
            raise IndexError(f"element {at[mask & wrong][0]} of an array of {self.array.size} is used on the device")
        return np.where(mask, at, 0), mask

    def read(self, at: Any, mask: Any, lanes: Any) -> Any:
        places, mask = self.places(at, mask, lanes)
        return self.array[places] if self.array.size else np.zeros(mask.shape, self.array.dtype)

    def write(self, at: Any, value: Any, mask: Any, lanes: Any) -> None:
        places, mask = self.places(at, mask, lanes)
        self.array[places[mask]] = spread(value, mask)[mask].astype(self.array.dtype)


class Shared(Memory):
    """An array of each block, or (of blocks of one) of each thread."""

    def __init__(self, count: int, kind: Any, blocks: np.ndarray) -> None:
        self.count, self.begins = count, blocks * count
        self.array = np.zeros((int(blocks.max(initial=0)) + 1) * count, kind)

    def places(self, at: Any, mask: Any, lanes: Any) -> tuple:
        if np.ndim(at) == 0:
            if not 0 <= at < self.count and some(mask):
                raise IndexError(f"an array of {self.count} elements is left")
            return self.begins + (at if 0 <= at < self.count else 0), mask
        wrong = outside(at, self.count)
        if some(wrong):
            if some(mask & wrong):
                raise IndexError(f"an array of {self.count} elements is left")
            at = np.where(mask, at, 0)
        return self.begins + at, mask


class Addresses:
    """A column of pointers: which of them a thread follows is its own number."""

    def __init__(self, rows: list[Memory]) -> None:
        self.rows = rows

    def read(self, at: Any, mask: Any, lanes: Any) -> Several:
        return Several(self.rows, spread(at, mask))


class Several(Memory):
    """A pointer that goes elsewhere for each thread."""

    def __init__(self, rows: list[Memory], which: Any) -> None:
        self.rows, self.which = rows, which

    def together(self) -> np.ndarray:
        return np.concatenate([row.array for row in self.rows])

    def places(self, at: Any, mask: Any, lanes: Any) -> tuple:
        """Places in the rows one behind the other."""
        at, sizes = spread(at, mask), np.array([row.array.size for row in self.rows])
        wrong = mask & ((at < 0) | (at >= sizes[self.which]))
        if some(wrong):
            raise IndexError(
                f"element {at[wrong][0]} of an array of {sizes[self.which[wrong][0]]} is used on the device"
            )
        return np.where(mask, at + (np.cumsum(sizes) - sizes)[self.which], 0), mask

    def read(self, at: Any, mask: Any, lanes: Any) -> Any:
        places, _ = self.places(at, mask, lanes)
        return np.where(mask, self.together()[places], 0).astype(self.rows[0].array.dtype)

    def write(self, at: Any, value: Any, mask: Any, lanes: Any) -> None:
        places, _ = self.places(at, mask, lanes)
        flat, end = self.together(), 0
        flat[places[mask]] = spread(value, mask)[mask].astype(flat.dtype)
        for row in self.rows:
            row.array[:], end = flat[end : end + row.array.size], end + row.array.size


class Place:
    """``&array[i]``."""

    def __init__(self, memory: Memory, at: Any) -> None:
        self.memory, self.at = memory, at


POINTERS = (Place, Memory)
STRAIGHT = frozenset(("declare", "array", "assign", "call only"))
"""Statements after which every thread goes on."""
FOLDS = {"add": np.add, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum}


class Machine:
    """Runs parsed functions for a number of threads."""

    def __init__(self, functions: dict[str, tuple], lanes: int, block: int = 1) -> None:
        self.functions = functions
        self.lanes = np.arange(lanes)
        self.block = block
        self.blocks = self.lanes // block

    def run(self, body: tuple, scope: dict[str, Any]) -> None:
        self.stops: list[dict] = []
        self.returned: list[tuple] = [(np.zeros(len(self.lanes), bool), [None])]
        with np.errstate(all="ignore"):
            self.execute(body, scope, np.ones(len(self.lanes), bool))

    def left(self, mask: Any) -> Any:
        """The threads of a mask that have not left the loop or the function."""
        gone = self.returned[-1][0]
        for stop in self.stops[-1:]:
            gone = gone | stop["break"] | stop["continue"]
        return mask & ~gone

    def execute(self, node: tuple, scope: dict, mask: Any) -> None:
        kind = node[0]
        if kind == "block":
            for each in node[1]:
                self.execute(each, scope, mask)
                if each[0] not in STRAIGHT:
                    mask = self.left(mask)
                    if not some(mask):
                        return
        elif kind == "declare":
            value = np.zeros((), node[1])[()] if node[3] is None else cast(self.value(node[3], scope, mask), node[1])
            scope[node[2]] = value
        elif kind == "array":
            count = int(self.value(node[3], scope, mask))
            scope[node[2]] = Shared(count, node[1], self.blocks if node[4] else self.lanes)
        elif kind == "assign":
            self.assign(node, scope, mask)
        elif kind == "call only":
            self.value(node[1], scope, mask)
        elif kind == "if":
            condition = spread(self.value(node[1], scope, mask), mask).astype(bool)
            for part, chosen in ((node[2], mask & condition), (node[3], mask & ~condition)):
                if some(chosen):
                    self.execute(part, scope, chosen)
        elif kind == "while":
            never = np.zeros(mask.shape, bool)
            self.stops.append({"break": never, "continue": never})
            for _ in range(1 << 20):
                mask = mask & ~self.returned[-1][0] & ~self.stops[-1]["break"]
                if not some(mask):
                    break
                mask = mask & spread(self.value(node[1], scope, mask), mask).astype(bool)
                if not some(mask):
                    break
                self.execute(node[2], scope, mask)
                self.stops[-1]["continue"] = never
                mask = mask & ~self.returned[-1][0] & ~self.stops[-1]["break"]
                if some(mask):
                    self.execute(node[3], scope, mask)
            else:
                raise RuntimeError("a loop does not end")
            self.stops.pop()
        elif kind == "return":
            done, value = self.returned[-1]
            if node[1] is not None:
                found = spread(self.value(node[1], scope, mask), mask)
                value[0] = found if value[0] is None else np.where(mask, found, value[0])
            done |= mask
        else:
            self.stops[-1][kind] = self.stops[-1][kind] | mask

    def assign(self, node: tuple, scope: dict, mask: Any) -> None:
        _, sign, target, expression = node
        value = self.value(expression, scope, mask)
        if sign != "=":
            value = self.operate(sign[:-1], self.value(target, scope, mask), value)
        if target[0] == "index":
            memory = self.value(target[1], scope, mask)
            memory.write(self.value(target[2], scope, mask), value, mask, self.lanes)
            return
        before = scope[target[1]]
        value = cast(value, before.dtype)
        scope[target[1]] = value if np.count_nonzero(mask) == mask.size else np.where(mask, value, before)

    def value(self, node: tuple, scope: dict, mask: Any) -> Any:
        kind = node[0]
        if kind == "number":
            return node[1]
        if kind == "name":
            return scope[node[1]]
        if kind == "index":
            return self.value(node[1], scope, mask).read(self.value(node[2], scope, mask), mask, self.lanes)
        if kind == "cast":
            return cast(self.value(node[2], scope, mask), node[1])
        if kind == "choose":
            condition = spread(self.value(node[1], scope, mask), mask).astype(bool)
            yes = self.value(node[2], scope, mask & condition)
            no = self.value(node[3], scope, mask & ~condition)
            return np.where(condition, yes, no).astype(common(yes, no))
        if kind == "unary":
            if node[1] == "&":
                _, memory, at = node[2]
                return Place(self.value(memory, scope, mask), self.value(at, scope, mask))
            value = self.value(node[2], scope, mask)
            if node[1] == "!":
                return np.logical_not(value)
            value = cast(value, common(value, np.int32(0)))
            return -value if node[1] == "-" else ~value if node[1] == "~" else value
        if kind == "call":
            return self.call(node[1], [self.value(a, scope, mask) for a in node[2]], mask)
        _, sign, left, right = node
        first = self.value(left, scope, mask)
        if sign in ("&&", "||"):
            truth = spread(first, mask).astype(bool)
            asked = mask & (truth if sign == "&&" else ~truth)
            second = spread(self.value(right, scope, asked), mask).astype(bool)
            return truth & second if sign == "&&" else truth | second
        return self.operate(sign, first, self.value(right, scope, mask))

    def operate(self, sign: str, a: Any, b: Any) -> Any:
        if sign in ("<<", ">>"):
            return np.left_shift(a, cast(b, a.dtype)) if sign == "<<" else np.right_shift(a, cast(b, a.dtype))
        if (kind := a.dtype) is not b.dtype or kind.itemsize < 4:
            kind = joined(kind, b.dtype)
            a, b = cast(a, kind), cast(b, kind)
        if sign == "/" and kind.kind not in "fV":
            return (a - np.fmod(a, b)) // b
        return OPERATIONS[sign](a, b)

    def call(self, name: str, args: list, mask: Any) -> Any:
        if name in self.functions:
            params, body = self.functions[name]
            scope = {
                p: a if isinstance(a, Memory | Place) else cast(a, kind)
                for (kind, p), a in zip(params, args, strict=True)
            }
            stops, self.stops = self.stops, []
            self.returned.append((np.zeros(mask.shape, bool), [None]))
            self.execute(body, scope | {k: v for k, v in self.globals.items() if k not in scope}, mask)
            self.stops = stops
            return self.returned.pop()[1][0]
        if name in ("__syncthreads", "__threadfence"):
            return None
        if name == "__ldcg":
            return args[0].memory.read(args[0].at, mask, self.lanes)
        if name == "atomicAdd":
            return self.add_in_turn(*args, mask)
        if name.startswith("__shfl"):
            return self.shuffle(name, *args[1:])
        if name == "aligned":
            return np.bool_(True)
        if name in ("load", "store"):
            to, found = args
            for k in range(to.count if name == "load" else found.count):
                if name == "load":
                    to.write(k, found.memory.read(found.at + k, mask, self.lanes), mask, self.lanes)
                else:
                    to.memory.write(to.at + k, found.read(k, mask, self.lanes), mask, self.lanes)
            return None
        if name.startswith("fold_"):
            place, value = args
            at, _ = place.memory.places(place.at, mask, self.lanes)
            FOLDS[name[5:]].at(place.memory.array, at[mask], spread(value, mask)[mask])
            return None
        return MATH[name](*args)

    def add_in_turn(self, place: Any, value: Any, mask: Any) -> Any:
        """What each thread finds, one after another, at a place that it adds to."""
        at, _ = place.memory.places(place.at, mask, self.lanes)
        array, value = place.memory.array, spread(value, mask)
        found = np.zeros(mask.shape, array.dtype)
        for lane in np.flatnonzero(mask):
            found[lane] = array[at[lane]]
            array[at[lane]] += value[lane]
        return found

    def shuffle(self, name: str, value: Any, by: Any) -> Any:
        by = np.asarray(by).astype(self.lanes.dtype)  # of blocks that have gone on to other loops, another one
        other = self.lanes ^ by if "xor" in name else self.lanes - by if "_up_" in name else self.lanes + by
        assert self.block % 32 == 0, "a shuffle in a block that is no whole number of warps"
        return np.broadcast_to(value, self.lanes.shape)[other % len(self.lanes)]

    globals: dict[str, Any] = {}


OPERATIONS: dict[str, Callable] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "%": np.fmod, "&": np.bitwise_and, "|": np.bitwise_or,
    "^": np.bitwise_xor, "==": np.equal, "!=": np.not_equal, "<": np.less, ">": np.greater, "<=": np.less_equal,
    ">=": np.greater_equal,
}  # fmt: skip


def _erf(x: Any) -> Any:
    from scipy.special import erf

    return erf(x)


def _larger(a: Any, b: Any) -> Any:
    kind = common(a, b)
    return np.fmax(cast(a, kind), cast(b, kind))


def _smaller(a: Any, b: Any) -> Any:
    kind = common(a, b)
    return np.fmin(cast(a, kind), cast(b, kind))


def _split(x: Any) -> tuple[Any, Any]:
    """Two halves of the digits of a double (Dekker, 1971)."""
    high = x * 134217729.0
    high = high - (high - x)
    return high, x - high


def _fused(a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded nearly once: doubles with the errors of their product and sum."""
    if a.dtype != np.float64:
        return (a.astype(np.float64) * b + c).astype(a.dtype)
    (x, y), (u, v), product = _split(a), _split(b), a * b
    total = product + c
    part = total - product
    lost = ((x * u - product) + x * v + y * u) + y * v + ((product - (total - part)) + (c - part))
    return np.where(np.isfinite(total + lost), total + lost, total)


MATH: dict[str, Callable] = {
    "exp": np.exp, "log": np.log, "log1p": np.log1p, "tanh": np.tanh, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos,
    "rsqrt": lambda x: (1 / np.sqrt(x)).astype(x.dtype), "erf": _erf, "isnan": np.isnan, "max": _larger, "min": _smaller,
    "abs": np.abs, "tan": np.tan, "exp2": np.exp2, "exp2f": np.exp2, "expm1": np.expm1, "log2": np.log2, "log10": np.log10, "sinh": np.sinh,
    "cosh": np.cosh, "floor": np.floor, "trunc": np.trunc, "ceil": np.ceil, "isinf": np.isinf, "pow": np.power, "fabs": np.abs,
    "__logf": np.log, "__expf": np.exp, "__tanf": np.tan, "__sinf": np.sin, "__cosf": np.cos,
    "fma": _fused, "sinpi": lambda x: np.sin(x * np.pi), "cospi": lambda x: np.cos(x * np.pi),
    "__umulhi": lambda a, b: ((a.astype(np.uint64) * b.astype(np.uint64)) >> np.uint64(32)).astype(np.uint32),
}  # fmt: skip
