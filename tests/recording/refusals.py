"""Dtypes of whole, complex and very short numbers that PyTorch's functions have no kernel for.

They are found by the functions' examples: those of their
tensors that have the dtype of the first are brought to each dtype in turn.
"""

from __future__ import annotations

import ast
import re
from typing import Any

import torch

from tensorsh.engine.examples import example
from tensorsh.engine.loading import table

DTYPES = "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 complex64 complex128".split()
SHORTEST = "float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu".split()
"""Floats of one byte, recorded as ``float8`` where a kernel misses all of them."""
SPACE = {n: getattr(torch, n) for n in dir(torch)}


def arguments(name: str) -> tuple[list, dict] | None:
    """The arguments of a function's example, a method's tensor as the first."""
    found = example(name)
    for line in reversed(found.code if found else []):
        call: Any = ast.parse(line).body[-1]
        call = getattr(call, "value", call)
        while isinstance(call, (ast.Attribute, ast.Subscript)):
            call = call.value
        if not isinstance(call, ast.Call):
            continue
        space = dict(SPACE)
        try:
            for before in found.code[: found.code.index(line)]:
                exec(before, space)
            args = [eval(ast.unparse(a), space) for a in call.args]
            if isinstance(call.func, ast.Attribute):
                owner = eval(ast.unparse(call.func.value), space)
                args = [owner, *args] if isinstance(owner, torch.Tensor) else args
            return args, {k.arg: eval(ast.unparse(k.value), space) for k in call.keywords if k.arg}
        except Exception:
            return None
    return None


def told(function: Any, args: list, kwargs: dict, dtype: str) -> str:
    """The kernel that a function misses for a dtype."""
    first = next((x.dtype for x in args if isinstance(x, torch.Tensor)), None)

    def brought(x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            return type(x)([brought(each) for each in x])
        return x.to(getattr(torch, dtype)) if isinstance(x, torch.Tensor) and x.dtype is first else x

    try:
        function(*brought(args), **{key: brought(value) for key, value in kwargs.items()})
    except RuntimeError as error:
        found = re.match(
            r"\"?(\w+:?)\"? (?:not implemented for|Unsupported dtype) '?(\w+)'?$", str(error).split("\n")[0]
        )
        return found[1] if found and found[2] == SHORT[dtype] else ""
    except Exception:
        pass
    return ""


SHORT = {
    "bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long", "uint16": "UInt16",
    "uint32": "UInt32", "uint64": "UInt64", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
    **{name: name.capitalize() for name in SHORTEST},
}  # fmt: skip
X = torch.tensor([[2.0, 1.0], [1.0, 2.0]])
FORMS = {
    "_clamp_numbers": (torch.clamp, [X, 1, 2]), "_clamp_tensors": (torch.clamp, [X, X]), "_clamp_min_number": (torch.clamp_min, [X, 1]),
    "_clamp_min_tensor": (torch.clamp_min, [X, X]), "_clamp_max_number": (torch.clamp_max, [X, 1]),
    "_clamp_max_tensor": (torch.clamp_max, [X, X]), "_lerp_number": (torch.lerp, [X, X, 0.5]), "_lerp_tensor": (torch.lerp, [X, X, X]),
    "_pow_number": (torch.pow, [X, 2]), "_pow_tensor": (torch.pow, [X, X]), "_pow_base": (torch.pow, [2, X]),
    "_remainder_number": (torch.remainder, [X, 2]), "_fmod_number": (torch.fmod, [X, 2]), "_floor_divide_number": (torch.floor_divide, [X, 2]),
    "_max_all": (torch.max, [X]), "_min_all": (torch.min, [X]), "_median_all": (torch.median, [X]), "_nanmedian_all": (torch.nanmedian, [X]),
    "_times_number": (torch.mul, [X, 2]), "_rsub_number": (torch.rsub, [X, 1]), "count_nonzero": (torch.count_nonzero, [X]),
    "equal": (torch.equal, [X, X]), "xlogy": (torch.xlogy, [X, X]), "put_": (torch.Tensor.put_, [X, torch.tensor([0]), X[:1, 0]]),
}  # fmt: skip
"""Calls of a form of a function that is an operator of its own, and of which there is no example of one call."""


def lacks() -> dict[str, str]:
    """The kernels that each function misses, with their dtypes."""
    table.load_all()
    missing: dict[str, str] = {}
    for name in sorted({*table.OPERATORS, *FORMS}):
        function: Any = torch
        for part in name.split("."):
            function = getattr(function, part, None)
        function = function or getattr(torch.Tensor, name, None)
        given = arguments(name) if callable(function) and not name.startswith("_") else None
        if name in FORMS:
            function, given = FORMS[name][0], (FORMS[name][1], {})
        if given is None or not given[0] or name == "repeat_interleave":  # its example's tensor is not what is repeated
            continue
        kernels: dict[str, list[str]] = {}
        for dtype in [*DTYPES, *SHORTEST]:
            promoted = dtype == "bool" and name in (
                "searchsorted",
                "bucketize",
            )  # other operands bring whole numbers in
            promoted |= name == "scatter_reduce" and "complex" in dtype  # that is so for extremes alone
            kernel = "" if promoted else told(function, *given, dtype)
            if kernel:
                kernels.setdefault(kernel, []).append(dtype)
        for dtypes in kernels.values():
            if dtypes[-len(SHORTEST) :] == SHORTEST:
                dtypes[-len(SHORTEST) :] = ["float8"]
        if kernels:
            missing[f"{name} lacks"] = "; ".join(
                " ".join([kernel, *dtypes]) for kernel, dtypes in sorted(kernels.items())
            )
    return missing
