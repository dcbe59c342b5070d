"""The Python of a graph: one line a node, and each value let go of behind its last use."""

from __future__ import annotations

import builtins
import inspect
import operator
import re
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...engine.arrays.device import device
from ...engine.arrays.dtype import dtype
from ...engine.arrays.layout import memory_format
from ...engine.operators.registration import IN_PYTHON, OF_TORCH
from ...engine.tensors.tensor import Size
from .node import Node, _get_qualified_name, _type_repr, nodes_in
from .wrapped import wrap

__all__ = ["CodeGen", "PythonCode"]

OLDER = {kind: getattr(typing, kind.__name__.title()) for kind in (list, dict, set, tuple)}
OLDER[frozenset] = typing.FrozenSet  # noqa: UP006

COUNTER = re.compile(r"# COUNTER: (\d+)")


@dataclass
class PythonCode:
    """The text of a function, the values that stand behind names in it, which line is of which node, counted from the function's
    first, and the line at which the function begins."""

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None
    _prologue_start: int = 0


PythonCode.__module__ = "torch.fx.graph"

MAGIC = {
    "eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "gt": "{} > {}", "le": "{} <= {}", "ge": "{} >= {}", "pos": "+{}",
    "neg": "-{}", "invert": "~{}", "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "floordiv": "{} // {}",
    "truediv": "{} / {}", "mod": "{} % {}", "pow": "{} ** {}", "lshift": "{} << {}", "rshift": "{} >> {}", "and_": "{} & {}",
    "or_": "{} | {}", "xor": "{} ^ {}", "getitem": "{}[{}]", "matmul": "{} @ {}",
}  # fmt: skip
INPLACE = {"iadd": "+=", "iand": "&=", "ifloordiv": "//=", "ilshift": "<<=", "imod": "%=", "imul": "*=", "imatmul": "@=",
           "ior": "|=", "ipow": "**=", "irshift": ">>=", "isub": "-=", "itruediv": "/=", "ixor": "^="}  # fmt: skip


def attribute(root: str, path: str) -> str:
    """A dotted attribute as Python reads it, where a part of it is no name."""
    out = root
    for part in path.split("."):
        out = f"{out}.{part}" if part.isidentifier() else f'getattr({out}, "{part}")'
    return out


class CodeGen:
    """Writes the Python of a graph."""

    __module__ = "torch.fx.graph"

    def __init__(self) -> None:
        self._func_name = "forward"
        self._body_transformer: Callable | None = None

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """The line that begins the function."""
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Any, *, descs: Any = None, repr_fn: Callable = repr) -> str:
        """The line that gives the result. repr_fn: how values are written."""
        return f"return {repr_fn(output_args)}"

    def _output(self, result: Any, text: Callable) -> str:
        """The line; a class of one's own may know nothing of how values are written."""
        known = "repr_fn" in inspect.signature(self.generate_output).parameters
        return self.generate_output(result, repr_fn=text) if known else self.generate_output(result)

    def process_inputs(self, *args: Any) -> Any:
        return args

    def process_outputs(self, outputs: Any) -> Any:
        return outputs

    def additional_globals(self) -> list:
        return []

    def written(self, nodes: Any, root: str) -> PythonCode:
        """The text, and the values that stand behind names in it."""
        names = Names(self._globals())
        free: list[str] = []
        body: list[str] = []
        last = last_uses(nodes)
        annotation = ""
        for number, node in enumerate(nodes):
            body.append(f"# COUNTER: {number}\n")
            typed = f" : {names.of_type(node.type)}" if node.type is not None else ""
            if node.op == "placeholder":
                default = f" = {names.text(node.args[0])}" if node.args else ""
                free.append(f"{node.target}{typed}{default}")
                raw = node.target.replace("*", "")
                if raw != node.name:
                    body.append(f"{node.name} = {raw}\n")
            elif node.op == "output":
                if node.type is not None:
                    annotation = f" -> {names.of_type(node.type)}"
                body.append(f"{self._output(node.args[0], names.text)}\n")
            else:
                gone = last.get(node, []) + ([] if node.users else [node])
                freed = ";  " + " = ".join([*(each.name for each in gone), "None"]) if gone else ""
                body.append(f"{names.statement(node, f'{node.name}{typed}', root)}{freed}\n")
        if self._body_transformer is not None:
            body = self._body_transformer(body)
        head = self.gen_fn_def(free, annotation)
        marking = names.name_of(wrap, "torch.fx._symbolic_trace.wrap") if names.wrapped else ""
        marks = "\n".join(f'{marking}("{name}")' for name in names.wrapped)
        lines, places = counted("".join(body or ["pass\n"]), head.count("\n") + 1)
        code = "\n".join("    " + line for line in "\n".join(lines).lstrip("\n").split("\n"))
        return PythonCode(f"\n{marks}\n\n{head}\n{code}", names.known, places, marks.count("\n") + 4)

    def _globals(self) -> dict[str, Any]:
        return dict(self.additional_globals())


def counted(body: str, start: int) -> tuple[list[str], dict[int, int | None]]:
    """The lines of a body without the marks of its nodes, and which line is of which node."""
    lines: list[str] = []
    places: dict[int, int | None] = {}
    here = None
    for line in body.split("\n"):
        found = COUNTER.search(line)
        if found is not None:
            here = int(found[1])
        else:
            places[len(lines) + start] = here
            lines.append(line)
    return lines, places


class Names:
    """The values that stand behind names in the text of a graph, and how values are written with them."""

    def __init__(self, known: dict[str, Any]) -> None:
        self.known = known
        self.wrapped: dict[str, None] = {}
        """Names of functions that a program has wrapped, in order."""

    def name_of(self, value: Any, hint: str) -> str:
        """A name for a value that the text needs."""
        if getattr(value, "__module__", None) == "builtins" and getattr(builtins, hint, None) is value:
            return hint
        if hint.split(".")[0] == "torch" and hint.count(".") and is_reachable(value, hint):
            import torch

            self.known.setdefault("torch", torch)
            return hint
        hint = re.sub(r"\W+", "_", hint)
        number, name = 0, hint
        while name in self.known and self.known[name] is not value:
            number += 1
            name = f"{hint}_{number}"
        self.known[name] = value
        return name

    def of_type(self, kind: Any) -> str:
        """How an annotation is written; a type that is not Python's own gets a name."""
        if kind == ():
            return "()"
        if isinstance(kind, types.UnionType):
            return "|".join(map(self.of_type, kind.__args__))
        origin = getattr(kind, "__origin__", None)
        if origin is None:
            return self.name_of(kind, _type_repr(kind))
        if isinstance(kind, type(typing.List[int])):  # noqa: UP006 - the older way of writing it, which the text keeps
            origin = OLDER.get(origin, origin)
        name = self.name_of(origin, _type_repr(origin))
        arguments = getattr(kind, "__args__", ())
        return f"{name}[{','.join(map(self.of_type, arguments))}]" if arguments else name

    def text(self, value: Any) -> str:
        """A value as an expression."""
        if isinstance(value, Node):
            return value.name
        if isinstance(value, Size):
            return f"{self.name_of(Size, 'Size')}({tuple(value)!r})"
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return f"{self.name_of(type(value), type(value).__name__)}({', '.join(map(self.text, value))})"
        if isinstance(value, tuple):
            return f"({', '.join(map(self.text, value))}{',' * (len(value) == 1)})"
        if isinstance(value, list):
            return f"[{', '.join(map(self.text, value))}]"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{k!r}: {self.text(v)}" for k, v in value.items()) + "}"
        if isinstance(value, slice):
            return f"slice({self.text(value.start)}, {self.text(value.stop)}, {self.text(value.step)})"
        if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
            self.known.update(inf=float("inf"), nan=float("nan"))
            return repr(value)
        if isinstance(value, dtype | memory_format):
            return self.name_of(value, str(value))
        if isinstance(value, device):
            return f"{self.name_of(device, 'device')}{repr(value)[6:]}"
        if value is ...:
            return "Ellipsis"
        if value is None or isinstance(value, str | int | float | complex | bool | bytes):
            return repr(value)
        if isinstance(value, type):
            return self.name_of(value, value.__name__)
        if callable(value) and hasattr(value, "__name__"):
            return self.name_of(value, _get_qualified_name(value))
        return self.name_of(value, "value")

    def arguments(self, args: tuple, kwargs: dict) -> str:
        return ", ".join([*map(self.text, args), *(f"{k} = {self.text(v)}" for k, v in kwargs.items())])

    def statement(self, node: Any, to: str, root: str) -> str:
        """The statement that computes a node; `to`: its name and type."""
        target, args, kwargs = node.target, node.args, node.kwargs
        if node.op == "get_attr":
            return f"{to} = {attribute(root, target)}"
        if node.op == "call_module":
            return f"{to} = {attribute(root, target)}({self.arguments(args, kwargs)})"
        if node.op == "call_method":
            return f"{to} = {bracketed(self.text(args[0]))}.{target}({self.arguments(args[1:], kwargs)})"
        title = getattr(target, "__name__", "")
        own = getattr(operator, title, None) is target
        if own and title in MAGIC and not kwargs:
            return f"{to} = {MAGIC[title].format(*map(self.text, args))}"
        if own and title in INPLACE:
            return f"{self.text(args[0])} {INPLACE[title]} {self.text(args[1])};  {to} = {self.text(args[0])}"
        if target is getattr and isinstance(args[1], str) and args[1].isidentifier() and len(args) == 2:
            return f"{to} = {bracketed(self.text(args[0]))}.{args[1]}"
        name = self.name_of(target, _get_qualified_name(target) if title else type(target).__name__)
        if node.meta.get("is_wrapped", False):
            self.wrapped[name] = None
        return f"{to} = {name}({self.arguments(args, kwargs)})"


def last_uses(nodes: Any) -> dict[Node, list[Node]]:
    """The nodes whose values a node is the last to use."""
    last: dict[Node, list[Node]] = {}
    seen: set[Node] = set()
    for node in reversed(nodes):
        for each in nodes_in((node.args, node.kwargs)):
            if each not in seen:
                seen.add(each)
                last.setdefault(node, []).append(each)
    return last


def bracketed(text: str) -> str:
    return text if text.isidentifier() else f"({text})"


def is_reachable(value: Any, dotted: str) -> bool:
    """Whether a dotted name below torch leads to a value."""
    import torch

    found: Any = torch
    for part in dotted.split(".")[1:]:
        found = getattr(found, part, None)
    return found is value or name_of_form(found) == name_of_form(value) in OF_TORCH | IN_PYTHON


def name_of_form(value: Any) -> str:
    """The last part of a function's title: PyTorch has one function where there is one of ``torch`` and one of a module below."""
    return str(getattr(value, "_title", "")).rpartition(".")[2]
