"""Writes tensorsh/engine/overloads.txt, the parameters of PyTorch's functions with their kinds: run it with PyTorch's Python.

    PYTHONPATH=. python tests/record_overloads.py

One line a function: its overloads, separated by `|`, from PyTorch's stubs and docstrings; `python` before those of
functions written in Python, whose mistakes Python itself words.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
from pathlib import Path

import torch

from tensorsh.engine import table

FOLDER = os.path.dirname(torch.__file__)
FILE = Path(__file__).parent.parent / "tensorsh" / "engine" / "overloads.txt"
KINDS = {
    "Tensor": "Tensor", "Number": "Number", "Number | _complex": "Number", "_int": "int", "_bool": "bool", "_float": "float", "_size": "ints",
    "_int | _size": "ints1", "_int | SymInt": "int", "_dtype": "dtype", "DeviceLikeType": "device", "_layout": "layout",
    "Generator": "Generator", "str": "str", "Sequence[_int | SymInt]": "ints", "tuple[Tensor, ...] | list[Tensor]": "Tensors",
    "_size | _int": "ints1", "Sequence[_float]": "floats", "memory_format": "memory_format", "Size": "ints",
    "Sequence[_int | SymInt] | _int": "ints1", "str | EllipsisType": "name", "Sequence[str | EllipsisType | None]": "names",
    "tuple[Tensor, ...] | list[Tensor] | None": "Tensors", "Tensor | Number | _complex": "Tensor", "Number | _complex | Tensor": "Tensor",
}  # fmt: skip
SHOWN = {"dtype": "torch.dtype"}


def kind(note: ast.expr | None, default: str) -> str:
    text = ast.unparse(note) if note is not None else ""
    text = re.sub(r" \| None$", "", text)
    return KINDS.get(text) or ("Any" if "Number" not in text else "Tensor" if "Tensor" in text else "Number")


def stub(file: str, owner: str | None = None) -> dict[str, list[str]]:
    with open(os.path.join(FOLDER, file), encoding="utf-8") as source:
        body = ast.parse(source.read()).body
    if owner:
        body = next(n.body for n in body if isinstance(n, ast.ClassDef) and n.name == owner)
    found: dict[str, list[str]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.args.vararg is None:
            found.setdefault(node.name, []).append(written(node.args))
    return found


def written(a: ast.arguments) -> str:
    """``Tensor input, int dim, *, dtype dtype=None``"""
    texts = []
    everything = [*a.posonlyargs, *a.args]
    defaults = [None] * (len(everything) - len(a.defaults)) + a.defaults
    for each, default in zip(everything, defaults, strict=True):
        texts.append(one(each, default))
    if a.kwonlyargs:
        texts.append("*")
        texts += [one(each, default) for each, default in zip(a.kwonlyargs, a.kw_defaults, strict=True)]
    return ", ".join(texts)


def one(argument: ast.arg, default: ast.expr | None) -> str:
    shown = "" if default is None else "=" + ast.unparse(default).replace(", ", ",").replace(" ", "")
    note = argument.annotation
    optional = "?" if note is not None and ast.unparse(note).endswith("| None") else ""
    found = kind(note, shown)
    found = "Tensors" if found == "Any" and argument.arg == "out" else found
    return f"{found}{optional} {argument.arg}{shown}"


NAMED = {
    **dict.fromkeys("input A B other x x1 x2 weight tau LU LD pivots".split(), "Tensor"),
    "upper": "bool",
    "dim": "ints1?",
    "n": "int?",
    "s": "ints1?",
    "norm": "str?",
    "p": "Number?",
    "ord": "Any?",
    "dtype": "dtype?",
    "out": "Tensor?",
    "tol": "Any?",
    "rtol": "Any?",
    "atol": "Any?",
    "driver": "str?",
    "mode": "str",
    "UPLO": "str",
}


def documented(value: object) -> list[str]:
    """From the first line of a docstring, the kinds guessed from names."""
    lines = re.findall(r"^\s*[\w.]*\((.*)\)(?: ->|\s*$)", (value.__doc__ or "")[:400], re.MULTILINE)[:1]
    found = []
    for line in lines:
        try:
            a = ast.parse(f"def f({line}): pass").body[0].args
        except SyntaxError:
            continue
        texts = []
        for text in written(a).split(", "):
            if text != "*":
                name = text.split(" ")[1].split("=")[0]
                default = text.partition("=")[2]
                guess = NAMED.get(name) or ("bool" if default in ("True", "False") else "Any")
                text = f"{guess} {name}" + (f"={default}" if default else "")
            texts.append(text)
        found.append(", ".join(texts))
    return found


TYPES = {
    "tuple of ints": "ints", "torch.dtype": "dtype", "tuple of names": "names", "tuple of Tensors": "Tensors", "torch.device": "device",
    "torch.layout": "layout", "torch.Generator": "Generator", "torch.memory_format": "memory_format", "tuple of floats": "floats",
    "tuple of Scalars": "Numbers",
}  # fmt: skip
SINGLE = (
    "dim",
    "kernel_size",
    "stride",
    "padding",
    "dilation",
    "output_size",
    "output_padding",
    "dims",
    "shifts",
    "correction",
    "s",
)


def told(value: object) -> list[str] | None:
    """The overloads as the function itself lists them when no call fits; None where it has but one."""
    options: list[str] = []
    for args, kwargs in ((), {f"bogus{i}": 0 for i in range(30)}), ((object(),) * 30, {}):
        try:
            value(*args, **kwargs)
            return None
        except TypeError as error:
            text = str(error)
        except Exception:
            return None
        if "invalid combination of arguments" not in text:
            return None
        options = re.findall(r"^ \* \((.*)\)$", text, re.MULTILINE) or re.findall(
            r"but expected \((.*)\)$", text, re.MULTILINE
        )
        if options:
            break
    found = []
    for option in options:
        texts = []
        for each in option.split(", ") if option else []:
            if each == "*":
                texts.append(each)
                continue
            each, _, default = each.partition(" = ")
            kind, _, name = each.rpartition(" ")
            kind = TYPES.get(kind, kind)
            kind = "ints1" if kind == "ints" and name in SINGLE else kind
            texts.append(
                f"{kind}{'?' if default == 'None' else ''} {name}{'=' + default.replace(' ', '') if default else ''}"
            )
        found.append(", ".join(texts))
    return ["+", *found] if found else None


WRITTEN = {
    "linalg.cholesky": "Tensor input, *, bool upper=False, Tensor? out=None",
    "nn.functional.linear": "Tensor input, Tensor weight, Tensor? bias=None, *, Tensor? out=None",
    "nn.functional.gelu": "Tensor input, *, str approximate='none', Tensor? out=None",
    "nn.functional.softplus": "Tensor input, Number beta=1, Number threshold=20, *, Tensor? out=None",
    "nn.functional.one_hot": "Tensor input, int num_classes=-1",
    "nn.functional.cosine_similarity": "Tensor x1, Tensor x2, int dim=1, float eps=1e-08",
    "nn.functional.avg_pool2d": "Tensor input, ints1 kernel_size, ints1 stride=None, ints1 padding=0, bool ceil_mode=False, "
    "bool count_include_pad=True, int? divisor_override=None, *, Tensor? out=None",
} | {
    "fft." + n: "Tensor input, int? n=None, int dim=-1, str? norm=None, *, Tensor? out=None"
    for n in "fft ifft rfft irfft hfft ihfft".split()
}  # fmt: skip
"""Those of which neither a stub nor a call tells enough."""


def main() -> None:
    table.load_all()
    functions, methods = stub("_C/_VariableFunctions.pyi"), stub("_C/__init__.pyi", "TensorBase")
    names = [n for n in table.FUNCTIONS if not n.rpartition(".")[2].startswith("_")]
    names += ["Tensor." + n for n in table.METHODS if not n.startswith("_")]
    lines = []
    for name in sorted(names):
        owner, _, last = name.rpartition(".")
        value = torch
        for part in name.split("."):
            value = getattr(value, part, None)
        if value is None or isinstance(value, (type, property)) or not callable(value):
            continue
        if name in WRITTEN:
            lines.append(f"{name}: {WRITTEN[name]}")
            continue
        if inspect.isfunction(value):
            parameters = [
                p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else None)
                for p in inspect.signature(value).parameters.values()
            ]
            lines.append(f"{name}: python {str(inspect.Signature(parameters))[1:-1]}")
            continue
        listed = told(getattr(torch.ones(2, 2), last) if owner == "Tensor" else value)
        if listed:
            lines.append(f"{name}: + {' | '.join(listed[1:])}")
            continue
        overloads = methods.get(last, []) if owner == "Tensor" else functions.get(last, []) if not owner else []
        overloads = overloads or documented(value)
        if not overloads and owner.startswith("nn"):
            overloads = functions.get(last, [])
        if owner == "Tensor":
            overloads = [o.split(", ", 1)[1] if ", " in o else "" for o in overloads]
        else:
            overloads = [o for o in overloads if " self" not in o] or overloads
        overloads = [o for o in overloads if "out_dtype" not in o]
        if overloads:
            lines.append(f"{name}: {' | '.join(dict.fromkeys(overloads))}")
    FILE.write_text(
        "# Names: overloads. Made by tests/record_overloads.py.\n" + "\n".join(lines) + "\n", encoding="ascii"
    )


main()
