"""Schemas of operators, ``mylib::scale(Tensor x, float k=2., *, SymInt n=1) -> Tensor``: read from text, inferred from a function's
annotations, and compared with the arguments of a call."""

from __future__ import annotations

import ast
import collections.abc
import inspect
import re
import types
import typing
from ast import literal_eval
from collections.abc import Callable
from typing import Any

from ..engine.arrays.device import device as device_type
from ..engine.arrays.dtype import BY_NAME
from ..engine.arrays.dtype import dtype as dtype_type
from ..engine.tensors.tensor import Tensor
from ..sandbox.sealed import Sealed
from ..sandbox.wrapping import signature as signature_of

__all__ = ["infer_schema"]

NAMES = {
    "Tensor": "Tensor", "int": "SymInt", "float": "float", "bool": "bool", "str": "str", "dtype": "ScalarType",
    "device": "Device", "Number": "Scalar",
}  # fmt: skip
"""Types of annotations, as schemas call them."""
SHOWN = {"SymInt": "int", "ScalarType": "int", "Scalar": "number"}
PYTHON = {
    "Tensor": Tensor,
    "SymInt": int,
    "float": (int, float),
    "bool": bool,
    "str": str,
    "Scalar": (int, float, complex),
}
DEFAULTS = (int, float, bool, str, dtype_type, device_type, type(None))


def parts_of(note: Any) -> tuple[str, list]:
    """An annotation's name, and the annotations within it: of objects, of text, of a tree of Python's."""
    if note is None or note is type(None):
        return "None", []
    if isinstance(note, str):
        try:
            return parts_of(ast.parse(note, mode="eval").body)
        except SyntaxError:
            return note, []
    if isinstance(note, ast.Constant):
        return parts_of(note.value)
    if isinstance(note, (ast.Name, ast.Attribute)):
        return (note.id if isinstance(note, ast.Name) else note.attr), []
    if isinstance(note, ast.BinOp):
        return "Union", [note.left, note.right]
    if isinstance(note, ast.Subscript):
        within = note.slice.elts if isinstance(note.slice, ast.Tuple) else [note.slice]
        name = parts_of(note.value)[0]
        return ("Union", [*within, None]) if name == "Optional" else (name, list(within))
    origin = typing.get_origin(note)
    if origin in (typing.Union, types.UnionType):
        return "Union", list(typing.get_args(note))
    if origin is not None:
        named = {list: "list", tuple: "tuple", collections.abc.Sequence: "Sequence"}
        return named.get(origin, "?"), list(typing.get_args(note))
    return (note.__name__ if isinstance(note, type) else "?"), []


def kind_of(note: Any) -> str | None:
    """The type of an annotation in a schema; None for one that operators do not take."""
    name, within = parts_of(note)
    if name == "Union":
        flat = [each for part in within for each in (parts_of(part)[1] if parts_of(part)[0] == "Union" else [part])]
        rest = [each for each in flat if parts_of(each)[0] != "None"]
        if {parts_of(each)[0] for each in rest} == {"int", "float", "bool"}:
            kind: str | None = "Scalar"
        else:
            kind = kind_of(rest[0]) if len(rest) == 1 else None
        return kind if kind is None or len(rest) == len(flat) else kind + "?"
    if name in ("list", "List", "Sequence") and len(within) == 1:
        inner = kind_of(within[0])
        return None if inner is None or inner[-1] == "]" else inner + "[]"
    return None if within else NAMES.get(name)


def written(value: Any) -> str:
    """A default, as schemas write it."""
    if isinstance(value, float):
        return f"{value:g}" + "." * value.is_integer()
    if isinstance(value, dtype_type):
        return str(value).removeprefix("torch.")
    return f'"{value}"' if isinstance(value, (str, device_type)) else str(value)


NUMBERED = "uint8 int8 int16 int32 int64 float16 float32 float64 complex32 complex64 complex128 bool qint8 quint8 qint32 bfloat16".split()
"""Dtypes by the numbers that schemas show in their place."""


def read(text: str, kind: str) -> Any:
    """The default that a schema's text stands for, and how a schema shows it."""
    if kind.rstrip("?") == "ScalarType" and text in NUMBERED:
        return BY_NAME[text], NUMBERED.index(text)
    if text in ("True", "False", "true", "false"):
        return text in ("True", "true"), text.capitalize()
    try:
        value = literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise RuntimeError(f"\ninvalid numeric default value:\n{text}\n~ <--- HERE") from None
    if isinstance(value, str) and kind.rstrip("?") == "str":
        return value, f'"{value}"'
    if kind.rstrip("?") == "Device" and isinstance(value, str):
        return device_type(value), value
    return value, written(value) if isinstance(value, float) else text


def infer_schema(
    prototype_function: Callable, /, *, mutates_args: Any, op_name: str | None = None, tags: Any = ()
) -> str:
    """The schema of an operator that a function with annotated parameters computes.
    mutates_args: the names of the parameters that it writes into, or "unknown". ValueError: an annotation that is missing, or that
    operators do not take.
    >>> def scaled(x: torch.Tensor, by: float = 2.0) -> torch.Tensor: return x * by
    >>> torch.library.infer_schema(scaled, mutates_args=())
    '(Tensor x, float by=2.) -> Tensor'
    """
    signature = signature_of(prototype_function)

    def wrong(told: str) -> ValueError:
        return ValueError(f"infer_schema(func): {told} Got func with signature {signature})")

    shown: list[str] = []
    for place, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise wrong("We do not support positional-only args, varargs, or varkwargs.")
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        note = parameter.annotation
        if note is parameter.empty:
            raise wrong(f"Parameter {name} must have a type annotation.")
        kind = kind_of(note)
        if kind is None:
            raise wrong(f"Parameter {name} has unsupported type {note}. The valid types are: {', '.join(NAMES)}.")
        if (mutates_args == "unknown" and kind[:6] == "Tensor") or (mutates_args != "unknown" and name in mutates_args):
            if kind[:6] != "Tensor":
                raise wrong(
                    f"Parameter {name} is in mutable_args but only Tensors or collections of Tensors can be mutated"
                )
            kind = f"Tensor(a{place}!){kind[6:]}"
        if parameter.default is not parameter.empty and not isinstance(parameter.default, DEFAULTS):
            raise wrong(
                f"Parameter {name} has an unsupported default value type {type(parameter.default)}. Please file an issue on "
                "GitHub so we can prioritize this."
            )
        default = "" if parameter.default is parameter.empty else "=" + written(parameter.default)
        shown.append(f"{kind} {name}{default}")
    unknown = set() if mutates_args == "unknown" else set(mutates_args) - set(signature.parameters)
    if unknown:
        raise wrong(
            f"{unknown} in mutates_args were not found in the custom op's signature. mutates_args should contain the names of "
            "all args that the custom op mutates, or just the string 'unknown' if you don't know."
        )
    note = signature.return_annotation
    if note is signature.empty:
        raise wrong("No return type annotation was provided. Please add one.")
    name, within = parts_of(note)
    kinds = [kind_of(each) for each in (within if name in ("tuple", "Tuple") else [note])]
    if name != "None" and any(
        kind is None or kind.rstrip("[]") not in ("Tensor", "SymInt", "float", "bool", "Scalar") for kind in kinds
    ):
        raise wrong(f"Return has unsupported type {note}. The valid types are: Tensor, List[Tensor], int, float, bool.")
    returned = "()" if name == "None" else f"({', '.join(map(str, kinds))})" if name in ("tuple", "Tuple") else kinds[0]
    return f"{op_name or ''}({', '.join(shown)}) -> {returned}"


class Argument(metaclass=Sealed):
    """An argument of a schema, or a result."""

    __module__ = "torch._C"
    __slots__ = ("name", "type", "kwarg_only", "alias_info", "default_value", "_optional")
    N = None

    def __init__(self, name: str, type: str, default: Any = inspect.Parameter.empty, only: bool = False) -> None:
        self.name, self.type, self.kwarg_only = name, as_told(plain(type)), only
        alias = re.search(r"\((.*?)\)", type)
        self.alias_info = None if alias is None else Alias(alias[1])
        self._optional = default is not inspect.Parameter.empty
        self.default_value = default if self._optional else None
        if isinstance(default, dtype_type):
            self.default_value = NUMBERED.index(default.name)

    def has_default_value(self) -> bool:
        """Whether a call may leave it out."""
        return self._optional

    @property
    def is_out(self) -> bool:
        """Whether it is where the result is written: by name alone."""
        return self.kwarg_only and self.alias_info is not None and self.alias_info.is_write


class Alias(metaclass=Sealed):
    """What a schema says of an argument's memory, ``a!``: the set it belongs to, and whether it is written into."""

    __module__ = "torch._C"
    __slots__ = ("is_write", "before_set", "after_set")

    def __init__(self, text: str) -> None:
        before, _, after = text.replace("!", "").partition("->")
        self.is_write = "!" in text
        self.before_set = {each.strip() for each in before.split("|")}
        self.after_set = {each.strip() for each in after.split("|")} if after else self.before_set


class FunctionSchema(metaclass=Sealed):
    """The schema of an operator: its text, its name, its arguments and results."""

    __module__ = "torch._C"
    __slots__ = ("_text", "name", "overload_name", "arguments", "returns")

    def __init__(
        self, text: str, name: str, overload_name: str, arguments: list[Argument], returns: list[Argument]
    ) -> None:
        self._text, self.name, self.overload_name = text, name, overload_name
        self.arguments, self.returns = arguments, returns

    def __repr__(self) -> str:
        return self._text

    @property
    def is_mutable(self) -> bool:
        """Whether the operator writes into an argument."""
        return any(each.alias_info is not None and each.alias_info.is_write for each in self.arguments)


def plain(kind: str) -> str:
    """A type as `Declaration.kinds` has it: without what is said of its memory."""
    return {"int": "SymInt"}.get(kind, re.sub(r"\(.*?\)", "", kind))


def as_told(kind: str) -> str:
    """A type as errors name it: ``Optional[Tensor]`` of ``Tensor?``."""
    if kind[-1] == "?":
        return f"Optional[{as_told(kind[:-1])}]"
    return f"List[{as_told(kind[:-2])}]" if kind[-2:] == "[]" else SHOWN.get(kind, kind)


def fits(value: Any, kind: str) -> bool:
    """Whether a value can be an argument of a type."""
    if kind[-1] == "?":
        return value is None or fits(value, kind[:-1])
    if kind[-2:] == "[]":
        return isinstance(value, (list, tuple)) and all(fits(each, kind[:-2]) for each in value)
    return kind not in PYTHON or isinstance(value, PYTHON[kind])  # type: ignore[arg-type]


def split(text: str) -> list[str]:
    """The parts of a list of arguments or results."""
    parts, depth = [""], 0
    for piece in re.findall(r"[^\[\](),]+|.", text, re.DOTALL):
        depth += (piece in "[(") - (piece in "])")
        if piece == "," and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    return [each.strip() for each in parts] if text.strip() else []


KNOWN = frozenset(
    """Tensor SymInt int float bool str Scalar ScalarType Device Layout MemoryFormat Generator Stream SymBool Dimname Storage complex
    number Dict Any QScheme""".split()
)


LIKELY = {
    "int64_t": "Use `SymInt` or `int` instead of `int64_t` in an operator's schema string. `SymInt` corresponds to c10::SymInt in C++ "
    "while `int` in schema corresponds to the int64_t type in C++.",
    "double": "Use `float` instead of `double` in an operator's schema string. `float` in schema corresponds to the double type in C++",
}  # fmt: skip
UNKNOWN = (
    "unknown type specifier. Common valid schema types include Tensor, SymInt, int, float, bool, Scalar; for a full list, please see "
    "https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/README.md#func "
)


def known(kind: str) -> None:
    """RuntimeError: a type that schemas do not have."""
    name = re.match(r"\w*", kind)[0]  # type: ignore[index]
    if name not in KNOWN and not kind.startswith(("__torch__", "t(", "Dict")):
        raise RuntimeError(f"\n{LIKELY.get(name, UNKNOWN)}:\n{kind}\n{'~' * len(name)} <--- HERE")


MOST = 64


class Declaration:
    """An operator declared by a schema, ``(Tensor x, float k=2.0, *, int n=1) -> Tensor``: it has no kernel yet."""

    def __init__(self, name: str, schema: str) -> None:
        found = re.fullmatch(r"\s*\((.*)\)\s*->\s*(.+?)\s*", schema)
        if found is None:
            raise ValueError(
                'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got '
                f'"{schema}"'
            )
        (self.name, _, self.form), self.kinds, shown, self.mutated = name.partition("."), {}, [], []
        self.returned = [] if found[2] in ("()", "None") else split(found[2][1:-1] if found[2][0] == "(" else found[2])
        for each in self.returned:
            known(each)
        parameters, kind, parts = [], inspect.Parameter.POSITIONAL_OR_KEYWORD, split(found[1])
        if len(parts) - ("*" in parts) > MOST:
            raise RuntimeError(
                f"The function schema has {len(parts) - ('*' in parts)} arguments but this PyTorch build only supports {MOST}"
            )
        for part in parts:
            if part == "*":
                kind = inspect.Parameter.KEYWORD_ONLY
                shown.append("*")
                continue
            typed, _, default = part.partition("=")
            type, _, argument = typed.strip().rpartition(" ")
            known(type)
            value, told = read(default, type) if default else (inspect.Parameter.empty, "")
            parameters.append(inspect.Parameter(argument, kind, default=value, annotation=type))
            self.kinds[argument] = plain(type)
            if "!" in type:
                self.mutated.append(argument)
            shown.append(f"{type} {argument}" + f"={told}" * bool(default))
        self.text = f"{name}({', '.join(shown)}) -> {found[2]}"
        self.__signature__ = inspect.Signature(parameters)

    @property
    def schema(self) -> FunctionSchema:
        arguments = [
            Argument(name, each.annotation, each.default, each.kind is each.KEYWORD_ONLY)
            for name, each in self.__signature__.parameters.items()
        ]
        results = [each.partition(" ") for each in self.returned]
        return FunctionSchema(self.text, self.name, self.form, arguments, [Argument(n, kind) for kind, _, n in results])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(self.absent("CPU"))

    def absent(self, key: str) -> str:
        """What PyTorch says of a kernel that is not there."""
        return (
            f"Could not run '{self.name}' with arguments from the '{key}' backend. This could be because the operator doesn't "
            "exist for this backend, or was omitted during the selective/custom build process (if using custom build)."
        )

    def check(self, args: tuple, kwargs: dict) -> None:
        """PyTorch's errors of arguments that a call lacks, or has too many of, and of what stands in another's place."""
        if len(args) > len(self.kinds):
            raise RuntimeError(
                f"{self.name}() expected at most {len(self.kinds)} argument(s) but received {len(args)} argument(s). "
                f"Declaration: {self.text}"
            )
        for i, (name, parameter) in enumerate(self.__signature__.parameters.items()):
            given = args[i] if i < len(args) else kwargs.get(name, parameter.default)
            if given is inspect.Parameter.empty:
                raise RuntimeError(f"{self.name}() is missing value for argument '{name}'. Declaration: {self.text}")
            if (i < len(args) or name in kwargs) and not fits(given, self.kinds[name]):
                raise RuntimeError(
                    f"{self.name}() Expected a value of type '{as_told(self.kinds[name])}' for argument '{name}' but instead "
                    f"found type '{type(given).__name__}'.\nPosition: {i}\nValue: {given!r}\nDeclaration: {self.text}"
                )
        for name in kwargs:
            if name not in self.kinds:
                raise RuntimeError(f"Unknown keyword argument '{name}' for operator '{self.name}'. Schema: {self.text}")
