"""The Python of a graph: one line a node, and each value let go of behind its last use."""

from __future__ import annotations

import builtins
import operator
import re
from collections import namedtuple
from typing import Any

from ...engine.arrays.device import device
from ...engine.arrays.dtype import dtype
from ...engine.tensors.tensor import Size
from .node import Node, _get_qualified_name, _type_repr, nodes_in

__all__ = ["CodeGen", "PythonCode"]

PythonCode = namedtuple("PythonCode", "src globals lineno_map")
PythonCode.__new__.__defaults__ = (None,)  # type: ignore[attr-defined]

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

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """The line that begins the function."""
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Any) -> str:
        """The line that gives the result."""
        return f"return {repr(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        return args

    def process_outputs(self, outputs: Any) -> Any:
        return outputs

    def additional_globals(self) -> list:
        return []

    def written(self, nodes: Any, root: str) -> PythonCode:
        """The text, and the values that stand behind names in it."""
        known: dict[str, Any] = dict(self.additional_globals())
        wrapped: dict[str, None] = {}

        def name_of(value: Any, hint: str) -> str:
            """A name for a value that the text needs."""
            if getattr(value, "__module__", None) == "builtins" and getattr(builtins, hint, None) is value:
                return hint
            if hint.split(".")[0] == "torch" and hint.count(".") and is_reachable(value, hint):
                import torch

                known.setdefault("torch", torch)
                return hint
            hint = re.sub(r"\W", "_", hint)
            number, name = 0, hint
            while name in known and known[name] is not value:
                number += 1
                name = f"{hint}_{number}"
            known[name] = value
            return name

        def text(value: Any) -> str:
            if isinstance(value, Node):
                return value.name
            if isinstance(value, Size):
                return f"{name_of(Size, 'Size')}({tuple(value)!r})"
            if isinstance(value, tuple) and hasattr(value, "_fields"):
                return f"{name_of(type(value), type(value).__name__)}({', '.join(map(text, value))})"
            if isinstance(value, tuple):
                return f"({', '.join(map(text, value))}{',' * (len(value) == 1)})"
            if isinstance(value, list):
                return f"[{', '.join(map(text, value))}]"
            if isinstance(value, dict):
                return "{" + ", ".join(f"{k!r}: {text(v)}" for k, v in value.items()) + "}"
            if isinstance(value, slice):
                return f"slice({text(value.start)}, {text(value.stop)}, {text(value.step)})"
            if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
                known.update(inf=float("inf"), nan=float("nan"))
                return repr(value)
            if isinstance(value, dtype):
                return name_of(value, str(value))
            if isinstance(value, device):
                return f"{name_of(device, 'device')}{repr(value)[6:]}"
            if value is ...:
                return "Ellipsis"
            if value is None or isinstance(value, str | int | float | complex | bool | bytes):
                return repr(value)
            if isinstance(value, type):
                return name_of(value, value.__name__)
            if callable(value) and hasattr(value, "__name__"):
                return name_of(value, _get_qualified_name(value))
            return name_of(value, "value")

        def arguments(args: tuple, kwargs: dict) -> str:
            return ", ".join([*map(text, args), *(f"{k} = {text(v)}" for k, v in kwargs.items())])

        free: list[str] = []
        body: list[str] = []
        last: dict[Node, list[Node]] = {}
        seen: set[Node] = set()
        for node in reversed(nodes):
            for each in nodes_in((node.args, node.kwargs)):
                if each not in seen:
                    seen.add(each)
                    last.setdefault(node, []).append(each)
        annotation = ""
        for node in nodes:
            typed = f" : {name_of_type(node.type, known)}" if node.type is not None else ""
            to = f"{node.name}{typed}"
            target, args, kwargs = node.target, node.args, node.kwargs
            if node.op == "placeholder":
                default = f" = {text(args[0])}" if args else ""
                free.append(f"{target}{typed}{default}")
                raw = target.replace("*", "")
                if raw != node.name:
                    body.append(f"{node.name} = {raw}\n")
                continue
            if node.op == "output":
                if node.type is not None:
                    annotation = f" -> {name_of_type(node.type, known)}"
                body.append(
                    f"return {text(args[0])}\n" if type(self) is CodeGen else self.generate_output(args[0]) + "\n"
                )
                continue
            if node.op == "get_attr":
                body.append(f"{to} = {attribute(root, target)}")
            elif node.op == "call_module":
                body.append(f"{to} = {attribute(root, target)}({arguments(args, kwargs)})")
            elif node.op == "call_method":
                body.append(f"{to} = {bracketed(text(args[0]))}.{target}({arguments(args[1:], kwargs)})")
            else:
                title = getattr(target, "__name__", "")
                own = getattr(operator, title, None) is target
                if own and title in MAGIC and not kwargs:
                    body.append(f"{to} = {MAGIC[title].format(*map(text, args))}")
                elif own and title in INPLACE:
                    body.append(f"{text(args[0])} {INPLACE[title]} {text(args[1])};  {to} = {text(args[0])}")
                elif target is getattr and isinstance(args[1], str) and args[1].isidentifier() and len(args) == 2:
                    body.append(f"{to} = {bracketed(text(args[0]))}.{args[1]}")
                else:
                    name = name_of(target, _get_qualified_name(target) if title else type(target).__name__)
                    body.append(f"{to} = {name}({arguments(args, kwargs)})")
                    if getattr(target, "__fx_wrapped__", False):
                        wrapped[name] = None
            gone = last.get(node, []) + ([] if node.users else [node])
            body.append((";  " + " = ".join([*(each.name for each in gone), "None"]) if gone else "") + "\n")
        if not body:
            body.append("pass\n")
        head = self.gen_fn_def(free, annotation)
        marks = "\n".join(f'wrap("{name}")' for name in wrapped)
        code = "\n".join("    " + line for line in "".join(body).split("\n"))
        return PythonCode(f"\n{marks}\n\n{head}\n{code}", known)


def name_of_type(kind: Any, known: dict[str, Any]) -> str:
    """How an annotation is written; a type that is not Python's own gets a name in the function's globals."""
    shown = _type_repr(kind)
    if getattr(builtins, shown, None) is kind:
        return shown
    name = re.sub(r"\W", "_", shown)
    known[name] = kind
    return name


def bracketed(text: str) -> str:
    return text if text.isidentifier() else f"({text})"


def is_reachable(value: Any, dotted: str) -> bool:
    """Whether a dotted name below torch leads to a value."""
    import torch

    found: Any = torch
    for part in dotted.split(".")[1:]:
        found = getattr(found, part, None)
    return found is value
